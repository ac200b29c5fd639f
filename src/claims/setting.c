#include "claims/setting.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "claims/steps.h"

/* Where a site is put, before spaces are known. */
struct link {
	bool made;
	uint32_t to; /* site; TN_NONE: the arena of `claim` */
	int64_t bit; /* of `to`, or of the arena: where bit 0 of the root comes to lie */
};

struct builder {
	struct tn_setting *s;
	const struct tn_model *m;
	struct tn_arena *arena;
	struct link *link; /* by site */
	uint32_t *site_of;
	bool nomem;
};

bool tn_claim_is(const struct tn_claim *c, const char *kind)
{
	return c->kind && strcmp(c->kind, kind) == 0;
}

int64_t tn_setting_address(const struct tn_setting *s, uint32_t tensor, int64_t bit)
{
	const struct tn_site *site = &s->site[s->site_of[tensor]];

	return s->spaces[site->space].base + site->bit + bit;
}

const struct tn_space *tn_setting_space(const struct tn_setting *s, uint32_t tensor)
{
	return &s->spaces[s->site[s->site_of[tensor]].space];
}

uint32_t tn_setting_claim_of(const struct tn_setting *s, uint32_t tensor)
{
	return tensor == TN_NONE ? TN_NONE : s->site[s->site_of[tensor]].claim;
}

/* What a site lies in at the moment: *host is a site, or TN_NONE and *arena a claim. */
struct place {
	uint32_t host, arena;
	int64_t bit;
};

static bool locate(const struct builder *b, uint32_t site, struct place *out)
{
	*out = (struct place){ site, TN_NONE, 0 };
	while (out->host != TN_NONE && b->link[out->host].made) {
		const struct link *l = &b->link[out->host];

		if (!tn_work_take(b->m->work, 1) ||
			!tn_add_i64(out->bit, l->bit, &out->bit))
			return false;
		if (l->to == TN_NONE)
			out->arena = b->s->site[out->host].claim;
		out->host = l->to;
	}
	return true;
}

static void contradict(struct builder *b, uint32_t claim, uint32_t tensor)
{
	const char *other = "the graph";
	uint32_t first = b->s->site[b->site_of[tensor]].claim;

	if (b->s->contradiction)
		return;
	if (first != TN_NONE)
		other = b->s->claims[first]->id;
	b->s->contradiction = tn_arena_printf(b->arena,
		"'%s' and '%s' place '%s' at two different addresses: they are "
		"alternatives, and cannot hold together",
		other, b->s->claims[claim]->id, b->m->g->tensors[tensor].name);
}

/* The first that a claim puts where no memory reaches. */
static void go_beyond(
	struct builder *b, uint32_t claim, uint32_t tensor, uint32_t on, int64_t offset)
{
	if (b->s->beyond.claim == TN_NONE)
		b->s->beyond = (struct tn_beyond){ claim, tensor, on, offset };
}

enum put_result {
	PUT_DONE,
	PUT_ELSEWHERE, /* it lies elsewhere already */
	PUT_BEYOND, /* of what can be counted */
};

/* Puts the tensor's site so that bit 0 of its root is at `bit` of the site `to` (or of the
 * arena). */
static enum put_result put(struct builder *b, uint32_t claim, uint32_t tensor,
	uint32_t to, int64_t bit, uint32_t on)
{
	uint32_t site = b->site_of[tensor];
	struct place here, there = { TN_NONE, claim, 0 };

	if (!locate(b, site, &here) || (to != TN_NONE && !locate(b, to, &there)) ||
		!tn_add_i64(there.bit, bit, &there.bit))
		return PUT_BEYOND;
	if (here.host == there.host && here.arena == there.arena)
		return here.bit == there.bit ? PUT_DONE : PUT_ELSEWHERE;
	if (b->link[site].made)
		return PUT_ELSEWHERE;
	b->link[site] = (struct link){ true, to, bit };
	b->s->site[site].claim = claim;
	b->s->site[site].tensor = tensor;
	b->s->site[site].on = on;
	return PUT_DONE;
}

/* The bit of `to`'s site where bit 0 of the tensor's root lies when its first element is
 * `offset` bytes behind the first of `on`. */
static bool offset_on(const struct builder *b, uint32_t tensor, uint32_t on,
	int64_t offset, int64_t *out)
{
	return tn_mul_i64(offset, 8, out) &&
	       tn_add_i64(*out, b->m->form[on].start, out) &&
	       tn_sub_i64(*out, b->m->form[tensor].start, out);
}

static enum put_result put_on(
	struct builder *b, uint32_t claim, uint32_t tensor, uint32_t on, int64_t offset)
{
	enum put_result result = PUT_BEYOND;
	int64_t bit;

