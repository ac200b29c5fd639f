#include "validate/suite.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "exec/exec.h"
#include "validate/program.h"
#include "validate/target.h"

#define RUNS 2 /* of a model with state, the second one starts from the first one's */

struct suite {
	const struct tn_graph *g;
	const struct tn_emit_summary *m;
	struct tn_arena *arena;
	uint32_t run;
	int64_t bytes; /* of all inputs and outputs */
	struct tn_strbuf data, body;
};

static void put_bytes(
	struct suite *s, const char *what, uint32_t k, const uint8_t *bytes, size_t size)
{
	tn_strbuf_printf(&s->data, "\nCONSTANT uint8_t %s_%u_%u[] = {", what, s->run, k);
	s->bytes += (int64_t)size;
	for (size_t i = 0; i < size; i++)
		tn_strbuf_printf(
			&s->data, "%s%u,", i % 16 ? " " : "\n\t", (unsigned)bytes[i]);
	tn_strbuf_puts(&s->data, "\n};\n");
}

/* "name(memory_0, memory_1": a call that is not closed */
static void put_call(struct suite *s, const char *function, const char *first)
{
	tn_strbuf_printf(&s->body, "%s_%s(%s", s->m->ident, function, first);
	for (uint32_t i = 0; i < s->m->n_regions; i++)
		tn_strbuf_printf(&s->body, "%smemory_%u", i || *first ? ", " : "", i);
}

/* Graph inputs, as the executor is given them. */
static void collect(void *user, const struct tn_exec_layer *layer)
{
	struct suite *s = user;

	for (uint32_t k = 0; layer->op.i == TN_NONE && k < s->g->n_inputs; k++) {
		if (s->g->inputs[k].i != layer->tensor.i || layer->size == 0)
			continue;
		put_bytes(s, "input", k, layer->bytes, layer->size);
		if (s->m->fed && k == s->m->fed_input)
			continue;
		tn_strbuf_puts(&s->body, "\twrite(");
		put_call(s, "input", "");
		tn_strbuf_printf(&s->body, ", %u), input_%u_%u, sizeof(input_%u_%u));\n",
			k, s->run, k, s->run, k);
	}
}

static void put_run(struct suite *s)
{
	if (s->m->fed) {
		tn_strbuf_puts(&s->body, "\tfailed |= ");
		put_call(s, "begin", "&stream");
		tn_strbuf_printf(&s->body,
			") != 0;\n\tfailed |= %s_push_rows(&stream, input_%u_%u, "
			"%" PRId64 ") != 0;\n\tfailed |= %s_end(&stream) != 0;\n",
			s->m->ident, s->run, s->m->fed_input, s->m->fed_rows,
			s->m->ident);
		return;
	}
	tn_strbuf_puts(&s->body, "\tfailed |= ");
	put_call(s, "run", "");
	tn_strbuf_puts(&s->body, ") != 0;\n");
}

static enum tn_status run_one(struct suite *s, struct tn_exec *e)
{
	enum tn_status status = tn_exec_run(e, collect, s);

	if (status != TN_OK)
		return status;
	put_run(s);
	for (uint32_t k = 0; k < s->g->n_outputs; k++) {
		size_t size;
		const uint8_t *bytes = tn_exec_bytes(e, s->g->outputs[k], &size);

		if (!bytes || size == 0)
			continue;
		put_bytes(s, "expected", k, bytes, size);
		tn_strbuf_puts(&s->body, "\tfailed |= memcmp(");
		put_call(s, "output", "");
		tn_strbuf_printf(&s->body,
			", %u), expected_%u_%u, sizeof(expected_%u_%u)) != 0;\n", k,
			s->run, k, s->run, k);
	}
	return TN_OK;
}

static enum tn_status run_all(struct suite *s, uint32_t seed, struct tn_diags *diags)
{
	struct tn_graph *copy = TN_NEW(s->arena, struct tn_graph);
	struct tn_exec *e;
	enum tn_status status;

