/* README.md and, for several models, models.h. */
#include "emit/writer.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "emit/text.h"

static void print_memory(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "| memory | bytes | alignment |\n| --- | ---: | ---: |\n");
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_writer_region *r = &w->regions[i];

		tn_strbuf_printf(out,
			"| `%s`: `%s_%s_BYTES`, `%s_%s_ALIGN` | %" PRId64 " | %" PRId64
			" |\n",
			r->ident, w->upper, r->upper, w->upper, r->upper, r->bytes,
			r->align);
	}
	tn_strbuf_printf(out,
		"| constants, in flash (%zu arrays in `%s.c`) | %" PRIu64 " | 16 |\n\n",
		w->pool.list.count, w->weights, tn_pool_bytes(&w->pool));
}

static void print_run(const struct tn_writer *w, struct tn_strbuf *out)
{
	if (w->g->n_inputs) {
		tn_strbuf_printf(out, "memcpy(%s_input(", w->ident);
		tn_write_arguments(w, out);
		tn_strbuf_printf(out, ", 0), data, %s_INPUT0_BYTES);\n", w->upper);
	}
	tn_strbuf_printf(out, "if (%s_run(", w->ident);
	tn_write_arguments(w, out);
	tn_strbuf_puts(out, ") == 0)\n");
}

/* The same when an input comes row by row. */
static void print_stream(const struct tn_writer *w, struct tn_strbuf *out)
{
	uint32_t k = 0;

	while (w->g->inputs[k].i != w->fed->input)
		k++;
	tn_strbuf_printf(out, "struct %s_stream s;\n%s_begin(&s, ", w->ident, w->ident);
	tn_write_arguments(w, out);
	tn_strbuf_printf(out,
		");\nfor (uint32_t y = 0; y < %s_INPUT%u_ROWS; y++)\n"
		"\t%s_push_rows(&s, camera_row(y), 1);  /* of %s_INPUT%u_ROW_BYTES */\n"
		"if (%s_end(&s) == 0)\n",
		w->upper, k, w->ident, w->upper, k, w->ident);
}

static void print_use(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "```c\n#include \"%s.h\"\n\n", w->file);
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_writer_region *r = &w->regions[i];

		tn_strbuf_printf(out,
			"static uint8_t %s[%s_%s_BYTES] "
			"__attribute__((aligned(%s_%s_ALIGN)));"
			"\n",
			r->ident, w->upper, r->upper, w->upper, r->upper);
	}
	tn_strbuf_printf(out, "\n%s_init(", w->ident);
	tn_write_arguments(w, out);
	tn_strbuf_puts(out, ");                 /* once: resets the state */\n");
	(w->fed ? print_stream : print_run)(w, out);
	if (w->g->n_outputs) {
		tn_strbuf_printf(out, "\tuse(%s_output(", w->ident);
		tn_write_arguments(w, out);
		tn_strbuf_printf(out, ", 0), %s_OUTPUT0_BYTES);\n", w->upper);
	} else {
		tn_strbuf_puts(out, "\tdone();\n");
	}
	tn_strbuf_puts(out, "```\n\n");
	tn_strbuf_puts(out, "Inputs and outputs are places in the memory itself, nothing "
			    "is copied. Write "
			    "every input\nbefore each run: the run reuses its bytes. "
			    "Read the outputs "
			    "before the next input is written.\nThe memory must not be "
			    "touched between "
			    "runs when the model has state. There is no heap, "
			    "no\nwritable static data, "
			    "and no function of the C library but `memcpy`, `memmove` "
			    "and `memset`.\n\n");
}

static void print_sections(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"`%s.c` has the same as arrays, each in a section of its own:",
		w->memory);
	for (uint32_t i = 0; i < w->n_regions; i++)
		if (!w->regions[i].plan || !w->regions[i].plan->owned)
			tn_strbuf_printf(out, " `.bss.tenure.%s`", w->regions[i].label);
	tn_strbuf_printf(out,
		".\n`%s.h` has the macro `%s_MEMORY` that names all memories, for "
		"`%s_run(%s_MEMORY)`.\n",
		w->memory, w->upper, w->ident, w->upper);
	if (tn_memory_addressed(w))
		tn_strbuf_printf(out,
			"`%s.ld` puts those that have an address there: link with `-T "
			"%s.ld` in front of the `-T` of your\nown script.\n",
			w->memory, w->memory);
	for (uint32_t i = 0; i < w->n_regions; i++)
		if (tn_memory_placeable(&w->regions[i]))
			tn_strbuf_printf(out,
				"`%s.%s.ld` puts `.bss.tenure.%s` into the memory that "
				"you "
				"call `TENURE_%s`:\n"
				"`REGION_ALIAS(\"TENURE_%s\", RAM)` in your script, and "
				"`INCLUDE "
				"%s.%s.ld` in its `SECTIONS`, in front of `.bss`.\n",
				w->memory, w->regions[i].label, w->regions[i].label,
				w->regions[i].upper, w->regions[i].upper, w->memory,
				w->regions[i].label);
	tn_strbuf_puts(out, "\n");
}

