#include "report/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#include "base/banned.h"

const char *tn_finding_rule(const struct tn_finding *f)
{
	return f->diag->rule && *f->diag->rule ? f->diag->rule : "tenure";
}

size_t tn_rules_index(const struct tn_rules *rules, const char *id)
{
	size_t i = 0;

	while (i < rules->n && strcmp(rules->list[i].id, id) != 0)
		i++;
	return i;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct tn_view_rule *)a)->id,
		((const struct tn_view_rule *)b)->id);
}

enum tn_status tn_rules_collect(const struct tn_view *views, size_t n,
	const struct tn_findings *findings, struct tn_arena *arena, struct tn_rules *out)
{
	TN_VEC(struct tn_view_rule) list = { 0 };
	size_t described;

	*out = (struct tn_rules){ 0 };
	/* the rules are the same for all files: one set, that of the first view */
	for (size_t i = 0; n && i < views[0].n_rules; i++)
		if (!tn_vec_push(arena, &list, views[0].rules[i]))
			return TN_ERR_NOMEM;
	described = list.count;
	for (size_t i = 0; i < findings->n; i++) {
		struct tn_view_rule rule = { .id = tn_finding_rule(&findings->list[i]),
			.severity = findings->list[i].diag->severity };

		*out = (struct tn_rules){ list.items, list.count };
		if (tn_rules_index(out, rule.id) == list.count &&
			!tn_vec_push(arena, &list, rule))
			return TN_ERR_NOMEM;
	}
	if (list.count > described)
		qsort(list.items + described, list.count - described, sizeof(*list.items),
			by_id);
	*out = (struct tn_rules){ list.items, list.count };
	return TN_OK;
}
