/* The calls of the run function, with their parameter structs. */
#include "emit/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/banned.h"
#include "bind/view.h"
#include "emit/text.h"

static enum tn_element element_of(const struct tn_tensor *t)
{
	switch (t->dtype) {
	case DTYPE_I8:
		return ELEMENT_I8;
	case DTYPE_I16:
		return ELEMENT_I16;
	case DTYPE_I32:
		return ELEMENT_I32;
	case DTYPE_I64:
		return ELEMENT_I64;
	case DTYPE_F32:
		return ELEMENT_U32;
	default:
		return ELEMENT_U8;
	}
}

/* ---- parameter structs ---- */

static const struct {
	enum tn_element element;
	size_t width;
} tables[] = {
	[FIELD_I8_TABLE] = { ELEMENT_I8, 1 },
	[FIELD_I16_TABLE] = { ELEMENT_I16, 2 },
	[FIELD_I32_TABLE] = { ELEMENT_I32, 4 },
};

/* The table's bytes, least significant first whatever the host's order; NULL on lack of
 * memory. */
static uint8_t *little_endian(
	struct tn_arena *arena, const uint8_t *from, size_t count, size_t width)
{
	uint8_t *to = tn_arena_array(arena, count, width);

	for (size_t i = 0; to && i < count; i++) {
		const uint8_t *element = from + i * width;
		uint64_t raw = 0;

		if (width == 1) {
			raw = *element;
		} else if (width == 2) {
			uint16_t v;
			memcpy(&v, element, 2);
			raw = v;
		} else {
			uint32_t v;
			memcpy(&v, element, 4);
			raw = v;
		}
		for (size_t k = 0; k < width; k++)
			to[i * width + k] = (uint8_t)(raw >> (8 * k));
	}
	return to;
}

static void print_table(
	struct tn_writer *w, const struct tn_field *f, const uint8_t *base)
{
	const void *table;
	uint32_t count, index;
	uint8_t *bytes;

	memcpy(&table, base + f->offset, sizeof(table));
	memcpy(&count, base + f->count_of, sizeof(count));
	if (!table) {
		tn_strbuf_puts(&w->params, "0");
		return;
	}
	bytes = little_endian(w->arena, table, count, tables[f->type].width);
	if (!bytes || !tn_pool_add(&w->pool, tables[f->type].element, bytes,
			      count * tables[f->type].width, f->name, &index)) {
		w->params.failed = true;
		return;
	}
	tn_strbuf_printf(&w->params, "%s_c%u", w->ident, index);
}

static void print_scalar(
	struct tn_strbuf *out, enum tn_field_type type, const uint8_t *at)
{
	union {
		uint8_t u8;
		int32_t i32;
		uint32_t u32;
		float f32;
	} v = { 0 };

	switch (type) {
	case FIELD_U8:
		memcpy(&v.u8, at, sizeof(v.u8));
		tn_print_int(v.u8, out);
		break;
	case FIELD_I32:
		memcpy(&v.i32, at, sizeof(v.i32));
		tn_print_int(v.i32, out);
		break;
	case FIELD_U32:
		memcpy(&v.u32, at, sizeof(v.u32));
		tn_strbuf_printf(out, "%" PRIu32 "u", v.u32);
		break;
	case FIELD_F32:
		memcpy(&v.f32, at, sizeof(v.f32));
		tn_print_float(v.f32, out);
		break;
	case FIELD_I8_TABLE:
	case FIELD_I16_TABLE:
	case FIELD_I32_TABLE:
		break;
	}
}

static size_t scalar_width(enum tn_field_type type)
{
	return type == FIELD_U8 ? 1 : 4;
}

static void print_field(
	struct tn_writer *w, const struct tn_field *f, const uint8_t *base)
{
	struct tn_strbuf *out = &w->params;

	tn_strbuf_printf(out, "\t.%s = ", f->name);
	if (f->type >= FIELD_I8_TABLE) {
		print_table(w, f, base);
	} else if (f->count == 1) {
		print_scalar(out, f->type, base + f->offset);
	} else {
		tn_strbuf_puts(out, "{ ");
		for (uint32_t i = 0; i < f->count; i++) {
			if (i)
				tn_strbuf_puts(out, ", ");
			print_scalar(out, f->type,
				base + f->offset + i * scalar_width(f->type));
		}
		tn_strbuf_puts(out, " }");
	}
	tn_strbuf_puts(out, ",\n");
}

void tn_write_params(
	struct tn_writer *w, const char *name, uint32_t op, const struct tn_call *call)
{
	const struct tn_params_info *info = call->kernel->params;

	tn_strbuf_printf(
		&w->params, "static const struct %s %s%u = {\n", info->name, name, op);
	for (uint32_t i = 0; i < info->n_fields; i++)
		print_field(w, &info->fields[i], call->params);
	tn_strbuf_puts(&w->params, "};\n\n");
}

/* ---- operands ---- */

static void print_constant(struct tn_writer *w, struct tn_strbuf *out,
	enum tn_element element, const uint8_t *bytes, int64_t size, const char *what)
{
	uint32_t index;