static bool has(const tn_tensor_id *list, uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].i == id)
			return true;
	return false;
}

/* "op 3" that first writes the tensor, or "the caller". */
static void print_writer(const struct tn_writer *w, uint32_t id, struct tn_strbuf *out)
{
	for (uint32_t i = 0; i < w->program.n_ops; i++) {
		const struct tn_op *op = &w->g->ops[w->program.ops[i].op.i];

		if (has(op->outputs, op->n_outputs, id)) {
			tn_strbuf_printf(out, "op %u", w->program.ops[i].op.i);
			return;
		}
	}
	tn_strbuf_puts(
		out, w->g->tensors[id].role == ROLE_VARIABLE ? "init" : "the caller");
}

static void print_reader(const struct tn_writer *w, uint32_t id, struct tn_strbuf *out)
{
	if (tn_graph_is_output(w->g, (tn_tensor_id){ id })) {
		tn_strbuf_puts(out, "the caller");
		return;
	}
	if (w->g->tensors[id].role == ROLE_VARIABLE) {
		tn_strbuf_puts(out, "the next run");
		return;
	}
	for (uint32_t i = w->program.n_ops; i-- > 0;) {
		const struct tn_op *op = &w->g->ops[w->program.ops[i].op.i];

		if (has(op->inputs, op->n_inputs, id)) {
			tn_strbuf_printf(out, "op %u", w->program.ops[i].op.i);
			return;
		}
	}
	tn_strbuf_puts(out, "nobody");
}

static void print_map(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_puts(out,
		"| tensor | memory | offset | bytes | first written by | last read by |\n"
		"| --- | --- | ---: | ---: | --- | --- |\n");
	for (uint32_t i = 0; i < w->g->n_tensors; i++) {
		const struct tn_storage *s = &w->program.tensors[i];

		if (s->region == TN_REGION_NONE)
			continue;
		tn_strbuf_printf(out, "| %u: `", i);
		tn_text_plain(out, w->g->tensors[i].name);
		tn_strbuf_printf(out, "` | `%s` | %" PRId64 " | %" PRId64 "%s | ",
			w->regions[s->region].ident, s->offset, s->bytes,
			w->program.plan->tensors[i].ring_bytes ? " (ring)" : "");
		print_writer(w, i, out);
		tn_strbuf_puts(out, " | ");
		print_reader(w, i, out);
		tn_strbuf_puts(out, " |\n");
	}
	for (uint32_t i = 0; i < w->program.n_ops; i++) {
		const struct tn_storage *s = &w->program.ops[i].scratch;
		uint32_t op = w->program.ops[i].op.i;

		if (s->region != TN_REGION_NONE)
			tn_strbuf_printf(out,
				"| scratch | `%s` | %" PRId64 " | %" PRId64
				" | op %u | op %u |\n",
				w->regions[s->region].ident, s->offset, s->bytes, op, op);
	}
	tn_strbuf_puts(out, "\n");
}

static void print_chains(const struct tn_writer *w, struct tn_strbuf *out)
{
	const struct tn_plan *plan = w->program.plan;

	for (uint32_t i = 0; i < plan->n_streams; i++) {
		const struct tn_plan_stream *s = &plan->streams[i];

		tn_strbuf_printf(out,
			"Ops %u to %u run row by row: `chain_%u()` in `%s.c`. A ring in "
			"the table holds some rows of its tensor.\n\n",
			w->program.ops[s->first].op.i,
			w->program.ops[s->first + s->n - 1].op.i, i, w->file);
	}
}

static void print_debug(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"This is a debug build of the source. With `-DTENURE_UNSHARED` every "
		"tensor "
		"has memory of its own\n(%" PRId64
		" bytes), with canaries between that are "
		"checked after each op. With `-DTENURE_HOOK`\n`tenure_hook()`, which you "
		"write, sees every activation.\n\n",
		w->unshared_plan.regions[0].used);
}

