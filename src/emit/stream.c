/* Chains of ops that run row by row: a function for each op, which computes some rows, and
 * one for the chain, which calls them as the plan's events say. No table is looked up: what
 * repeats is a loop, the rest calls one after the other. */
#include "emit/calls.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/banned.h"
#include "emit/text.h"

/* Has an op of the chain parameters that say which rows? Then they are a variable. */
static bool has_rows(const struct tn_program_op *po)
{
	return po->rows && po->rows->rows.kind != ROWS_ELEMENTS;
}

static const char *field_at(const struct tn_params_info *info, uint32_t offset)
{
	for (uint32_t i = 0; i < info->n_fields; i++)
		if (info->fields[i].offset == offset)
			return info->fields[i].name;
	return NULL;
}

/* ---- the rows of an op ---- */

/* With the hook, what is inside a chain is put together elsewhere, row by row. */
static bool is_kept(const struct tn_writer *w, const struct tn_plan_stream *s, uint32_t i)
{
	return w->options->debug && i + 1 < s->n && w->program.ops[s->first + i].rows;
}

static void print_whole(struct tn_writer *w, uint32_t id, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"#ifdef TENURE_HOOK\nstatic uint8_t whole%u[%" PRId64
		"] TENURE_HOOK_MEMORY;\n#endif\n",
		id, w->g->tensors[id].bytes);
	w->hook_bytes += w->g->tensors[id].bytes;
}

static void print_keep(
	struct tn_writer *w, const struct tn_program_op *po, struct tn_strbuf *out)
{
	const uint32_t id = w->g->ops[po->op.i].outputs[0].i;
	const int64_t n = po->rows->rows.n, row = w->g->tensors[id].bytes / n;
	const int64_t ring = w->program.plan->tensors[id].ring_bytes;

	tn_strbuf_printf(out,
		"\tKEEP(whole%u, T%u, %" PRId64 ", %" PRId64 ", begin, end);\n", id, id,
		row, ring ? ring / row : n);
}

static void print_void(const struct tn_writer *w, struct tn_strbuf *out)
{
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(out, "\t(void)%s;\n", w->regions[i].ident);
}

/* All in one call: the kernel finds its rows. */
static void print_rows(
	struct tn_writer *w, const struct tn_program_op *po, struct tn_strbuf *out)
{
	const struct tn_params_info *info = po->call.kernel->params;

	tn_write_operands(w, out, "\t", po);
	print_void(w, out);
	tn_strbuf_printf(out, "\tp->%s = begin;\n\tp->%s = end;\n",
		field_at(info, po->rows->rows_at),
		field_at(info, po->rows->rows_at + (uint32_t)sizeof(int32_t)));
	tn_write_kernel_call(out, "\t", "p", po);
}

/* A call for each row, in the direction of the chain. */
static void print_row_loop(struct tn_writer *w, const struct tn_program_op *po,
	bool descending, struct tn_strbuf *out)
{
	char params[32];

	snprintf(params, sizeof(params), "&op%u", po->op.i);
	print_void(w, out);
	tn_strbuf_puts(out, descending
				    ? "\tfor (int32_t y = end - 1; y >= begin; y--) {\n"
				    : "\tfor (int32_t y = begin; y < end; y++) {\n");
	tn_write_operands(w, out, "\t\t", po);
	tn_write_kernel_call(out, "\t\t", params, po);
	tn_strbuf_puts(out, "\t}\n");
}

static void print_function(
	struct tn_writer *w, const struct tn_plan_stream *s, uint32_t i)
{
	const struct tn_program_op *po = &w->program.ops[s->first + i];
	struct tn_strbuf *out = &w->streams;

	if (!po->rows)
		return;
	tn_write_params(w, "op", po->op.i, &po->call);
	if (is_kept(w, s, i))
		print_whole(w, w->g->ops[po->op.i].outputs[0].i, out);
	tn_strbuf_puts(out, "/* ");
	tn_write_title(w, out, po->op);
	tn_strbuf_printf(out, ": rows [begin, end) */\nstatic void rows_%u(", po->op.i);
	if (has_rows(po))
		tn_strbuf_printf(out, "struct %s *p, ", po->call.kernel->params->name);
	tn_write_parameters(w, out);
	tn_strbuf_puts(out, ", int32_t begin, int32_t end)\n{\n");
	if (has_rows(po))
		print_rows(w, po, out);
	else
		print_row_loop(w, po, s->descending, out);
	tn_write_layer_hook(w, out, "\t", po->op);
	if (is_kept(w, s, i))
		print_keep(w, po, out);
	tn_strbuf_puts(out, "}\n\n");
}

/* ---- events ---- */

/* "17", or "17 + 2 * t", or "t" */
static void print_row(struct tn_strbuf *out, int64_t y, int64_t step)
{
	if (y || step <= 0)
		tn_strbuf_printf(out, "%" PRId64 "%s", y, step > 0 ? " + " : "");
	if (step < 0)
		tn_strbuf_puts(out, " - ");
	if (step > 1 || step < -1)
		tn_strbuf_printf(out, "%" PRId64 " * ", step < 0 ? -step : step);
	if (step)
		tn_strbuf_puts(out, "t");
}