	if (!copy)
		return TN_ERR_NOMEM;
	*copy = *s->g;
	copy->kernels = KERNELS_PORTABLE; /* whichever set was emitted */
	status = tn_exec_new(copy, NULL, s->arena, diags, &e);
	for (s->run = 0; s->run < RUNS && status == TN_OK; s->run++) {
		tn_exec_seed(e, seed + s->run);
		status = run_one(s, e);
	}
	return status;
}

static void print_main(struct suite *s, struct tn_strbuf *out)
{
	const struct tn_emit_summary *m = s->m;

	tn_strbuf_printf(out,
		"/* Made by tenure: runs the model on generated inputs, and compares "
		"each "
		"output with\n * what the portable kernels gave on the host. Status 0: "
		"all "
		"are the same. */\n#include <stdint.h>\n#include <string.h>\n\n"
		"#include \"../%s.h\"\n\nvoid put_line(const char *text);\n\n",
		m->file);
	for (uint32_t i = 0; i < m->n_regions; i++)
		tn_strbuf_printf(out,
			"static uint8_t memory_%u[%s_%s_BYTES > 0 ? %s_%s_BYTES : 1]\n"
			"\t__attribute__((aligned(%s_%s_ALIGN), section(\".memory\")));"
			"\n",
			i, m->upper, m->regions[i], m->upper, m->regions[i], m->upper,
			m->regions[i]);
	if (m->fed)
		tn_strbuf_printf(out, "static struct %s_stream stream;\n", m->ident);
	tn_strbuf_puts(out,
		"\n/* where the weights are, as there may be too many for the "
		"code's memory */\n#define CONSTANT static const "
		"__attribute__((section(\".constants\")))\n");
	tn_strbuf_add(out, s->data.text, s->data.len);
	if (s->body.len && strstr(s->body.text, "\twrite("))
		tn_strbuf_puts(out,
			"\nstatic void write(void *to, const void *from, size_t bytes)\n{"
			"\n\tif (to) /* else no op reads it */\n\t\tmemcpy(to, from, "
			"bytes);\n}\n");
	tn_strbuf_puts(out, "\nint main(void)\n{\n\tint failed = 0;\n\n");
	for (uint32_t i = 0; i < m->n_regions; i++)
		tn_strbuf_printf(
			out, "\tmemset(memory_%u, 0xA5, sizeof(memory_%u));\n", i, i);
	tn_strbuf_add(out, s->body.text, s->body.len);
	tn_strbuf_printf(out,
		"\tput_line(failed ? \"%s: results differ\" : \"%s: %d runs, the results "
		"are as expected\");\n\treturn failed;\n}\n",
		m->ident, m->ident, RUNS);
}

static void print_rules(const char *board, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"# Made by tenure. make test: on this machine and, when compiler and "
		"emulator are there, on\n# QEMU's board for BOARD.\n"
		"BOARD ?= %s\n",
		board);
	for (uint32_t i = 0; tn_target_at(i); i++)
		if (tn_target_at(i)->machine)
			tn_strbuf_printf(out, "MACHINE_%s = %s\n", tn_target_at(i)->name,
				tn_target_at(i)->machine);
	tn_strbuf_puts(out,
		"ON_BOARD := $(and $(shell command -v arm-none-eabi-gcc),$(shell command "
		"-v qemu-system-arm))\n\n"
		"ifeq ($(CPU),host)\nTEST = $(OUT)/test/main.o $(OUT)/test/host.o\n"
		"TEST_LINK =\nelse\nTEST = $(OUT)/test/main.o $(OUT)/test/startup.o\n"
		"TEST_LINK = -nostartfiles -T test/$(CPU).ld\nendif\n\n"
		"$(OUT)/tested: $(TEST) $(OBJECTS)\n"
		"\t$(CC) $(FLAGS_$(CPU)) $(OPT) $(TEST_LINK) -o $@ $^\n\n"
		"test: test-host $(if $(ON_BOARD),test-board)\n\n"
		"test-host:\n\t$(MAKE) CPU=host CROSS= build/host/tested\n"
		"\tbuild/host/tested\n\n"
		"test-board:\n"
		"\t$(MAKE) CPU=$(BOARD) CROSS=arm-none-eabi- build/$(BOARD)/tested\n"
		"\tqemu-system-arm -machine $(MACHINE_$(BOARD)) -display none -monitor "
		"none -serial none \\\n"
		"\t\t-chardev stdio,id=sh -semihosting-config "
		"enable=on,target=native,chardev=sh \\\n"
		"\t\t-kernel build/$(BOARD)/tested\n\n"
		".PHONY: test test-host test-board\n");
}

