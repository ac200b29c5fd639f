/* What an op writes: results, what is replaced later, and garbage. */
#include <assert.h>

#include "base/checked.h"
#include "claims/run_op.h"

static void dirty(struct tn_op_run *r, int64_t lo, int64_t hi)
{
	uint32_t n = r->o->n_inputs + r->o->n_outputs;

	if (!tn_run_take_change(r->p->r, &r->p->memory) || !tn_run_take(r->p->r, n))
		return;
	for (uint32_t k = 0; k < n; k++) {
		const struct tn_form *f;
		uint32_t t;

		if (!r->watched[k].meets || !r->watched[k].checked)
			continue;
		t = tn_op_run_tensor(r, k);
		f = tn_model_operand(r->p->r->m, r->op, k);
		if (lo < tn_op_run_address(r, t, f->hi) &&
			tn_op_run_address(r, t, f->lo) < hi)
			r->watched[k].checked = false;
	}
}

/* The event of what is written to an output now: an op that writes several has one for
 * each. */
static uint32_t event_of(struct tn_op_run *r, uint32_t tensor)
{
	struct tn_run *run = r->p->r;
	uint32_t event;

	for (event = r->event; event < run->events.count && tn_run_take(run, 1); event++)
		if (run->events.items[event].tensor == tensor)
			return event;
	if (run->too_large)
		return EVENT_NONE;
	event = tn_pass_event(r->p, EVENT_OUTPUT, r->op, tensor);
	if (event != EVENT_NONE)
		run->events.items[event].pass = r->pass;
	return event;
}

bool tn_op_run_write(struct tn_op_run *r, uint32_t output, int64_t begin, int64_t end,
	struct tn_cells *contents, int64_t at)
{
	uint32_t tensor = r->o->outputs[output].i, event = event_of(r, tensor);
	int64_t to = tn_op_run_address(r, tensor, begin);
	struct tn_cell interim = { to, to + end - begin, 0, CELL_GARBAGE, event };
	struct tn_run *run = r->p->r;

	if (event == EVENT_NONE)
		return false;
	if (contents ? !tn_cells_copy(&r->p->memory, run->arena, to, contents, at,
			       end - begin, event)
		     : !tn_cells_put(&r->p->memory, run->arena, interim))
		run->nomem = true;
	dirty(r, to, interim.end);
	return tn_op_run_going_on(r);
}

static bool count_write(void *user, uint32_t output, int64_t begin, int64_t end,
	uint32_t source, int64_t from)
{
	struct tn_op_run *r = user;
	struct tn_cell c = tn_cells_at(&r->left[output], begin);

	(void)source;
	(void)from;
	/* counts stand as bits of one value, so that neighbours of one count are a range */
	c = (struct tn_cell){ begin, end, begin, c.value == CELL_EMPTY ? 1 : c.value + 1,
		EVENT_NONE };
	if (!tn_cells_put(&r->left[output], r->p->r->arena, c))
		r->p->r->nomem = true;
	return tn_run_take_change(r->p->r, &r->left[output]) && tn_op_run_going_on(r);
}

static bool no_event(void *user)
{
	(void)user;
	return true;
}

static bool no_read(void *user, uint32_t operand, int64_t begin, int64_t end)
{
	(void)user;
	(void)operand;
	(void)begin;
	(void)end;
	return true;
}

static bool no_whole(void *user, uint32_t operand)
{
	(void)user;
	(void)operand;
	return true;
}

bool tn_op_run_count_writes(struct tn_op_run *r)
{
	const struct tn_walker walker = { r, no_event, no_event, no_read, no_whole,
		count_write };

	r->left = NULL;
	/* the others write each element once */
	if (r->k->kind != KERNEL_UPDATE && r->k->kind != KERNEL_SHIFT)
		return true;
	r->left = TN_NEW_ARRAY(r->p->r->arena, struct tn_cells, r->o->n_outputs);
	if (!r->left)
		r->p->r->nomem = true;
	return r->left && tn_steps_walk(r->p->r->m, r->op, r->k, &walker);
}

bool tn_op_run_is_last(struct tn_op_run *r, uint32_t output, int64_t begin, int64_t end)
{
	uint32_t left;
	struct tn_cell c;

	if (!r->left)
		return true;
	left = tn_cells_at(&r->left[output], begin).value;
	assert(left != CELL_EMPTY && left > 0);
	c = (struct tn_cell){ begin, end, begin, left - 1, EVENT_NONE };
	if (!tn_cells_put(&r->left[output], r->p->r->arena, c))
		r->p->r->nomem = true;
	tn_run_take_change(r->p->r, &r->left[output]);
	return left == 1;
}

bool tn_op_run_garbage(struct tn_op_run *r, enum tn_event_kind kind, uint32_t tensor,
	int64_t lo, int64_t hi)
{
	uint32_t event = tn_pass_event(r->p, kind, r->op, tensor);
	struct tn_cell c = { tn_op_run_address(r, tensor, lo),
		tn_op_run_address(r, tensor, hi), 0, CELL_GARBAGE, event };

	if (event == EVENT_NONE || !tn_cells_put(&r->p->memory, r->p->r->arena, c))
		r->p->r->nomem = true;
	tn_op_run_touch(r, tensor, lo, hi, true);
	dirty(r, c.begin, c.end);
	return tn_op_run_going_on(r);
}

