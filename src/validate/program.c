#define _POSIX_C_SOURCE 200809L
#include "validate/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/banned.h"
#include "validate/process.h"
#include "validate/expected.h"

#define CROSS_CC	"arm-none-eabi-gcc"
#define HOST_CC		"gcc"
#define QEMU		"qemu-system-arm"
#define COMPILE_SECONDS 600
#define DETAIL_MAX	400 /* bytes of a compiler's complaint */

/* ---- tools ---- */

static bool missing(struct tn_diags *diags, const struct tn_target *target,
	const char *tool, const char *package)
{
	if (tn_process_exists(tool))
		return false;
	tn_diag_at(diags, SEVERITY_ERROR, "validate/tool", NULL, NULL, NULL,
		"'%s' is needed for %s and is not installed", tool, target->name);
	tn_diag_note(diags, "install the package %s", package);
	return true;
}

/* The compiler names the file alone when it has no C library. */
static bool has_library(void)
{
	static const char *const argv[] = { CROSS_CC, "-print-file-name=libc.a", NULL };
	struct tn_strbuf out;
	bool found;

	tn_strbuf_init(&out);
	tn_process_run(argv, "/", COMPILE_SECONDS, &out);
	found = out.len && strchr(out.text, '/');
	tn_strbuf_release(&out);
	return found;
}

bool tn_program_tools(const struct tn_target *target, struct tn_diags *diags)
{
	bool ok = true;

	if (!target->machine)
		return !missing(diags, target, HOST_CC, "gcc");
	if (missing(diags, target, CROSS_CC, "gcc-arm-none-eabi")) {
		ok = false;
	} else if (!has_library()) {
		tn_diag_at(diags, SEVERITY_ERROR, "validate/tool", NULL, NULL, NULL,
			"'%s' has no C library, which %s needs", CROSS_CC, target->name);
		tn_diag_note(diags, "install the package libnewlib-arm-none-eabi");
		ok = false;
	}
	return !missing(diags, target, QEMU, "qemu-system-arm") && ok;
}

/* ---- building ---- */

struct build {
	const struct tn_program_run *r;
	const struct tn_target *target;
	const char *options;
	bool shared;
	int64_t dump; /* layer whose bytes are wanted, or -1 */
	const char *folder; /* of objects, below the directory */
	struct tn_strbuf output; /* of compilers */
	struct tn_validation_config *out;
};

struct args {
	struct tn_arena *arena;
	TN_VEC(const char *) list;
	bool failed;
};

static void arg(struct args *a, const char *text)
{
	if (!text || !tn_vec_push(a->arena, &a->list, text))
		a->failed = true;
}

static void compiler(const struct build *b, struct args *a)
{
	const char *const *flags = NULL;

	arg(a, b->target->machine ? CROSS_CC : HOST_CC);
	if (tn_emit_cpu_find(b->target->name, &flags))
		for (; *flags; flags++)
			arg(a, *flags);
	arg(a, b->options);
}

/* A build that fails is a verdict: TN_OK, and verdict and detail say it. */
static enum tn_status run_compiler(struct build *b, struct args *a)
{
	struct tn_process p;

	if (a->failed || !tn_vec_push(a->arena, &a->list, (const char *)NULL))
		return TN_ERR_NOMEM;
	b->output.len = 0;
	p = tn_process_run(a->list.items, b->r->dir, COMPILE_SECONDS, &b->output);
	if (b->output.failed)
		return TN_ERR_NOMEM;
	if (p.end == PROCESS_EXITED && p.exit_code == 0)
		return TN_OK;
	b->out->verdict = VALIDATION_NO_BUILD;
	b->out->detail =
		tn_arena_strndup(b->r->arena, b->output.text ? b->output.text : "",
			b->output.len < DETAIL_MAX ? b->output.len : DETAIL_MAX);
	return b->out->detail ? TN_OK : TN_ERR_NOMEM;
}

static bool is_there(const struct build *b, const char *name)
{
	char *path = tn_arena_printf(b->r->arena, "%s/%s", b->r->dir, name);

	return path && access(path, R_OK) == 0;
}