	if (!tn_pool_add(&w->pool, element, bytes, (size_t)size, what, &index))
		out->failed = true;
	else
		tn_strbuf_printf(out, "%s_c%u", w->ident, index);
}

/* The constant that a tensor's bytes are in; a view starts inside of it. */
static void print_tensor_constant(
	struct tn_writer *w, struct tn_strbuf *out, tn_tensor_id id)
{
	int64_t offset;
	const struct tn_tensor *t = tn_constant_of(w->g, id, &offset);

	if (!t) {
		tn_strbuf_puts(out, "0"); /* no bytes */
		return;
	}
	if (offset)
		tn_strbuf_puts(out, "(const uint8_t *)");
	print_constant(w, out, element_of(t), t->data, t->data_bytes, t->name);
	if (offset)
		tn_strbuf_printf(out, " + %" PRId64, offset);
}

/* A tensor's place; with `rows`, that of its row y. */
static void print_place(struct tn_writer *w, struct tn_strbuf *out, tn_tensor_id id,
	const struct tn_row_op *rows)
{
	const int64_t ring = w->program.plan->tensors[id.i].ring_bytes;
	int64_t row;

	tn_strbuf_printf(out, "T%u", id.i);
	if (!rows)
		return;
	row = w->g->tensors[id.i].bytes / rows->n;
	if (ring)
		tn_strbuf_printf(out, " + y %% %" PRId64 " * %" PRId64, ring / row, row);
	else
		tn_strbuf_printf(out, " + y * %" PRId64, row);
}

static void print_operand(struct tn_writer *w, struct tn_strbuf *out,
	const struct tn_operand *o, const struct tn_row_op *rows, const char *op_name)
{
	if (o->tensor.i == TN_NONE) {
		if (o->data)
			print_constant(
				w, out, ELEMENT_U8, o->data, o->data_bytes, op_name);
		else
			tn_strbuf_puts(out, "0");
	} else if (w->program.tensors[o->tensor.i].region != TN_REGION_NONE) {
		print_place(w, out, o->tensor, rows);
	} else {
		print_tensor_constant(w, out, o->tensor);
	}
}

static void print_operands(struct tn_writer *w, struct tn_strbuf *out, const char *head,
	const struct tn_operand *list, uint32_t n, const struct tn_row_op *rows,
	const char *op_name)
{
	tn_strbuf_printf(out, "%s[] = { ", head);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			tn_strbuf_puts(out, ", ");
		print_operand(w, out, &list[i], rows, op_name);
	}
	tn_strbuf_puts(out, n ? " };\n" : "0 };\n");
}

/* ---- calls ---- */

static void note_kernel(struct tn_writer *w, const struct tn_kernel_info *kernel)
{
	if (!tn_kernel_files_add(w->files, w->arena, kernel->file))
		w->body.failed = true;
	for (size_t i = 0; i < w->symbols.count; i++)
		if (strcmp(w->symbols.items[i], kernel->symbol) == 0)
			return;
	if (!tn_vec_push(w->arena, &w->symbols, kernel->symbol))
		w->body.failed = true;
}

void tn_write_operands(struct tn_writer *w, struct tn_strbuf *out, const char *indent,
	const struct tn_program_op *po)
{
	const struct tn_call *call = &po->call;
	const char *name = w->g->ops[po->op.i].name;
	const struct tn_row_op *rows =
		po->rows && po->rows->rows.kind == ROWS_ELEMENTS ? &po->rows->rows : NULL;

	note_kernel(w, call->kernel);
	tn_strbuf_puts(out, indent);
	print_operands(w, out, "const void *const in", call->in, call->n_in, rows, name);
	tn_strbuf_puts(out, indent);
	print_operands(w, out, "void *const out", call->out, call->n_out, rows, name);
	tn_strbuf_puts(out, "\n");
}

void tn_write_kernel_call(struct tn_strbuf *out, const char *indent, const char *params,
	const struct tn_program_op *po)
{
	tn_strbuf_printf(
		out, "%s%s(%s, in, out, ", indent, po->call.kernel->symbol, params);
	if (po->scratch.region != TN_REGION_NONE)
		tn_strbuf_printf(out, "S%u", po->op.i);
	else
		tn_strbuf_puts(out, "0");
	tn_strbuf_puts(out, ");\n");
}

/* The call of a whole op, in the run function; `name` is that of its parameters. */
static void print_call(
	struct tn_writer *w, const struct tn_program_op *po, const char *name)
{
	char params[32];

	snprintf(params, sizeof(params), "&%s%u", name, po->op.i);
	tn_write_params(w, name, po->op.i, &po->call);
	tn_strbuf_puts(&w->body, "\t{\n");
	tn_write_operands(w, &w->body, "\t\t", po);
	tn_write_kernel_call(&w->body, "\t\t", params, po);
	tn_strbuf_puts(&w->body, "\t}\n");
}

/* Both what is printed now and the parameters are for the run without sharing. */
static void only_unshared(struct tn_writer *w, bool begin)
{
	const char *line = begin ? "#ifdef TENURE_UNSHARED\n" : "#endif\n";

	tn_strbuf_puts(&w->params, line);
	tn_strbuf_puts(&w->params, begin ? "" : "\n");
	tn_strbuf_puts(&w->body, line);
}

