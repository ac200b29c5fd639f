/* How many bytes does a changing set of byte ranges cover? A tree over the ranges' ends:
 * adding or removing a range costs the logarithm of their number. */
#ifndef TN_REPORT_COVER_H
#define TN_REPORT_COVER_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

struct tn_cover_node {
	uint32_t count; /* ranges that cover the whole node */
	int64_t covered; /* bytes */
	int64_t top; /* end of the highest covered byte; 0: none */
};

struct tn_cover {
	int64_t *cuts; /* sorted, each once */
	uint32_t n; /* of cuts */
	struct tn_cover_node *nodes;
};

/* `ends` are all begins and ends that will come (n of them, in any order; the array is
 * sorted and kept). */
enum tn_status TN_MUST_CHECK tn_cover_init(
	struct tn_cover *c, struct tn_arena *arena, int64_t *ends, uint32_t n);

/* Both must be among the ends; begin < end. */
void tn_cover_add(struct tn_cover *c, int64_t begin, int64_t end);
void tn_cover_remove(struct tn_cover *c, int64_t begin, int64_t end);

int64_t tn_cover_bytes(const struct tn_cover *c);
int64_t tn_cover_top(const struct tn_cover *c);

#endif
