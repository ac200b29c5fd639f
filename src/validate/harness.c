/* The harness around an emitted program: its sources, and config.h, which says what model
 * it runs (see harness/main.c). */
#include "validate/program.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/file.h"
#include "emit/embedded.h"

extern const struct tn_embedded tn_embedded_harness[];

enum tn_status tn_program_put(
	const struct tn_program_run *r, const char *name, const char *text, size_t len)
{
	char *path = tn_arena_printf(r->arena, "%s/%s", r->dir, name);

	return path ? tn_file_write(r->diags, path, text, len) : TN_ERR_NOMEM;
}

enum tn_status tn_program_dir(const struct tn_program_run *r, const char *name)
{
	char *path = tn_arena_printf(r->arena, "%s/%s", r->dir, name);

	return path ? tn_dir_make(r->diags, path) : TN_ERR_NOMEM;
}

/* The input rule of a type, and the width of its elements in bytes. */
static const char *rule_of(enum tn_dtype dtype, int *out_width)
{
	int bits = tn_dtype_bits(dtype);

	*out_width = bits < 8 ? 1 : bits / 8;
	switch (dtype) {
	case DTYPE_F32:
		return "RULE_FLOAT";
	case DTYPE_I32:
	case DTYPE_I64:
		return "RULE_SMALL";
	case DTYPE_BOOL:
		return "RULE_BOOL";
	default:
		return "RULE_RAW";
	}
}

static void print_call(const struct tn_program_run *r, struct tn_strbuf *out,
	const char *macro, const char *function, const char *extra)
{
	tn_strbuf_printf(
		out, "#define %s(m%s) %s_%s(", macro, extra, r->emitted->ident, function);
	for (uint32_t i = 0; i < r->emitted->n_regions; i++)
		tn_strbuf_printf(out, "%s(m)[%u]", i ? ", " : "", i);
	tn_strbuf_printf(out, "%s)\n", extra);
}

static void print_stream(const struct tn_program_run *r, struct tn_strbuf *out)
{
	const struct tn_emit_summary *m = r->emitted;

	tn_strbuf_printf(out,
		"#define HARNESS_STREAM %u\n#define HARNESS_ROWS %s_INPUT%u_ROWS\n"
		"#define HARNESS_ROW_BYTES %s_INPUT%u_ROW_BYTES\n",
		m->fed_input, m->upper, m->fed_input, m->upper, m->fed_input);
	tn_strbuf_printf(out,
		"#define HARNESS_STATE struct %s_stream\n"
		"#define HARNESS_PUSH %s_push_rows\n#define HARNESS_END %s_end\n"
		"#define HARNESS_BEGIN(s, m) %s_begin(s",
		m->ident, m->ident, m->ident, m->ident);
	for (uint32_t i = 0; i < m->n_regions; i++)
		tn_strbuf_printf(out, ", (m)[%u]", i);
	tn_strbuf_puts(out, ")\n#define HARNESS_RUN(m) run_stream(m)\n");
}

static void print_config(const struct tn_program_run *r, struct tn_strbuf *out)
{
	const struct tn_emit_summary *m = r->emitted;

	tn_strbuf_printf(out,
		"#define HARNESS_HEADER \"%s.h\"\n"
		"#define HARNESS_RUNS %u\n#define HARNESS_SEED UINT32_C(%" PRIu32 ")\n"
		"#ifdef TENURE_UNSHARED\n#define HARNESS_PATTERNS { 0xA5 }\n#else\n"
		"#define HARNESS_PATTERNS { 0xA5, 0x5A }\n#endif\n",
		m->file, r->reference->runs, r->seed);
	tn_strbuf_puts(out, "#define HARNESS_REGIONS(X)");
	for (uint32_t i = 0; i < m->n_regions; i++)
		tn_strbuf_printf(out, " X(memory_%u, %s_%s_BYTES, %s_%s_ALIGN)", i,
			m->upper, m->regions[i], m->upper, m->regions[i]);
	tn_strbuf_puts(out, "\n#define HARNESS_INPUTS(X)");
	for (uint32_t k = 0; k < r->graph->n_inputs; k++) {
		int width;
		const char *rule =
			rule_of(r->graph->tensors[r->graph->inputs[k].i].dtype, &width);

		tn_strbuf_printf(
			out, " X(%s, %d, %s_INPUT%u_BYTES)", rule, width, m->upper, k);
	}
	tn_strbuf_puts(out, "\n");
	print_call(r, out, "HARNESS_INIT", "init", "");
	if (m->fed)
		print_stream(r, out);
	else
		print_call(r, out, "HARNESS_RUN", "run", "");
	print_call(r, out, "HARNESS_INPUT", "input", ", k");
}

enum tn_status tn_program_ports(const struct tn_program_run *r, const char *folder)
{
	enum tn_status status = TN_OK;

	for (const struct tn_embedded *f = tn_embedded_harness;
		f->name && status == TN_OK; f++) {
		char *name = tn_arena_printf(r->arena, "%s/%s", folder, f->name);

		if (!name)
			return TN_ERR_NOMEM;
		if (strcmp(f->name, "main.c") != 0)
			status = tn_program_put(r, name, f->text, f->len);
	}
	return status;
}

enum tn_status tn_program_harness(const struct tn_program_run *r)
{
	struct tn_strbuf text;
	enum tn_status status = tn_program_dir(r, "harness");

	for (const struct tn_embedded *f = tn_embedded_harness;
		f->name && status == TN_OK; f++) {
		char *name = tn_arena_printf(r->arena, "harness/%s", f->name);

		status = name ? tn_program_put(r, name, f->text, f->len) : TN_ERR_NOMEM;
	}
	if (status != TN_OK)
		return status;
	tn_strbuf_init(&text);
	print_config(r, &text);
	status = text.failed ? TN_ERR_NOMEM
			     : tn_program_put(r, "harness/config.h", text.text, text.len);
	tn_strbuf_release(&text);
	return status;
}
