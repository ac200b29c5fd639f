/* One op in the memory of the claims. */
#include "base/checked.h"
#include "claims/run_op.h"

uint32_t tn_op_run_tensor(const struct tn_op_run *r, uint32_t operand)
{
	return tn_model_tensor(r->p->r->m, r->op, operand);
}

int64_t tn_op_run_address(const struct tn_op_run *r, uint32_t tensor, int64_t bit)
{
	return tn_setting_address(r->p->r->s, tensor, bit);
}

bool tn_op_run_going_on(const struct tn_op_run *r)
{
	return !r->p->r->nomem && !r->p->r->too_large;
}

static bool meet(int64_t a_lo, int64_t a_hi, int64_t b_lo, int64_t b_hi)
{
	return a_lo < b_hi && b_lo < a_hi;
}

void tn_op_run_touch(
	struct tn_op_run *r, uint32_t tensor, int64_t lo, int64_t hi, bool writes)
{
	struct tn_run *run = r->p->r;
	struct tn_touch t = { r->op, tensor, tn_op_run_address(r, tensor, lo),
		tn_op_run_address(r, tensor, hi),
		(uint32_t)(r->p->world - run->meaning->worlds), writes };

	if (r->p->run || lo == hi)
		return;
	if (!tn_vec_push(run->arena, &run->touches, t))
		run->nomem = true;
}

/* Is the victim's place one that an alias claim gave it? Then all that the op takes from it
 * counts, not only what shows first. */
static bool aliased(const struct tn_op_run *r, uint32_t tensor)
{
	uint32_t c = tn_setting_claim_of(r->p->r->s, tensor);

	return c != TN_NONE && tn_claim_is(r->p->r->s->claims[c], "alias");
}

static bool same_writer(const struct tn_event *a, const struct tn_event *b)
{
	return a->op == b->op && a->tensor == b->tensor && a->kind == b->kind &&
	       a->pass == b->pass && a->run == b->run;
}

/* Does the op read a copy of the tensor, to try that? */
static bool reads_copy(const struct tn_op_run *r, uint32_t tensor)
{
	const struct tn_run_change *change = r->p->r->change;

	for (uint32_t i = 0; change && i < change->n_copies; i++)
		if (change->copies[i].reader == r->op &&
			change->copies[i].tensor == tensor)
			return true;
	return false;
}

/* The operand reads something else: begins a loss, or adds to the one there is. */
static void differs(struct tn_op_run *r, uint32_t operand, const struct tn_difference *d)
{
	struct tn_watched *w = &r->watched[operand];
	struct tn_run *run = r->p->r;
	uint32_t tensor = tn_op_run_tensor(r, operand);
	bool current = d->found.event != EVENT_NONE && d->found.event >= r->event;
	struct tn_loss *loss;

	if (reads_copy(r, tensor))
		return;
	if (w->lost) {
		int64_t begin = tn_op_run_address(r, tensor, d->begin);
		struct tn_event none = { .op = TN_NONE, .tensor = TN_NONE };
		const struct tn_event *e = d->found.event == EVENT_NONE
						   ? &none
						   : &run->events.items[d->found.event];

		loss = &run->losses->list.items[w->loss];
		if ((w->step_only && r->step != w->lost_step) ||
			current != loss->same_phase || !same_writer(e, &loss->last))
			return;
		loss->bits += d->end - d->begin;
		loss->begin = tn_min_i64(loss->begin, begin);
		loss->end = tn_max_i64(loss->end, begin + d->end - d->begin);
		return;
	}
	loss = tn_pass_lose(r->p, LOSS_READ, tensor, r->op, operand, d);
	if (!loss)
		return;
	w->lost = true;
	w->loss = run->losses->list.count - 1;
	w->step_only = current && !aliased(r, tensor);
	w->lost_step = r->step;
	loss->same_phase = current;
	loss->late_pass = r->pass > 0;
}

