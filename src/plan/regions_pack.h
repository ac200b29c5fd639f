/* One region of a region problem as a problem of its own, and what the single-memory
 * solver says of it. */
#ifndef TN_PLAN_REGIONS_PACK_H
#define TN_PLAN_REGIONS_PACK_H

#include "plan/regions.h"

#define TN_UNASSIGNED  UINT32_MAX /* a buffer that is in no region yet */
#define TN_ANY_VARIANT UINT32_MAX /* a group that may choose */

enum tn_packing {
	PACKING_FITS,
	PACKING_NEVER, /* proved */
	PACKING_UNKNOWN, /* none found within the limits */
};

struct tn_pack {
	const struct tn_region_problem *p;
	const uint32_t *region; /* by buffer, or TN_UNASSIGNED */
	const uint32_t *variant; /* by group: the only one, or TN_ANY_VARIANT */
	struct tn_limits limits;
	bool minimise; /* look for the least height, not for one that fits */

	/* Out: of the region that was packed. */
	int64_t *offset; /* by buffer, of those in the region; NULL: not wanted */
	uint32_t *chosen; /* by group, of those with a pair in the region; may be NULL */
	int64_t height;
	int64_t nodes; /* effort; added up over calls */
};

enum tn_status TN_MUST_CHECK tn_pack_region(
	struct tn_pack *pack, uint32_t r, enum tn_packing *out);

/* Does this pair matter where both of its buffers are in one region? */
bool tn_pack_counts(const struct tn_region_problem *p, const struct tn_pair *pair,
	const uint32_t *region);

/* For each group whose pairs are in several regions the variant `otherwise`, for the others
 * TN_ANY_VARIANT. Returns the number of the former. at_by_group is scratch. */
uint32_t tn_pack_split(const struct tn_region_problem *p, const uint32_t *region,
	uint32_t otherwise, uint32_t *out_variant, uint32_t *at_by_group);

#endif
