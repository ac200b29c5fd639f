#include <stdlib.h>

#include "base/checked.h"
#include "contract/contract.h"
#include "gen_part.h"
#include "gen_plan.h"

const char *const gen_mutant_names[MUTANTS] = { "shift", "move", "swap", "shorten",
	"overlay", "reorder", "variant", "elide", "scratch", "region", "shrink",
	"break" };

static struct tn_plan_tensor *any_root(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	for (uint32_t tries = 0; tries < 30; tries++) {
		uint32_t i = tn_gen_random(gen, g->n_tensors);

		if (g->tensors[i].view_of.i == TN_NONE &&
			plan->tensors[i].region < plan->n_regions)
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

	if (in == TN_NONE || plan->tensors[in].region >= plan->n_regions ||
		plan->tensors[out].region >= plan->n_regions)
		return;
	align = plan->regions[plan->tensors[in].region].align;
	at = plan->tensors[in].offset;
	if (tn_gen_random(gen, 2)) /* somewhere around */
		at += align * ((int64_t)tn_gen_random(gen, 41) - 20);
	else if (tn_gen_random(gen, 2)) /* the ends together */
		at += plan->tensors[in].bytes - plan->tensors[out].bytes;
	at = at < 0 ? 0 : at / align * align;
	out = gen_plan_root(g, out, &off);
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
	if (!n || near->region >= plan->n_regions)
		return;
	n = n > 2 ? 2 + tn_gen_random(gen, n - 2) : tn_gen_random(gen, n);
	p->descending = v[n].descending;
	p->hold = (uint8_t)v[n].hold;
	p->scratch_bytes = tn_contract_scratch(g, (tn_op_id){ id }, v[n]) +
			   (tn_gen_random(gen, 8) ? 0 : tn_gen_random(gen, 24));
	if (p->scratch_bytes && !tn_gen_random(gen, 5)) /* too few */
		p->scratch_bytes /= 2;
	p->scratch_region = near->region;
	p->scratch_offset = (near->offset / 16 + tn_gen_random(gen, 3)) * 16;
}

/* Any op, or one that copies: that is where its input is, then, or stays elsewhere. */
static void change_elided(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	const bool copy = tn_gen_random(gen, 2);
	uint32_t id = tn_gen_random(gen, g->n_ops), in, out;
	int64_t off;

	for (uint32_t tries = 0; copy && tries < 20; tries++)
		if (tn_op_info(g->ops[id].kind)->access != ACCESS_VIEW)
			id = tn_gen_random(gen, g->n_ops);
	plan->ops[id].elided = !plan->ops[id].elided;
	in = g->ops[id].inputs[0].i;
	out = gen_plan_root(g, g->ops[id].outputs[0].i, &off);
	if (tn_op_info(g->ops[id].kind)->access != ACCESS_VIEW || !plan->ops[id].elided ||
		in == TN_NONE || plan->tensors[out].region >= plan->n_regions ||
		!tn_gen_random(gen, 4))
		return;
	plan->tensors[out].region = plan->tensors[in].region;
	plan->tensors[out].offset = plan->tensors[in].offset;
}

static void change_variant(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	struct tn_plan_op *p = &plan->ops[tn_gen_random(gen, g->n_ops)];

	if (tn_gen_random(gen, 3))
		p->descending ^= 1;
	else
		p->hold ^= 1;
}

/* A random order of all ops that respects who produces what. */
static void shuffle(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	bool *done = TN_NEW_ARRAY(&gen->arena, bool, g->n_ops);
	bool *made = TN_NEW_ARRAY(&gen->arena, bool, g->n_tensors);

	gen_need(done && made);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		made[i] = true;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++)
			made[g->ops[i].outputs[k].i] = false;
	for (uint32_t n = 0, turns = 0; n < g->n_ops && turns < 64 * g->n_ops; turns++) {
		uint32_t id = tn_gen_random(gen, g->n_ops);
		const struct tn_op *op = &g->ops[id];
		bool ready = !done[id];

		for (uint32_t k = 0; k < op->n_inputs; k++)
			ready = ready &&
				(op->inputs[k].i == TN_NONE || made[op->inputs[k].i]);
		if (!ready)
			continue;
		done[id] = true;
		plan->order[n++] = id;
		for (uint32_t k = 0; k < op->n_outputs; k++)
			made[op->outputs[k].i] = true;
		if (n < g->n_ops)
			turns = 0;
	}
}

static void change_order(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	uint32_t i = tn_gen_random(gen, g->n_ops), k = tn_gen_random(gen, g->n_ops), op;

	if (!tn_gen_random(gen, 3)) {
		shuffle(gen, g, plan);
		return;
	}
	if (tn_gen_random(gen, 2))
		k = i + 1 < g->n_ops ? i + 1 : i;
	op = plan->order[i];
	plan->order[i] = plan->order[k];
	plan->order[k] = tn_gen_random(gen, 40) ? op : plan->order[i];
}

