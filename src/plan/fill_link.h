/* Links: what pairs mean to the fill search. Internal to fill*.c.
 *
 * The two buffers of a pair meet in one column, that of their op. The search splits it:
 * the left copy has everything but the outputs, the right one everything but the inputs.
 * So a pair's ends share no column, and what is left of their relation is a link: an open
 * interval of displacements that one end's offset forbids to the other. A link binds only
 * when one of its ends is placed; until then it ties both sides of the border together. */
#ifndef TN_PLAN_FILL_LINK_H
#define TN_PLAN_FILL_LINK_H

#include "plan/fill_state.h"

/* Columns of each buffer as they are without pairs ([lo, hi)), and on return as split.
 * *out_fits is false when the pairs are not of this kind: their buffers meet in several
 * columns, or one buffer would have to be on both sides. */
enum tn_status TN_MUST_CHECK tn_fill_split(const struct tn_problem *p, uint32_t *lo,
	uint32_t *hi, uint32_t *n_columns, struct tn_arena *scratch, bool *out_fits);

/* Links and groups, when items and their columns are known. */
enum tn_status TN_MUST_CHECK tn_fill_links(
	struct tn_fill *f, const struct tn_problem *p, struct tn_arena *scratch);

static inline bool tn_fill_linked(const struct tn_fill *f, uint32_t item)
{
	return f->link_first[item] < f->link_first[item + 1];
}

/* The lowest offset >= from that is legal to the ends of the item's links that are placed
 * or fixed. */
int64_t tn_fill_link_lift(const struct tn_fill *f, uint32_t item, int64_t from);

/* The item was placed: narrows the variants of its groups. False when none is left.
 * The starts of other items in them may have become too low. */
bool tn_fill_link_put(struct tn_fill *f, uint32_t item);
void tn_fill_link_unplace(struct tn_fill *f, uint32_t item);

/* The item can start at `above` but is to start higher because of a link: where at
 * least? INT64_MAX: no link can be the reason. */
int64_t tn_fill_link_next(const struct tn_fill *f, uint32_t item, int64_t above);

#endif