static enum tn_status put_text(
	const struct tn_program_run *r, const char *name, const struct tn_strbuf *text)
{
	return text->failed ? TN_ERR_NOMEM
			    : tn_program_put(r, name, text->text, text->len);
}

/* A linker script for each board that the model fits. */
static enum tn_status put_scripts(const struct suite *s, const struct tn_program_run *r)
{
	const struct tn_emit_summary *m = r->emitted;
	const int64_t constants = m->constant_bytes + s->bytes;
	enum tn_status status = TN_OK;

	for (uint32_t i = 0; tn_target_at(i) && status == TN_OK; i++) {
		const struct tn_target *t = tn_target_at(i);
		struct tn_target_layout layout;
		struct tn_strbuf text;
		char *name = tn_arena_printf(r->arena, "test/%s.ld", t->name);

		if (!name)
			return TN_ERR_NOMEM;
		if (!t->machine || !tn_target_fit(t, constants, m->memory_bytes, &layout))
			continue;
		tn_strbuf_init(&text);
		tn_target_script(t, &layout, &text);
		status = put_text(r, name, &text);
		tn_strbuf_release(&text);
	}
	return status;
}

static enum tn_status write_main(struct suite *s, const struct tn_program_run *r)
{
	struct tn_strbuf text;
	enum tn_status status;

	tn_strbuf_init(&s->data);
	tn_strbuf_init(&s->body);
	tn_strbuf_init(&text);
	tn_strbuf_puts(&s->body, "\t");
	put_call(s, "init", "");
	tn_strbuf_puts(&s->body, ");\n");
	status = run_all(s, r->seed, r->diags);
	text.failed = s->data.failed || s->body.failed;
	if (status == TN_OK && !text.failed)
		print_main(s, &text);
	if (status == TN_OK)
		status = put_text(r, "test/main.c", &text);
	tn_strbuf_release(&text);
	tn_strbuf_release(&s->body);
	tn_strbuf_release(&s->data);
	return status;
}

enum tn_status tn_suite_write(const struct tn_graph *g,
	const struct tn_emit_summary *emitted, const char *dir, const char *cpu,
	uint32_t seed, struct tn_arena *arena, struct tn_diags *diags)
{
	const struct tn_program_run r = { .graph = g,
		.emitted = emitted,
		.dir = dir,
		.seed = seed,
		.arena = arena,
		.diags = diags };
	struct suite s = { .g = g, .m = emitted, .arena = arena };
	const struct tn_target *board = cpu ? tn_target_find(cpu) : NULL;
	struct tn_strbuf text;
	enum tn_status status = tn_program_dir(&r, "test");

	if (status == TN_OK)
		status = write_main(&s, &r);
	if (status == TN_OK)
		status = put_scripts(&s, &r);
	if (status == TN_OK)
		status = tn_program_ports(&r, "test");
	if (status != TN_OK)
		return status;
	tn_strbuf_init(&text);
	print_rules(board && board->machine ? board->name : "cortex-m4", &text);
	status = put_text(&r, "test/test.mk", &text);
	tn_strbuf_release(&text);
	return status;
}
