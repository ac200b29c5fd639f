/* model.h and weights.h. */
#include "emit/writer.h"

#include <inttypes.h>

#include "base/banned.h"
#include "emit/text.h"

void tn_write_parameters(const struct tn_writer *w, struct tn_strbuf *out)
{
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(out, "%svoid *%s", i ? ", " : "", w->regions[i].ident);
}

void tn_write_arguments(const struct tn_writer *w, struct tn_strbuf *out)
{
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(out, "%s%s", i ? ", " : "", w->regions[i].ident);
}

static void print_tensor_comment(struct tn_strbuf *out, const struct tn_tensor *t)
{
	tn_strbuf_puts(out, "/* ");
	tn_text_plain(out, t->name);
	tn_strbuf_printf(out, ": %s [", tn_dtype_name(t->dtype));
	for (uint32_t d = 0; d < t->shape.rank; d++)
		tn_strbuf_printf(out, "%s%" PRId64, d ? ", " : "", t->shape.dim[d]);
	tn_strbuf_puts(out, "] */\n");
}

static void print_port(const struct tn_writer *w, struct tn_strbuf *out, const char *kind,
	uint32_t k, tn_tensor_id id)
{
	const struct tn_tensor *t = &w->g->tensors[id.i];

	print_tensor_comment(out, t);
	tn_strbuf_printf(
		out, "#define %s_%s%u_BYTES %" PRId64 "\n", w->upper, kind, k, t->bytes);
	if (t->quant.n == 1) {
		tn_strbuf_printf(out, "#define %s_%s%u_SCALE ", w->upper, kind, k);
		tn_print_float(t->quant.scale[0], out);
		tn_strbuf_printf(out, "\n#define %s_%s%u_ZERO_POINT ", w->upper, kind, k);
		tn_print_int(t->quant.zero_point[0], out);
		tn_strbuf_puts(out, "\n");
	}
}

static void print_sizes(const struct tn_writer *w, struct tn_strbuf *out, bool unshared)
{
	for (uint32_t i = 0; i < w->n_regions; i++) {
		int64_t bytes = w->regions[i].bytes;

		if (unshared)
			bytes = i ? 0 : w->unshared_plan.regions[0].used;
		tn_strbuf_printf(out, "#define %s_%s_BYTES %" PRId64 "\n", w->upper,
			w->regions[i].upper, bytes);
	}
}

static void print_memory(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_puts(out,
		"\n/* The memory that the caller gives, and how its start must "
		"be aligned. */\n");
	if (w->options->debug) {
		tn_strbuf_puts(out, "#ifdef TENURE_UNSHARED\n");
		print_sizes(w, out, true);
		tn_strbuf_puts(out, "#else\n");
		print_sizes(w, out, false);
		tn_strbuf_puts(out, "#endif\n");
	} else {
		print_sizes(w, out, false);
	}
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(out, "#define %s_%s_ALIGN %" PRId64 "\n", w->upper,
			w->regions[i].upper, w->regions[i].align);
}

static void print_run(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"\n/* One inference. 0, or 1 when memory is missing or "
		"not "
		"aligned%s. */\nint %s_run(",
		w->options->debug ? ", or 2 when\n * an op wrote outside of its operands"
				  : "",
		w->ident);
	tn_write_parameters(w, out);
	tn_strbuf_puts(out, ");\n");
}

/* In place of the run function when an input comes row by row. */
static void print_stream(const struct tn_writer *w, struct tn_strbuf *out)
{
	const struct tn_tensor *t = &w->g->tensors[w->fed->input];
	uint32_t k = 0;

	while (w->g->inputs[k].i != w->fed->input)
		k++;
	tn_strbuf_printf(out,
		"\n#define %s_INPUT%u_ROWS %" PRId64
		"\n#define %s_INPUT%u_ROW_BYTES %" PRId64 "\n",
		w->upper, k, t->shape.dim[1], w->upper, k, t->bytes / t->shape.dim[1]);
	tn_strbuf_printf(out,
		"\n/* One inference, whose input %u comes row by row: begin, push_rows "
		"until "
		"all its rows\n * have come, any number at a time, then end. Keep this "
		"meanwhile; all zeros, none\n * has begun. */\nstruct %s_stream {\n",
		k, w->ident);
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(out, "\tvoid *%s;\n", w->regions[i].ident);
	tn_strbuf_printf(out,
		"\tuint32_t rows; /* that have come */\n};\n\n"
		"/* Other inputs are there; rows of an inference that did not end are "
		"forgotten.\n * 0, or 1 when memory is missing or not aligned%s: then "
		"none has begun. */\nint %s_begin(struct %s_stream *s, ",
		w->options->debug ? ", or 2 when\n * an op wrote outside of its operands"
				  : "",
		w->ident, w->ident);
	tn_write_parameters(w, out);
	tn_strbuf_printf(out,
		");\n\n/* The next n rows, which are not needed any more when it "
		"returns. 0, or 3 "
		"when the\n * input has not so many, or none has begun: then nothing is "
		"done. */\nint %s_push_rows(struct %s_stream *s, const void *rows, "
		"uint32_t "
		"n);\n\n"
		"/* 0, or 3 when rows are missing or none has begun: then nothing is "
		"done%s. */\n"
		"int %s_end(struct %s_stream *s);\n",
		w->ident, w->ident, w->options->debug ? "; or 2 as above" : "", w->ident,
		w->ident);
}

