/* A graph read from a file or from bytes, with all that it needs to live. */
#ifndef TN_TESTS_LOADED_H
#define TN_TESTS_LOADED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "ir/graph.h"

struct loaded {
	struct tn_arena run, arena; /* arena: the graph's */
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_source *source;
	struct tn_source own; /* of loaded_bytes */
	struct tn_graph graph;
	enum tn_status status;
};

/* Always released by the caller. `from` as in struct tn_import. */
void loaded_file(struct loaded *l, const char *path, const char *from);
void loaded_bytes(struct loaded *l, const char *name, const void *data, size_t len,
	const char *from);
void loaded_release(struct loaded *l);

/* The diagnostics as "severity pointer: message [rule]" lines, and notes; in l->run. */
const char *loaded_report(struct loaded *l);

/* Ends the test, with the report, unless the graph was read without an error. */
void loaded_ok(struct loaded *l, const char *what);

/* Calls fn for each regular file of the folder whose name ends so, in order of name.
 * Returns how many there were. */
int each_file(const char *folder, const char *ending, void (*fn)(const char *path));
/* The same for folders. */
int each_folder(const char *folder, void (*fn)(const char *path));

/* Compares with the file's text; TN_UPDATE_GOLDEN=1 writes it instead. */
void same_as_golden(const char *path, const char *text);

/* Compares the graph in the native format with native/NAME.json in the folder of the file
 * that it was read from; the text is the caller's to release. */
void loaded_native_golden(struct loaded *l, const char *path, struct tn_strbuf *out);

#endif