/* Object of a source, with a suffix that says how it was compiled. */
static const char *object_of(const struct build *b, const char *source, const char *how)
{
	size_t len = strlen(source);
	char *object = tn_arena_printf(
		b->r->arena, "%s/%s%.*s.o", b->folder, how, (int)(len - 2), source);

	for (char *c = object ? object + strlen(b->folder) + 1 : NULL; c && *c; c++)
		if (*c == '/')
			*c = '-';
	return object;
}

static enum tn_status compile(
	struct build *b, const char *source, const char *object, bool is_model)
{
	struct args a = { .arena = b->r->arena };

	compiler(b, &a);
	arg(&a, "-std=c99");
	arg(&a, "-Wall");
	arg(&a, "-Wextra");
	arg(&a, "-ffp-contract=off");
	arg(&a, "-I.");
	arg(&a, "-Ikernels");
	arg(&a, "-Iharness");
	if (b->target->trap_unaligned)
		arg(&a, "-DTENURE_TRAP_UNALIGNED");
	if (is_model) {
		arg(&a, "-DTENURE_HOOK");
		arg(&a, "-DTENURE_HOOK_MEMORY=__attribute__((section(\".memory\")))");
		if (!b->shared)
			arg(&a, "-DTENURE_UNSHARED");
		arg(&a, tn_arena_printf(b->r->arena, "-DHARNESS_DUMP=%" PRId64, b->dump));
	}
	arg(&a, "-c");
	arg(&a, "-o");
	arg(&a, object);
	arg(&a, source);
	return run_compiler(b, &a);
}

/* How a source of the model was compiled: no two ways have an object in common. */
static const char *way_of(const struct build *b)
{
	const char *way = b->shared ? "shared-" : "unshared-";

	return b->dump < 0
		       ? way
		       : tn_arena_printf(b->r->arena, "dump%" PRId64 "-%s", b->dump, way);
}

/* Compiles one source unless its object is there, and adds the object to the link. */
static enum tn_status add_object(
	struct build *b, struct args *link, const char *source, bool is_model)
{
	const char *way = is_model ? way_of(b) : "";
	const char *object = way ? object_of(b, source, way) : NULL;

	if (!object)
		return TN_ERR_NOMEM;
	arg(link, object);
	if (is_there(b, object))
		return TN_OK;
	return compile(b, source, object, is_model);
}

static enum tn_status write_script(struct build *b, const char *name)
{
	struct tn_target_layout layout;
	struct tn_strbuf text;
	enum tn_status status = TN_ERR_NOMEM;
	const struct tn_emit_summary *e = b->r->emitted;
	int64_t memory = b->shared ? e->memory_bytes + e->hook_bytes : e->unshared_bytes;

	if (e->fed)
		memory += e->fed_rows * e->fed_row_bytes; /* the harness has all of it */
	if (!tn_target_fit(b->target, b->r->emitted->constant_bytes, memory, &layout)) {
		b->out->verdict = VALIDATION_NO_ROOM;
		b->out->detail = tn_arena_printf(b->r->arena,
			"%" PRId64 " bytes of constants and %" PRId64
			" of memory do not fit the board",
			b->r->emitted->constant_bytes, memory);
		return b->out->detail ? TN_OK : TN_ERR_NOMEM;
	}
	tn_strbuf_init(&text);
	tn_target_script(b->target, &layout, &text);
	if (!text.failed)
		status = tn_program_put(b->r, name, text.text, text.len);
	tn_strbuf_release(&text);
	return status;
}

static enum tn_status build(struct build *b, const char *program)
{
	struct args link = { .arena = b->r->arena };
	enum tn_status status = TN_OK;

	compiler(b, &link);
	if (b->target->machine) {
		const char *script = tn_arena_printf(b->r->arena, "%s.ld", program);

		if (!script)
			return TN_ERR_NOMEM;
		status = write_script(b, script);
		arg(&link, "-nostartfiles");
		arg(&link, "-T");
		arg(&link, script);
	}
	arg(&link, "-o");
	arg(&link, program);
	for (uint32_t i = 0; i < b->r->emitted->n_sources && status == TN_OK &&
			     b->out->verdict == VALIDATION_SAME;
		i++)
		status = add_object(b, &link, b->r->emitted->sources[i], i == 0);
	if (status == TN_OK && b->out->verdict == VALIDATION_SAME)
		status = add_object(b, &link, "harness/main.c", true);
	if (status == TN_OK && b->out->verdict == VALIDATION_SAME)
		status = add_object(b, &link,
			b->target->machine ? "harness/startup.c" : "harness/host.c",
			false);
	if (status == TN_OK && b->out->verdict == VALIDATION_SAME)
		status = run_compiler(b, &link);
	return status;
}

