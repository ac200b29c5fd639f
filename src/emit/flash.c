/* The map of the flash: constants, calls and kernels, before any compiler has run. */
#include "emit/writer.h"

#include <inttypes.h>

#include "base/banned.h"

/* The processor's column: the one that was asked for, or what stands for it. */
static size_t column_of(const struct tn_writer *w, const char **out_cpu)
{
	const char *const *flags;
	const char *cpu = w->options->cpu;

	cpu = cpu ? tn_emit_cpu_find(cpu, &flags) : NULL;
	return tn_footprint_column(cpu ? cpu : "host", out_cpu);
}

/* Of a model: its functions, calls and parameters; -1: no memory. */
static int64_t calls_bytes(const struct tn_writer *w, size_t column)
{
	struct tn_emit_sizes sizes = { 0 };
	int64_t bytes;

	if (!tn_measure_code(w, &sizes))
		return -1;
	bytes = sizes.code_bytes[column];
	for (size_t i = 0; i < w->files->list.count; i++) {
		const struct tn_footprint *known =
			tn_footprint_find(w->files->list.items[i]->name);

		if (known)
			bytes -= known->text[column];
	}
	return bytes;
}

typedef void put_row(
	struct tn_strbuf *out, const char *name, const char *suffix, int64_t bytes);

static void put_table_row(
	struct tn_strbuf *out, const char *name, const char *suffix, int64_t bytes)
{
	tn_strbuf_printf(out, "| `%s%s` | ", name, suffix);
	if (bytes >= 0)
		tn_strbuf_printf(out, "%" PRId64 " |\n", bytes);
	else
		tn_strbuf_puts(out, "not measured |\n");
}

static void put_comment_row(
	struct tn_strbuf *out, const char *name, const char *suffix, int64_t bytes)
{
	if (bytes >= 0)
		tn_strbuf_printf(out, " * %8" PRId64 "  %s%s\n", bytes, name, suffix);
	else
		tn_strbuf_printf(out, " * unknown   %s%s\n", name, suffix);
}

/* A row for each file that has something in flash; the sum of what is known. */
static int64_t print_rows(const struct tn_writer *ws, uint32_t n, size_t column,
	put_row *put, struct tn_strbuf *out)
{
	int64_t sum = 0;

	for (uint32_t m = 0; m < n; m++) {
		const int64_t constants = (int64_t)tn_pool_bytes(&ws[m].pool);
		const int64_t calls = calls_bytes(&ws[m], column);

		if (calls < 0)
			out->failed = true;
		put(out, ws[m].weights, ".c", constants);
		put(out, ws[m].file, ".c", calls);
		sum += constants + calls;
	}
	for (size_t i = 0; i < ws[0].files->list.count; i++) {
		const struct tn_embedded *file = ws[0].files->list.items[i];
		const struct tn_footprint *known = tn_footprint_find(file->name);
		struct tn_strbuf path;

		if (!tn_kernel_file_is_source(file))
			continue;
		tn_strbuf_init(&path);
		tn_kernel_file_path(file->name, ws[0].options->flat, &path);
		out->failed = out->failed || path.failed;
		put(out, path.failed ? "" : path.text, "",
			known ? known->text[column] : -1);
		tn_strbuf_release(&path);
		sum += known ? known->text[column] : 0;
	}
	return sum;
}

void tn_write_flash_table(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out)
{
	const char *cpu;
	const size_t column = column_of(ws, &cpu);

	tn_strbuf_printf(out,
		"In flash, as predicted for gcc -O2 and a %s (`make size` tells what the "
		"compiler made of it):\n\n"
		"| file | bytes |\n| --- | ---: |\n",
		cpu);
	tn_strbuf_printf(out, "| all | %" PRId64 " |\n\n",
		print_rows(ws, n, column, put_table_row, out));
}

void tn_write_flash_comment(const struct tn_writer *w, struct tn_strbuf *out)
{
	const char *cpu;
	const size_t column = column_of(w, &cpu);

	tn_strbuf_printf(out,
		"\n/* In flash, bytes, as predicted for gcc -O2 and a %s:\n *\n", cpu);
	tn_strbuf_printf(out, " * %8" PRId64 "  all\n */\n",
		print_rows(w, 1, column, put_comment_row, out));
}
