#include "gen_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "contract/contract.h"

static uint32_t root_of(const struct tn_graph *g, uint32_t id, int64_t *offset)
{
	*offset = 0;
	while (g->tensors[id].view_of.i != TN_NONE) {
		*offset += g->tensors[id].view_offset *
			   (tn_dtype_bits(g->tensors[id].dtype) / 8);
		id = g->tensors[id].view_of.i;
	}
	return id;
}

static bool needs_memory(const struct tn_tensor *t)
{
	return t->role != ROLE_CONST && t->data_kind == DATA_NONE;
}

/* Positions [first, last] at which the root's bytes must be there; -1 is before all. */
static void lifetimes(const struct tn_graph *g, int64_t *first, int64_t *last)
{
	int64_t off;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		bool given = g->tensors[i].role == ROLE_INPUT ||
			     g->tensors[i].role == ROLE_VARIABLE;

		first[i] = given ? -1 : INT64_MAX;
		last[i] = -1;
	}
	for (uint32_t p = 0; p < g->n_ops; p++) {
		const struct tn_op *op = &g->ops[g->schedule[p].i];

		for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
			tn_tensor_id t = k < op->n_inputs ? op->inputs[k]
							  : op->outputs[k - op->n_inputs];
			uint32_t r;

			if (t.i == TN_NONE)
				continue;
			r = root_of(g, t.i, &off);
			first[r] = tn_min_i64(first[r], p);
			last[r] = tn_max_i64(last[r], p);
		}
	}
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (t->role == ROLE_OUTPUT || t->role == ROLE_VARIABLE || t->observed ||
			tn_graph_is_output(g, (tn_tensor_id){ i }) ||
			(t->role == ROLE_INPUT && !t->clobber))
			last[root_of(g, i, &off)] = g->n_ops;
	}
}

/* The lowest offset at which the buffer meets none that was placed and lives with it. */
static int64_t first_fit(const struct tn_plan *plan, uint32_t n, const int64_t *first,
	const int64_t *last, uint32_t me)
{
	const struct tn_plan_tensor *p = plan->tensors;
	int64_t at = p[me].offset;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < n; i++) {
			if (i == me || p[i].region != p[me].region ||
				first[i] > last[me] || first[me] > last[i] ||
				at >= p[i].offset + p[i].bytes ||
				p[i].offset >= at + p[me].bytes)
				continue;
			at = p[i].offset + p[i].bytes;
			(void)tn_align_up_i64(at, plan->regions[p[me].region].align, &at);
			moved = true;
		}
	}
	return at;
}

void gen_plan_settle(const struct tn_graph *g, struct tn_plan *plan)
{
	plan->arena_bytes = 0;
	for (uint32_t r = 0; r < plan->n_regions; r++)
		plan->regions[r].used = 0;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		struct tn_plan_tensor *p = &plan->tensors[i];
		int64_t offset;
		uint32_t root = root_of(g, i, &offset);

		if (root != i && plan->tensors[root].region != TN_REGION_NONE)
			p->offset = plan->tensors[root].offset + offset;
		if (root != i)
			p->region = plan->tensors[root].region;
		if (root == i && p->region < plan->n_regions)
			plan->regions[p->region].used = tn_max_i64(
				plan->regions[p->region].used, p->offset + p->bytes);
	}
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_plan_op *p = &plan->ops[i];

		if (p->scratch_bytes)
			plan->regions[p->scratch_region].used =
				tn_max_i64(plan->regions[p->scratch_region].used,
					p->scratch_offset + p->scratch_bytes);
	}
	for (uint32_t r = 0; r < plan->n_regions; r++)
		plan->arena_bytes += plan->regions[r].used;
}

