#include "plan/problem.h"

#include "base/checked.h"

static const char *buffer_fault(const struct tn_buffer *b)
{
	if (b->begin >= b->end)
		return "buffer's lifetime is empty or reversed";
	if (b->size < 0)
		return "buffer's size is negative";
	if (b->align <= 0)
		return "buffer's alignment is not positive";
	if (b->fixed < -1)
		return "buffer's given offset is negative";
	if (b->fixed > 0 && b->fixed % b->align != 0)
		return "buffer's given offset is not a multiple of its alignment";
	return NULL;
}

static const char *pair_fault(const struct tn_problem *p, const struct tn_pair *pair)
{
	if (pair->a >= p->n_buffers || pair->b >= p->n_buffers || pair->a == pair->b)
		return "pair's buffers are not two buffers of the problem";
	if (pair->group >= p->n_groups)
		return "pair's group does not exist";
	for (uint32_t v = 0; v < p->groups[pair->group].n_variants; v++)
		if (pair->d[v] < TN_D_FREE)
			return "pair's displacement is out of range";
	return NULL;
}

bool tn_problem_valid(
	const struct tn_problem *p, const char **out_why, uint32_t *out_index)
{
	const int64_t room = INT64_MAX / 4; /* gaps add and subtract two offsets */
	int64_t total = 0, fixed = 0;

	*out_index = 0;
	*out_why = NULL;
	if (p->n_buffers == UINT32_MAX || p->n_pairs > UINT32_MAX / 2)
		*out_why = "too many buffers or pairs";
	for (uint32_t g = 0; g < p->n_groups && !*out_why; g++) {
		*out_index = g;
		if (!p->groups[g].n_variants ||
			p->groups[g].n_variants > TN_GROUP_VARIANTS_MAX)
			*out_why = "group has no variant or too many";
	}
	for (uint32_t i = 0; i < p->n_buffers && !*out_why; i++) {
		const struct tn_buffer *b = &p->buffers[i];

		*out_index = i;
		*out_why = buffer_fault(b);
		if (*out_why)
			break;
		if (b->fixed > fixed)
			fixed = b->fixed;
		if (b->size > room || b->align > room || fixed > room ||
			!tn_add_i64(total, b->size + b->align, &total) ||
			total > room - fixed)
			*out_why = "buffers are too large together";
	}
	for (uint32_t i = 0; i < p->n_pairs && !*out_why; i++) {
		*out_index = i;
		*out_why = pair_fault(p, &p->pairs[i]);
	}
	return !*out_why;
}
