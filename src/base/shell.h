/* Words of a command line that a message proposes. */
#ifndef TN_BASE_SHELL_H
#define TN_BASE_SHELL_H

#include "base/arena.h"

/* The text as a POSIX shell reads it as one word: unchanged where nothing needs quotes, in
 * double quotes where those are enough, since messages quote whole commands with '...'.
 * NULL: no memory. */
char *tn_shell_word(struct tn_arena *arena, const char *text);

/* The name of a file, that no command takes for an option: "./-x". */
char *tn_shell_file(struct tn_arena *arena, const char *name);

#endif
