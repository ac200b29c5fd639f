#include "driver/csv_variants.h"

#include <string.h>

#include "contract/contract.h"

#include "base/banned.h"

static const char *const orders[] = { "ascending", "descending" };

enum tn_status tn_csv_variants(struct tn_run *run, const char *const **out)
{
	const struct tn_graph *g = &run->graph;
	const char **words;

	*out = NULL;
	if (run->plan.overlap == OVERLAP_NONE)
		return TN_OK;
	words = TN_NEW_ARRAY(&run->arena, const char *, g->n_tensors);
	if (!words)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		words[i] = "";
	for (uint32_t i = run->plan.n_ops; i-- > 0;) {
		const uint32_t op = run->plan.order[i];
		const struct tn_plan_op *p = &run->plan.ops[op];
		const char *word = orders[p->descending != 0];

		if (p->hold != HOLD_NONE)
			word = tn_arena_printf(&run->arena, "%s/%s", word,
				tn_hold_name((enum tn_hold)p->hold));
		if (!word)
			return TN_ERR_NOMEM;
		for (uint32_t k = 0; k < g->ops[op].n_outputs; k++)
			if (g->ops[op].outputs[k].i != TN_NONE)
				words[g->ops[op].outputs[k].i] = word;
	}
	*out = words;
	return TN_OK;
}

enum tn_status tn_csv_roots(struct tn_run *run, const tn_tensor_id **out)
{
	const struct tn_graph *g = &run->graph;
	tn_tensor_id *roots = TN_NEW_ARRAY(&run->arena, tn_tensor_id, g->n_tensors);
	bool any = false;

	*out = NULL;
	if (!roots)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const tn_tensor_id root = run->aliases.of[i].root;

		roots[i] = (tn_tensor_id){ i };
		if (root.i == i || run->plan.tensors[i].region == TN_REGION_NONE ||
			run->plan.tensors[root.i].region == TN_REGION_NONE ||
			g->tensors[i].view_of.i != TN_NONE)
			continue;
		roots[i] = root;
		any = true;
	}
	if (any)
		*out = roots;
	return TN_OK;
}

bool tn_csv_variant_parse(const char *word, struct tn_variant *out)
{
	const char *hold = strchr(word, '/');
	const size_t n = hold ? (size_t)(hold - word) : strlen(word);

	for (int i = 0; i < 2; i++) {
		if (strlen(orders[i]) != n || memcmp(orders[i], word, n) != 0)
			continue;
		*out = (struct tn_variant){ i == 1, HOLD_NONE };
		if (!hold)
			return true;
		for (int h = HOLD_PIXEL; h <= HOLD_CYCLE; h++)
			if (strcmp(hold + 1, tn_hold_name((enum tn_hold)h)) == 0) {
				out->hold = (enum tn_hold)h;
				return true;
			}
	}
	return false;
}
