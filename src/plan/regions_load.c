#include "plan/regions_load.h"

#include "base/checked.h"
#include "plan/sort.h"

enum tn_status tn_births_find(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_births *out)
{
	struct tn_sort_key *keys = TN_NEW_ARRAY(arena, struct tn_sort_key, p->n_buffers);

	out->at = TN_NEW_ARRAY(arena, int64_t, p->n_buffers);
	out->n = 0;
	if (!keys || !out->at)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		keys[i] = (struct tn_sort_key){ p->buffers[i].begin, i };
	tn_sort(keys, p->n_buffers);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (!out->n || out->at[out->n - 1] != keys[i].key)
			out->at[out->n++] = keys[i].key;
	return TN_OK;
}

enum tn_status tn_load_init(
	struct tn_load *load, const struct tn_births *births, struct tn_arena *arena)
{
	*load = (struct tn_load){ .births = births };
	load->sum = TN_NEW_ARRAY(arena, int64_t, (size_t)births->n * 4 + 4);
	load->max = TN_NEW_ARRAY(arena, int64_t, (size_t)births->n * 4 + 4);
	return load->sum && load->max ? TN_OK : TN_ERR_NOMEM;
}

/* The first birth at or after `at`. */
static uint32_t birth(const struct tn_births *births, int64_t at)
{
	uint32_t lo = 0, hi = births->n;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (births->at[mid] < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct span {
	uint32_t lo, hi;
};

static void add(struct tn_load *load, size_t node, struct span own, struct span what,
	int64_t bytes)
{
	const uint32_t mid = own.lo + (own.hi - own.lo) / 2;

	if (what.hi <= own.lo || own.hi <= what.lo)
		return;
	if (what.lo <= own.lo && own.hi <= what.hi) {
		load->sum[node] += bytes;
		load->max[node] += bytes;
		return;
	}
	add(load, 2 * node, (struct span){ own.lo, mid }, what, bytes);
	add(load, 2 * node + 1, (struct span){ mid, own.hi }, what, bytes);
	load->max[node] = load->sum[node] +
			  tn_max_i64(load->max[2 * node], load->max[2 * node + 1]);
}

static int64_t most(
	const struct tn_load *load, size_t node, struct span own, struct span what)
{
	const uint32_t mid = own.lo + (own.hi - own.lo) / 2;

	if (what.hi <= own.lo || own.hi <= what.lo)
		return INT64_MIN / 2;
	if (what.lo <= own.lo && own.hi <= what.hi)
		return load->max[node];
	return load->sum[node] +
	       tn_max_i64(most(load, 2 * node, (struct span){ own.lo, mid }, what),
		       most(load, 2 * node + 1, (struct span){ mid, own.hi }, what));
}

void tn_load_add(struct tn_load *load, int64_t begin, int64_t end, int64_t bytes)
{
	const struct span what = { birth(load->births, begin), birth(load->births, end) };

	if (what.lo < what.hi)
		add(load, 1, (struct span){ 0, load->births->n }, what, bytes);
}

int64_t tn_load_max(const struct tn_load *load, int64_t begin, int64_t end)
{
	const struct span what = { birth(load->births, begin), birth(load->births, end) };

	return what.lo < what.hi
		       ? most(load, 1, (struct span){ 0, load->births->n }, what)
		       : 0;
}
