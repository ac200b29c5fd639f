#include "report/cover.h"

#include <stdbool.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

enum tn_status tn_cover_init(
	struct tn_cover *c, struct tn_arena *arena, int64_t *ends, uint32_t n)
{
	uint32_t kept = 0;

	if (n)
		qsort(ends, n, sizeof(*ends), by_value);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || ends[kept - 1] != ends[i])
			ends[kept++] = ends[i];
	*c = (struct tn_cover){ .cuts = ends, .n = kept };
	c->nodes = tn_arena_array(arena, 4 * ((size_t)kept + 1), sizeof(*c->nodes));
	return c->nodes ? TN_OK : TN_ERR_NOMEM;
}

/* Node k stands for the bytes between cuts lo and hi. */
static void change(struct tn_cover *c, uint32_t k, uint32_t lo, uint32_t hi,
	int64_t begin, int64_t end, bool add)
{
	struct tn_cover_node *node = &c->nodes[k];
	uint32_t mid = lo + (hi - lo) / 2;

	if (end <= c->cuts[lo] || begin >= c->cuts[hi])
		return;
	if (begin <= c->cuts[lo] && end >= c->cuts[hi]) {
		node->count = add ? node->count + 1 : node->count - 1;
	} else {
		change(c, 2 * k, lo, mid, begin, end, add);
		change(c, 2 * k + 1, mid, hi, begin, end, add);
	}
	if (node->count) {
		node->covered = c->cuts[hi] - c->cuts[lo];
		node->top = c->cuts[hi];
	} else if (hi - lo == 1) {
		node->covered = node->top = 0;
	} else {
		const struct tn_cover_node *low = &c->nodes[2 * k], *high = low + 1;

		node->covered = low->covered + high->covered;
		node->top = high->covered ? high->top : low->top;
	}
}

void tn_cover_add(struct tn_cover *c, int64_t begin, int64_t end)
{
	if (c->n > 1)
		change(c, 1, 0, c->n - 1, begin, end, true);
}

void tn_cover_remove(struct tn_cover *c, int64_t begin, int64_t end)
{
	if (c->n > 1)
		change(c, 1, 0, c->n - 1, begin, end, false);
}

int64_t tn_cover_bytes(const struct tn_cover *c)
{
	return c->n > 1 ? c->nodes[1].covered : 0;
}

int64_t tn_cover_top(const struct tn_cover *c)
{
	return c->n > 1 ? c->nodes[1].top : 0;
}
