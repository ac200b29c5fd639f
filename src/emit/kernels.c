#include "emit/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

const struct tn_embedded *tn_embedded_find(
	const struct tn_embedded *table, const char *name)
{
	for (; table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

static bool has(const struct tn_kernel_files *files, const struct tn_embedded *file)
{
	for (size_t i = 0; i < files->list.count; i++)
		if (files->list.items[i] == file)
			return true;
	return false;
}

/* The file whose name is these two texts, the second one of so many bytes. */
static const struct tn_embedded *find_joined(
	const char *folder, size_t n, const char *name, size_t len)
{
	for (const struct tn_embedded *f = tn_embedded_kernels; f->name; f++)
		if (strlen(f->name) == n + len && strncmp(f->name, folder, n) == 0 &&
			strncmp(f->name + n, name, len) == 0)
			return f;
	return NULL;
}

/* The file that `#include "name"` means in `from`: beside it, or in the set's root. */
static const struct tn_embedded *included(
	const struct tn_embedded *from, const char *name, size_t len)
{
	const char *slash = strrchr(from->name, '/');
	const size_t folder = slash ? (size_t)(slash + 1 - from->name) : 0;
	const struct tn_embedded *file = find_joined(from->name, folder, name, len);

	return file ? file : find_joined("", 0, name, len);
}

/* The next `#include "name"` at or after `text`; NULL when there is none. */
static const char *next_include(const char *text, size_t *out_len)
{
	static const char directive[] = "#include \"";
	const char *end;

	text = strstr(text, directive);
	if (!text)
		return NULL;
	text += sizeof(directive) - 1;
	end = strchr(text, '"');
	if (!end)
		return NULL;
	*out_len = (size_t)(end - text);
	return text;
}

/* "x.c" for "x.h", when the set has it. */
static const struct tn_embedded *source_of(const char *name)
{
	const size_t len = strlen(name);

	if (len < 2 || name[len - 1] != 'h' || name[len - 2] != '.')
		return NULL;
	return find_joined(name, len - 1, "c", 1);
}

bool tn_kernel_files_add(
	struct tn_kernel_files *files, struct tn_arena *arena, const char *name)
{
	size_t next = files->list.count;
	const struct tn_embedded *first = tn_embedded_find(tn_embedded_kernels, name);

	if (!first || has(files, first))
		return true;
	if (!tn_vec_push(arena, &files->list, first))
		return false;
	while (next < files->list.count) {
		const struct tn_embedded *from = files->list.items[next++];
		const struct tn_embedded *twin = source_of(from->name);
		size_t len = 0;

		if (twin && !has(files, twin) && !tn_vec_push(arena, &files->list, twin))
			return false;
		for (const char *at = next_include(from->text, &len); at;
			at = next_include(at + len, &len)) {
			const struct tn_embedded *file = included(from, at, len);

			if (file && !has(files, file) &&
				!tn_vec_push(arena, &files->list, file))
				return false;
		}
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct tn_embedded *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

void tn_kernel_files_sort(struct tn_kernel_files *files)
{
	if (files->list.count)
		qsort(files->list.items, files->list.count, sizeof(*files->list.items),
			by_name);
}

bool tn_kernel_file_is_source(const struct tn_embedded *file)
{
	const size_t len = strlen(file->name);

	return len > 2 && strcmp(file->name + len - 2, ".c") == 0;
}

void tn_kernel_file_path(const char *name, bool flat, struct tn_strbuf *out)
{
	if (!flat)
		tn_strbuf_printf(out, "kernels/%s", name);
	else
		for (; *name; name++)
			tn_strbuf_printf(out, "%c", *name == '/' ? '.' : *name);
}

void tn_kernel_file_text(const struct tn_embedded *file, bool flat, struct tn_strbuf *out)
{
	const char *from = file->text, *end = file->text + file->len;
	size_t len = 0;

	for (const char *at = next_include(from, &len); flat && at;
		at = next_include(from, &len)) {
		const struct tn_embedded *other = included(file, at, len);

		tn_strbuf_add(out, from, (size_t)(at - from));
		if (other)
			tn_kernel_file_path(other->name, true, out);
		else
			tn_strbuf_add(out, at, len);
		from = at + len;
	}
	tn_strbuf_add(out, from, (size_t)(end - from));
}