/* ---- running ---- */

struct tn_process tn_program_execute(const struct tn_target *target, const char *dir,
	const char *program, int seconds, struct tn_strbuf *out)
{
	const char *const emulated[] = { QEMU, "-machine", target->machine, "-display",
		"none", "-monitor", "none", "-serial", "none", "-chardev", "stdio,id=sh",
		"-semihosting-config", "enable=on,target=native,chardev=sh", "-kernel",
		program, NULL };
	const char *const native[] = { program, NULL };

	return tn_process_run(target->machine ? emulated : native, dir, seconds, out);
}

/* ---- reading what it printed ---- */

struct reading {
	uint32_t layers; /* seen, over all patterns */
	int pattern; /* of the last "P" line; -1: none yet */
	bool ended; /* "Z" */
	bool differs;
	const char *wrong; /* a failure that the program told of, or NULL */
	TN_VEC(uint8_t) bytes;
};

/* The next number after `*at`; moves it. */
static uint64_t number(const char **at, const char *end, int base)
{
	char digits[24];
	size_t n = 0;

	while (*at < end && **at == ' ')
		(*at)++;
	while (*at < end && **at != ' ' && n + 1 < sizeof(digits))
		digits[n++] = *(*at)++;
	digits[n] = '\0';
	return strtoull(digits, NULL, base);
}

static void read_layer(
	struct build *b, struct reading *in, const char *at, const char *end)
{
	const struct tn_validation *v = b->r->reference;
	uint32_t op = (uint32_t)number(&at, end, 10);
	uint32_t tensor = (uint32_t)number(&at, end, 10);
	uint64_t digest = number(&at, end, 16);
	const struct tn_layer *l;
	uint32_t index;

	if (in->differs || !v->n_layers)
		return;
	index = in->layers++ % v->n_layers;
	l = &v->layers[index];
	if (l->op.i != op || l->tensor.i != tensor) {
		in->wrong = "it ran other ops than the graph's";
		in->differs = true;
	} else if (l->digest != digest) {
		in->differs = true;
		b->out->difference = (struct tn_validation_difference){
			.layer = index, .pattern = in->pattern, .digest = digest
		};
	}
}

static void read_bytes(
	struct build *b, struct reading *in, const char *at, const char *end)
{
	for (; at + 1 < end; at += 2) {
		char pair[3] = { at[0], at[1], '\0' };

		if (!tn_vec_push(
			    b->r->arena, &in->bytes, (uint8_t)strtoul(pair, NULL, 16)))
			return;
	}
}

static void read_line(
	struct build *b, struct reading *in, const char *at, const char *end)
{
	const char *rest = at + 2 < end ? at + 2 : end;

	switch (end - at >= 1 ? *at : ' ') {
	case 'P':
		in->pattern = (int)number(&rest, end, 10);
		break;
	case 'L':
		read_layer(b, in, rest, end);
		break;
	case 'B':
		read_bytes(b, in, rest, end);
		break;
	case 'E':
		in->wrong = number(&rest, end, 10) == 2
				    ? "an op wrote outside of its operands"
				    : "the model refused its memory";
		break;
	case 'G':
		in->wrong = "it wrote outside of its memory";
		break;
	case 'F':
		in->wrong = "the processor took a fault";
		break;
	case 'Z':
		in->ended = true;
		break;
	default:
		break;
	}
}

static void read_output(struct build *b, const struct tn_strbuf *text, struct reading *in)
{
	const char *at = text->text, *end = at + text->len;

	while (text->len && at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		read_line(b, in, at, stop > at && stop[-1] == '\r' ? stop - 1 : stop);
		at = stop + 1;
	}
}

