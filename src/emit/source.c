/* model.c. */
#include "emit/calls.h"

#include <inttypes.h>

#include "base/banned.h"
#include "emit/text.h"

/* ---- the map of the memory ---- */

static void print_place(const struct tn_writer *w, struct tn_strbuf *out, char letter,
	uint32_t id, const struct tn_storage *s, bool unshared)
{
	tn_strbuf_printf(out, "#define %c%u ((uint8_t *)%s + %" PRId64 ")", letter, id,
		w->regions[unshared ? 0 : s->region].ident, s->offset);
}

static void print_map(const struct tn_writer *w, const struct tn_program *p,
	struct tn_strbuf *out, bool unshared)
{
	for (uint32_t i = 0; i < w->g->n_tensors; i++) {
		const struct tn_storage *s = &p->tensors[i];

		if (s->region == TN_REGION_NONE)
			continue;
		print_place(w, out, 'T', i, s, unshared);
		tn_strbuf_printf(out, " /* %" PRId64 " bytes", s->bytes);
		if (p->plan->tensors[i].ring_bytes)
			tn_strbuf_puts(out, ", a ring of rows");
		tn_strbuf_puts(out, ": ");
		tn_text_plain(out, w->g->tensors[i].name);
		tn_strbuf_puts(out, " */\n");
	}
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct tn_storage *s = &p->ops[i].scratch;

		if (p->ops[i].elided || s->region == TN_REGION_NONE)
			continue;
		print_place(w, out, 'S', p->ops[i].op.i, s, unshared);
		tn_strbuf_printf(out, " /* %" PRId64 " bytes of scratch */\n", s->bytes);
	}
}

static void print_maps(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "\n/* Where each tensor is. */\n");
	if (w->options->debug) {
		tn_strbuf_puts(out, "#ifdef TENURE_UNSHARED\n");
		print_map(w, &w->unshared, out, true);
		tn_strbuf_puts(out, "#else\n");
	}
	print_map(w, &w->program, out, false);
	if (w->options->debug)
		tn_strbuf_puts(out, "#endif\n");
}

/* ---- checks ---- */

static int64_t end_of(const struct tn_program *p, uint32_t region)
{
	int64_t end = 0;

	for (uint32_t i = 0; i < p->graph->n_tensors; i++) {
		const struct tn_storage *s = &p->tensors[i];

		if (s->region == region && s->offset + s->bytes > end)
			end = s->offset + s->bytes;
	}
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct tn_storage *s = &p->ops[i].scratch;

		if (s->region == region && s->offset + s->bytes > end)
			end = s->offset + s->bytes;
	}
	return end;
}

static void print_asserts(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"\n#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
		"#define ASSERT(name, condition) _Static_assert(condition, #name)\n"
		"#else\n"
		"#define ASSERT(name, condition) typedef char assert_##name[(condition) "
		"? 1 "
		": -1]\n"
		"#endif\n"
		"ASSERT(bytes_have_eight_bits, (uint8_t)-1 == 255);\n"
		"ASSERT(floats_have_32_bits, sizeof(float) == 4);\n");
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_writer_region *r = &w->regions[i];

		tn_strbuf_printf(out,
			"ASSERT(%s_is_aligned_enough, %s_%s_ALIGN %% %d == 0);\n",
			r->ident, w->upper, r->upper, TN_PROGRAM_ALIGN);
		if (w->options->debug)
			tn_strbuf_puts(out, "#ifndef TENURE_UNSHARED\n");
		tn_strbuf_printf(out,
			"ASSERT(%s_is_large_enough, %s_%s_BYTES >= %" PRId64 ");\n",
			r->ident, w->upper, r->upper, end_of(&w->program, i));
		if (w->options->debug)
			tn_strbuf_puts(out, "#endif\n");
	}
}

/* ---- canaries and hook, in debug only ---- */

static void print_gap(struct tn_strbuf *out, const struct tn_storage *s)
{
	if (s->region != TN_REGION_NONE)
		tn_strbuf_printf(out, "\t%" PRId64 ",\n", s->offset + s->bytes);
}