void gen_plan(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *out)
{
	static const int64_t aligns[] = { 1, 1, 2, 4, 16 };
	int64_t *first = TN_NEW_ARRAY(&gen->arena, int64_t, g->n_tensors);
	int64_t *last = TN_NEW_ARRAY(&gen->arena, int64_t, g->n_tensors), offset;
	uint32_t n_regions = 1 + !tn_gen_random(gen, 4);

	if (!first || !last ||
		tn_plan_init(out, &gen->arena, g->n_tensors, g->n_ops, n_regions) !=
			TN_OK)
		exit(EXIT_FAILURE);
	for (uint32_t r = 0; r < n_regions; r++)
		out->regions[r].align = aligns[tn_gen_random(gen, 5)];
	for (uint32_t p = 0; p < g->n_ops; p++)
		out->order[p] = g->schedule[p].i;
	lifetimes(g, first, last);
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		struct tn_plan_tensor *p = &out->tensors[i];

		p->bytes = g->tensors[i].bytes;
		if (!needs_memory(&g->tensors[root_of(g, i, &offset)]) ||
			first[root_of(g, i, &offset)] == INT64_MAX)
			continue;
		p->region = tn_gen_random(gen, n_regions);
		if (root_of(g, i, &offset) != i)
			continue;
		p->offset = tn_gen_random(gen, 3) ? 0 : 16 * tn_gen_random(gen, 6);
		p->offset = first_fit(out, i, first, last, i);
	}
	gen_plan_settle(g, out);
}

void gen_plan_copy(struct tn_gen *gen, const struct tn_plan *from, struct tn_plan *to)
{
	struct tn_plan copy;

	if (tn_plan_init(&copy, &gen->arena, from->n_tensors, from->n_ops,
		    from->n_regions) != TN_OK)
		exit(EXIT_FAILURE);
	memcpy(copy.tensors, from->tensors, from->n_tensors * sizeof(*from->tensors));
	memcpy(copy.ops, from->ops, from->n_ops * sizeof(*from->ops));
	memcpy(copy.order, from->order, from->n_ops * sizeof(*from->order));
	memcpy(copy.regions, from->regions, from->n_regions * sizeof(*from->regions));
	copy.arena_bytes = from->arena_bytes;
	*to = copy;
}

static struct tn_plan_tensor *any_root(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	for (uint32_t tries = 0; tries < 30; tries++) {
		uint32_t i = tn_gen_random(gen, g->n_tensors);

		if (g->tensors[i].view_of.i == TN_NONE &&
			plan->tensors[i].region != TN_REGION_NONE)
			return &plan->tensors[i];
	}
	return &plan->tensors[g->inputs[0].i];
}

