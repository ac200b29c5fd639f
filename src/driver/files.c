#define _POSIX_C_SOURCE 200809L
#include "driver/files.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/banned.h"
#include "base/file.h"
#include "base/filename.h"
#include "base/vec.h"

#define DEPTH_MAX 64

struct finder {
	struct tn_arena *arena;
	struct tn_diags *diags;
	TN_VEC(struct tn_file_name) list;
	TN_VEC(const char *) folders;
	bool nomem, wrong;
};

static void refuse(struct finder *f, const char *name, const char *why)
{
	tn_diag_at(f->diags, SEVERITY_ERROR, "file/io", NULL, NULL, name, "'%s': %s",
		name, why);
	f->wrong = true;
}

static void add(struct finder *f, const char *name, bool found)
{
	const struct tn_file_name one = { tn_arena_strdup(f->arena, name), found };

	if (!one.name || !tn_vec_push(f->arena, &f->list, one))
		f->nomem = true;
}

static bool is_folder(const char *name, bool follow)
{
	struct stat st;

	return (follow ? stat(name, &st) : lstat(name, &st)) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* A pipe, a socket, a device: nothing that a pattern means. */
static bool is_special(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool ends(const char *name, const char *const *endings, size_t n)
{
	const size_t len = strlen(name);

	for (size_t i = 0; i < n; i++) {
		const size_t end = strlen(endings[i]);

		if (len > end && strcasecmp(name + len - end, endings[i]) == 0)
			return true;
	}
	return false;
}

bool tn_file_is_model(const char *name)
{
	static const char *const endings[] = { ".tflite", ".onnx", ".pte", ".hlo" };

	return ends(name, endings, sizeof(endings) / sizeof(*endings));
}

static bool ends_like_graph(const char *name)
{
	static const char *const endings[] = { ".json", ".xml" };

	return tn_file_is_model(name) ||
	       ends(name, endings, sizeof(endings) / sizeof(*endings));
}

static void walk(struct finder *f, const char *folder, int depth)
{
	const size_t len = strlen(folder);
	const char *slash = len && folder[len - 1] == '/' ? "" : "/";
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir) {
		refuse(f, folder, strerror(errno));
		return;
	}
	while ((entry = readdir(dir)) != NULL && !f->nomem) {
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		path = tn_arena_printf(f->arena, "%s%s%s", folder, slash, entry->d_name);
		if (!path)
			f->nomem = true;
		else if (is_folder(path, false) && depth < DEPTH_MAX)
			walk(f, path, depth + 1);
		else if (ends_like_graph(path) && is_file(path))
			add(f, path, true);
	}
	closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tn_file_name *)a)->name,
		((const struct tn_file_name *)b)->name);
}

static void walk_sorted(struct finder *f, const char *folder)
{
	const size_t first = f->list.count;
	const char *name = tn_arena_strdup(f->arena, folder);

	if (!name || !tn_vec_push(f->arena, &f->folders, name))
		f->nomem = true;
	walk(f, folder, 0);
	if (f->list.count == first && !f->wrong && !f->nomem)
		refuse(f, folder, "no graph in this folder or below it");
	if (f->list.count > first)
		qsort(f->list.items + first, f->list.count - first,
			sizeof(*f->list.items), by_name);
}

static void match(struct finder *f, const char *pattern)
{
	glob_t found;
	const int result = glob(pattern, 0, NULL, &found);

	if (result == GLOB_NOSPACE)
		f->nomem = true;
	else if (result != 0)
		refuse(f, pattern, "no file matches");
	for (size_t i = 0; result == 0 && i < found.gl_pathc; i++) {
		if (is_folder(found.gl_pathv[i], true))
			walk_sorted(f, found.gl_pathv[i]);
		else if (!is_special(found.gl_pathv[i]))
			add(f, found.gl_pathv[i], true);
	}
	if (result == 0)
		globfree(&found);
}

static bool is_pattern(const char *operand)
{
	struct stat st;

	return strpbrk(operand, "*?[") && lstat(operand, &st) != 0;
}

struct seen {
	const struct tn_file_name *name;
	const char *absolute;
	size_t index;
};

static int by_name_then_index(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	const int names = strcmp(x->absolute, y->absolute);

	return names ? names : (x->index > y->index) - (x->index < y->index);
}

/* "a/../b" is "b", unless "a" is a link to a folder elsewhere. */
static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return strcmp(a, b) == 0 || (stat(a, &x) == 0 && stat(b, &y) == 0 &&
					    x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

/* Keeps the first of equal names; one that was also named must be a graph. */
static bool drop_repeats(struct finder *f, struct tn_file_names *out)
{
	const size_t n = f->list.count;
	struct seen *order = TN_NEW_ARRAY(f->arena, struct seen, n);
	bool *drop = TN_NEW_ARRAY(f->arena, bool, n);

	if (!order || !drop)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *name = f->list.items[i].name;

		order[i] = (struct seen){ &f->list.items[i],
			tn_filename_absolute(f->arena, name), i };
		if (!order[i].absolute)
			return false;
	}
	if (n)
		qsort(order, n, sizeof(*order), by_name_then_index);
	for (size_t i = 0, first = 0; i < n; i++) {
		struct tn_file_name *kept = &f->list.items[order[first].index];

		if (i == first || strcmp(order[first].absolute, order[i].absolute) != 0 ||
			!same_file(kept->name, order[i].name->name)) {
			first = i;
			continue;
		}
		drop[order[i].index] = true;
		kept->found = kept->found && order[i].name->found;
	}
	out->list = f->list.items;
	out->folders = f->folders.items;
	out->n_folders = f->folders.count;
	for (size_t i = 0; i < n; i++)
		if (!drop[i])
			out->list[out->n++] = f->list.items[i];
	return true;
}

enum tn_status tn_files_find(const char *const *operands, size_t n,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_file_names *out)
{
	struct finder f = { .arena = arena, .diags = diags };

	*out = (struct tn_file_names){ 0 };
	for (size_t i = 0; i < n; i++) {
		if (is_folder(operands[i], true))
			walk_sorted(&f, operands[i]);
		else if (is_pattern(operands[i]))
			match(&f, operands[i]);
		else if (tn_file_is_settled(diags, operands[i]) == TN_OK)
			add(&f, operands[i], false);
		else
			f.wrong = true;
	}
	if (f.nomem || diags->failed || !drop_repeats(&f, out))
		return TN_ERR_NOMEM;
	return f.wrong ? TN_ERR_INPUT : TN_OK;
}
