/* What is wrong with claims before anything runs: sizes that are unknown or do not fit,
 * arenas that are too small, alignment, scratch. */
#include <stdlib.h>

#include "base/checked.h"
#include "claims/setting.h"
#include "claims/steps.h"

struct check {
	const struct tn_setting *s;
	const struct tn_model *m;
	struct tn_arena *arena;
	struct tn_losses *losses;
	uint32_t *turn; /* by op: 1 + its place in the order */
	bool nomem;
};

static struct tn_loss *lose(
	struct check *c, enum tn_loss_kind kind, uint32_t claim, uint32_t victim)
{
	struct tn_loss loss = { .kind = kind,
		.victim = victim,
		.reader = TN_NONE,
		.operand = TN_NONE,
		.begin = -8,
		.end = -8,
		.is_static = true,
		.found = { .op = TN_NONE, .tensor = victim },
		.expected = TN_NONE,
		.other = TN_NONE,
		.need = -1,
		.have = -1,
		.align = -1,
		.claim = claim,
		.time = (uint32_t)c->losses->list.count };

	if (victim != TN_NONE)
		loss.found.op = tn_model_producer(c->m, victim);
	if (!tn_vec_push(c->arena, &c->losses->list, loss)) {
		c->nomem = true;
		return NULL;
	}
	return &c->losses->list.items[c->losses->list.count - 1];
}

static bool exists(const struct check *c, tn_tensor_id id)
{
	return id.i < c->m->g->n_tensors;
}

static void check_known(struct check *c, uint32_t claim, tn_tensor_id id)
{
	if (exists(c, id) && !c->m->form[id.i].known)
		lose(c, LOSS_UNKNOWN_SIZE, claim, id.i);
}

static void check_sizes_known(struct check *c, uint32_t claim)
{
	const struct tn_claim *cl = c->s->claims[claim];
	const struct tn_op *op;

	if (tn_claim_is(cl, "inplace")) {
		check_known(c, claim, cl->in);
		check_known(c, claim, cl->out);
	} else if (tn_claim_is(cl, "plan")) {
		for (uint32_t i = 0; i < cl->n_places; i++)
			check_known(c, claim, cl->places[i].tensor);
	} else if (tn_claim_is(cl, "elide") && cl->op.i < c->m->g->n_ops) {
		op = &c->m->g->ops[cl->op.i];
		if (op->n_inputs)
			check_known(c, claim, op->inputs[0]);
		for (uint32_t k = 0; k < op->n_outputs; k++)
			check_known(c, claim, op->outputs[k]);
	} else if (tn_claim_is(cl, "reuse") || tn_claim_is(cl, "alias") ||
		   tn_claim_is(cl, "donate")) {
		check_known(c, claim, cl->tensor);
		check_known(c, claim, cl->of);
	}
}

/* Bits of the site, in its space: its values, and all that is written with them. */
static void extent(const struct check *c, uint32_t site, int64_t *lo, int64_t *hi)
{
	const struct tn_site *at = &c->s->site[site];
	const struct tn_form *f = &c->m->form[site];
	int64_t end = (f->hi + 7) / 8 * 8 + c->s->tail[site];

	*lo = at->bit + f->lo;
	*hi = at->bit + tn_max_i64(c->m->storage_hi[site], end);
}

/* Who would read bytes that are not there? Somebody does where a repeated operand is
 * needed again for later elements; else they are only written. */
static uint32_t reads_again(const struct check *c, const struct tn_claim *cl)
{
	const struct tn_op *op;

	if (!tn_claim_is(cl, "inplace") || cl->op.i >= c->m->g->n_ops)
		return TN_NONE;
	op = &c->m->g->ops[cl->op.i];
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (op->inputs[k].i == cl->in.i && tn_steps_broadcast(c->m, cl->op.i, k))
			return cl->op.i;
	return TN_NONE;
}