static void print_canaries(const struct tn_writer *w, struct tn_strbuf *out)
{
	const struct tn_program *p = &w->unshared;

	tn_strbuf_printf(out,
		"\n#ifdef TENURE_UNSHARED\n"
		"/* Starts of the canaries, %d bytes behind each tensor and scratch. */\n"
		"static const uint32_t canaries[] = {\n",
		TN_PROGRAM_GAP);
	for (uint32_t i = 0; i < w->g->n_tensors; i++)
		if (w->g->tensors[i].view_of.i == TN_NONE)
			print_gap(out, &p->tensors[i]);
	for (uint32_t i = 0; i < p->n_ops; i++)
		print_gap(out, &p->ops[i].scratch);
	tn_strbuf_printf(out,
		"\t0xffffffffu /* the end */\n};\n\n"
		"static void set_canaries(uint8_t *base)\n{\n"
		"\tfor (unsigned i = 0; canaries[i] != 0xffffffffu; i++)\n"
		"\t\tmemset(base + canaries[i], 0xC3, %d);\n}\n\n"
		"static int canaries_hold(const uint8_t *base)\n{\n"
		"\tfor (unsigned i = 0; canaries[i] != 0xffffffffu; i++)\n"
		"\t\tfor (unsigned k = 0; k < %d; k++)\n"
		"\t\t\tif (base[canaries[i] + k] != 0xC3)\n\t\t\t\treturn 0;\n"
		"\treturn 1;\n}\n"
		"#define CHECK()                                            \\\n"
		"\tdo {                                               \\\n"
		"\t\tif (!canaries_hold((const uint8_t *)%s)) \\\n"
		"\t\t\treturn 2;                          \\\n"
		"\t} while (0)\n"
		"#else\n#define CHECK() ((void)0)\n#endif\n",
		TN_PROGRAM_GAP, TN_PROGRAM_GAP, w->regions[0].ident);
	tn_strbuf_puts(out,
		"\n#ifdef TENURE_HOOK\n"
		"#define SHOW(op, op_name, tensor, name, at, size) \\\n"
		"\ttenure_hook(op, op_name, tensor, name, at, size)\n"
		"#else\n#define SHOW(op, op_name, tensor, name, at, size) ((void)0)\n"
		"#endif\n");
}

/* What is inside a chain is there for a while only: the hook sees a copy. */
static void print_keep(struct tn_strbuf *out)
{
	tn_strbuf_puts(out,
		"\n#if defined(TENURE_HOOK) && !defined(TENURE_UNSHARED)\n"
		"#ifndef TENURE_HOOK_MEMORY\n#define TENURE_HOOK_MEMORY\n#endif\n"
		"static void keep(uint8_t *whole, const uint8_t *at, int32_t bytes, "
		"int32_t rows,"
		"\n\tint32_t begin, int32_t end)\n{\n"
		"\tfor (int32_t y = begin; y < end; y++)\n"
		"\t\tmemcpy(whole + y * bytes, at + y % rows * bytes, "
		"(size_t)bytes);\n}\n"
		"#define KEEP(whole, at, bytes, rows, begin, end) \\\n"
		"\tkeep(whole, at, bytes, rows, begin, end)\n"
		"#else\n#define KEEP(whole, at, bytes, rows, begin, end) ((void)0)\n"
		"#endif\n");
}

/* ---- functions ---- */

static void print_void(const struct tn_writer *w, struct tn_strbuf *out)
{
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(out, "\t(void)%s;\n", w->regions[i].ident);
}

/* The value that a variable starts from: a constant of its own. */
static void print_first_value(
	struct tn_strbuf *out, uint32_t id, const struct tn_tensor *t)
{
	tn_strbuf_puts(out, "\t{\n\t\tstatic const unsigned char first[] = {");
	for (int64_t i = 0; i < t->bytes; i++)
		tn_strbuf_printf(out, "%s%u,", i % 16 ? " " : "\n\t\t\t", t->data[i]);
	tn_strbuf_printf(
		out, "\n\t\t};\n\n\t\tmemcpy(T%u, first, sizeof(first));\n\t}\n", id);
}

static bool is_set_first(const struct tn_writer *w, uint32_t tensor)
{
	return w->g->tensors[tensor].role == ROLE_VARIABLE &&
	       w->program.tensors[tensor].region != TN_REGION_NONE;
}