void tn_write_shows(struct tn_writer *w, tn_op_id id, const char *place)
{
	const struct tn_op *op = &w->g->ops[id.i];

	for (uint32_t k = 0; w->options->debug && k < op->n_outputs; k++) {
		tn_tensor_id t = op->outputs[k];

		if (t.i == TN_NONE || w->program.tensors[t.i].region == TN_REGION_NONE ||
			w->g->tensors[t.i].bytes == 0)
			continue;
		tn_strbuf_printf(&w->body, "\tSHOW(%u, ", id.i);
		tn_text_string(&w->body, op->name);
		tn_strbuf_printf(&w->body, ", %u, ", t.i);
		tn_text_string(&w->body, w->g->tensors[t.i].name);
		tn_strbuf_printf(&w->body, ", %s%u, %" PRId64 ");\n", place, t.i,
			w->g->tensors[t.i].bytes);
	}
}

void tn_write_show_input(
	const struct tn_writer *w, uint32_t id, const char *place, struct tn_strbuf *out)
{
	const struct tn_tensor *t = &w->g->tensors[id];

	if (!w->options->debug || w->program.tensors[id].region == TN_REGION_NONE ||
		t->bytes == 0)
		return;
	tn_strbuf_printf(out, "\tSHOW(TENURE_NO_OP, \"\", %u, ", id);
	tn_text_string(out, t->name);
	tn_strbuf_printf(out, ", %s%u, %" PRId64 ");\n", place, id, t->bytes);
}

void tn_write_layer_hook(
	const struct tn_writer *w, struct tn_strbuf *out, const char *indent, tn_op_id id)
{
	tn_strbuf_printf(out, "%sTENURE_LAYER_HOOK(%u, ", indent, id.i);
	tn_text_string(out, w->g->ops[id.i].type);
	tn_strbuf_puts(out, ", ");
	tn_text_string(out, w->g->ops[id.i].name);
	tn_strbuf_puts(out, ");\n");
}

void tn_write_title(struct tn_writer *w, struct tn_strbuf *out, tn_op_id id)
{
	tn_strbuf_printf(out, "%u: ", id.i);
	tn_text_plain(out, w->g->ops[id.i].type);
	tn_strbuf_puts(out, " ");
	tn_text_plain(out, w->g->ops[id.i].name);
}

static void print_op(struct tn_writer *w, uint32_t position)
{
	const struct tn_program_op *po = &w->program.ops[position];
	const bool debug = w->options->debug;

	tn_strbuf_puts(&w->body, "\n\t/* ");
	tn_write_title(w, &w->body, po->op);
	if (po->elided)
		tn_strbuf_puts(&w->body, ": nothing to do, the bytes are in place");
	tn_strbuf_puts(&w->body, " */\n");
	if (po->elided && debug) {
		only_unshared(w, true);
		print_call(w, &w->unshared.ops[position], "op");
		only_unshared(w, false);
	} else if (!po->elided) {
		print_call(w, po, "op");
	}
	tn_write_layer_hook(w, &w->body, "\t", po->op);
	if (debug)
		tn_strbuf_puts(&w->body, "\tCHECK();\n");
	tn_write_shows(w, po->op, "T");
}

/* Without sharing, the ops of a chain run one after the other. */
static void print_chain(struct tn_writer *w, const struct tn_plan_stream *s)
{
	if (s->fed) {
		w->fed = s;
		w->fed_at = w->body.len;
	}
	if (w->options->debug) {
		only_unshared(w, true);
		if (s->fed)
			tn_write_show_input(w, s->input, "T", &w->body);
		for (uint32_t i = 0; i < s->n; i++) {
			const struct tn_program_op *po = &w->unshared.ops[s->first + i];

			print_call(w, po, "whole");
			tn_write_layer_hook(w, &w->body, "\t", po->op);
			tn_strbuf_puts(&w->body, "\tCHECK();\n");
			tn_write_shows(w, po->op, "T");
		}
		only_unshared(w, false);
	}
	tn_write_chain(w, s);
}

/* Graph outputs that are constants are handed out as they are. */
static void keep_const_outputs(struct tn_writer *w)
{
	for (uint32_t k = 0; k < w->g->n_outputs; k++) {
		tn_tensor_id id = w->g->outputs[k];
		struct tn_strbuf text;

		if (w->program.tensors[id.i].region != TN_REGION_NONE)
			continue;
		tn_strbuf_init(&text);
		print_tensor_constant(w, &text, id);
		w->const_outputs[k] =
			text.failed ? NULL : tn_arena_strdup(w->arena, text.text);
		if (!w->const_outputs[k])
			w->body.failed = true;
		tn_strbuf_release(&text);
	}
}

void tn_write_calls(struct tn_writer *w)
{
	for (uint32_t i = 0; i < w->program.n_ops; i++) {
		const struct tn_plan_stream *s = tn_plan_stream_at(w->program.plan, i);

		if (!s)
			print_op(w, i);
		else if (i == s->first)
			print_chain(w, s);
	}
	keep_const_outputs(w);
}
