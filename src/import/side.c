#define _XOPEN_SOURCE 700
#include "import/side.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "import/json.h"

#include "base/banned.h"

struct tn_side {
	const char *name; /* as in the graph; interned */
	const char
		*path; /* without links and dots; NULL: none, or none that may be read */
	const struct tn_source *source;
	struct tn_side *next;
};

/* A relative path that stays below the graph's folder by its text alone. */
static bool is_inside(const char *name)
{
	const char *at = name;

	if (!name[0] || name[0] == '/' || strchr(name, '\\'))
		return false;
	while (*at) {
		size_t len = strcspn(at, "/");

		if (len == 2 && at[0] == '.' && at[1] == '.')
			return false;
		at += len;
		at += *at == '/';
	}
	return true;
}

/* And by what links on the way make of it. NULL when it is not a plain file there. */
static char *resolve(
	const char *graph, struct tn_arena *scratch, const char *name, bool *nomem)
{
	const char *slash = strrchr(graph, '/');
	char *folder = tn_arena_strndup(
		scratch, slash ? graph : ".", slash ? (size_t)(slash - graph) + 1 : 1);
	char *path = folder ? tn_arena_printf(scratch, "%s/%s", folder, name) : NULL;
	char *real_folder, *real_path, *result = NULL;
	struct stat info;

	if (!path) {
		*nomem = true;
		return NULL;
	}
	real_folder = realpath(folder, NULL);
	real_path = realpath(path, NULL);
	if (real_folder && real_path) {
		size_t len = strlen(real_folder);

		if (len == 1) /* the root: its slash is part of every path */
			len = 0;
		if (strncmp(real_folder, real_path, len) == 0 && real_path[len] == '/' &&
			stat(real_path, &info) == 0 && S_ISREG(info.st_mode)) {
			result = tn_arena_strdup(scratch, real_path);
			*nomem = *nomem || !result;
		}
	}
	free(real_folder);
	free(real_path);
	return result;
}

/* Under another name of the same file: "a", "./a", a link. */
static const struct tn_side *find_path(const struct tn_sides *sides, const char *path)
{
	for (const struct tn_side *side = sides->list; side; side = side->next)
		if (side->path && strcmp(side->path, path) == 0)
			return side;
	return NULL;
}

const struct tn_source *tn_side_file(struct tn_import *im, struct tn_sides *sides,
	struct tn_arena *scratch, const char *rule, const struct tn_path *at,
	const char *name, bool *nomem)
{
	struct tn_source *source = NULL;
	const struct tn_side *same;
	struct tn_side *side;
	enum tn_status status;
	char *path;

	for (side = sides->list; side; side = side->next)
		if (strcmp(side->name, name) == 0)
			return side->source;
	side = TN_NEW(scratch, struct tn_side);
	if (!side || !(side->name = tn_str_intern(im->strings, name, strlen(name)))) {
		*nomem = true;
		return NULL;
	}
	if (strcmp(im->source->name, "-") == 0) {
		tn_json_error(im, rule, at,
			"'%s' lies beside the graph's file, and there is none: the graph "
			"came from standard input",
			name);
	} else if (!is_inside(name)) {
		tn_json_error(im, rule, at, "'%s' is not a path below the graph's folder",
			name);
	} else if (!(path = resolve(im->source->name, scratch, name, nomem))) {
		if (!*nomem)
			tn_json_error(im, rule, at,
				"there is no file '%s' below the graph's folder", name);
	} else if ((same = find_path(sides, path))) {
		side->path = path;
		side->source = same->source;
	} else {
		/* the graph's constants point into the text */
		status = tn_file_read(im->arena, im->diags, path, NULL, &source);
		if (status != TN_OK)
			source = NULL;
		*nomem = *nomem || status == TN_ERR_NOMEM;
		side->path = path;
		side->source = source;
	}
	side->next = sides->list;
	sides->list = side;
	return side->source;
}