static const struct tn_program_op *op_of(
	const struct tn_writer *w, const struct tn_plan_stream *s, uint32_t op)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (w->program.ops[s->first + i].op.i == op)
			return &w->program.ops[s->first + i];
	return NULL; /* the program has been checked */
}

void tn_write_event(const struct tn_writer *w, const struct tn_plan_stream *s,
	const struct tn_plan_event *e, struct tn_strbuf *out)
{
	const struct tn_program_op *po = op_of(w, s, e->op);

	if (!po || !po->rows)
		return;
	tn_strbuf_printf(out, "rows_%u(", e->op);
	if (has_rows(po))
		tn_strbuf_printf(out, "&p%u, ", e->op);
	tn_write_arguments(w, out);
	tn_strbuf_puts(out, ", ");
	print_row(out, e->y, e->step);
	tn_strbuf_puts(out, ", ");
	print_row(out, e->y + e->rows, e->step);
	tn_strbuf_puts(out, ");\n");
}

static void print_loop(const struct tn_writer *w, const struct tn_plan_stream *s,
	const struct tn_plan_loop *l, struct tn_strbuf *out)
{
	const bool repeats = l->times > 1;

	if (repeats)
		tn_strbuf_printf(
			out, "\tfor (int32_t t = 0; t < %" PRId64 "; t++) {\n", l->times);
	for (uint32_t k = 0; k < l->n_events; k++) {
		struct tn_plan_event e = l->events[k];

		if (!repeats)
			e.step = 0;
		tn_strbuf_puts(out, repeats ? "\t\t" : "\t");
		tn_write_event(w, s, &e, out);
	}
	if (repeats)
		tn_strbuf_puts(out, "\t}\n");
}

/* The parameters that say which rows are variables. */
static void print_variables(
	const struct tn_writer *w, const struct tn_plan_stream *s, struct tn_strbuf *out)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct tn_program_op *po = &w->program.ops[s->first + i];

		if (has_rows(po))
			tn_strbuf_printf(out, "\tstruct %s p%u = op%u;\n",
				po->call.kernel->params->name, po->op.i, po->op.i);
	}
	tn_strbuf_puts(out, "\n");
}

/* Row r of the input, or all at once. */
static void print_chain(
	struct tn_writer *w, const struct tn_plan_stream *s, struct tn_strbuf *out)
{
	tn_strbuf_printf(
		out, "static void chain_%u(", (uint32_t)(s - w->program.plan->streams));
	tn_write_parameters(w, out);
	tn_strbuf_puts(out, s->fed ? ", const uint8_t *row, int32_t r)\n{\n" : ")\n{\n");
	print_variables(w, s, out);
	if (s->fed)
		tn_write_fed(w, s, out);
	for (uint32_t i = 0; i < s->n_loops && !s->fed; i++)
		print_loop(w, s, &s->loops[i], out);
	tn_strbuf_puts(out, "}\n");
}

static void print_title(
	struct tn_writer *w, const struct tn_plan_stream *s, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "\n\t/* %u ops, row by row: ", s->n);
	tn_write_title(w, out, w->program.ops[s->first].op);
	tn_strbuf_puts(out, ", to ");
	tn_write_title(w, out, w->program.ops[s->first + s->n - 1].op);
	tn_strbuf_puts(out, " */\n");
}

void tn_write_chain(struct tn_writer *w, const struct tn_plan_stream *s)
{
	const char *begin = w->options->debug ? "#ifndef TENURE_UNSHARED\n" : "";
	const char *end = w->options->debug ? "#endif\n" : "";
	struct tn_strbuf *out = &w->streams;

	tn_strbuf_puts(&w->params, begin);
	tn_strbuf_puts(out, begin);
	if (s->fed && w->options->debug)
		print_whole(w, s->input, out);
	for (uint32_t i = 0; i < s->n; i++)
		print_function(w, s, i);
	print_chain(w, s, out);
	tn_strbuf_printf(out, "%s\n", end);
	tn_strbuf_puts(&w->params, end);
	tn_strbuf_puts(&w->params, *end ? "\n" : "");

	print_title(w, s, &w->body);
	tn_strbuf_puts(&w->body, begin);
	if (s->fed) {
		tn_write_show_input(w, s->input, "whole", &w->body);
	} else {
		tn_strbuf_printf(&w->body, "\tchain_%u(",
			(uint32_t)(s - w->program.plan->streams));
		tn_write_arguments(w, &w->body);
		tn_strbuf_puts(&w->body, ");\n");
	}
	for (uint32_t i = 0; i < s->n; i++)
		tn_write_shows(w, w->program.ops[s->first + i].op,
			is_kept(w, s, i) ? "whole" : "T");
	tn_strbuf_puts(&w->body, end);
}
