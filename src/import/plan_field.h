/* Inside import/: the fields of a plan's JSON. */
#ifndef TN_IMPORT_PLAN_FIELD_H
#define TN_IMPORT_PLAN_FIELD_H

#include "import/json.h"
#include "import/plan_json.h"

#define TN_PLAN_FORMAT "plan/format" /* the rule */

/* A plan that has been parsed. */
struct tn_plan_file {
	const struct tn_source *source;
	struct tn_json json;
};

/* A plan that is being read. */
struct tn_plan_reader {
	struct tn_import im;
	const struct tn_graph *g;
	const struct tn_plan_digests *want;
	struct tn_plan *plan;
	bool stale;
};

/* Fields of an object: each reports what is wrong with it and gives false. */
bool tn_plan_int(struct tn_plan_reader *r, const struct tn_path *up, const json_t *object,
	const char *key, int64_t low, int64_t high, int64_t *out);
bool tn_plan_index(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, uint32_t n, uint32_t *out);
bool tn_plan_bool(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, bool *out);
bool tn_plan_text(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, const char **out);

/* One of two words. */
bool tn_plan_word(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, const char *no, const char *yes,
	uint8_t *out);

/* A word for what a variant holds. */
void tn_plan_hold(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, uint8_t *out);

/* The region of that name, "region". */
bool tn_plan_region_of(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, uint32_t *out);

/* The list that `at` names; NULL, reported, if there is none. */
const json_t *tn_plan_list(
	struct tn_plan_reader *r, const json_t *root, const struct tn_path *at);

/* In plan_file.c. Plans without copies need no list of them. Whether they fit the graph is
 * for who inserts them to say. False: no memory. */
bool tn_plan_copies(struct tn_plan_reader *r, const json_t *root,
	struct tn_plan_copy **out, uint32_t *out_n);

#endif
