/* What must hold when an invocation is over: what others own, what the caller reads. */
#include <string.h>

#include "base/checked.h"
#include "claims/autograd.h"
#include "claims/training.h"
#include "claims/run_part.h"

static bool same_writer(
	const struct tn_run *r, const struct tn_loss *loss, uint32_t event)
{
	const struct tn_event *e;

	if (event == EVENT_NONE)
		return loss->last.op == TN_NONE && loss->found_nothing;
	e = &r->events.items[event];
	return e->op == loss->last.op && e->tensor == loss->last.tensor;
}

/* Compares [begin, end) of the tensor's root. One loss for each writer. */
static void compare(struct tn_pass *p, enum tn_loss_kind kind, uint32_t tensor,
	struct tn_cells *expected, int64_t begin, int64_t end, size_t first)
{
	struct tn_run *r = p->r;
	struct tn_difference d;

	for (; tn_pass_differs(p, tensor, expected, begin, end, &d) && !r->nomem;
		begin = d.end) {
		int64_t at = tn_setting_address(r->s, tensor, d.begin);
		struct tn_loss *loss = NULL;

		if (!tn_run_take(r, 1 + (int64_t)(r->losses->list.count - first)))
			return;
		for (size_t i = first; i < r->losses->list.count && !loss; i++)
			if (same_writer(r, &r->losses->list.items[i], d.found.event))
				loss = &r->losses->list.items[i];
		if (loss) {
			loss->bits += d.end - d.begin;
			loss->begin = tn_min_i64(loss->begin, at);
			loss->end = tn_max_i64(loss->end, at + d.end - d.begin);
		} else {
			tn_pass_lose(p, kind, tensor, TN_NONE, TN_NONE, &d);
		}
	}
}

/* The tensor's elements hold what `expected` says. */
static void check_tensor(struct tn_pass *p, enum tn_loss_kind kind, uint32_t tensor,
	struct tn_cells *expected)
{
	const struct tn_form *f = &p->r->m->form[tensor];
	size_t first = p->r->losses->list.count;

	if (f->dense) {
		compare(p, kind, tensor, expected, f->lo, f->hi, first);
		return;
	}
	for (int64_t i = 0; i < f->n && !p->r->nomem && !p->r->too_large; i++) {
		int64_t bit = tn_form_at(f, i);

		compare(p, kind, tensor, expected, bit, bit + f->width, first);
	}
}

static bool mark(struct tn_pass *p, struct tn_cells *marks, int64_t begin, int64_t end)
{
	const struct tn_cell c = { begin, end, begin, 0, EVENT_NONE };

	if (begin < end && !tn_cells_put(marks, p->r->arena, c))
		p->r->nomem = true;
	return tn_run_take_change(p->r, marks) && !p->r->nomem;
}

/* Where the graph writes this root: where an op has left something, and all that an op names
 * as its output. What is moved onto itself, or put back, is left there as well, and whether
 * a branch ran the caller cannot know. */
static bool mark_written(struct tn_pass *p, uint32_t root, struct tn_cells *marks)
{
	const struct tn_model *m = p->r->m;
	struct tn_cells *end = &p->world->end[p->run][root];

	if (!tn_run_take(p->r, m->g->n_tensors))
		return false;
	for (int64_t bit = m->form[root].lo; bit < m->form[root].hi;) {
		const struct tn_cell c = tn_cells_at(end, bit);
		const int64_t stop = tn_min_i64(c.end, m->form[root].hi);

		if (c.event != EVENT_NONE && !mark(p, marks, bit, stop))
			return false;
		bit = stop;
	}
	for (uint32_t t = 0; t < m->g->n_tensors; t++) {
		const struct tn_form *f = &m->form[t];

		if (!m->updated[t] || f->root != root)
			continue;
		for (int64_t i = 0; i < (f->dense ? 1 : f->n); i++) {
			const int64_t bit = f->dense ? f->lo : tn_form_at(f, i);

			if (!mark(p, marks, bit, f->dense ? f->hi : bit + f->width))
				return false;
		}
	}
	return true;
}