/* An output of a random op near one of its inputs, and maybe another variant for it. */
static void overlay(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	uint32_t id = tn_gen_random(gen, g->n_ops);
	const struct tn_op *op = &g->ops[id];
	uint32_t in = op->inputs[tn_gen_random(gen, op->n_inputs)].i;
	uint32_t out = op->outputs[tn_gen_random(gen, op->n_outputs)].i;
	struct tn_variant v[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(g, (tn_op_id){ id }, v);
	int64_t align, at, off;

	if (plan->tensors[in].region == TN_REGION_NONE ||
		plan->tensors[out].region == TN_REGION_NONE)
		return;
	align = plan->regions[plan->tensors[in].region].align;
	at = plan->tensors[in].offset;
	if (tn_gen_random(gen, 2)) /* somewhere around */
		at += align * ((int64_t)tn_gen_random(gen, 41) - 20);
	else if (tn_gen_random(gen, 2)) /* the ends together */
		at += plan->tensors[in].bytes - plan->tensors[out].bytes;
	at = at < 0 ? 0 : at / align * align;
	out = root_of(g, out, &off);
	plan->tensors[out].region = plan->tensors[in].region;
	plan->tensors[out].offset = at;
	if (n) {
		n = tn_gen_random(gen, n);
		plan->ops[id].descending = v[n].descending;
		plan->ops[id].hold = (uint8_t)v[n].hold;
		plan->ops[id].scratch_region = 0;
		plan->ops[id].scratch_bytes =
			tn_contract_scratch(g, (tn_op_id){ id }, v[n]);
		plan->ops[id].scratch_offset =
			(plan->regions[0].used + 15) / 16 * 16 +
			16 * plan->regions[0].align * tn_gen_random(gen, 2);
		while (plan->ops[id].scratch_offset % plan->regions[0].align)
			plan->ops[id].scratch_offset += 16;
	}
	plan->ops[id].elided =
		tn_op_info(op->kind)->access == ACCESS_VIEW && tn_gen_random(gen, 2);
}

/* Another variant of a random op, its scratch near one of its operands. */
static void move_scratch(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	uint32_t id = tn_gen_random(gen, g->n_ops);
	const struct tn_op *op = &g->ops[id];
	struct tn_plan_op *p = &plan->ops[id];
	struct tn_variant v[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(g, (tn_op_id){ id }, v);
	const struct tn_plan_tensor *near = &plan->tensors[op->outputs[0].i];

	if (tn_gen_random(gen, 2))
		near = &plan->tensors[op->inputs[0].i];
	if (!n || near->region == TN_REGION_NONE)
		return;
	n = n > 2 ? 2 + tn_gen_random(gen, n - 2) : tn_gen_random(gen, n);
	p->descending = v[n].descending;
	p->hold = (uint8_t)v[n].hold;
	p->scratch_bytes = tn_contract_scratch(g, (tn_op_id){ id }, v[n]) +
			   (tn_gen_random(gen, 8) ? 0 : tn_gen_random(gen, 24));
	p->scratch_region = near->region;
	p->scratch_offset = (near->offset / 16 + tn_gen_random(gen, 3)) * 16;
}

static void change_op(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	struct tn_plan_op *p = &plan->ops[tn_gen_random(gen, g->n_ops)];

	switch (tn_gen_random(gen, 5)) {
	case 0:
		p->descending ^= 1;
		break;
	case 1:
		p->hold ^= 1;
		break;
	case 2:
		p->elided = !p->elided;
		break;
	default:
		move_scratch(gen, g, plan);
		break;
	}
}

static void change_order(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	uint32_t i = tn_gen_random(gen, g->n_ops), k = tn_gen_random(gen, g->n_ops), op;

	if (tn_gen_random(gen, 2))
		k = i + 1 < g->n_ops ? i + 1 : i;
	op = plan->order[i];
	plan->order[i] = plan->order[k];
	plan->order[k] = tn_gen_random(gen, 20) ? op : plan->order[i];
}

void gen_plan_change(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	struct tn_plan_tensor *a = any_root(gen, g, plan), *b = any_root(gen, g, plan);
	int64_t offset = a->offset;

	switch (tn_gen_random(gen, 12)) {
	case 0:
		a->offset += 1;
		break;
	case 1:
		a->offset -= plan->regions[a->region].align;
		break;
	case 2:
		a->offset = plan->regions[a->region].align * tn_gen_random(gen, 60);
		break;
	case 3:
		a->offset = b->offset;
		b->offset = offset;
		break;
	case 4:
		change_order(gen, g, plan);
		break;
	case 5:
	case 6:
		change_op(gen, g, plan);
		break;
	default:
		overlay(gen, g, plan);
		break;
	}
	gen_plan_settle(g, plan);
	switch (tn_gen_random(gen, 40)) {
	case 0:
		plan->arena_bytes -= 1;
		break;
	case 1:
		plan->regions[0].used -= plan->regions[0].used > 0;
		break;
	case 2:
		plan->regions[0].capacity = plan->regions[0].used - 1;
		break;
	case 3:
		a->region = TN_REGION_NONE;
		break;
	case 4:
		a->bytes += 1;
		break;
	case 5:
		plan->tensors[tn_gen_random(gen, g->n_tensors)].offset += 1;
		break;
	default:
		break;
	}
}