static void print_functions(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"\n/* Resets the model's state. Call it once before the first "
		"run. */\nvoid %s_init(",
		w->ident);
	tn_write_parameters(w, out);
	tn_strbuf_printf(out,
		");\n\n/* Where input k is to be written before each run (a run may "
		"overwrite "
		"it); NULL\n * when there is no such input. */\nvoid *%s_input(",
		w->ident);
	tn_write_parameters(w, out);
	tn_strbuf_printf(out,
		", unsigned k);\n\n/* Where output k is after a run, until an input is "
		"written or the next run starts;\n * NULL when there is no such output. "
		"*/\nconst void *%s_output(",
		w->ident);
	tn_write_parameters(w, out);
	tn_strbuf_printf(out, ", unsigned k);\n");
	(w->fed ? print_stream : print_run)(w, out);
	if (!w->options->debug)
		return;
	tn_strbuf_puts(out,
		"\n#ifdef TENURE_HOOK\n"
		"/* Yours: called for each graph input (op TENURE_NO_OP), and for each "
		"output of\n * an op right after it. */\n"
		"#define TENURE_NO_OP 0xffffffffu\n"
		"void tenure_hook(uint32_t op, const char *op_name, uint32_t tensor,\n"
		"\tconst char *tensor_name, const void *bytes, uint32_t size);\n"
		"#endif\n");
}

void tn_write_header(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "/* Made by tenure from ");
	tn_text_plain(out, w->name);
	tn_strbuf_printf(out,
		". See README.md. */\n#ifndef %s_MODEL_H\n#define %s_MODEL_H\n\n"
		"#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
		"#endif\n",
		w->upper, w->upper);
	print_memory(w, out);
	tn_strbuf_printf(out, "\n#define %s_INPUTS %u\n", w->upper, w->g->n_inputs);
	for (uint32_t k = 0; k < w->g->n_inputs; k++)
		print_port(w, out, "INPUT", k, w->g->inputs[k]);
	tn_strbuf_printf(out, "\n#define %s_OUTPUTS %u\n", w->upper, w->g->n_outputs);
	for (uint32_t k = 0; k < w->g->n_outputs; k++)
		print_port(w, out, "OUTPUT", k, w->g->outputs[k]);
	print_functions(w, out);
	tn_strbuf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

void tn_write_weights_header(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"/* Made by tenure: the constants of the model. */\n"
		"#ifndef %s_WEIGHTS_H\n#define %s_WEIGHTS_H\n\n#include <stdint.h>\n\n"
		"/* Define TENURE_CONST to place constants elsewhere, in a section for "
		"instance;\n * keep the alignment. */\n"
		"#ifndef TENURE_CONST\n"
		"#if defined(__GNUC__)\n"
		"#define TENURE_CONST __attribute__((aligned(16)))\n"
		"#else\n#define TENURE_CONST\n#endif\n#endif\n\n"
		"#if defined(__GNUC__)\n"
		"#define TENURE_INFINITY __builtin_inff()\n"
		"#define TENURE_NAN      __builtin_nanf(\"\")\n"
		"#else\n#include <math.h>\n"
		"#define TENURE_INFINITY INFINITY\n#define TENURE_NAN      NAN\n#endif\n",
		w->upper, w->upper);
	if (w->pool.list.count)
		tn_strbuf_puts(out, "\n");
	for (uint32_t i = 0; i < w->pool.list.count; i++) {
		tn_strbuf_puts(out, "extern ");
		tn_pool_declare(&w->pool, i, w->ident, out);
		tn_strbuf_puts(out, "; /* ");
		tn_text_plain(out, w->pool.list.items[i].what);
		tn_strbuf_puts(out, " */\n");
	}
	tn_strbuf_puts(out, "\n#endif\n");
}

void tn_write_weights(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"/* Made by tenure: the constants of the model. */\n#include "
		"\"%s.h\"\n",
		w->weights);
	for (uint32_t i = 0; i < w->pool.list.count; i++) {
		tn_strbuf_puts(out, "\n");
		tn_pool_define(&w->pool, i, w->ident, out);
	}
}
