#include "claims/meaning.h"

#include <assert.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "claims/steps.h"

/* A run in the making. */
struct run {
	const struct tn_model *m;
	struct tn_meaning *meaning;
	struct tn_arena *arena;
	struct tn_cells *memory; /* by root */
	uint32_t next_value;
	struct tn_instance *at; /* the op that runs */
	uint32_t op;
	struct tn_cells *out; /* by output of the op, while it moves elements */
	bool nomem;
};

/* False: it is too large. */
static bool take(struct run *r, int64_t work, int64_t pieces)
{
	struct tn_meaning *meaning = r->meaning;

	meaning->pieces += pieces;
	if (!tn_work_take(r->m->work, work) || meaning->pieces > JUDGE_PIECES_MAX)
		meaning->too_large = true;
	return !meaning->too_large;
}

/* After a change of these contents. */
static bool take_change(struct run *r, struct tn_cells *changed)
{
	if (changed->count > JUDGE_PIECES_MAX)
		r->meaning->too_large = true;
	return take(r, 1 + tn_cells_cost(changed), 0);
}

static bool copy_of(struct tn_cells *to, struct run *r, uint32_t operand)
{
	const struct tn_form *f = tn_model_operand(r->m, r->op, operand);

	return !f || (tn_cells_copy(to, r->arena, f->lo, &r->memory[f->root], f->lo,
			      f->hi - f->lo, EVENT_NONE) &&
			     take(r, tn_cells_cost(to), (int64_t)to->count));
}

static bool moved(void *user, uint32_t output, int64_t begin, int64_t end,
	uint32_t source, int64_t from)
{
	struct run *r = user;
	const struct tn_op *op = &r->m->g->ops[r->op];
	const struct tn_form *f = tn_model_operand(r->m, r->op, op->n_inputs + output);
	struct tn_cells *to = &r->memory[f->root];
	bool ok;

	/* onto itself, by the graph: nobody has written anything */
	if (source != TN_NONE && begin == from &&
		tn_model_operand(r->m, r->op, source)->root == f->root)
		return true;
	if (source != TN_NONE) {
		ok = tn_cells_copy(to, r->arena, begin, &r->at->before[source], from,
			end - begin, r->op);
	} else {
		/* position in the value: any that is unique will do */
		struct tn_cell c = { begin, end, begin - f->lo, r->next_value + output,
			r->op };

		ok = tn_cells_put(to, r->arena, c);
	}
	r->nomem = !ok;
	return ok && take_change(r, to);
}

static bool unread(void *user, uint32_t operand, int64_t begin, int64_t end)
{
	(void)operand;
	(void)begin;
	(void)end;
	return take(user, 1, 0);
}

static bool unread_whole(void *user, uint32_t operand)
{
	(void)operand;
	return take(user, 1, 0);
}

static bool nothing(void *user)
{
	return take(user, 1, 0);
}

/* Writes an output element by element, as its layout says: element i is bits i * width of
 * the value. */
static bool computed(struct run *r, const struct tn_form *f, uint32_t value)
{
	struct tn_cells *to = &r->memory[f->root];

	if (f->dense)
		return tn_cells_put(
			to, r->arena, (struct tn_cell){ f->lo, f->hi, 0, value, r->op });
	for (int64_t i = 0; i < f->n; i++) {
		int64_t bit = tn_form_at(f, i);

		if (!tn_cells_put(to, r->arena,
			    (struct tn_cell){
				    bit, bit + f->width, i * f->width, value, r->op }) ||
			!take_change(r, to))
			return false;
	}
	return true;
}

static bool write_outputs(struct run *r)
{
	const struct tn_op *op = &r->m->g->ops[r->op];
	const struct tn_kernel *k = &r->m->kernel[r->op];
	const struct tn_walker walker = { r, nothing, nothing, unread, unread_whole,
		moved };

	if (k->kind == KERNEL_VIEW)
		return true;
	if (k->copies) {
		tn_steps_walk(r->m, r->op, k, &walker);
		return !r->nomem && !r->meaning->too_large;
	}
	for (uint32_t o = 0; o < op->n_outputs; o++) {
		const struct tn_form *f = tn_model_operand(r->m, r->op, op->n_inputs + o);

		if (f && !computed(r, f, r->next_value + o))
			return false;
	}
	return true;
}

/* State that the op updates: a new value, unless it works on nothing new. */
static bool update_state(struct run *r, struct tn_instance *out)
{
	const struct tn_op *op = &r->m->g->ops[r->op];

	out->updated = TN_NEW_ARRAY(r->arena, struct tn_cells, op->n_inputs);
	for (uint32_t k = 0; out->updated && k < op->n_inputs; k++) {
		const struct tn_form *f = tn_model_operand(r->m, r->op, k);

		if (tn_model_updates(r->m, r->op, k) &&
			(!computed(r, f, r->next_value + op->n_outputs + k) ||
				!copy_of(&out->updated[k], r, k)))
			return false;
	}
	return out->updated;
}

