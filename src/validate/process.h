/* Programs that are run: argument vectors, no shell, with a time limit. */
#ifndef TN_VALIDATE_PROCESS_H
#define TN_VALIDATE_PROCESS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"

enum tn_process_end {
	PROCESS_EXITED, /* exit_code is valid */
	PROCESS_SIGNALED, /* exit_code is the signal */
	PROCESS_TIMEOUT, /* killed, with all that it started */
	PROCESS_STOPPED, /* the same, because somebody wants this program to end */
	PROCESS_TOO_MUCH, /* killed: it wrote more than any program here does */
	PROCESS_FAILED, /* could not be started */
};

struct tn_process {
	enum tn_process_end end;
	int exit_code;
};

/* Runs argv[0] (found in PATH) in the directory `dir`, standard input empty, and appends
 * its standard output and error to `out`. */
struct tn_process tn_process_run(
	const char *const *argv, const char *dir, int seconds, struct tn_strbuf *out);

/* Is there such a program in PATH? */
bool tn_process_exists(const char *program);

/* Makes a directory of our own below TMPDIR or /tmp; its name lives in the arena. */
enum tn_status TN_MUST_CHECK tn_tempdir_make(
	struct tn_arena *arena, struct tn_diags *diags, const char **out_dir);

/* Removes the directory and all in it; does not follow symbolic links. */
void tn_tempdir_remove(const char *dir);

#endif
