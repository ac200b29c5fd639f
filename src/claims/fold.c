/* A claim that a tensor is a constant: all reads, in all invocations, must find what the
 * first found. */
#include "base/checked.h"
#include "claims/court.h"

struct fold {
	const struct tn_court *c;
	const struct tn_meaning *meaning; /* with branches: each run takes its own way */
	const struct tn_setting *s;
	struct tn_arena *arena;
	struct tn_losses *losses;
	uint32_t claim, tensor;
	struct tn_cells *frozen; /* bits of the tensor's root */
	bool nomem;
};

static void lose(struct fold *f, uint32_t reader, uint32_t run, int64_t begin,
	int64_t end, struct tn_cell now)
{
	struct tn_loss loss = { .kind = LOSS_FOLD,
		.victim = f->tensor,
		.reader = reader,
		.operand = TN_NONE,
		.begin = tn_setting_address(f->s, f->tensor, begin),
		.end = tn_setting_address(f->s, f->tensor, end),
		.found = { EVENT_OUTPUT, now.event, f->tensor, run, 0 },
		.expected = TN_NONE,
		.expected_ran = true,
		.other = TN_NONE,
		.need = -1,
		.have = -1,
		.align = -1,
		.run = run,
		.claim = f->claim,
		.time = (uint32_t)f->losses->list.count };

	if (!tn_losses_add(f->losses, f->arena, loss))
		f->nomem = true;
}

/* Compares [lo, hi) of the root as it is now; at most one loss. */
static void compare(struct fold *f, struct tn_cells *now, int64_t lo, int64_t hi,
	uint32_t reader, uint32_t run)
{
	const struct tn_form *form = &f->c->model.form[f->tensor];
	int64_t begin = -1, end = -1;
	struct tn_cell first = { 0 };

	lo = tn_max_i64(lo, form->lo);
	hi = tn_min_i64(hi, form->hi);
	while (lo < hi) {
		struct tn_cell a = tn_cells_at(f->frozen, lo), b = tn_cells_at(now, lo);
		int64_t n = tn_min_i64(tn_min_i64(a.end, b.end), hi) - lo;

		if (!tn_work_take(f->c->model.work, 1))
			return;
		if (b.value != CELL_EMPTY && (a.value != b.value || a.at != b.at)) {
			if (begin < 0) {
				begin = lo;
				first = b;
			}
			end = lo + n;
		}
		lo += n;
	}
	if (begin >= 0)
		lose(f, reader, run, begin, end, first);
}

/* What the op leaves of the tensor, or of a part of its storage; NULL: nothing. */
static struct tn_cells *leaves(struct fold *f, const struct tn_world *world, uint32_t run,
	uint32_t op, bool part)
{
	const struct tn_model *m = &f->c->model;
	const struct tn_op *o = &m->g->ops[op];
	const struct tn_instance *at = &world->instance[run][op];

	for (uint32_t k = 0; at->active && k < o->n_outputs; k++) {
		const uint32_t t = o->outputs[k].i;

		if (t == f->tensor)
			return &at->after[k];
		if (part && t != TN_NONE && m->form[t].root == m->form[f->tensor].root)
			return &world->end[run][m->form[t].root];
	}
	return NULL;
}

/* What it is when it is there for the first time, in the first run in which it is; NULL: it
 * is never there, in this way through the branches. */
static struct tn_cells *first_value(struct fold *f, const struct tn_world *world)
{
	const struct tn_model *m = &f->c->model;
	struct tn_cells *found = NULL;

	if (m->given[m->form[f->tensor].root])
		return &world->start[0][m->form[f->tensor].root];
	for (uint32_t run = 0; run < f->meaning->runs && !found; run++)
		for (int part = 0; part < 2; part++)
			for (uint32_t i = 0; i < m->g->n_ops && !found; i++)
				found = leaves(
					f, world, run, m->g->schedule[i].i, part != 0);
	return found;
}

static void check_world(struct fold *f, const struct tn_world *world)
{
	const struct tn_model *m = &f->c->model;
	const struct tn_graph *g = m->g;
	uint32_t root = m->form[f->tensor].root;

	f->frozen = first_value(f, world);
	if (!f->frozen)
		return;
	for (uint32_t run = 0; run < f->meaning->runs; run++) {
		for (uint32_t i = 0; i < g->n_ops; i++) {
			uint32_t op = g->schedule[i].i;
			const struct tn_instance *at = &world->instance[run][op];

			if (!tn_work_take(m->work, 1 + g->ops[op].n_inputs))
				return;
			for (uint32_t k = 0; at->active && k < g->ops[op].n_inputs; k++) {
				const struct tn_form *form = tn_model_operand(m, op, k);

				if (form && form->root == root &&
					m->kernel[op].kind != KERNEL_VIEW)
					compare(f, &at->before[k], form->lo, form->hi, op,
						run);
			}
		}
		if (m->output[f->tensor])
			compare(f, &world->end[run][root], m->form[f->tensor].lo,
				m->form[f->tensor].hi, TN_NONE, run);
	}
}

static bool folds(const struct tn_setting *s)
{
	for (uint32_t i = 0; i < s->n_claims; i++)
		if (tn_claim_is(s->claims[i], "const_fold"))
			return true;
	return false;
}

enum tn_status tn_fold_check(const struct tn_court *c, const struct tn_setting *s,
	struct tn_arena *arena, struct tn_losses *losses, bool *too_large)
{
	struct fold f = {
		.c = c, .meaning = &c->meaning, .s = s, .arena = arena, .losses = losses
	};
	struct tn_meaning mixed;

	if (c->g->n_branches && folds(s)) {
		if (tn_meaning_init_mixed(&mixed, &c->model, arena) != TN_OK)
			return TN_ERR_NOMEM;
		if (mixed.too_large) {
			*too_large = true;
			return TN_OK;
		}
		f.meaning = &mixed;
	}
	for (uint32_t i = 0; i < s->n_claims; i++) {
		if (!tn_claim_is(s->claims[i], "const_fold") ||
			s->claims[i]->tensor.i >= c->g->n_tensors)
			continue;
		f.claim = i;
		f.tensor = s->claims[i]->tensor.i;
		for (uint32_t w = 0; w < f.meaning->n_worlds && !f.nomem; w++)
			check_world(&f, &f.meaning->worlds[w]);
	}
	*too_large = tn_work_is_out(c->model.work);
	return f.nomem ? TN_ERR_NOMEM : TN_OK;
}
