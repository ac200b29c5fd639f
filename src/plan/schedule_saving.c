/* What the pairs of one op save, as bound.c counts it. */
#include "base/checked.h"
#include "plan/schedule_part.h"
#include "plan/sort.h"

#define NESTED_MAX 32

/* Each output (or each input) gives up no more than it has. */
static int64_t charge(const struct tn_part *part, struct tn_part_pairs of,
	const bool *active, uint32_t v, bool inputs, int64_t *shared)
{
	int64_t total = 0;

	for (uint32_t i = of.first; i < of.end; i++) {
		const struct tn_schedule_pair *pair = &part->pairs[i];
		uint32_t x = inputs ? pair->a : pair->b;
		int64_t size = inputs ? pair->size_a : pair->size_b, add;

		if (!active[i - of.first])
			continue;
		add = tn_min_i64(pair->share[v], size - shared[x]);
		shared[x] += add;
		total += add;
	}
	for (uint32_t i = of.first; i < of.end; i++)
		shared[part->pairs[i].a] = shared[part->pairs[i].b] = 0;
	return total;
}

/* Several buffers with one hub: they reach stretches of it that begin at the same end, and
 * fill them from the shortest on. No limit when there is no hub. */
static int64_t nested(const struct tn_part *part, struct tn_part_pairs of,
	const bool *active, uint32_t v, bool hub_is_b)
{
	struct tn_sort_key caps[NESTED_MAX];
	uint32_t n = 0, hub = TN_PART_NONE;
	int64_t used = 0;

	for (uint32_t i = of.first; i < of.end; i++) {
		const struct tn_schedule_pair *pair = &part->pairs[i];
		uint32_t own = hub_is_b ? pair->b : pair->a;

		if (!active[i - of.first])
			continue;
		if (n == NESTED_MAX || (n && own != hub))
			return INT64_MAX;
		hub = own;
		caps[n++] = (struct tn_sort_key){
			hub_is_b ? pair->reach_b[v] : pair->reach_a[v], i
		};
	}
	if (n < 2)
		return INT64_MAX;
	tn_sort(caps, n);
	for (uint32_t i = 0; i < n; i++)
		used += tn_max_i64(0,
			tn_min_i64(part->pairs[caps[i].id].share[v], caps[i].key - used));
	return used;
}

int64_t tn_part_saving(
	const struct tn_part *part, uint32_t op, const bool *active, int64_t *shared)
{
	const struct tn_part_pairs of = { part->ops[op].first_pair,
		part->ops[op + 1].first_pair };
	int64_t outputs = 0, inputs = 0;
	bool any = false;

	for (uint32_t i = of.first; i < of.end && !any; i++)
		any = active[i - of.first];
	if (!any)
		return 0;
	for (uint32_t v = 0; v < part->ops[op].n_variants; v++) {
		int64_t limit = tn_min_i64(nested(part, of, active, v, true),
			nested(part, of, active, v, false));

		outputs = tn_max_i64(outputs,
			tn_min_i64(limit, charge(part, of, active, v, false, shared)));
		inputs = tn_max_i64(inputs,
			tn_min_i64(limit, charge(part, of, active, v, true, shared)));
	}
	return tn_min_i64(outputs, inputs);
}
