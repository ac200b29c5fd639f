/* Diagnostics: what is wrong with the user's model, with a rule id, a severity and a
 * place. Collected here, printed by report/ and cli/ only. */
#ifndef TN_BASE_DIAG_H
#define TN_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/path.h"
#include "base/vec.h"

enum tn_severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

/* A file as it was read. `text` is kept for the second scan that finds line and column. */
struct tn_source {
	const char *name; /* as the user gave it; "-" for standard input */
	const char *text; /* not NUL-terminated in general */
	size_t len; /* bytes */
	bool is_text; /* JSON or XML: line and column make sense */
};

struct tn_diag {
	enum tn_severity severity;
	const char *rule; /* family/what */
	const struct tn_source *source; /* NULL: not about a file */
	const char *pointer; /* JSON pointer, or NULL */
	size_t line, column; /* from 1; 0: not known (see base/place.h) */
	const char *subject; /* name of an op or tensor, or NULL */
	const char *message; /* lower case, no full stop */
	TN_VEC(const char *) notes; /* expected, found, see */
};

struct tn_diags {
	struct tn_arena *arena; /* the run's */
	TN_VEC(struct tn_diag) list;
	size_t errors, warnings;
	bool failed; /* memory ran out: something was not recorded */
};

void tn_diags_init(struct tn_diags *diags, struct tn_arena *arena);

/* Report at a path (may be NULL: the whole document). Returns the diagnostic, valid until
 * the next report, so that line, column or subject can be set; NULL on lack of memory. */
struct tn_diag *tn_diag(struct tn_diags *diags, enum tn_severity severity,
	const char *rule, const struct tn_source *source, const struct tn_path *path,
	const char *fmt, ...) TN_PRINTF(6, 7);

/* The same with a rendered pointer (borrowed; lives in the run or the graph) and the
 * name of the op or tensor (borrowed, or NULL). */
struct tn_diag *tn_diag_at(struct tn_diags *diags, enum tn_severity severity,
	const char *rule, const struct tn_source *source, const char *pointer,
	const char *subject, const char *fmt, ...) TN_PRINTF(7, 8);

/* Add a note to the newest diagnostic. */
void tn_diag_note(struct tn_diags *diags, const char *fmt, ...) TN_PRINTF(2, 3);

/* For a command line in a message: a word of it, and the name of a file (base/shell.h).
 * Without memory the text as it is, and `failed` is set. */
const char *tn_diag_word(struct tn_diags *diags, const char *text);
const char *tn_diag_file(struct tn_diags *diags, const char *name);

#endif
