/* JSON text to jansson values, with limits, and typed access that reports. The values live
 * and go with the text that they were read from: they are borrowed, never json_decref'ed,
 * and nothing of them may outlive the reader. */
#ifndef TN_IMPORT_JSON_H
#define TN_IMPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/import.h"
#include "import/json_heap.h"

#define TN_JSON_DEPTH_MAX  64
#define TN_JSON_VALUES_MAX ((size_t)1 << 23) /* a value costs about 50 bytes */

/* A parsed text. */
struct tn_json {
	json_t *root;
	struct tn_json_heap heap; /* where all values are */
};

/* Where an offset in the parsed text is in the source's text. */
typedef size_t tn_json_map(void *user, size_t offset);

/* Parses the text: the source's, or (with a map) what was made of it. Reports what is
 * wrong with line and column of the source. To be dropped in any case. */
enum tn_status TN_MUST_CHECK tn_json_load(struct tn_import *im, const char *text,
	size_t len, tn_json_map *map, void *user, struct tn_json *out);
void tn_json_drop(struct tn_json *json);

/* Reports an error at an offset in the source's text. */
void tn_json_error_at(
	struct tn_import *im, size_t offset, const char *rule, const char *text);

/* Reports an error at a path. */
void tn_json_error(struct tn_import *im, const char *rule, const struct tn_path *at,
	const char *fmt, ...) TN_PRINTF(4, 5);

/* "an object", "a string" ...; "nothing" for NULL. For messages. */
const char *tn_json_kind(const json_t *value);

/* These report a value of another kind with the reader's rule, and return false. */
bool tn_json_int(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, int64_t low, int64_t high, int64_t *out);
bool tn_json_bool(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, bool *out);
bool tn_json_string(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, const char **out);
bool tn_json_want(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, json_type type);

#endif
