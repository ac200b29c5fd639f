/* The plan in which nothing is shared: the reference that every other plan is compared
 * with, so it is made without any analysis. */
#include "bind/program.h"

#include "base/checked.h"
#include "bind/view.h"

/* Appends `bytes` to the region; false on overflow. */
static bool append(struct tn_plan_region *region, int64_t bytes, int64_t *out_offset)
{
	int64_t offset, end;

	if (!tn_align_up_i64(region->used, TN_PROGRAM_ALIGN, &offset) ||
		!tn_add_i64(offset, bytes, &end) ||
		!tn_add_i64(end, TN_PROGRAM_GAP, &region->used))
		return false;
	*out_offset = offset;
	return true;
}

struct tn_variant tn_variant_first(const struct tn_graph *g, tn_op_id op)
{
	struct tn_variant variants[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(g, op, variants);

	return n ? variants[0] : (struct tn_variant){ false, HOLD_NONE };
}

static bool place_tensors(const struct tn_graph *g, const bool *used,
	const int64_t *tails, struct tn_plan *out)
{
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];
		struct tn_plan_tensor *p = &out->tensors[i];
		int64_t bytes;

		*p = (struct tn_plan_tensor){ .region = TN_REGION_NONE };
		if (!used[i] || t->view_of.i != TN_NONE)
			continue;
		p->region = 0;
		p->bytes = t->bytes;
		p->last = 2 * (int64_t)g->n_ops;
		if (!tn_add_i64(t->bytes, tails[i], &bytes) ||
			!append(&out->regions[0], bytes, &p->offset))
			return false;
	}
	return true;
}

static bool place_scratch(
	const struct tn_graph *g, const struct tn_plan *like, struct tn_plan *out)
{
	for (uint32_t i = 0; i < g->n_ops; i++) {
		struct tn_plan_op *p = &out->ops[i];
		struct tn_variant v = tn_variant_first(g, (tn_op_id){ i });

		if (like && !like->ops[i].elided)
			v = (struct tn_variant){ like->ops[i].descending != 0,
				(enum tn_hold)like->ops[i].hold };

		*p = (struct tn_plan_op){ .descending = v.descending,
			.hold = (uint8_t)v.hold,
			.scratch_region = TN_REGION_NONE,
			.scratch_bytes = tn_contract_scratch(g, (tn_op_id){ i }, v) };
		if (p->scratch_bytes <= 0)
			continue;
		p->scratch_region = 0;
		out->scratch_bytes = tn_max_i64(out->scratch_bytes, p->scratch_bytes);
		if (!append(&out->regions[0], p->scratch_bytes, &p->scratch_offset))
			return false;
	}
	return true;
}

/* By tensor: bytes that ops write behind its end, also through its views. */
static int64_t *tails_of(const struct tn_graph *g, struct tn_arena *arena)
{
	int64_t *tails = tn_graph_tails(g, NULL, arena), at, end;
	tn_tensor_id root;

	for (uint32_t i = 0; tails && i < g->n_tensors; i++) {
		if (!tails[i] || g->tensors[i].view_of.i == TN_NONE ||
			!tn_view_root(g, (tn_tensor_id){ i }, &root, &at))
			continue;
		if (!tn_add_i64(at + g->tensors[i].bytes, tails[i], &end))
			end = INT64_MAX;
		tails[root.i] = tn_max_i64(tails[root.i], end - g->tensors[root.i].bytes);
	}
	return tails;
}

enum tn_status tn_plan_unshared(const struct tn_graph *g, const struct tn_plan *like,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_plan *out)
{
	bool *used = tn_tensors_used(g, arena);
	const int64_t *tails = tails_of(g, arena);

	*out = (struct tn_plan){ .n_tensors = g->n_tensors,
		.n_ops = g->n_ops,
		.n_regions = 1,
		.tensors = TN_NEW_ARRAY(arena, struct tn_plan_tensor, g->n_tensors),
		.ops = TN_NEW_ARRAY(arena, struct tn_plan_op, g->n_ops),
		.order = TN_NEW_ARRAY(arena, uint32_t, g->n_ops),
		.regions = TN_NEW(arena, struct tn_plan_region) };
	if (!used || !tails || !out->tensors || !out->ops || !out->order || !out->regions)
		return TN_ERR_NOMEM;
	out->regions[0] = (struct tn_plan_region){
		.name = "arena", .capacity = -1, .used = 0, .align = TN_PROGRAM_ALIGN
	};
	for (uint32_t i = 0; i < g->n_ops; i++)
		out->order[i] = like ? like->order[i] : g->schedule[i].i;
	if (!place_tensors(g, used, tails, out) || !place_scratch(g, like, out)) {
		tn_diag_at(diags, SEVERITY_ERROR, "exec/too-large", g->source, NULL, NULL,
			"the tensors together are larger than any memory");
		return TN_ERR_INPUT;
	}
	out->arena_bytes = out->regions[0].used;
	out->activation_bytes = out->arena_bytes;
	out->no_reuse_bytes = out->arena_bytes;
	out->bound_bytes = 0;
	return TN_OK;
}
