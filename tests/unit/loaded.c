#define _POSIX_C_SOURCE 200809L
#include "loaded.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "export/native.h"
#include "import/import.h"

static void prepare(struct loaded *l)
{
	memset(l, 0, sizeof(*l));
	tn_arena_init(&l->run);
	tn_arena_init(&l->arena);
	tn_diags_init(&l->diags, &l->run);
	tn_strings_init(&l->strings, &l->run);
}

static void import(struct loaded *l, const char *from)
{
	struct tn_import im = { .arena = &l->arena,
		.strings = &l->strings,
		.diags = &l->diags,
		.source = l->source,
		.from = from };

	l->status = tn_import(&im, &l->graph);
}

void loaded_file(struct loaded *l, const char *path, const char *from)
{
	prepare(l);
	l->status = tn_file_read(&l->run, &l->diags, path, NULL, &l->source);
	if (l->status == TN_OK)
		import(l, from);
}

void loaded_bytes(struct loaded *l, const char *name, const void *data, size_t len,
	const char *from)
{
	prepare(l);
	l->own = (struct tn_source){ .name = name, .text = data, .len = len };
	l->source = &l->own;
	import(l, from);
}

void loaded_release(struct loaded *l)
{
	tn_arena_release(&l->arena);
	tn_arena_release(&l->run);
}

const char *loaded_report(struct loaded *l)
{
	static const char *const severities[] = { "note", "warning", "error" };
	struct tn_strbuf out;
	char *text;

	tn_strbuf_init(&out);
	for (size_t i = 0; i < l->diags.list.count; i++) {
		const struct tn_diag *d = &l->diags.list.items[i];

		tn_strbuf_printf(&out, "%s", severities[d->severity]);
		if (d->pointer && d->pointer[0])
			tn_strbuf_printf(&out, " %s", d->pointer);
		if (d->line)
			tn_strbuf_printf(&out, " %zu:%zu", d->line, d->column);
		tn_strbuf_printf(&out, ": %s [%s]\n", d->message, d->rule);
		for (size_t k = 0; k < d->notes.count; k++)
			tn_strbuf_printf(&out, "\t%s\n", d->notes.items[k]);
	}
	text = tn_arena_strndup(&l->run, out.text ? out.text : "", out.len);
	tn_strbuf_release(&out);
	return text;
}

void loaded_ok(struct loaded *l, const char *what)
{
	ck_assert_msg(l->status == TN_OK, "%s: status %d\n%s", what, (int)l->status,
		loaded_report(l));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int each(const char *folder, const char *ending, bool folders,
	void (*fn)(const char *path))
{
	char **names = NULL;
	int count = 0;
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	ck_assert_msg(dir != NULL, "cannot open %s", folder);
	while ((entry = readdir(dir)) != NULL) {
		size_t len = strlen(entry->d_name);
		char path[4096];
		struct stat info;

		if (entry->d_name[0] == '.' || len < strlen(ending) ||
			strcmp(entry->d_name + len - strlen(ending), ending) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (stat(path, &info) != 0 ||
			(folders ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode)))
			continue;
		names = realloc(names, (size_t)(count + 1) * sizeof(*names));
		ck_assert(names != NULL);
		names[count++] = strdup(path);
	}
	closedir(dir);
	if (count)
		qsort(names, (size_t)count, sizeof(*names), by_name);
	for (int i = 0; i < count; i++) {
		fn(names[i]);
		free(names[i]);
	}
	free(names);
	return count;
}

int each_file(const char *folder, const char *ending, void (*fn)(const char *path))
{
	return each(folder, ending, false, fn);
}

int each_folder(const char *folder, void (*fn)(const char *path))
{
	return each(folder, "", true, fn);
}

void same_as_golden(const char *path, const char *text)
{
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_source *source = NULL;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	if (getenv("TN_UPDATE_GOLDEN"))
		ck_assert_int_eq(tn_file_write(&diags, path, text, strlen(text)), TN_OK);
	ck_assert_msg(tn_file_read(&arena, &diags, path, NULL, &source) == TN_OK,
		"%s cannot be read; it should hold:\n%s", path, text);
	ck_assert_msg(strcmp(source->text, text) == 0, "%s\nexpected:\n%s\nfound:\n%s",
		path, source->text, text);
	tn_arena_release(&arena);
}

void loaded_native_golden(struct loaded *l, const char *path, struct tn_strbuf *out)
{
	const char *name = strrchr(path, '/') + 1;
	char golden[4096];

	tn_strbuf_init(out);
	ck_assert_int_eq(tn_export_native(&l->graph, NULL, NULL, out), TN_OK);
	snprintf(golden, sizeof(golden), "%.*snative/%s.json", (int)(name - path), path,
		name);
	same_as_golden(golden, out->text);
}