	if (offset < TN_MEMORY_MAX && offset_on(b, tensor, on, offset, &bit))
		result = put(b, claim, tensor, b->site_of[on], bit, on);
	if (result == PUT_BEYOND)
		go_beyond(b, claim, tensor, on, offset);
	return result;
}

static bool names(uint32_t id, uint32_t n)
{
	return id < n;
}

/* A view that a plan puts where its root is not has lost it: nobody writes it there. */
static void tear_off(struct builder *b, const int64_t *offsets, uint32_t tensor)
{
	uint32_t root = b->m->form[tensor].root;
	int64_t own = offsets[tensor], of_root = offsets[root];

	if (root == tensor || b->site_of[tensor] == tensor)
		return;
	if (of_root >= TN_MEMORY_MAX)
		return;
	if (of_root >= 0 ? own * 8 - of_root * 8 ==
				   b->m->form[tensor].start - b->m->form[root].start
			 : !b->m->given[root])
		return;
	b->site_of[tensor] = tensor;
}

/* By tensor: the last offset that the plan gives it, in bytes; -1: none. NULL: no memory. */
static const int64_t *offsets_of(const struct builder *b, const struct tn_claim *plan)
{
	int64_t *offsets = TN_NEW_ARRAY(b->arena, int64_t, b->m->g->n_tensors);

	for (uint32_t i = 0; offsets && i < b->m->g->n_tensors; i++)
		offsets[i] = -1;
	for (uint32_t i = 0; offsets && i < plan->n_places; i++)
		if (names(plan->places[i].tensor.i, b->m->g->n_tensors))
			offsets[plan->places[i].tensor.i] = plan->places[i].offset;
	return offsets;
}

static void apply_plan(struct builder *b, uint32_t claim)
{
	const struct tn_claim *c = b->s->claims[claim];
	const int64_t *offsets = offsets_of(b, c);

	if (!offsets) {
		b->nomem = true;
		return;
	}
	for (uint32_t i = 0; i < c->n_places; i++) {
		const struct tn_claim_place *p = &c->places[i];
		const struct tn_form *f;
		enum put_result result;
		int64_t bit, extra;

		if (!names(p->tensor.i, b->m->g->n_tensors) || p->offset < 0)
			continue;
		if (p->offset >= TN_MEMORY_MAX) {
			go_beyond(b, claim, p->tensor.i, TN_NONE, p->offset);
			continue;
		}
		tear_off(b, offsets, p->tensor.i);
		f = &b->m->form[p->tensor.i];
		if (!tn_sub_i64(p->offset * 8, f->start, &bit))
			result = PUT_BEYOND;
		else
			result = put(b, claim, p->tensor.i, TN_NONE, bit, TN_NONE);
		if (result == PUT_BEYOND)
			go_beyond(b, claim, p->tensor.i, TN_NONE, p->offset);
		else if (result == PUT_ELSEWHERE)
			contradict(b, claim, p->tensor.i);
		/* a size above that of the value: the rest is the tenant's, too */
		if (p->size > 0 && p->size < INT64_MAX / 16 && f->known) {
			extra = p->size * 8 - (f->hi - f->lo + 7) / 8 * 8;
			if (extra > b->s->tail[b->site_of[p->tensor.i]])
				b->s->tail[b->site_of[p->tensor.i]] = extra;
		}
	}
}

static void apply_place(struct builder *b, uint32_t claim)
{
	const struct tn_claim *c = b->s->claims[claim];
	bool inplace = tn_claim_is(c, "inplace");
	uint32_t tensor = inplace ? c->out.i : c->tensor.i;
	uint32_t on = inplace ? c->in.i : c->of.i;
	uint32_t n = b->m->g->n_tensors;

	if (!names(tensor, n) || !names(on, n))
		return;
	if (put_on(b, claim, tensor, on, c->byte_offset > 0 ? c->byte_offset : 0) ==
		PUT_ELSEWHERE)
		contradict(b, claim, tensor);
}

/* The output of an op that does not run is its input. When it must lie elsewhere, nothing
 * brings the input there: the op is missing. */
static bool elide_output(
	struct builder *b, uint32_t claim, uint32_t in, uint32_t out, int64_t offset)
{
	enum put_result result = put_on(b, claim, out, in, offset);
	int64_t bit;

	if (result != PUT_ELSEWHERE)
		return result == PUT_DONE;
	if (b->m->given[b->m->form[in].root] || b->link[b->site_of[in]].made)
		return false;
	/* or its input is produced where the output lies */
	return offset_on(b, out, in, offset, &bit) && bit != INT64_MIN &&
	       put(b, claim, in, b->site_of[out], -bit, out) == PUT_DONE;
}