/* A tensor is taken to end one or two positions before it does; another that lives from
 * then on is put where it lies. */
static void shorten(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	int64_t *first = TN_NEW_ARRAY(&gen->arena, int64_t, g->n_tensors);
	int64_t *last = TN_NEW_ARRAY(&gen->arena, int64_t, g->n_tensors);

	gen_need(first && last);
	gen_plan_lives(g, first, last);
	for (uint32_t tries = 0; tries < 40; tries++) {
		uint32_t a = tn_gen_random(gen, g->n_tensors);
		uint32_t b = tn_gen_random(gen, g->n_tensors);
		struct tn_plan_tensor *p = plan->tensors;
		int64_t cut = last[a] - 1 - tn_gen_random(gen, 2);

		if (a == b || p[a].region >= plan->n_regions ||
			p[b].region == TN_REGION_NONE ||
			g->tensors[a].view_of.i != TN_NONE ||
			g->tensors[b].view_of.i != TN_NONE || first[b] <= cut ||
			first[b] > last[a])
			continue;
		p[b].region = p[a].region;
		p[b].offset = p[a].offset;
		return;
	}
}

static void change_region(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	struct tn_plan_tensor *t = any_root(gen, g, plan);

	t->region = tn_gen_random(gen, plan->n_regions);
	if (tn_gen_random(gen, 2))
		t->offset = plan->regions[0].align * tn_gen_random(gen, 8);
}

static void shrink(struct tn_gen *gen, struct tn_plan *plan)
{
	struct tn_plan_region *r = &plan->regions[tn_gen_random(gen, plan->n_regions)];

	switch (tn_gen_random(gen, 3)) {
	case 0:
		plan->arena_bytes -= 1;
		break;
	case 1:
		r->used -= r->used > 0;
		break;
	default:
		r->capacity = r->used - 1;
		break;
	}
}

static void break_plan(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	struct tn_plan_tensor *any = &plan->tensors[tn_gen_random(gen, g->n_tensors)];

	switch (tn_gen_random(gen, 5)) {
	case 0:
		any_root(gen, g, plan)->region = TN_REGION_NONE;
		break;
	case 1:
		any->bytes += 1;
		break;
	case 2:
		for (uint32_t i = 0; i < g->n_ops; i++)
			plan->ops[i].scratch_bytes -= plan->ops[i].scratch_bytes > 0;
		break;
	case 3:
		for (uint32_t i = 0; i < g->n_tensors; i++)
			if (g->tensors[i].role == ROLE_CONST && !tn_gen_random(gen, 4))
				plan->tensors[i].region = 0;
		break;
	default: /* a view that is not where its root is */
		for (uint32_t i = 0; i < g->n_tensors; i++)
			if (g->tensors[i].view_of.i != TN_NONE)
				plan->tensors[i].offset += 4;
		break;
	}
}

void gen_plan_mutate(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan,
	enum gen_mutant how)
{
	struct tn_plan_tensor *a = any_root(gen, g, plan), *b = any_root(gen, g, plan);
	const struct tn_plan_tensor old = *a;
	int64_t align = a->region < plan->n_regions ? plan->regions[a->region].align : 1;

	switch (how) {
	case MUTANT_SHIFT:
		a->offset += (tn_gen_random(gen, 2) ? 1 : align) *
			     (tn_gen_random(gen, 2) ? 1 : -1);
		break;
	case MUTANT_MOVE:
		a->offset = align * tn_gen_random(gen, 60);
		break;
	case MUTANT_SWAP:
		a->offset = b->offset;
		a->region = b->region;
		b->offset = old.offset;
		b->region = old.region;
		break;
	case MUTANT_SHORTEN:
		shorten(gen, g, plan);
		break;
	case MUTANT_OVERLAY:
		overlay(gen, g, plan);
		break;
	case MUTANT_REORDER:
		change_order(gen, g, plan);
		break;
	case MUTANT_VARIANT:
		change_variant(gen, g, plan);
		break;
	case MUTANT_ELIDE:
		change_elided(gen, g, plan);
		break;
	case MUTANT_SCRATCH:
		move_scratch(gen, g, plan);
		break;
	case MUTANT_REGION:
		change_region(gen, g, plan);
		break;
	default:
		break;
	}
	gen_plan_settle(g, plan);
	if (how == MUTANT_SHRINK)
		shrink(gen, plan);
	if (how == MUTANT_BREAK)
		break_plan(gen, g, plan);
}

void gen_plan_change(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	uint32_t how = tn_gen_random(gen, MUTANT_SHRINK + 6);

	gen_plan_mutate(gen, g, plan,
		how < MUTANT_SHRINK ? (enum gen_mutant)how : MUTANT_OVERLAY);
	if (!tn_gen_random(gen, 8))
		gen_plan_mutate(gen, g, plan,
			tn_gen_random(gen, 3) ? MUTANT_BREAK : MUTANT_SHRINK);
}