bool tn_variable_has_first(const struct tn_writer *w, uint32_t tensor)
{
	const struct tn_tensor *t = &w->g->tensors[tensor];

	return is_set_first(w, tensor) && t->data_kind == DATA_BYTES &&
	       t->data_bytes == t->bytes && t->bytes;
}

static void print_init(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "\nvoid %s_init(", w->ident);
	tn_write_parameters(w, out);
	tn_strbuf_puts(out, ")\n{\n");
	print_void(w, out);
	if (w->options->debug)
		tn_strbuf_printf(out,
			"#ifdef TENURE_UNSHARED\n\tset_canaries((uint8_t "
			"*)%s);\n#endif\n",
			w->regions[0].ident);
	for (uint32_t i = 0; i < w->g->n_tensors; i++) {
		const struct tn_tensor *t = &w->g->tensors[i];

		if (tn_variable_has_first(w, i))
			print_first_value(out, i, t);
		else if (is_set_first(w, i))
			tn_strbuf_printf(out, "\tmemset(T%u, %u, %" PRId64 ");\n", i,
				tn_variable_byte(t), t->bytes);
	}
	tn_strbuf_puts(out, "}\n");
}

static void print_ports(const struct tn_writer *w, struct tn_strbuf *out, bool inputs)
{
	uint32_t n = inputs ? w->g->n_inputs : w->g->n_outputs;

	tn_strbuf_printf(out, "\n%svoid *%s_%s(", inputs ? "" : "const ", w->ident,
		inputs ? "input" : "output");
	tn_write_parameters(w, out);
	tn_strbuf_puts(out, ", unsigned k)\n{\n");
	print_void(w, out);
	tn_strbuf_puts(out, "\tswitch (k) {\n");
	for (uint32_t k = 0; k < n; k++) {
		tn_tensor_id id = inputs ? w->g->inputs[k] : w->g->outputs[k];

		tn_strbuf_printf(out, "\tcase %u:\n\t\treturn ", k);
		if (inputs && w->fed && w->fed->input == id.i)
			tn_strbuf_puts(out, "0"); /* its rows are pushed */
		else if (w->program.tensors[id.i].region != TN_REGION_NONE)
			tn_strbuf_printf(out, "T%u", id.i);
		else
			tn_strbuf_puts(out, inputs ? "0" : w->const_outputs[k]);
		tn_strbuf_puts(out, ";\n");
	}
	tn_strbuf_puts(out, "\tdefault:\n\t\treturn 0;\n\t}\n}\n");
}

static void print_memory_checks(const struct tn_writer *w, struct tn_strbuf *out)
{
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_writer_region *r = &w->regions[i];

		if (w->options->debug && i)
			tn_strbuf_puts(out, "#ifndef TENURE_UNSHARED\n");
		tn_strbuf_printf(out,
			"\tif (!%s || (uintptr_t)%s %% %s_%s_ALIGN != 0)\n\t\treturn "
			"1;\n",
			r->ident, r->ident, w->upper, r->upper);
		if (w->options->debug && i)
			tn_strbuf_puts(out, "#endif\n");
	}
	print_void(w, out);
}

static void print_run(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "\nint %s_run(", w->ident);
	tn_write_parameters(w, out);
	tn_strbuf_puts(out, ")\n{\n");
	print_memory_checks(w, out);
	for (uint32_t k = 0; k < w->g->n_inputs; k++)
		tn_write_show_input(w, w->g->inputs[k].i, "T", out);
	tn_strbuf_add(out, w->body.text, w->body.len);
	tn_strbuf_puts(out, "\treturn 0;\n}\n");
}

/* ---- an input that comes row by row ----
 * Its first memory is null unless an inference has begun and not ended. */

static void print_locals(const struct tn_writer *w, struct tn_strbuf *out)
{
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(out, "\tvoid *%s = s->%s;\n", w->regions[i].ident,
			w->regions[i].ident);
}

static void print_begin(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "\nint %s_begin(struct %s_stream *s, ", w->ident, w->ident);
	tn_write_parameters(w, out);
	tn_strbuf_puts(out, ")\n{\n");
	tn_strbuf_printf(out, "\ts->%s = 0;\n", w->regions[0].ident);
	print_memory_checks(w, out);
	for (uint32_t k = 0; k < w->g->n_inputs; k++)
		if (w->g->inputs[k].i != w->fed->input)
			tn_write_show_input(w, w->g->inputs[k].i, "T", out);
	tn_strbuf_add(out, w->body.text, w->fed_at);
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(
			out, "\ts->%s = %s;\n", w->regions[i].ident, w->regions[i].ident);
	tn_strbuf_puts(out, "\ts->rows = 0;\n\treturn 0;\n}\n");
}