static void apply_elide(struct builder *b, uint32_t claim)
{
	const struct tn_claim *c = b->s->claims[claim];
	const struct tn_op *op;
	const struct tn_kernel *k;
	uint32_t in;
	int64_t offset = c->byte_offset > 0 ? c->byte_offset : 0;

	if (!names(c->op.i, b->m->g->n_ops))
		return;
	op = &b->m->g->ops[c->op.i];
	k = &b->m->kernel[c->op.i];
	b->s->fate[c->op.i] = FATE_DROPPED;
	b->s->fate_claim[c->op.i] = claim;
	if (!op->n_inputs || !op->n_outputs)
		return;
	in = op->inputs[k->source == TN_NONE ? 0 : k->source].i;
	if (in == TN_NONE)
		return;
	for (uint32_t o = 0; o < op->n_outputs; o++) {
		uint32_t out = op->outputs[o].i;

		if (out == TN_NONE)
			continue;
		if (elide_output(b, claim, in, out, offset) && o == 0)
			b->s->fate[c->op.i] = FATE_ELIDED;
		/* the parts of a split follow each other */
		if (k->kind == KERNEL_SPLIT && b->m->form[out].dense &&
			b->m->form[out].n < b->m->form[in].n)
			offset += (b->m->form[out].hi - b->m->form[out].lo) / 8;
	}
}

static void apply_order(struct builder *b, uint32_t claim)
{
	const struct tn_claim *c = b->s->claims[claim];
	const struct tn_graph *g = b->m->g;
	bool *seen = TN_NEW_ARRAY(b->arena, bool, g->n_ops);
	uint32_t n = 0;

	if (!seen) {
		b->nomem = true;
		return;
	}
	if (b->s->has_order) {
		b->s->contradiction = "two claims give two orders: they are alternatives";
		return;
	}
	for (uint32_t i = 0; i < c->n_order; i++) {
		uint32_t op = c->order[i].i;

		if (!names(op, g->n_ops)) {
			b->s->contradiction =
				"the claimed order names an op that is not there";
			return;
		}
		if (seen[op]) {
			if (b->s->twice == TN_NONE)
				b->s->twice = op;
			continue;
		}
		seen[op] = true;
		b->s->order[n++] = op;
	}
	/* ops of a branch that this run does not take need no place in the order */
	for (uint32_t i = 0; i < g->n_branches; i++)
		for (uint32_t k = 0; k < g->branches[i].n_ops; k++)
			if (!seen[g->branches[i].ops[k].i]) {
				seen[g->branches[i].ops[k].i] = true;
				b->s->order[n++] = g->branches[i].ops[k].i;
			}
	/* what else is left out does not run; unless another claim says why */
	for (uint32_t op = 0; op < g->n_ops; op++)
		if (!seen[op]) {
			b->s->order[n++] = op;
			if (b->s->fate[op] != FATE_RUNS)
				continue;
			b->s->fate[op] = FATE_DROPPED;
			b->s->fate_claim[op] = claim;
		}
	b->s->has_order = true;
	b->s->order_claim = claim;
}

static void apply(struct builder *b)
{
	struct tn_setting *s = b->s;

	for (uint32_t i = 0; i < s->n_claims; i++) {
		const struct tn_claim *c = s->claims[i];

		if (tn_claim_is(c, "plan"))
			apply_plan(b, i);
		else if (tn_claim_is(c, "inplace") || tn_claim_is(c, "reuse") ||
			 tn_claim_is(c, "alias") || tn_claim_is(c, "donate"))
			apply_place(b, i);
		else if (tn_claim_is(c, "schedule"))
			apply_order(b, i);
		else if (tn_claim_is(c, "drop") && names(c->op.i, b->m->g->n_ops)) {
			s->fate[c->op.i] = FATE_DROPPED;
			s->fate_claim[c->op.i] = i;
		}
	}
	/* an output has one place; what elides an op gives way to what places it */
	for (uint32_t i = 0; i < s->n_claims; i++)
		if (tn_claim_is(s->claims[i], "elide"))
			apply_elide(b, i);
}

static uint32_t add_space(struct tn_setting *s, struct tn_space space)
{
	s->spaces[s->n_spaces] = space;
	return s->n_spaces++;
}

static bool grow(struct tn_space *space, int64_t bit, int64_t lo, int64_t hi)
{
	if (!tn_add_i64(lo, bit, &lo) || !tn_add_i64(hi, bit, &hi))
		return false;
	space->lo = tn_min_i64(space->lo, lo);
	space->hi = tn_max_i64(space->hi, hi);
	return true;
}

