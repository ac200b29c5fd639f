#include "gen_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

uint32_t gen_plan_root(const struct tn_graph *g, uint32_t id, int64_t *offset)
{
	*offset = 0;
	while (g->tensors[id].view_of.i != TN_NONE) {
		*offset += g->tensors[id].view_offset *
			   (tn_dtype_bits(g->tensors[id].dtype) / 8);
		id = g->tensors[id].view_of.i;
	}
	return id;
}

static int64_t width_of(const struct tn_tensor *t)
{
	return tn_max_i64(1, tn_min_i64(8, tn_dtype_bits(t->dtype) / 8));
}

static bool needs_memory(const struct tn_tensor *t)
{
	return !tn_tensor_is_constant(t);
}

/* Positions [first, last] at which the root's bytes must be there; -1 is before all. */
void gen_plan_lives(const struct tn_graph *g, int64_t *first, int64_t *last)
{
	struct tn_arena arena;
	const bool *updated;
	int64_t off;

	tn_arena_init(&arena);
	updated = tn_graph_updated_inputs(g, &arena);
	if (!updated)
		exit(EXIT_FAILURE);
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
			r = gen_plan_root(g, t.i, &off);
			first[r] = tn_min_i64(first[r], p);
			last[r] = tn_max_i64(last[r], p);
		}
		for (size_t i = 0; i < tn_op_n_scratch(op); i++) {
			const uint32_t r = tn_op_scratch(g, op, i).i;

			first[r] = tn_min_i64(first[r], p);
			last[r] = tn_max_i64(last[r], p);
		}
	}
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (t->role == ROLE_OUTPUT || t->role == ROLE_VARIABLE || t->observed ||
			tn_graph_is_output(g, (tn_tensor_id){ i }) || updated[i] ||
			(t->role == ROLE_INPUT && !t->clobber))
			last[gen_plan_root(g, i, &off)] = g->n_ops;
	}
	tn_arena_release(&arena);
}

/* By tensor: its bytes, and what ops write past its end. */
static int64_t *rooms(struct tn_gen *gen, const struct tn_graph *g)
{
	int64_t *room = TN_NEW_ARRAY(&gen->arena, int64_t, g->n_tensors), off;

	if (!room)
		exit(EXIT_FAILURE);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		room[i] = g->tensors[i].bytes;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++) {
			const uint32_t out = g->ops[i].outputs[k].i;
			const uint32_t root = gen_plan_root(g, out, &off);

			room[root] = tn_max_i64(room[root],
				off + g->tensors[out].bytes + tn_op_tail(&g->ops[i]));
		}
	return room;
}

/* The lowest offset at which the buffer meets none that was placed and lives with it. */
static int64_t first_fit(const struct tn_plan *plan, const struct tn_graph *g,
	const int64_t *first, const int64_t *last, const int64_t *room, uint32_t me)
{
	int64_t align = tn_max_i64(
		plan->regions[plan->tensors[me].region].align, width_of(&g->tensors[me]));
	const struct tn_plan_tensor *p = plan->tensors;
	int64_t at = p[me].offset;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < g->n_tensors; i++) {
			if (i == me || p[i].region != p[me].region ||
				first[i] > last[me] || first[me] > last[i] ||
				at >= p[i].offset + room[i] ||
				p[i].offset >= at + room[me])
				continue;
			at = p[i].offset + room[i];
			(void)tn_align_up_i64(at, align, &at);
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
		uint32_t root = gen_plan_root(g, i, &offset);

		if (root != i && plan->tensors[root].region != TN_REGION_NONE)
			p->offset = plan->tensors[root].offset + offset;
		if (root != i)
			p->region = plan->tensors[root].region;
		if (root == i && p->region < plan->n_regions)
			plan->regions[p->region].used =
				tn_max_i64(plan->regions[p->region].used,
					p->offset + tn_plan_tensor_room(p));
	}
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_plan_op *p = &plan->ops[i];

		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++) {
			const uint32_t out = g->ops[i].outputs[k].i;
			const struct tn_plan_tensor *t = &plan->tensors[out];

			if (tn_op_tail(&g->ops[i]) && t->region < plan->n_regions)
				plan->regions[t->region].used = tn_max_i64(
					plan->regions[t->region].used,
					t->offset + t->bytes + tn_op_tail(&g->ops[i]));
		}
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
	const int64_t *room = rooms(gen, g);
	uint32_t n_regions = 1 + !tn_gen_random(gen, 4);

	if (!first || !last ||
		tn_plan_init(out, &gen->arena, g->n_tensors, g->n_ops, n_regions) !=
			TN_OK)
		exit(EXIT_FAILURE);
	for (uint32_t r = 0; r < n_regions; r++)
		out->regions[r].align = aligns[tn_gen_random(gen, 5)];
	for (uint32_t p = 0; p < g->n_ops; p++)
		out->order[p] = g->schedule[p].i;
	gen_plan_lives(g, first, last);
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		struct tn_plan_tensor *p = &out->tensors[i];

		p->bytes = g->tensors[i].bytes;
		if (!needs_memory(&g->tensors[gen_plan_root(g, i, &offset)]) ||
			first[gen_plan_root(g, i, &offset)] == INT64_MAX)
			continue;
		p->region = tn_gen_random(gen, n_regions);
		if (gen_plan_root(g, i, &offset) != i)
			continue;
		p->offset = tn_gen_random(gen, 3) ? 0 : 16 * tn_gen_random(gen, 6);
		p->offset = first_fit(out, g, first, last, room, i);
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