static void check_fit(struct check *c, uint32_t site)
{
	const struct tn_site *at = &c->s->site[site];
	const struct tn_space *space = &c->s->spaces[at->space];
	const struct tn_claim *cl = c->s->claims[at->claim];
	int64_t lo, hi,
		end = c->m->storage_hi[space->kind == SPACE_STORAGE ? space->root : 0];
	struct tn_loss *loss;

	extent(c, site, &lo, &hi);
	if (space->kind == SPACE_ARENA) {
		end = c->s->claims[space->claim]->arena_bytes;
		if (end < 0)
			return; /* nobody says how large it is */
		end = end < INT64_MAX / 8 ? end * 8 : INT64_MAX;
	}
	if (hi <= end && (space->kind == SPACE_ARENA || lo >= c->m->form[space->root].lo))
		return;
	loss = lose(c, space->kind == SPACE_ARENA ? LOSS_ARENA : LOSS_SIZE, at->claim,
		space->kind == SPACE_ARENA || at->on == TN_NONE ? at->tensor : at->on);
	if (!loss)
		return;
	loss->found.op = tn_claim_is(cl, "inplace") && cl->op.i < c->m->g->n_ops
				 ? cl->op.i
				 : tn_model_producer(c->m, at->tensor);
	loss->found.tensor = at->tensor;
	loss->reader = reads_again(c, cl);
	if (hi > end) {
		loss->begin = tn_max_i64(lo, end);
		loss->end = hi;
	} else {
		loss->begin = lo;
		loss->end = c->m->form[space->root].lo;
	}
	if (space->kind == SPACE_ARENA) {
		loss->need = (hi + 7) / 8;
		loss->have = end / 8;
	} else {
		loss->need = (hi - lo + 7) / 8;
		loss->have = tn_max_i64(end - lo, 0) / 8;
	}
}

/* Of two numbers that are not negative; the largest that there is when it cannot be counted. */
static int64_t sum_of(int64_t a, int64_t b)
{
	int64_t sum;

	return tn_add_i64(a, b, &sum) ? sum : INT64_MAX;
}

/* The bit that is so many bytes behind an offset; the last that can be counted, beyond it. */
static int64_t bit_behind(int64_t offset, int64_t bytes)
{
	return tn_min_i64(sum_of(tn_max_i64(offset, 0), bytes), INT64_MAX / 8) * 8;
}

/* A plan may give a tensor fewer bytes than it has. */
static void check_plan_sizes(struct check *c, uint32_t claim)
{
	const struct tn_claim *cl = c->s->claims[claim];

	for (uint32_t i = 0; i < cl->n_places; i++) {
		const struct tn_claim_place *p = &cl->places[i];
		const struct tn_form *f;
		struct tn_loss *loss;
		int64_t need;

		if (!exists(c, p->tensor) || p->size < 0)
			continue;
		f = &c->m->form[p->tensor.i];
		need = (f->hi - f->lo + 7) / 8;
		if (!f->known || p->size >= need)
			continue;
		loss = lose(c, LOSS_SIZE, claim, p->tensor.i);
		if (!loss)
			return;
		loss->need = need;
		loss->have = p->size;
		loss->begin = bit_behind(p->offset, p->size);
		loss->end = bit_behind(p->offset, need);
	}
}

static void check_beyond(struct check *c)
{
	const struct tn_beyond *b = &c->s->beyond;
	const struct tn_form *f;
	struct tn_loss *loss;
	int64_t size;

	if (b->claim == TN_NONE)
		return;
	loss = lose(c, b->on == TN_NONE ? LOSS_ARENA : LOSS_SIZE, b->claim,
		b->on == TN_NONE ? b->tensor : b->on);
	if (!loss)
		return;
	f = &c->m->form[b->tensor];
	size = f->known ? (f->hi - f->lo + 7) / 8 : 0;
	loss->beyond = true;
	loss->found.op = tn_model_producer(c->m, b->tensor);
	loss->found.tensor = b->tensor;
	loss->need = size;
	loss->have = 0;
	if (b->on != TN_NONE)
		return;
	if (!tn_add_i64(b->offset, size, &loss->need))
		loss->need = INT64_MAX;
	loss->have = tn_max_i64(c->s->claims[b->claim]->arena_bytes, 0);
}