void tn_write_readme(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out)
{
	for (uint32_t m = 0; m < n; m++) {
		const struct tn_writer *w = &ws[m];

		tn_strbuf_printf(out, "# %s\n\nMade by tenure from `", w->ident);
		tn_text_plain(out, w->name);
		tn_strbuf_puts(out, "`.\n\n");
		print_memory(w, out);
		print_use(w, out);
		if (tn_memory_given(w))
			print_sections(w, out);
		if (w->options->debug)
			print_debug(w, out);
		print_chains(w, out);
		print_map(w, out);
	}
	tn_write_flash_table(ws, n, out);
	tn_strbuf_puts(out,
		"Layers can be measured: `TENURE_LAYER_HOOK(op, type, name)` stands "
		"behind "
		"each op's call, in order (of an\nop in a chain, behind each call for "
		"some "
		"of its rows), and is nothing unless you define it in a\nheader of "
		"yours: "
		"`make CFLAGS='-include profile.h'`.\n\n"
		"```c\n#include <stdint.h>\n"
		"void layer_done(uint32_t op, const char *type, const char *name); /* "
		"reads a "
		"cycle counter */\n"
		"#define TENURE_LAYER_HOOK(op, type, name) layer_done(op, type, name)\n"
		"```\n\n");
	if (ws[0].options->test)
		tn_strbuf_puts(out, "`make test` runs the model on generated inputs and "
				    "compares the outputs "
				    "with those of the portable\nkernels, byte for byte: "
				    "on this machine and, "
				    "when `arm-none-eabi-gcc` and `qemu-system-arm` "
				    "are\nthere, on an "
				    "emulated board (`make test BOARD=cortex-m7`). "
				    "`test/main.c` has the "
				    "bytes: with a\n`put_line()` of yours it runs on "
				    "your board, too.\n\n");
	if (ws[0].options->flat)
		tn_strbuf_puts(out, "This folder is a library for Arduino (in "
				    "`libraries/`) and a module for "
				    "Zephyr (`-DZEPHYR_EXTRA_MODULES=`\nits path). "
				    "Arduino compiles with "
				    "options of its own: results of float models may "
				    "differ there in the "
				    "last bit.\n\n");
	tn_strbuf_printf(out,
		"Build: `make`, or `make CPU=cortex-m4 CROSS=arm-none-eabi-`; the "
		"library is "
		"in `build/`. With CMake:\n`add_subdirectory`. In another "
		"build system: compile every `.c` with "
		"`%s-ffp-contract=off` as C99 or later.\n",
		ws[0].options->flat ? "" : "-Ikernels ");
}

/* What all models need of region i of model m, by its name; false when an earlier model
 * has such a region, so that each is printed once. */
static bool largest(const struct tn_writer *ws, uint32_t n, uint32_t m, uint32_t i,
	struct tn_writer_region *out)
{
	*out = ws[m].regions[i];
	for (uint32_t k = 0; k < n; k++) {
		for (uint32_t r = 0; r < ws[k].n_regions; r++) {
			const struct tn_writer_region *other = &ws[k].regions[r];

			if (strcmp(other->upper, out->upper) != 0)
				continue;
			if (k < m)
				return false;
			out->bytes = tn_max_i64(out->bytes, other->bytes);
			out->align = tn_max_i64(out->align, other->align);
		}
	}
	return true;
}

/* Regions of the same name are one memory: as large as the largest model needs. */
void tn_write_models(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out)
{
	tn_strbuf_puts(out,
		"/* Made by tenure: all models, and one memory that fits each of "
		"them. */\n#ifndef TENURE_MODELS_H\n#define TENURE_MODELS_H\n\n");
	for (uint32_t m = 0; m < n; m++)
		tn_strbuf_printf(out, "#include \"%s.h\"\n", ws[m].file);
	tn_strbuf_puts(out, "\n");
	for (uint32_t m = 0; m < n; m++) {
		for (uint32_t i = 0; i < ws[m].n_regions; i++) {
			struct tn_writer_region most = { .align = 1 };

			if (!largest(ws, n, m, i, &most))
				continue;
			tn_strbuf_printf(out,
				"#define TENURE_%s_BYTES %" PRId64
				"\n#define TENURE_%s_ALIGN %" PRId64 "\n",
				most.upper, most.bytes, most.upper, most.align);
		}
	}
	tn_strbuf_puts(out, "\n#endif\n");
}