/* An input that may be overwritten, and that the graph itself writes, is a result where it
 * writes. */
static void check_inout(struct tn_pass *p, uint32_t root)
{
	const struct tn_form *f = &p->r->m->form[root];
	struct tn_cells *end = &p->world->end[p->run][root], marks = { 0 };
	size_t first = p->r->losses->list.count;

	if (!mark_written(p, root, &marks))
		return;
	for (int64_t bit = f->lo; bit < f->hi && !p->r->nomem;) {
		struct tn_cell c = tn_cells_at(&marks, bit);
		int64_t stop = tn_min_i64(c.end, f->hi);

		if (!tn_run_take(p->r, 1))
			return;
		if (c.value != CELL_EMPTY)
			compare(p, LOSS_INOUT, root, end, bit, stop, first);
		bit = stop;
	}
}

static void check_owned(struct tn_pass *p, uint32_t root)
{
	const struct tn_model *m = p->r->m;
	struct tn_cells *start = &p->world->start[p->run][root];
	struct tn_cells *end = &p->world->end[p->run][root];

	switch (m->role[root]) {
	case ROLE_CONST:
		check_tensor(p, LOSS_CONST, root, p->r->own_word ? start : end);
		break;
	case ROLE_VARIABLE:
		check_tensor(p, LOSS_VARIABLE, root, end);
		break;
	case ROLE_INPUT:
		if (m->g->tensors[root].clobber)
			check_inout(p, root);
		else
			check_tensor(p, LOSS_INPUT, root, p->r->own_word ? start : end);
		break;
	case ROLE_ACT:
	case ROLE_OUTPUT:
	case ROLE_SCRATCH:
		break;
	}
}

/* Does the op write its first output exactly over its first operand? */
static bool runs_in_place(const struct tn_pass *p, uint32_t op)
{
	const struct tn_form *in = tn_model_operand(p->r->m, op, 0);
	const struct tn_form *out =
		tn_model_operand(p->r->m, op, p->r->m->g->ops[op].n_inputs);

	return in && out && p->r->m->g->ops[op].n_inputs &&
	       tn_setting_address(p->r->s, tn_model_tensor(p->r->m, op, 0), in->lo) ==
		       tn_setting_address(p->r->s,
			       tn_model_tensor(p->r->m, op, p->r->m->g->ops[op].n_inputs),
			       out->lo);
}

/* State that the op itself updates: backward has no use for it. */
static bool updates(const struct tn_model *m, uint32_t op, uint32_t tensor)
{
	if (m->role[m->form[tensor].root] != ROLE_VARIABLE)
		return false;
	for (uint32_t k = 0; k < m->g->ops[op].n_outputs; k++)
		if (m->g->ops[op].outputs[k].i == tensor)
			return true;
	return false;
}

/* Of the operand that an op writes over by its own name (mul_), PyTorch saves a copy. */
static bool keeps_copy(const struct tn_model *m, uint32_t op, uint32_t k)
{
	const struct tn_op *o = &m->g->ops[op];
	const struct tn_form *in = tn_model_operand(m, op, k), *out;

	if (k >= o->n_inputs || !o->n_outputs || !tn_op_says_in_place(o) ||
		(strncmp(o->type, "torch.ops.aten.", 15) != 0 &&
			strncmp(o->type, "aten::", 6) != 0))
		return false;
	out = tn_model_operand(m, op, o->n_inputs);
	return in && out && in->root == out->root && in->lo == out->lo &&
	       in->hi == out->hi;
}

/* In training, backward reads what an op has saved: its operands or its result as they
 * were then. */
