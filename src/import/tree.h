/* The JSON of other tools: values that know their place in the file. Fetching is lenient
 * where real files differ (an integer may be a number, a string or true; a member may be
 * absent or null; flatc's and Python's bare nan), and reports what is of another kind. */
#ifndef TN_IMPORT_TREE_H
#define TN_IMPORT_TREE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "import/json.h"

struct tn_tree {
	struct tn_import *im;
	const char *rule; /* of a value of the wrong kind: "nnvm/type" */
	bool casings; /* a key may be spelled in snake_case, too */
	struct tn_arena scratch;
	struct tn_strbuf text;
	struct tn_json parsed;
	json_t *made; /* otherwise; ours */
	bool nomem;
	size_t operands; /* of all ops so far, results included */
	bool full; /* they are too many: reported, and no more are taken */
};

/* A value and where it is. The frames above lie in the struct tn_at that it was fetched
 * from, which must outlive it. */
struct tn_at {
	const json_t *json; /* NULL: absent, or null */
	struct tn_path path;
	bool root;
};

struct tn_ints {
	TN_VEC(int64_t) v;
};

/* Parses the source; *out is the root, an object or a list. Close in any case. */
enum tn_status TN_MUST_CHECK tn_tree_open(
	struct tn_tree *t, struct tn_import *im, const char *rule, struct tn_at *out);
/* The same for a value that was made otherwise; takes the reference. */
void tn_tree_adopt(struct tn_tree *t, struct tn_import *im, const char *rule,
	json_t *root, struct tn_at *out);
void tn_tree_close(struct tn_tree *t);

/* For reports at the value; NULL at the root. */
const struct tn_path *tn_at_path(const struct tn_at *at);
/* Rendered, in the graph's arena; NULL without memory. */
const char *tn_at_pointer(struct tn_tree *t, const struct tn_at *at);
void tn_at_error(struct tn_tree *t, const struct tn_at *at, const char *rule,
	const char *fmt, ...) TN_PRINTF(4, 5);
void tn_at_warn(struct tn_tree *t, const struct tn_at *at, const char *rule,
	const char *fmt, ...) TN_PRINTF(4, 5);

/* The member, of any kind; is it there? */
bool tn_at_key(const struct tn_tree *t, const struct tn_at *up, const char *key,
	struct tn_at *out);
/* The element. */
void tn_at_item(const struct tn_at *list, size_t index, struct tn_at *out);
/* The member of an object that is used as a map. */
void tn_at_entry(
	const struct tn_at *map, const char *key, const json_t *value, struct tn_at *out);

/* The member when it is a list, with its length; absent is empty. */
size_t tn_at_list(
	struct tn_tree *t, const struct tn_at *up, const char *key, struct tn_at *out);
bool tn_at_object(
	struct tn_tree *t, const struct tn_at *up, const char *key, struct tn_at *out);
/* Reports what is no object. */
bool tn_at_want_object(struct tn_tree *t, const struct tn_at *at);

/* These give `otherwise` when the member is absent or, after a report, unfit. */
int64_t tn_at_int(
	struct tn_tree *t, const struct tn_at *up, const char *key, int64_t otherwise);
double tn_at_real(
	struct tn_tree *t, const struct tn_at *up, const char *key, double otherwise);
bool tn_at_flag(struct tn_tree *t, const struct tn_at *up, const char *key);
const char *tn_at_text(struct tn_tree *t, const struct tn_at *up, const char *key,
	const char *otherwise);

/* The value itself; false after a report. */
bool tn_at_as_int(struct tn_tree *t, const struct tn_at *at, int64_t *out);
bool tn_at_as_real(struct tn_tree *t, const struct tn_at *at, double *out);
bool tn_at_as_text(struct tn_tree *t, const struct tn_at *at, const char **out);

/* A list of integers, or one; absent is empty. False after a report. */
bool tn_at_ints(
	struct tn_tree *t, const struct tn_at *up, const char *key, struct tn_ints *out);

/* The integers in a text like "(3, 3)", "[1L, 1L]" or "{H: 1, W: 2}", in order. */
void tn_text_ints(struct tn_tree *t, const char *text, struct tn_ints *out);

/* The whole text as a number; false, and *out as it was, when it is none. */
bool tn_text_real(const char *text, double *out);

#endif
