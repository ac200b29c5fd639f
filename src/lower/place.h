/* From the graph's tables to a plan over several memories: the region problem, its answer,
 * and scratch where there is room for it. */
#ifndef TN_LOWER_PLACE_H
#define TN_LOWER_PLACE_H

#include "lower/lower.h"
#include "plan/regions.h"

/* What the user has and wants. */
struct tn_memories {
	struct tn_plan_region *regions; /* without `used` */
	uint32_t n_regions;
	struct tn_plan_pin *pins;
	uint32_t n_pins;
};

struct tn_placed {
	struct tn_lowered lowered; /* with buffers for scratch that found no gap, last */
	struct tn_region_problem problem;
	struct tn_region_solution solution;
};

/* Bytes that ops read and write of each buffer in a run: every op that runs counts each
 * of its operands once, whole. `out` is by buffer. */
enum tn_status TN_MUST_CHECK tn_access_count(const struct tn_tables *tables,
	const struct tn_lowered *lowered, struct tn_diags *diags, int64_t *out);

/* Gives buffers their region sets (by buffer) and given offsets from the memories. Pins
 * that contradict each other or cannot be, and a tensor that no memory can hold, are
 * reported: TN_ERR_INPUT. */
enum tn_status TN_MUST_CHECK tn_pins_lower(const struct tn_tables *tables,
	const struct tn_memories *memories, struct tn_lowered *lowered,
	struct tn_diags *diags, uint32_t *allowed);

/* In several memories what is pinned stays by itself, and no whole may be less aligned than
 * the memory that it will be in. */
enum tn_status TN_MUST_CHECK tn_pins_views(const struct tn_memories *memories,
	const struct tn_graph *g, struct tn_arena *arena, struct tn_alias_options *views);

/* The tensors that in-place must leave alone: see tn_lower_options. */
enum tn_status TN_MUST_CHECK tn_pins_apart(const struct tn_tables *tables,
	const struct tn_memories *memories, struct tn_arena *arena, bool **out);

/* The plan. TN_ERR_REFUSED, not reported: nothing was found that fits;
 * placed->solution.hopeless says whether that is proved. The memories must outlive the
 * plan. */
enum tn_status TN_MUST_CHECK tn_place(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_memories *memories,
	const struct tn_limits *limits, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_placed *placed, struct tn_plan *out);

/* A bound for one memory (tn_bound) as one for these: each but the last may end unaligned. */
int64_t tn_memories_bound(
	const struct tn_memories *memories, int64_t align, int64_t bound);

/* Bytes of region r that tensors and scratch may use. */
int64_t tn_memory_room(const struct tn_plan_region *r);

#endif