/* Gives each host a space, as large as all that lies in it: what is too large for it is
 * for the static checks to say, and must not reach into another space. */
static bool make_spaces(struct builder *b)
{
	struct tn_setting *s = b->s;
	uint32_t n = b->m->g->n_tensors;
	uint32_t *arena = TN_NEW_ARRAY(b->arena, uint32_t, s->n_claims);

	s->spaces = TN_NEW_ARRAY(b->arena, struct tn_space, (size_t)n + s->n_claims);
	if (!s->spaces || !arena)
		return false;
	for (uint32_t i = 0; i < s->n_claims; i++)
		arena[i] = add_space(
			s, (struct tn_space){
				   .kind = SPACE_ARENA, .root = TN_NONE, .claim = i });
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_form *f = &b->m->form[i];

		if (b->site_of[i] == i && !b->link[i].made)
			s->site[i].space =
				add_space(s, (struct tn_space){ SPACE_STORAGE, i, TN_NONE,
						     f->lo, b->m->storage_hi[i], 0 });
	}
	for (uint32_t i = 0; i < n; i++) {
		struct tn_site *site = &s->site[b->site_of[i]];
		const struct tn_form *f = &b->m->form[i];
		struct place p;
		int64_t hi = tn_max_i64(b->m->storage_hi[i], f->hi);

		if (!locate(b, b->site_of[i], &p))
			return false;
		site->space = p.host == TN_NONE ? arena[p.arena] : s->site[p.host].space;
		site->bit = p.bit;
		if (!tn_add_i64(hi, s->tail[b->site_of[i]], &hi) ||
			!grow(&s->spaces[site->space], site->bit, f->lo, hi))
			return false;
	}
	return true;
}

static bool number_addresses(struct tn_setting *s)
{
	int64_t next = 0, size;

	for (uint32_t i = 0; i < s->n_spaces; i++) {
		struct tn_space *space = &s->spaces[i];

		if (!tn_sub_i64(space->hi, space->lo, &size) ||
			!tn_sub_i64(next, space->lo, &space->base) ||
			!tn_add_i64(next, size, &next) || !tn_add_i64(next, 64, &next))
			return false;
	}
	return true;
}

static bool allocate(struct builder *b)
{
	uint32_t n = b->m->g->n_tensors, ops = b->m->g->n_ops;
	struct tn_setting *s = b->s;

	b->link = TN_NEW_ARRAY(b->arena, struct link, n);
	b->site_of = TN_NEW_ARRAY(b->arena, uint32_t, n);
	s->site = TN_NEW_ARRAY(b->arena, struct tn_site, n);
	s->tail = TN_NEW_ARRAY(b->arena, int64_t, n);
	s->fate = TN_NEW_ARRAY(b->arena, enum tn_op_fate, ops);
	s->fate_claim = TN_NEW_ARRAY(b->arena, uint32_t, ops);
	s->order = TN_NEW_ARRAY(b->arena, uint32_t, ops);
	if (!b->link || !b->site_of || !s->site || !s->tail || !s->fate ||
		!s->fate_claim || !s->order)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		b->site_of[i] = b->m->form[i].root;
		s->site[i] = (struct tn_site){ 0, 0, TN_NONE, TN_NONE, TN_NONE };
	}
	for (uint32_t i = 0; i < ops; i++)
		s->fate_claim[i] = TN_NONE;
	s->beyond.claim = TN_NONE;
	s->twice = TN_NONE;
	s->site_of = b->site_of;
	return true;
}

enum tn_status tn_setting_init(struct tn_setting *s, const struct tn_model *m,
	const struct tn_claim *const *claims, uint32_t n_claims, struct tn_arena *arena,
	struct tn_losses *losses)
{
	struct builder b = { .s = s, .m = m, .arena = arena };

	*s = (struct tn_setting){ .m = m, .claims = claims, .n_claims = n_claims };
	if (!allocate(&b))
		return TN_ERR_NOMEM;
	apply(&b);
	if (b.nomem)
		return TN_ERR_NOMEM;
	if (!s->has_order)
		for (uint32_t i = 0; i < m->g->n_ops; i++)
			s->order[i] = m->g->schedule[i].i;
	if (!make_spaces(&b) || !number_addresses(s)) {
		if (!s->spaces)
			return TN_ERR_NOMEM;
		s->contradiction = "the sizes and offsets overflow when they are added";
		return TN_OK;
	}
	return s->contradiction ? TN_OK : tn_setting_check(s, arena, losses);
}
