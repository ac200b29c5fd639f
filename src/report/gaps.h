/* Bytes of the arena that hold nothing although something lies above them: what is lost
 * to the shapes of the buffers, while each op runs. */
#ifndef TN_REPORT_GAPS_H
#define TN_REPORT_GAPS_H

#include "report/boxes.h"

struct tn_gap {
	uint32_t region;
	int64_t begin, end; /* half-steps, half-open; whole ops */
	int64_t offset, bytes;
};

struct tn_gaps {
	struct tn_gap *list; /* by region, then end of the gap in time */
	uint32_t n;
};

/* Neighbours in time with the same bytes are one. A plan with so many buffers at a time
 * that looking at all of them would take long has none. */
enum tn_status TN_MUST_CHECK tn_gaps_find(const struct tn_view *v,
	const struct tn_boxes *boxes, struct tn_arena *arena, struct tn_gaps *out);

#endif