static const char *why_no_run(
	const struct build *b, const struct tn_process *p, const struct reading *in)
{
	if (in->wrong)
		return in->wrong;
	switch (p->end) {
	case PROCESS_TIMEOUT:
		return tn_arena_printf(
			b->r->arena, "it did not end within %d s", b->r->seconds);
	case PROCESS_SIGNALED:
		return tn_arena_printf(
			b->r->arena, "it was ended by signal %d", p->exit_code);
	case PROCESS_FAILED:
		return "it could not be started";
	case PROCESS_STOPPED:
		return "it was stopped";
	case PROCESS_TOO_MUCH:
		return "it printed too much";
	case PROCESS_EXITED:
		break;
	}
	return tn_arena_printf(
		b->r->arena, "it ended early, with status %d", p->exit_code);
}

/* Runs the program again, with the bytes of the layer that differs. */
static enum tn_status find_byte(struct build *b)
{
	struct tn_validation_difference *d = &b->out->difference;
	const struct tn_validation *v = b->r->reference;
	bool second = !b->out->shared || d->pattern == 0xA5 ? false : true;
	struct reading in = { .pattern = -1 };
	struct tn_validation_config ignored = { .verdict = VALIDATION_SAME };
	struct build again = *b;
	const char *dump = "./dump";
	struct tn_strbuf text;
	const uint8_t *expected = NULL;
	size_t size = 0;
	enum tn_status status;

	again.out = &ignored;
	again.dump = d->layer + (second ? (int64_t)v->n_layers : 0);
	tn_strbuf_init(&again.output);
	tn_strbuf_init(&text);
	status = build(&again, dump);
	if (status == TN_OK && ignored.verdict == VALIDATION_SAME) {
		tn_program_execute(b->target, b->r->dir, dump, b->r->seconds, &text);
		read_output(&again, &text, &in);
		status = tn_expected_bytes(b->r->graph, b->r->seed,
			v->layers[d->layer].given, b->r->arena, b->r->diags, &expected,
			&size);
	}
	if (status == TN_OK && in.bytes.count == size && expected)
		tn_expected_first_byte(expected, in.bytes.items, size, d);
	tn_strbuf_release(&text);
	tn_strbuf_release(&again.output);
	return status;
}

static enum tn_status judge(struct build *b, const char *program)
{
	const struct tn_validation *v = b->r->reference;
	uint32_t patterns = b->shared ? 2 : 1;
	struct reading in = { .pattern = -1 };
	struct tn_strbuf text;
	struct tn_process p;

	tn_strbuf_init(&text);
	p = tn_program_execute(b->target, b->r->dir, program, b->r->seconds, &text);
	if (text.failed) {
		tn_strbuf_release(&text);
		return TN_ERR_NOMEM;
	}
	read_output(b, &text, &in);
	tn_strbuf_release(&text);
	b->out->compared = in.layers - (in.differs ? 1 : 0);
	if (in.differs && !in.wrong) {
		b->out->verdict = VALIDATION_DIFFERS;
		return find_byte(b);
	}
	if (in.wrong || p.end != PROCESS_EXITED || p.exit_code != 0 || !in.ended ||
		in.layers != patterns * v->n_layers) {
		b->out->verdict = VALIDATION_NO_RUN;
		b->out->detail = why_no_run(b, &p, &in);
	}
	return b->out->detail ? TN_OK : TN_ERR_NOMEM;
}

enum tn_status tn_program_check(const struct tn_program_run *r,
	const struct tn_target *target, const char *options, bool shared,
	struct tn_validation_config *out)
{
	struct build b = { .r = r,
		.target = target,
		.options = options,
		.shared = shared,
		.dump = -1,
		.out = out };
	const char *program;
	enum tn_status status;

	*out = (struct tn_validation_config){ .target = target->name,
		.options = options,
		.shared = shared,
		.verdict = VALIDATION_SAME,
		.detail = "" };
	b.folder = tn_arena_printf(r->arena, "build-%s%s", target->name, options);
	program = b.folder ? tn_arena_printf(r->arena, "%s/%s", b.folder,
				     shared ? "shared" : "unshared")
			   : NULL;
	if (!program)
		return TN_ERR_NOMEM;
	status = tn_program_dir(r, b.folder);
	if (status != TN_OK)
		return status;
	tn_strbuf_init(&b.output);
	status = build(&b, program);
	tn_strbuf_release(&b.output);
	if (status == TN_OK && out->verdict == VALIDATION_SAME)
		status = judge(&b, program);
	return status;
}