static bool same_cells(const struct tn_cells *a, const struct tn_cells *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct tn_cell *x = tn_cells_item(a, i), *y = tn_cells_item(b, i);

		if (x->begin != y->begin || x->end != y->end || x->value != y->value ||
			x->at != y->at)
			return false;
	}
	return true;
}

/* Does the op read what it read before? Then it computes what it computed before. */
static bool reads_the_same(const struct tn_model *m, uint32_t op,
	const struct tn_instance *a, const struct tn_instance *b)
{
	const struct tn_op *o = &m->g->ops[op];
	uint32_t n = o->n_inputs + (m->kernel[op].accumulates ? o->n_outputs : 0);

	for (uint32_t k = 0; k < n; k++)
		if (!same_cells(&a->before[k], &b->before[k]))
			return false;
	return true;
}

static bool run_op(struct run *r, uint32_t op, struct tn_instance *out,
	const struct tn_instance *earlier)
{
	const struct tn_op *o = &r->m->g->ops[op];
	uint32_t n = o->n_inputs + o->n_outputs;

	r->op = op;
	r->at = out;
	if (!take(r, 1 + n, 0))
		return false;
	out->active = true;
	out->before = TN_NEW_ARRAY(r->arena, struct tn_cells, n);
	out->after = TN_NEW_ARRAY(r->arena, struct tn_cells, o->n_outputs);
	if (!out->before || !out->after)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!copy_of(&out->before[k], r, k))
			return false;
	if (earlier && earlier->active && reads_the_same(r->m, op, earlier, out)) {
		for (uint32_t k = 0; k < o->n_outputs; k++) {
			const struct tn_form *f =
				tn_model_operand(r->m, op, o->n_inputs + k);

			if (f && !tn_cells_copy(&r->memory[f->root], r->arena, f->lo,
					 &earlier->after[k], f->lo, f->hi - f->lo,
					 EVENT_NONE))
				return false;
		}
	} else if (!write_outputs(r)) {
		return false;
	}
	if (!update_state(r, out))
		return false;
	r->next_value += o->n_outputs + o->n_inputs;
	for (uint32_t k = 0; k < o->n_outputs; k++)
		if (!copy_of(&out->after[k], r, o->n_inputs + k))
			return false;
	return true;
}

static bool is_variable(const struct tn_model *m, uint32_t root)
{
	return m->role[root] == ROLE_VARIABLE || m->role[root] == ROLE_CONST;
}

/* What is there before the first op of an invocation: what a constant or a variable had
 * or was given, what the caller gives; all else is forgotten. */
static bool start_run(struct run *r, uint32_t run)
{
	for (uint32_t i = 0; i < r->m->g->n_tensors; i++) {
		const struct tn_form *f = &r->m->form[i];

		if (f->root != i || (run && is_variable(r->m, i)))
			continue;
		r->memory[i] = (struct tn_cells){ 0 };
		if (r->m->given[i] &&
			!tn_cells_put(&r->memory[i], r->arena,
				(struct tn_cell){ f->lo, r->m->storage_hi[i], 0,
					r->next_value++, EVENT_NONE }))
			return false;
	}
	return true;
}

static struct tn_cells *snapshot(struct run *r)
{
	uint32_t n = r->m->g->n_tensors;
	struct tn_cells *out = TN_NEW_ARRAY(r->arena, struct tn_cells, n);

	for (uint32_t i = 0; out && i < n; i++) {
		const struct tn_cells *from = &r->memory[i];

		out[i] = (struct tn_cells){ 0 };
		if (!take(r, 1 + (int64_t)from->count, (int64_t)from->count))
			return NULL;
		for (size_t k = 0; k < from->count; k++)
			if (!tn_cells_put(&out[i], r->arena, *tn_cells_item(from, k)))
				return NULL;
	}
	return out;
}

/* The op when it last ran before this run; NULL: it has not. */
static const struct tn_instance *last_instance(
	const struct tn_world *world, uint32_t run, uint32_t op)
{
	while (run-- > 0)
		if (world->instance[run][op].active)
			return &world->instance[run][op];
	return NULL;
}

static bool run_world(
	struct tn_meaning *meaning, struct tn_world *world, struct tn_arena *arena)
{
	const struct tn_graph *g = meaning->m->g;
	struct run r = { .m = meaning->m, .meaning = meaning, .arena = arena };

	r.memory = TN_NEW_ARRAY(arena, struct tn_cells, g->n_tensors);
	if (!r.memory)
		return false;
	for (uint32_t run = 0; run < meaning->runs; run++) {
		const bool *active = world->mixed ? world->mixed[run] : world->active;

		world->instance[run] = TN_NEW_ARRAY(arena, struct tn_instance, g->n_ops);
		if (!world->instance[run] || !start_run(&r, run))
			return false;
		world->start[run] = snapshot(&r);
		for (uint32_t i = 0; i < g->n_ops; i++) {
			uint32_t op = g->schedule[i].i;

			if (active[op] && !run_op(&r, op, &world->instance[run][op],
						  last_instance(world, run, op)))
				return false;
		}
		world->end[run] = snapshot(&r);
		if (!world->start[run] || !world->end[run])
			return false;
	}
	return true;
}