static bool read_bits(struct tn_op_run *r, uint32_t operand, int64_t begin, int64_t end)
{
	struct tn_difference d;

	while (tn_pass_differs(r->p, tn_op_run_tensor(r, operand),
		&r->at->before[operand], begin, end, &d)) {
		differs(r, operand, &d);
		begin = d.end;
	}
	return tn_op_run_going_on(r);
}

static bool read_pending(struct tn_op_run *r)
{
	if (!r->pending)
		return true;
	r->pending = false;
	return read_bits(r, r->pending_operand, r->pending_begin, r->pending_end);
}

static bool on_read(void *user, uint32_t operand, int64_t begin, int64_t end)
{
	struct tn_op_run *r = user;

	if (r->writes_only)
		return true;
	if (!r->k->copies || r->k->always_copy || operand >= r->o->n_inputs ||
		!r->k->moves[operand])
		return read_bits(r, operand, begin, end);
	if (!read_pending(r))
		return false;
	r->pending = true;
	r->pending_operand = operand;
	r->pending_begin = begin;
	r->pending_end = end;
	return true;
}

static bool read_whole(struct tn_op_run *r, uint32_t operand)
{
	const struct tn_form *f = tn_model_operand(r->p->r->m, r->op, operand);

	if (!f)
		return true;
	if (f->dense)
		return read_bits(r, operand, f->lo, f->hi);
	for (int64_t i = 0; i < f->n; i++) {
		int64_t bit = tn_form_at(f, i);

		if (!read_bits(r, operand, bit, bit + f->width))
			return false;
	}
	return true;
}

static bool on_whole(void *user, uint32_t operand)
{
	struct tn_op_run *r = user;
	struct tn_watched *w = &r->watched[operand];

	if (!tn_run_take(r->p->r, 1))
		return false;
	if (r->writes_only || w->checked || (w->lost && w->step_only))
		return true;
	w->checked = true;
	return read_whole(r, operand);
}

static bool on_phase(void *user)
{
	struct tn_op_run *r = user;
	uint32_t tensor = r->o->n_outputs ? r->o->outputs[0].i : TN_NONE;

	r->event = tn_pass_event(r->p, EVENT_OUTPUT, r->op, tensor);
	if (r->event != EVENT_NONE)
		r->p->r->events.items[r->event].pass = r->pass;
	return tn_op_run_going_on(r);
}

/* The op needs its scratch to the end: what others have written there by then? */
static void check_scratch(struct tn_op_run *r)
{
	const struct tn_event *events = r->p->r->events.items;

	for (uint32_t i = 0; i < r->k->n_scratch; i++) {
		uint32_t tensor = r->k->scratch[i];
		const struct tn_form *f = &r->p->r->m->form[tensor];
		struct tn_difference d = { -1, -1, { 0, 0, 0, CELL_GARBAGE, EVENT_NONE },
			{ 0 } };

		for (int64_t bit = f->lo; bit < f->hi;) {
			int64_t at = tn_op_run_address(r, tensor, bit);
			struct tn_cell c = tn_cells_at(&r->p->memory, at);
			int64_t n = tn_min_i64(c.end - at, f->hi - bit);

			if (!tn_run_take(r->p->r, 1))
				return;
			if (c.event == EVENT_NONE || events[c.event].op != r->op ||
				events[c.event].kind != EVENT_SCRATCH ||
				events[c.event].tensor != tensor) {
				if (d.begin < 0) {
					d.begin = bit;
					d.found = c;
				}
				d.end = bit + n;
			}
			bit += n;
		}
		if (d.begin >= 0) {
			tn_pass_lose(r->p, LOSS_SCRATCH, tensor, r->op, TN_NONE, &d);
			return;
		}
	}
}

static bool on_step(void *user)
{
	struct tn_op_run *r = user;

	if (!read_pending(r))
		return false;
	r->step++;
	return tn_run_take(r->p->r, 1) && tn_op_run_going_on(r);
}

