#include "plan/order.h"

#include "base/checked.h"
#include "plan/sort.h"

/* load[x]: the largest sum of sizes at any moment of x's life. A stack of moments with
 * falling load makes "maximum since x was born" one search per death. */
static bool loads(const struct tn_problem *p, struct tn_arena *scratch, int64_t *load)
{
	const size_t n = p->n_buffers;
	struct tn_sort_key *begins = TN_NEW_ARRAY(scratch, struct tn_sort_key, n);
	struct tn_sort_key *ends = TN_NEW_ARRAY(scratch, struct tn_sort_key, n);
	struct tn_sort_key *stack = TN_NEW_ARRAY(scratch, struct tn_sort_key, n);
	int64_t *sums = TN_NEW_ARRAY(scratch, int64_t, n);
	int64_t sum = 0;
	size_t depth = 0, gone = 0;

	if (!begins || !ends || !stack || !sums)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		begins[i] = (struct tn_sort_key){ p->buffers[i].begin, i };
		ends[i] = (struct tn_sort_key){ p->buffers[i].end, i };
	}
	tn_sort(begins, n);
	tn_sort(ends, n);
	for (size_t i = 0; i <= n;) {
		const int64_t now = i < n ? begins[i].key : INT64_MAX;

		for (; gone < n && ends[gone].key <= now; gone++) {
			const uint32_t x = ends[gone].id;
			size_t lo = 0, hi = depth;

			while (lo < hi) { /* the first moment in x's life */
				size_t mid = lo + (hi - lo) / 2;

				if (stack[mid].key < p->buffers[x].begin)
					lo = mid + 1;
				else
					hi = mid;
			}
			load[x] = sums[stack[lo].id];
			sum -= p->buffers[x].size;
		}
		if (i == n)
			break;
		for (; i < n && begins[i].key == now; i++)
			sum += p->buffers[begins[i].id].size;
		while (depth && sums[stack[depth - 1].id] <= sum)
			depth--;
		stack[depth] = (struct tn_sort_key){ now, (uint32_t)depth };
		sums[depth++] = sum;
	}
	return true;
}

static int64_t area(const struct tn_buffer *b)
{
	int64_t life, product;

	if (!tn_sub_i64(b->end, b->begin, &life) || !tn_mul_i64(life, b->size, &product))
		return INT64_MAX;
	return product;
}

static int64_t life(const struct tn_buffer *b)
{
	int64_t length;

	return tn_sub_i64(b->end, b->begin, &length) ? length : INT64_MAX;
}

static int64_t key(const struct tn_buffer *b, enum tn_order which, int64_t load)
{
	switch (which) {
	case ORDER_SIZE:
		return -b->size;
	case ORDER_AREA:
		return -area(b);
	case ORDER_LIFE:
		return -life(b);
	case ORDER_TIGHT:
		return -load;
	case ORDER_BIRTH:
		return b->begin;
	case ORDER_DEATH:
		return b->end == INT64_MIN ? INT64_MAX : -b->end;
	case ORDER_COUNT:
		break;
	}
	return 0;
}

enum tn_status tn_order_build(
	const struct tn_problem *p, enum tn_order which, uint32_t *order)
{
	struct tn_arena scratch;
	struct tn_sort_key *keys;
	enum tn_status status = TN_ERR_NOMEM;
	int64_t *load;

	tn_arena_init(&scratch);
	keys = TN_NEW_ARRAY(&scratch, struct tn_sort_key, p->n_buffers);
	load = TN_NEW_ARRAY(&scratch, int64_t, p->n_buffers);
	if (!keys || !load || !loads(p, &scratch, load))
		goto out;
	/* ties: the largest first (for sizes: the longest), then by id */
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct tn_buffer *b = &p->buffers[i];

		keys[i].key = which == ORDER_SIZE ? -life(b) : -b->size;
		keys[i].id = i;
	}
	tn_sort(keys, p->n_buffers);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		order[i] = keys[i].id;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		keys[i].key = key(&p->buffers[order[i]], which, load[order[i]]);
		keys[i].id = i;
	}
	tn_sort(keys, p->n_buffers);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		keys[i].id = order[keys[i].id];
	for (uint32_t i = 0; i < p->n_buffers; i++)
		order[i] = keys[i].id;
	status = TN_OK;
out:
	tn_arena_release(&scratch);
	return status;
}
