/* How an op works its way over a dying input: the bytes that it has written so far against
 * those that it has still to read, in the steps of the kernel that runs. The two never
 * meet; how near they come is what the overlap was proved for. */
#ifndef TN_REPORT_STAIRS_H
#define TN_REPORT_STAIRS_H

#include "report/boxes.h"

#define TN_STAIRS_MAX 32

struct tn_stair {
	uint32_t n; /* parts of the op's steps, alike in length; 0: not known */
	bool descending;
	bool straight; /* step k takes element k: every part is alike, whatever n is */
	/* Bytes in the region, as they are at the end of part k. Ascending: all up to
	 * `written` is the output's, all from `unread` on is still to be read.
	 * Descending: from `written` on, and up to `unread`. */
	int64_t written[TN_STAIRS_MAX], unread[TN_STAIRS_MAX];
};

/* The parts of a straight one. */
void tn_stair_fill(const struct tn_box_overlap *overlap, struct tn_stair *out);

/* Needs graph and plan. A straight one is not filled. An op whose steps are not known, or too
 * many to walk once more, has no stair. */
enum tn_status TN_MUST_CHECK tn_stair_find(const struct tn_view *v,
	const struct tn_boxes *boxes, uint32_t overlap, struct tn_stair *out);

#endif