/* Has this op itself replaced what it is about to move onto itself? */
static bool has_replaced(struct tn_op_run *r, uint32_t source, int64_t begin, int64_t end)
{
	struct tn_difference d;
	const struct tn_event *e;

	if (!tn_pass_differs(r->p, tn_op_run_tensor(r, source), &r->at->before[source],
		    begin, end, &d) ||
		d.found.event == EVENT_NONE)
		return false;
	e = &r->p->r->events.items[d.found.event];
	return e->op == r->op && e->run == r->p->run;
}

/* Bits that move onto themselves are neither read nor written: if they were lost before,
 * who needs them later tells. When nobody does, it is told all the same, after all else. */
static void check_unmoved(
	struct tn_op_run *r, uint32_t source, int64_t begin, int64_t end)
{
	struct tn_watched *w = &r->watched[source];
	struct tn_difference d;

	if (w->unmoved || !tn_pass_differs(r->p, tn_op_run_tensor(r, source),
				  &r->at->before[source], begin, end, &d))
		return;
	w->unmoved = true;
	(void)tn_pass_lose(
		r->p, LOSS_UNMOVED, tn_op_run_tensor(r, source), r->op, source, &d);
}

static bool moves_onto_itself(struct tn_op_run *r, uint32_t output, int64_t begin,
	int64_t end, uint32_t source, int64_t from)
{
	return source != TN_NONE && !r->k->always_copy &&
	       tn_op_run_address(r, tn_op_run_tensor(r, source), from) ==
		       tn_op_run_address(r, r->o->outputs[output].i, begin) &&
	       !has_replaced(r, source, from, from + end - begin);
}

/* Is the output a view in the storage of the source? Then nothing is to be done at all. An
 * op that writes what it reads is no view: it is there to read it. */
static bool names_anew(const struct tn_op_run *r, uint32_t output, uint32_t source)
{
	const struct tn_form *form = r->p->r->m->form;
	const uint32_t out = r->o->outputs[output].i, in = tn_op_run_tensor(r, source);

	return out != in && form[out].root != out && form[out].root == form[in].root;
}

/* What moves is what the source holds, and what is computed is the result only when no
 * later step writes there again: a base that is copied first, say. */
static bool on_write(void *user, uint32_t output, int64_t begin, int64_t end,
	uint32_t source, int64_t from)
{
	struct tn_op_run *r = user;
	bool last = r->reads_only || tn_op_run_is_last(r, output, begin, end);
	struct tn_cells *contents = last ? &r->at->after[output] : NULL;

	if (moves_onto_itself(r, output, begin, end, source, from)) {
		if (r->pending && r->pending_operand == source &&
			r->pending_begin == from)
			r->pending = false;
		if (last && !names_anew(r, output, source))
			check_unmoved(r, source, from, from + end - begin);
		return read_pending(r);
	}
	if (!read_pending(r))
		return false;
	if (r->reads_only)
		return true;
	return source == TN_NONE ? tn_op_run_write(r, output, begin, end, contents, begin)
				 : tn_op_run_write(r, output, begin, end,
					   &r->at->before[source], from);
}

/* Which operands lie where the op writes. */
static void find_meetings(struct tn_op_run *r)
{
	const struct tn_model *m = r->p->r->m;
	uint32_t n = r->o->n_inputs + r->o->n_outputs;

	for (uint32_t k = 0; k < n; k++) {
		const struct tn_form *f = tn_model_operand(m, r->op, k);
		uint32_t t = tn_op_run_tensor(r, k);
		int64_t lo, hi;

		if (!tn_run_take(r->p->r, 1 + (int64_t)r->o->n_outputs + r->k->n_scratch))
			return;

		if (!f)
			continue;
		lo = tn_op_run_address(r, t, f->lo);
		hi = tn_op_run_address(r, t, f->hi);
		for (uint32_t o = 0; o < r->o->n_outputs; o++) {
			const struct tn_form *out =
				tn_model_operand(m, r->op, r->o->n_inputs + o);
			uint32_t ot = r->o->outputs[o].i;

			if (!out || !meet(lo, hi, tn_op_run_address(r, ot, out->lo),
					    tn_op_run_address(r, ot, out->hi)))
				continue;
			r->watched[k].meets = true;
			if (k >= r->o->n_inputs && k - r->o->n_inputs != o)
				r->outputs_meet = true;
		}
		for (uint32_t i = 0; i < r->k->n_scratch; i++) {
			const struct tn_form *s = &m->form[r->k->scratch[i]];
			int64_t s_lo = tn_op_run_address(r, r->k->scratch[i], s->lo);
			int64_t s_hi = tn_op_run_address(r, r->k->scratch[i], s->hi);

			if (!meet(lo, hi, s_lo, s_hi))
				continue;
			if (k < r->o->n_inputs)
				r->watched[k].meets = true;
			else
				r->scratch_meets = true;
		}
	}
}

