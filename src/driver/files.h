/* The files that a command line means: names, folders, patterns. */
#ifndef TN_DRIVER_FILES_H
#define TN_DRIVER_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

struct tn_file_name {
	const char *name;
	bool found; /* in a folder or by a pattern, not named: it need not be a graph */
};

struct tn_file_names {
	struct tn_file_name *list;
	size_t n;
	const char **folders; /* those that were walked through, as they are named */
	size_t n_folders;
};

/* In the order of the operands, what is found in one sorted by name; each file once,
 * however its name is spelled, by the first spelling. A folder means the files below it
 * whose names end as graphs' do (.tflite, .json, .onnx, .pte, .xml, .hlo), hidden ones and
 * links to folders left out; a pattern is one of glob(7), unless there is a file of that
 * name. TN_ERR_INPUT, reported: a folder cannot be read, or a pattern matches nothing. */
enum tn_status TN_MUST_CHECK tn_files_find(const char *const *operands, size_t n,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_file_names *out);

/* Does the name promise a model (.tflite, .onnx, .pte, .hlo)? Such a file is never skipped:
 * when it is empty or damaged, somebody has to know. */
bool tn_file_is_model(const char *name);

#endif
