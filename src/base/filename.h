/* Names of files as text: nothing here looks at the file system but for the working
 * directory. Names that are returned live in the arena; NULL: no memory. */
#ifndef TN_BASE_FILENAME_H
#define TN_BASE_FILENAME_H

#include "base/arena.h"

/* From the root, without "." and ".." as far as they can be resolved in the name. */
char *tn_filename_absolute(struct tn_arena *arena, const char *name);

/* The folder of an absolute name, without the slash at the end unless it is "/". */
char *tn_filename_folder(struct tn_arena *arena, const char *absolute);

/* The absolute name as seen from an absolute folder: "../a/b.json". */
char *tn_filename_relative(
	struct tn_arena *arena, const char *absolute, const char *folder);

/* A name that is relative to a folder, unless it is absolute. */
char *tn_filename_join(struct tn_arena *arena, const char *folder, const char *name);

/* Does the pattern (base/glob.h) match the name? One without a slash is about its last
 * part only. */
bool tn_filename_matches(const char *pattern, const char *name);

#endif