/* Do the two have the same elements at the same addresses? */
bool tn_op_run_coincide(const struct tn_op_run *r, uint32_t input, uint32_t output)
{
	const struct tn_model *m = r->p->r->m;
	const struct tn_form *in = tn_model_operand(m, r->op, input);
	const struct tn_form *out = tn_model_operand(m, r->op, r->o->n_inputs + output);

	return tn_form_same_layout(in, out) &&
	       tn_op_run_address(r, tn_op_run_tensor(r, input), in->start) ==
		       tn_op_run_address(r, r->o->outputs[output].i, out->start);
}

/* No step needs to be replayed: nothing that is read lies where something is written,
 * except element on element. */
static bool is_plain(const struct tn_op_run *r)
{
	if (r->scratch_meets || r->k->accumulates ||
		(r->outputs_meet && r->k->kind == KERNEL_CONTRACT))
		return false;
	for (uint32_t k = 0; k < r->o->n_inputs; k++) {
		if (!r->watched[k].meets)
			continue;
		if (r->k->copies || r->k->prezero || r->k->passes > 1 ||
			r->o->n_outputs > 1 ||
			!tn_steps_aligned(r->p->r->m, r->op, r->k, k) ||
			!tn_op_run_coincide(r, k, 0))
			return false;
	}
	return true;
}

static bool all_there(struct tn_op_run *r)
{
	uint32_t n = r->o->n_inputs + (r->k->accumulates ? r->o->n_outputs : 0);
	struct tn_difference d;

	for (uint32_t k = 0; k < n; k++) {
		const struct tn_form *f = tn_model_operand(r->p->r->m, r->op, k);

		if (!f)
			continue;
		if (f->dense) {
			if (tn_pass_differs(r->p, tn_op_run_tensor(r, k),
				    &r->at->before[k], f->lo, f->hi, &d))
				return false;
			continue;
		}
		for (int64_t i = 0; i < f->n; i++) {
			int64_t bit = tn_form_at(f, i);

			if (tn_pass_differs(r->p, tn_op_run_tensor(r, k),
				    &r->at->before[k], bit, bit + f->width, &d) ||
				!tn_op_run_going_on(r))
				return false;
		}
	}
	return true;
}

static bool replay(struct tn_op_run *r)
{
	const struct tn_walker walker = { r, on_phase, on_step, on_read, on_whole,
		on_write };

	for (r->pass = 0; r->pass < r->k->passes; r->pass++) {
		for (uint32_t k = 0; k < r->o->n_inputs + r->o->n_outputs; k++)
			r->watched[k].checked = false;
		if (!on_phase(r))
			return false;
		r->reads_only = r->k->buffered;
		if (!tn_op_run_count_writes(r) ||
			!tn_steps_walk(r->p->r->m, r->op, r->k, &walker) ||
			!read_pending(r))
			return false;
		if (!r->k->buffered)
			continue;
		r->reads_only = false;
		r->writes_only = true;
		if (!tn_steps_walk(r->p->r->m, r->op, r->k, &walker))
			return false;
		r->writes_only = false;
	}
	if (r->scratch_meets && r->k->scratch_live)
		check_scratch(r);
	return true;
}