static void check_saved(struct tn_pass *p)
{
	const struct tn_model *m = p->r->m;

	for (uint32_t op = 0; op < m->g->n_ops; op++) {
		const struct tn_op *o = &m->g->ops[op];
		const struct tn_instance *at = &p->world->instance[p->run][op];
		bool in_place;

		if (!tn_run_take(p->r, 1 + o->n_inputs + o->n_outputs))
			return;
		if (!at->active || m->kernel[op].kind == KERNEL_VIEW ||
			p->r->s->fate[op] != FATE_RUNS)
			continue;
		in_place = o->n_outputs && runs_in_place(p, op);
		for (uint32_t k = 0; k < o->n_inputs + o->n_outputs; k++) {
			const struct tn_form *f = tn_model_operand(m, op, k);
			bool saved = f && tn_autograd_saves(m, op, k, in_place);
			uint32_t t = tn_model_tensor(m, op, k);
			size_t n = p->r->losses->list.count;

			if (!saved || m->role[f->root] == ROLE_CONST ||
				updates(m, op, t) || keeps_copy(m, op, k))
				continue;
			check_tensor(p, LOSS_SAVED, t,
				k < o->n_inputs ? &at->before[k]
						: &at->after[k - o->n_inputs]);
			for (; n < p->r->losses->list.count; n++)
				p->r->losses->list.items[n].reader = op;
		}
	}
}

static bool share_bits(
	const struct tn_pass *p, uint32_t a, uint32_t b, int64_t *begin, int64_t *end)
{
	const struct tn_form *fa = &p->r->m->form[a], *fb = &p->r->m->form[b];

	*begin = tn_max_i64(tn_setting_address(p->r->s, a, fa->lo),
		tn_setting_address(p->r->s, b, fb->lo));
	*end = tn_min_i64(tn_setting_address(p->r->s, a, fa->hi),
		tn_setting_address(p->r->s, b, fb->hi));
	return *begin < *end;
}

static void lose_shared(
	struct tn_pass *p, uint32_t victim, uint32_t other, int64_t begin, int64_t end)
{
	int64_t base = tn_setting_address(p->r->s, victim, 0);
	struct tn_difference d = { begin - base, end - base,
		{ 0, 0, 0, CELL_EMPTY, EVENT_NONE },
		{ 0, 0, 0, CELL_EMPTY, EVENT_NONE } };
	struct tn_loss *loss = tn_pass_lose(p, LOSS_SHARED, victim, TN_NONE, TN_NONE, &d);

	if (loss)
		loss->other = other;
}

/* The caller may write what it was given: it must be nobody else's. What the graph itself
 * makes one storage is declared. */
static void check_sharing(struct tn_pass *p, uint32_t output)
{
	const struct tn_model *m = p->r->m;
	int64_t begin, end;

	for (uint32_t i = 0; i < m->g->n_tensors && tn_run_take(p->r, 1); i++) {
		bool owned =
			m->form[i].root == i &&
			(m->role[i] == ROLE_CONST || m->role[i] == ROLE_VARIABLE ||
				(m->role[i] == ROLE_INPUT && !m->g->tensors[i].clobber));

		if (m->form[i].root == m->form[output].root ||
			(!owned && !(m->output[i] && i < output)) ||
			!share_bits(p, output, i, &begin, &end))
			continue;
		lose_shared(p, owned ? i : output, owned ? output : i, begin, end);
	}
}

bool tn_pass_end(struct tn_pass *p)
{
	const struct tn_model *m = p->r->m;

	for (uint32_t i = 0; i < m->g->n_tensors && !p->r->nomem && tn_run_take(p->r, 1);
		i++) {
		struct tn_cells *end = &p->world->end[p->run][m->form[i].root];

		if (m->form[i].root == i)
			check_owned(p, i);
		if (m->output[i])
			check_tensor(p, LOSS_OUTPUT, i, end);
		else if (m->g->tensors[i].observed)
			check_tensor(p, LOSS_OBSERVED, i, end);
		else if (m->yielded[i])
			check_tensor(p, LOSS_OBSERVED, i, end);
		if (m->output[i])
			check_sharing(p, i);
	}
	if (p->r->options->profile == PROFILE_TRAINING && !m->has_gradient)
		check_saved(p);
	return !p->r->nomem && !p->r->too_large;
}