bool tn_op_run_garbage_elements(
	struct tn_op_run *r, enum tn_event_kind kind, uint32_t tensor)
{
	const struct tn_form *f = &r->p->r->m->form[tensor];
	uint32_t event;

	if (f->dense)
		return tn_op_run_garbage(r, kind, tensor, f->lo, f->hi);
	tn_op_run_touch(r, tensor, f->lo, f->hi, true);
	event = tn_pass_event(r->p, kind, r->op, tensor);
	for (int64_t i = 0; i < f->n && event != EVENT_NONE && tn_op_run_going_on(r);
		i++) {
		int64_t at = tn_op_run_address(r, tensor, tn_form_at(f, i));
		struct tn_cell c = { at, at + f->width, 0, CELL_GARBAGE, event };

		if (!tn_cells_put(&r->p->memory, r->p->r->arena, c))
			r->p->r->nomem = true;
		dirty(r, at, at + f->width);
	}
	return tn_op_run_going_on(r);
}

bool tn_op_run_write_all(struct tn_op_run *r)
{
	for (uint32_t o = 0; o < r->o->n_outputs; o++) {
		uint32_t output = r->k->order[o];
		const struct tn_form *f =
			tn_model_operand(r->p->r->m, r->op, r->o->n_inputs + output);

		if (!f)
			continue;
		if (f->dense) {
			if (!tn_op_run_write(r, output, f->lo, f->hi,
				    &r->at->after[output], f->lo))
				return false;
			continue;
		}
		for (int64_t i = 0; i < f->n; i++) {
			int64_t bit = tn_form_at(f, i);

			if (!tn_op_run_write(r, output, bit, bit + f->width,
				    &r->at->after[output], bit))
				return false;
		}
	}
	return true;
}

void tn_op_run_update_state(struct tn_op_run *r)
{
	for (uint32_t k = 0; k < r->o->n_inputs; k++) {
		const struct tn_form *f = tn_model_operand(r->p->r->m, r->op, k);
		uint32_t tensor = tn_op_run_tensor(r, k), event;

		if (!tn_model_updates(r->p->r->m, r->op, k))
			continue;
		tn_op_run_touch(r, tensor, f->lo, f->hi, true);
		event = tn_pass_event(r->p, EVENT_OUTPUT, r->op, tensor);
		if (event == EVENT_NONE ||
			!tn_cells_copy(&r->p->memory, r->p->r->arena,
				tn_op_run_address(r, tensor, f->lo), &r->at->updated[k],
				f->lo, f->hi - f->lo, event))
			r->p->r->nomem = true;
	}
}

/* Bits that the op writes twice, with different values: the output lies on itself. */
void tn_op_run_check_self(struct tn_op_run *r, uint32_t output)
{
	const struct tn_model *m = r->p->r->m;
	const struct tn_form *f = tn_model_operand(m, r->op, r->o->n_inputs + output);
	struct tn_cells seen = { 0 };
	struct tn_difference d = { -1, -1, { 0, 0, 0, CELL_EMPTY, EVENT_NONE },
		{ 0, 0, 0, CELL_EMPTY, r->event } };
	uint32_t victim = r->o->outputs[output].i;
	struct tn_loss *loss;

	for (int64_t i = 0; i < f->n && tn_op_run_going_on(r); i++) {
		int64_t bit = tn_form_at(f, i);

		for (int64_t at = bit; at < bit + f->width;) {
			struct tn_cell c = tn_cells_at(&seen, at);
			int64_t end = tn_min_i64(c.end, bit + f->width);

			if (c.value != CELL_EMPTY) {
				d.begin = d.end < 0 ? at : tn_min_i64(d.begin, at);
				d.end = tn_max_i64(d.end, end);
			}
			at = end;
		}
		if (!tn_cells_put(&seen, r->p->r->arena,
			    (struct tn_cell){ bit, bit + f->width, 0, 0, EVENT_NONE }))
			r->p->r->nomem = true;
		tn_run_take_change(r->p->r, &seen);
	}
	if (d.end < 0 || r->p->r->too_large)
		return;
	/* the operand that it was placed on is what the claim is about */
	for (uint32_t k = 0; k < r->o->n_inputs; k++)
		if (tn_model_operand(m, r->op, k) && tn_op_run_coincide(r, k, output)) {
			int64_t move = tn_op_run_address(r, victim, 0) -
				       tn_op_run_address(r, tn_op_run_tensor(r, k), 0);

			victim = tn_op_run_tensor(r, k);
			d.begin += move;
			d.end += move;
			break;
		}
	loss = tn_pass_lose(r->p, LOSS_SELF, victim, r->op, TN_NONE, &d);
	if (loss)
		loss->same_phase = true;
}