/* Branches of one choice exclude each other; world number w takes one of each choice. An
 * op that stands in a branch that is not taken does not run, wherever else it stands. */
static void choose(struct tn_meaning *meaning, uint32_t w, bool *active)
{
	const struct tn_graph *g = meaning->m->g;
	uint64_t ways = 1;

	for (uint32_t i = 0; i < g->n_ops; i++)
		active[i] = true;
	for (uint32_t b = 0; b < g->n_branches;) {
		uint32_t end = b, take;

		while (end < g->n_branches &&
			strcmp(g->branches[end].choice, g->branches[b].choice) == 0)
			end++;
		take = (uint32_t)(w / ways % (end - b));
		for (uint32_t k = b; k < end; k++)
			for (uint32_t i = 0; k - b != take && i < g->branches[k].n_ops;
				i++)
				active[g->branches[k].ops[i].i] = false;
		ways *= end - b;
		if (ways > UINT32_MAX)
			ways = UINT32_MAX;
		b = end;
	}
	if (w == 0) {
		meaning->all_worlds = ways <= MEANING_WORLDS_MAX;
		meaning->n_worlds =
			(uint32_t)(meaning->all_worlds ? ways : MEANING_WORLDS_MAX);
	}
}

static uint32_t runs_to_look_at(const struct tn_model *m)
{
	uint32_t runs = m->g->invocations;

	for (uint32_t i = 0; i < m->g->n_tensors && runs < 2; i++)
		if (is_variable(m, i))
			runs = 2; /* what state or a constant loses shows in the next */
	for (uint32_t i = 0; i < m->g->n_claims && runs < 2; i++)
		if (m->g->claims[i].kind &&
			strcmp(m->g->claims[i].kind, "const_fold") == 0)
			runs = 2; /* the same in the next? */
	return runs < 1 ? 1 : runs > MEANING_RUNS_MAX ? MEANING_RUNS_MAX : runs;
}

enum tn_status tn_meaning_init(
	struct tn_meaning *meaning, const struct tn_model *m, struct tn_arena *arena)
{
	*meaning = (struct tn_meaning){ .m = m, .n_worlds = 1 };
	meaning->runs = runs_to_look_at(m);
	meaning->worlds = TN_NEW_ARRAY(arena, struct tn_world, MEANING_WORLDS_MAX);
	if (!meaning->worlds)
		return TN_ERR_NOMEM;
	for (uint32_t w = 0; w < meaning->n_worlds; w++) {
		bool *active = TN_NEW_ARRAY(arena, bool, m->g->n_ops);

		if (!active)
			return TN_ERR_NOMEM;
		choose(meaning, w, active);
		meaning->worlds[w].active = active;
		if (!run_world(meaning, &meaning->worlds[w], arena))
			return meaning->too_large ? TN_OK : TN_ERR_NOMEM;
	}
	return TN_OK;
}

#define MIXED_RUNS 3
#define MIXED_MAX  4 /* ways of which all sequences are looked at */

enum tn_status tn_meaning_init_mixed(
	struct tn_meaning *meaning, const struct tn_model *m, struct tn_arena *arena)
{
	const bool *ways[MEANING_WORLDS_MAX] = { NULL };
	uint32_t n = 1;

	*meaning = (struct tn_meaning){ .m = m, .n_worlds = 1, .runs = MIXED_RUNS };
	for (uint32_t w = 0; w < n; w++) {
		bool *active = TN_NEW_ARRAY(arena, bool, m->g->n_ops);

		if (!active)
			return TN_ERR_NOMEM;
		choose(meaning, w, active);
		ways[w] = active;
		n = meaning->n_worlds;
		assert(n > 0 && n <= MEANING_WORLDS_MAX);
	}
	/* of many: there, elsewhere, and back */
	meaning->n_worlds = n > MIXED_MAX ? n * n : n * n * n;
	meaning->worlds = TN_NEW_ARRAY(arena, struct tn_world, meaning->n_worlds);
	for (uint32_t w = 0; meaning->worlds && w < meaning->n_worlds; w++) {
		struct tn_world *world = &meaning->worlds[w];
		const bool **mixed = TN_NEW_ARRAY(arena, const bool *, MIXED_RUNS);

		if (!mixed)
			return TN_ERR_NOMEM;
		mixed[0] = ways[w % n];
		mixed[1] = ways[w / n % n];
		mixed[2] = ways[n > MIXED_MAX ? w % n : w / n / n];
		world->mixed = mixed;
		world->active = mixed[0];
		if (!run_world(meaning, world, arena))
			return meaning->too_large ? TN_OK : TN_ERR_NOMEM;
	}
	return meaning->worlds ? TN_OK : TN_ERR_NOMEM;
}
