#define _POSIX_C_SOURCE 200809L
#include "base/filename.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"

#include "base/banned.h"

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* Drops empty parts and ".", and ".." together with the part before it. In place. */
static void normalise(char *name)
{
	size_t n = 0;

	for (const char *at = name; *at;) {
		size_t len;

		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (len == 2 && memcmp(at, "..", 2) == 0) {
			while (n && name[--n] != '/')
				;
		} else if (len && !(len == 1 && *at == '.')) {
			name[n++] = '/';
			memmove(name + n, at, len);
			n += len;
		}
		at += len;
	}
	if (!n)
		name[n++] = '/';
	name[n] = '\0';
}

char *tn_filename_absolute(struct tn_arena *arena, const char *name)
{
	char here[PATH_MAX], *absolute;

	if (*name == '/')
		absolute = tn_arena_strdup(arena, name);
	else if (getcwd(here, sizeof(here)))
		absolute = tn_arena_printf(arena, "%s/%s", here, name);
	else
		absolute = tn_arena_printf(arena, "/%s", name);
	if (absolute)
		normalise(absolute);
	return absolute;
}

char *tn_filename_folder(struct tn_arena *arena, const char *absolute)
{
	const char *slash = strrchr(absolute, '/');
	size_t len = slash ? (size_t)(slash - absolute) : 0;

	return len ? tn_arena_strndup(arena, absolute, len) : tn_arena_strdup(arena, "/");
}

char *tn_filename_relative(
	struct tn_arena *arena, const char *absolute, const char *folder)
{
	size_t same = 0, i = 0;
	const char *up = "";

	folder = strcmp(folder, "/") == 0 ? "" : folder;
	while (folder[i] && folder[i] == absolute[i]) {
		i++;
		if ((!folder[i] || folder[i] == '/') && absolute[i] == '/')
			same = i;
	}
	for (const char *at = folder + same; *at && up; at++)
		if (*at == '/')
			up = tn_arena_printf(arena, "%s../", up);
	return up ? tn_arena_printf(arena, "%s%s", up,
			    absolute + same + strspn(absolute + same, "/"))
		  : NULL;
}

char *tn_filename_join(struct tn_arena *arena, const char *folder, const char *name)
{
	return *name == '/' ? tn_arena_strdup(arena, name)
			    : tn_arena_printf(arena, "%s/%s", folder, name);
}

bool tn_filename_matches(const char *pattern, const char *name)
{
	const char *last = strrchr(name, '/');

	return tn_glob(pattern, strchr(pattern, '/') || !last ? name : last + 1);
}