static bool begin(struct tn_op_run *r)
{
	for (uint32_t k = 0; k < r->o->n_inputs; k++) {
		const struct tn_form *f = tn_model_operand(r->p->r->m, r->op, k);

		if (f)
			tn_op_run_touch(r, tn_op_run_tensor(r, k), f->lo, f->hi, false);
	}
	for (uint32_t k = 0; k < r->o->n_outputs; k++) {
		const struct tn_form *f =
			tn_model_operand(r->p->r->m, r->op, r->o->n_inputs + k);

		if (f)
			tn_op_run_touch(r, r->o->outputs[k].i, f->lo, f->hi, true);
	}
	for (uint32_t i = 0; i < r->k->n_scratch; i++) {
		const struct tn_form *f = &r->p->r->m->form[r->k->scratch[i]];

		if (!tn_op_run_garbage(r, EVENT_SCRATCH, r->k->scratch[i], f->lo, f->hi))
			return false;
	}
	if (r->k->n_scratch > 1)
		check_scratch(r);
	for (uint32_t k = 0; r->k->prezero && k < r->o->n_outputs; k++)
		if (r->o->outputs[k].i != TN_NONE &&
			!tn_op_run_garbage_elements(r, EVENT_PREZERO, r->o->outputs[k].i))
			return false;
	return tn_op_run_going_on(r);
}

/* What the kernel leaves behind: tails of outputs, inputs that it destroys. */
static bool finish(struct tn_op_run *r)
{
	const struct tn_setting *s = r->p->r->s;

	for (uint32_t k = 0; k < r->o->n_outputs; k++) {
		const struct tn_form *f =
			tn_model_operand(r->p->r->m, r->op, r->o->n_inputs + k);
		uint32_t t = r->o->outputs[k].i;
		int64_t end, tail;

		if (!f)
			continue;
		end = (f->hi + 7) / 8 * 8;
		tail = tn_max_i64(r->k->tail, s->tail[s->site_of[t]]);
		if (tail > 0 && !tn_op_run_garbage(r, EVENT_TAIL, t, end, end + tail))
			return false;
	}
	for (uint32_t i = 0; i < r->k->n_destroys; i++)
		if (!tn_op_run_garbage_elements(
			    r, EVENT_DESTROY, tn_op_run_tensor(r, r->k->destroys[i])))
			return false;
	return true;
}

bool tn_pass_op(struct tn_pass *p, uint32_t op)
{
	const struct tn_op *o = &p->r->m->g->ops[op];
	struct tn_op_run r = { .p = p,
		.op = op,
		.o = o,
		.k = &p->r->m->kernel[op],
		.at = &p->world->instance[p->run][op] };

	if (p->r->change && p->r->change->op == op)
		r.k = p->r->change->kernel;
	if (r.k->kind == KERNEL_VIEW)
		return true;
	r.watched = TN_NEW_ARRAY(
		p->r->arena, struct tn_watched, (size_t)o->n_inputs + o->n_outputs);
	if (!r.watched) {
		p->r->nomem = true;
		return false;
	}
	find_meetings(&r);
	if (!tn_op_run_going_on(&r))
		return false;
	r.event = tn_pass_event(
		p, EVENT_OUTPUT, op, o->n_outputs ? o->outputs[0].i : TN_NONE);
	if (r.event == EVENT_NONE || !begin(&r))
		return false;
	for (uint32_t k = 0; k < o->n_outputs; k++)
		if (o->outputs[k].i != TN_NONE &&
			tn_form_may_overlap_itself(
				tn_model_operand(p->r->m, op, o->n_inputs + k)))
			tn_op_run_check_self(&r, k);
	if (is_plain(&r) && all_there(&r)) {
		if (!tn_op_run_write_all(&r))
			return false;
	} else if (!replay(&r)) {
		return false;
	}
	tn_op_run_update_state(&r);
	return finish(&r);
}