static void print_push(const struct tn_writer *w, struct tn_strbuf *out)
{
	const struct tn_tensor *t = &w->g->tensors[w->fed->input];
	const int64_t n = t->shape.dim[1], row = t->bytes / n;

	tn_strbuf_printf(out,
		"\nint %s_push_rows(struct %s_stream *s, const void *rows, uint32_t n)"
		"\n{\n\tconst uint8_t *row = rows;\n",
		w->ident, w->ident);
	print_locals(w, out);
	tn_strbuf_printf(out,
		"\n\tif (!%s || n > %" PRId64 " - s->rows)\n\t\treturn 3;\n",
		w->regions[0].ident, n);
	tn_strbuf_printf(
		out, "\tfor (; n > 0; n--, row += %" PRId64 ", s->rows++)\n", row);
	if (w->options->debug)
		tn_strbuf_printf(out,
			"#ifdef TENURE_UNSHARED\n\t\tmemcpy(T%u + s->rows * %" PRId64
			", row, %" PRId64 ");\n#else\n",
			w->fed->input, row, row);
	tn_strbuf_printf(
		out, "\t\tchain_%u(", (uint32_t)(w->fed - w->program.plan->streams));
	tn_write_arguments(w, out);
	tn_strbuf_puts(out, ", row, (int32_t)s->rows);\n");
	if (w->options->debug)
		tn_strbuf_puts(out, "#endif\n");
	tn_strbuf_puts(out, "\treturn 0;\n}\n");
}

static void print_end(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(
		out, "\nint %s_end(struct %s_stream *s)\n{\n", w->ident, w->ident);
	print_locals(w, out);
	tn_strbuf_printf(out,
		"\n\tif (!%s || s->rows != %" PRId64 ")\n\t\treturn 3;\n\ts->%s = 0;\n",
		w->regions[0].ident, w->g->tensors[w->fed->input].shape.dim[1],
		w->regions[0].ident);
	print_void(w, out);
	tn_strbuf_add(out, w->body.text + w->fed_at, w->body.len - w->fed_at);
	tn_strbuf_puts(out, "\treturn 0;\n}\n");
}

void tn_write_source(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "/* Made by tenure from ");
	tn_text_plain(out, w->name);
	tn_strbuf_printf(out,
		". See README.md. */\n#include \"%s.h\"\n\n#include <string.h>\n\n"
		"#include \"%s.h\"\n#include \"tenure%ckernels.h\"\n",
		w->file, w->weights, w->options->flat ? '.' : '/');
	tn_strbuf_puts(out,
		"\n/* After each op's call, of an op in a chain after each call for its "
		"rows: define it to\n * measure layers (README.md). */\n"
		"#ifndef TENURE_LAYER_HOOK\n"
		"#define TENURE_LAYER_HOOK(op, type, name) ((void)0)\n#endif\n");
	print_asserts(w, out);
	if (w->alone) /* kernels of several models are shared: README.md has them */
		tn_write_flash_comment(w, out);
	print_maps(w, out);
	if (w->options->debug)
		print_canaries(w, out);
	tn_strbuf_puts(out, "\n");
	for (size_t i = 0; i < w->symbols.count; i++)
		tn_strbuf_printf(out, "tn_kernel_fn %s;\n", w->symbols.items[i]);
	tn_strbuf_puts(out, "\n");
	if (w->params.len)
		tn_strbuf_add(out, w->params.text, w->params.len - 1);
	if (w->streams.len) {
		if (w->options->debug)
			print_keep(out);
		tn_strbuf_puts(out, "\n");
		tn_strbuf_add(out, w->streams.text, w->streams.len - 1);
	}
	print_init(w, out);
	print_ports(w, out, true);
	print_ports(w, out, false);
	if (w->fed) {
		print_begin(w, out);
		print_push(w, out);
		print_end(w, out);
	} else {
		print_run(w, out);
	}
}