static void check_twice(struct check *c)
{
	uint32_t op = c->s->twice;
	struct tn_loss *loss;

	if (op == TN_NONE)
		return;
	loss = lose(c, LOSS_TWICE, c->s->order_claim,
		c->m->g->ops[op].n_outputs ? c->m->g->ops[op].outputs[0].i : TN_NONE);
	if (loss)
		loss->found.op = op;
}

/* By tensor: the strictest alignment that ops ask of an operand that is it. */
static int64_t *wanted_aligns(const struct check *c)
{
	const struct tn_graph *g = c->m->g;
	int64_t *align = TN_NEW_ARRAY(c->arena, int64_t, g->n_tensors);

	for (uint32_t t = 0; align && t < g->n_tensors; t++)
		align[t] = 1;
	for (uint32_t i = 0; align && i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_inputs + g->ops[i].n_outputs; k++) {
			const uint32_t t = tn_model_tensor(c->m, i, k);

			if (t != TN_NONE && c->s->fate[i] == FATE_RUNS)
				align[t] = tn_max_i64(align[t], c->m->kernel[i].align);
		}
	return align;
}

static int64_t listed_align(const struct check *c, uint32_t tensor)
{
	const struct tn_site *at = &c->s->site[c->s->site_of[tensor]];

	if (at->claim == TN_NONE || at->tensor != tensor ||
		!tn_claim_is(c->s->claims[at->claim], "plan"))
		return 1;
	return tn_max_i64(c->s->claims[at->claim]->align, 1);
}

/* Bytes that the address is behind a multiple of the alignment. Storages begin at one. */
static int64_t misaligned(const struct check *c, uint32_t tensor, int64_t align)
{
	const struct tn_site *at = &c->s->site[c->s->site_of[tensor]];
	const struct tn_space *space = &c->s->spaces[at->space];
	int64_t bit = at->bit + c->m->form[tensor].start, base = 0;

	if (space->kind == SPACE_STORAGE)
		bit -= space->lo;
	else
		base = tn_max_i64(c->s->claims[space->claim]->base_address, 0);
	if (bit % 8 != 0)
		return 1;
	bit = bit / 8 % align;
	if (bit < 0)
		bit += align;
	base %= align;
	return bit >= align - base ? bit - (align - base) : bit + base;
}

static void check_align(struct check *c, uint32_t tensor, int64_t wanted)
{
	const struct tn_site *at = &c->s->site[c->s->site_of[tensor]];
	const struct tn_form *f = &c->m->form[tensor];
	int64_t natural = f->width % 8 == 0 ? tn_min_i64(f->width / 8, 8) : 1, align;
	struct tn_loss *loss;
	bool asked;

	if (at->claim == TN_NONE || !f->known || !f->n)
		return;
	align = tn_max_i64(wanted, listed_align(c, tensor));
	asked = misaligned(c, tensor, align) != 0;
	if (!asked && !misaligned(c, tensor, natural))
		return;
	loss = lose(c, asked ? LOSS_ALIGN : LOSS_NATURAL_ALIGN, at->claim, tensor);
	if (!loss)
		return;
	loss->align = asked ? align : natural;
	loss->begin = at->bit + f->lo;
	loss->end = at->bit + (f->hi + 7) / 8 * 8;
}

static void check_scratch_claim(struct check *c, uint32_t claim)
{
	const struct tn_claim *cl = c->s->claims[claim];
	struct tn_loss *loss;
	int64_t need;

	if (cl->op.i >= c->m->g->n_ops)
		return;
	need = c->m->kernel[cl->op.i].scratch_required;
	if (need <= cl->bytes)
		return;
	loss = lose(c, LOSS_SCRATCH_SIZE, claim, TN_NONE);
	if (!loss)
		return;
	loss->found.op = cl->op.i;
	loss->need = need;
	loss->have = tn_max_i64(cl->bytes, 0);
	loss->begin = bit_behind(loss->have, 0);
	loss->end = bit_behind(need, 0);
}

