/* Whole files in and out. Writing is atomic: a temporary file beside the target, then a
 * rename, so that an existing file is either replaced whole or left untouched; signals wait so long
 * (base/hold.h). */
#ifndef TN_BASE_FILE_H
#define TN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

#define TN_FILE_MAX  ((size_t)1 << 31) /* bytes; a larger file is refused */
#define TN_FILE_HEAD ((size_t)1 << 16) /* bytes by which a file is judged */

/* May a file that starts like this be what is wanted? Asked before the rest of a file larger
 * than the head is read: of junk only the head is, and who wanted the file says what is wrong
 * with that. */
typedef bool tn_file_test(const char *head, size_t len);

/* Reads the file ("-": standard input) into the arena, or its head when that does not fit
 * (NULL: everything does). A NUL byte follows the text. A pipe is waited for until somebody has written it; folders and devices (but a terminal) are
 * refused. Reports to diags and returns TN_ERR_INPUT (no such file, too
 * large), TN_ERR_IO or TN_ERR_NOMEM. The result lives in the arena. */
enum tn_status TN_MUST_CHECK tn_file_read(struct tn_arena *arena, struct tn_diags *diags,
	const char *name, tn_file_test *fits, struct tn_source **out);

/* The same without waiting: a pipe by its name in a folder is refused, too. */
enum tn_status TN_MUST_CHECK tn_file_read_settled(struct tn_arena *arena,
	struct tn_diags *diags, const char *name, tn_file_test *fits,
	struct tn_source **out);

/* Can the name be read without waiting for somebody who may never come: is it a regular
 * file, or a descriptor that the caller has opened already ("-", /dev/stdin, /dev/fd/63 of
 * a shell's <(...))? TN_ERR_INPUT, reported, if not; a name of nothing is left to whoever
 * reads it. */
enum tn_status TN_MUST_CHECK tn_file_is_settled(struct tn_diags *diags, const char *name);

/* Writes len bytes ("-": standard output). */
enum tn_status TN_MUST_CHECK tn_file_write(
	struct tn_diags *diags, const char *name, const void *data, size_t len);

/* Are both names of one regular file that is there? */
bool tn_file_same(const char *a, const char *b);

/* Makes the directory (one level) unless it is there. */
enum tn_status TN_MUST_CHECK tn_dir_make(struct tn_diags *diags, const char *name);

#endif