/* Scratch tensors that a claim places must be as large as the kernel needs. */
static void check_scratch_tensors(struct check *c, uint32_t op)
{
	const struct tn_kernel *k = &c->m->kernel[op];
	uint32_t claim = TN_NONE;
	int64_t have = 0;
	struct tn_loss *loss;

	for (uint32_t i = 0; i < k->n_scratch; i++) {
		const struct tn_form *f = &c->m->form[k->scratch[i]];
		int64_t tail = c->s->tail[c->s->site_of[k->scratch[i]]];

		/* of an unknown size nothing is there for certain */
		if (f->known)
			have = sum_of(have, sum_of(f->hi - f->lo, tail) / 8);
		if (claim == TN_NONE)
			claim = tn_setting_claim_of(c->s, k->scratch[i]);
	}
	if (!k->n_scratch || claim == TN_NONE || k->scratch_required <= have ||
		c->s->fate[op] != FATE_RUNS)
		return;
	loss = lose(c, LOSS_SCRATCH_SIZE, claim, k->scratch[0]);
	if (!loss)
		return;
	loss->found.op = op;
	loss->need = k->scratch_required;
	loss->have = have;
	loss->begin = bit_behind(have, 0);
	loss->end = bit_behind(k->scratch_required, 0);
}

struct turn {
	uint32_t turn, time;
	struct tn_loss loss;
};

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* Of equals the first in time is told, whatever the numbers of its tensors. */
static void sort_by_turn(struct check *c, size_t first)
{
	size_t n = c->losses->list.count - first;
	struct tn_loss *list = c->losses->list.items + first;
	struct turn *turns;

	if (n < 2)
		return;
	turns = TN_NEW_ARRAY(c->arena, struct turn, n);
	if (!turns) {
		c->nomem = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t op = list[i].found.op;

		turns[i] = (struct turn){ op == TN_NONE ? 0 : c->turn[op], list[i].time,
			list[i] };
	}
	qsort(turns, n, sizeof(*turns), compare_turns);
	for (size_t i = 0; i < n; i++) {
		list[i] = turns[i].loss;
		list[i].time = (uint32_t)(first + i);
	}
}

enum tn_status tn_setting_check(
	const struct tn_setting *s, struct tn_arena *arena, struct tn_losses *losses)
{
	struct check c = { .s = s, .m = s->m, .arena = arena, .losses = losses };
	size_t first = losses->list.count;
	const uint32_t n = s->m->g->n_tensors;
	const int64_t *wanted = wanted_aligns(&c);

	c.turn = TN_NEW_ARRAY(arena, uint32_t, s->m->g->n_ops);
	if (!c.turn || !wanted)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < s->m->g->n_ops; i++)
		c.turn[s->order[i]] = i + 1;
	for (uint32_t i = 0; i < s->n_claims; i++) {
		check_sizes_known(&c, i);
		if (tn_claim_is(s->claims[i], "plan"))
			check_plan_sizes(&c, i);
		if (tn_claim_is(s->claims[i], "scratch"))
			check_scratch_claim(&c, i);
	}
	for (uint32_t i = 0; i < n; i++)
		if (s->site_of[i] == i && s->site[i].claim != TN_NONE)
			check_fit(&c, i);
	check_beyond(&c);
	check_twice(&c);
	for (uint32_t i = 0; i < s->m->g->n_ops; i++)
		check_scratch_tensors(&c, i);
	for (uint32_t i = 0; i < n; i++)
		check_align(&c, i, wanted[i]);
	sort_by_turn(&c, first);
	return c.nomem ? TN_ERR_NOMEM : TN_OK;
}
