#include "claims/run.h"

#include "base/checked.h"
#include "claims/run_part.h"

bool tn_pass_differs(struct tn_pass *p, uint32_t tensor, struct tn_cells *expected,
	int64_t begin, int64_t end, struct tn_difference *out)
{
	while (begin < end) {
		struct tn_cell want = tn_cells_at(expected, begin), have;
		int64_t address, n = tn_min_i64(want.end, end) - begin;

		if (!tn_run_take(p->r, 1))
			return false;
		if (want.value == CELL_EMPTY) { /* nobody says what should be there */
			begin += n;
			continue;
		}
		address = tn_setting_address(p->r->s, tensor, begin);
		have = tn_cells_at(&p->memory, address);
		n = tn_min_i64(n, have.end - address);
		if (have.value != want.value || have.at != want.at) {
			*out = (struct tn_difference){ begin, begin + n, want, have };
			return true;
		}
		begin += n;
	}
	return false;
}

uint32_t tn_pass_event(
	struct tn_pass *p, enum tn_event_kind kind, uint32_t op, uint32_t tensor)
{
	struct tn_event e = { kind, op, tensor, p->run, 0 };

	if (!tn_vec_push(p->r->arena, &p->r->events, e)) {
		p->r->nomem = true;
		return EVENT_NONE;
	}
	return (uint32_t)p->r->events.count - 1;
}

/* Has an op that ran before the loss, or the one that caused it, read this value here? */
static bool read_before(struct tn_pass *p, const struct tn_loss *loss,
	const struct tn_difference *d, int64_t address)
{
	const struct tn_graph *g = p->r->m->g;
	uint32_t writer = loss->found.op, until;

	until = writer != TN_NONE && loss->found.run == p->run ? p->ran_at[writer]
							       : p->time + 1;
	for (uint32_t op = 0; op < g->n_ops; op++) {
		const struct tn_instance *at = &p->world->instance[p->run][op];

		if (!p->ran_at[op] || p->ran_at[op] > until || !at->active ||
			p->r->s->fate[op] != FATE_RUNS ||
			p->r->m->kernel[op].kind == KERNEL_VIEW || op == loss->reader)
			continue;
		for (uint32_t k = 0; k < g->ops[op].n_inputs; k++) {
			uint32_t t = g->ops[op].inputs[k].i;
			const struct tn_form *f = tn_model_operand(p->r->m, op, k);
			struct tn_cell c;
			int64_t bit;

			if (!f)
				continue;
			bit = address - tn_setting_address(p->r->s, t, 0);
			if (bit < f->lo || bit >= f->hi)
				continue;
			c = tn_cells_at(&at->before[k], bit);
			if (c.value == d->expected.value && c.at == d->expected.at)
				return true;
		}
	}
	return false;
}

/* Did the write replace this very value, in the home of both? The graph has the writer
 * write there, and the victim came to it by a claim. */
static bool replaced_in_old_home(struct tn_pass *p, const struct tn_loss *loss,
	const struct tn_difference *d, int64_t address)
{
	uint32_t w = loss->found.op, t = loss->found.tensor;
	const struct tn_instance *at;
	const struct tn_op *op;

	if (w == TN_NONE || t == TN_NONE || loss->found.run != p->run ||
		tn_setting_claim_of(p->r->s, t) != TN_NONE ||
		tn_setting_claim_of(p->r->s, loss->victim) == TN_NONE)
		return false;
	at = &p->world->instance[p->run][w];
	op = &p->r->m->g->ops[w];
	for (uint32_t k = 0; k < op->n_outputs && at->active; k++) {
		int64_t bit = address - tn_setting_address(p->r->s, t, 0);
		struct tn_cell c;

		if (op->outputs[k].i != t)
			continue;
		c = tn_cells_at(&at->before[op->n_inputs + k], bit);
		if (c.value == d->expected.value && c.at == d->expected.at)
			return true;
	}
	return false;
}

/* What an op leaves at an address; false: it does not write there. */
static bool leaves(struct tn_pass *p, uint32_t op, int64_t address, struct tn_cell *cell,
	struct tn_event *event)
{
	const struct tn_run *r = p->r;
	const struct tn_op *o = &r->m->g->ops[op];
	const struct tn_kernel *k = &r->m->kernel[op];
	const struct tn_instance *at = &p->world->instance[p->run][op];
	bool any = false;

	for (uint32_t i = 0; i < k->n_scratch; i++) {
		uint32_t t = k->scratch[i];
		int64_t bit = address - tn_setting_address(r->s, t, 0);

		if (bit < r->m->form[t].lo || bit >= r->m->form[t].hi)
			continue;
		*event = (struct tn_event){ EVENT_SCRATCH, op, t, p->run, 0 };
		cell->value = CELL_GARBAGE;
		any = true;
	}
	for (uint32_t i = 0; i < o->n_inputs + o->n_outputs; i++) {
		const struct tn_form *f = tn_model_operand(r->m, op, i);
		const uint32_t t = tn_model_tensor(r->m, op, i);
		int64_t bit;

		if (!f || (i < o->n_inputs && !tn_model_updates(r->m, op, i)))
			continue;
		bit = address - tn_setting_address(r->s, t, 0);
		if (bit < f->lo || bit >= f->hi)
			continue;
		*cell = tn_cells_at(
			i < o->n_inputs ? &at->updated[i] : &at->after[i - o->n_inputs],
			bit);
		*event = (struct tn_event){ EVENT_OUTPUT, op, t, p->run, 0 };
		any = true;
	}
	for (uint32_t i = 0; i < k->n_destroys; i++) {
		uint32_t t = tn_model_tensor(r->m, op, k->destroys[i]);
		int64_t bit = address - tn_setting_address(r->s, t, 0);

		if (bit < r->m->form[t].lo || bit >= r->m->form[t].hi)
			continue;
		*event = (struct tn_event){ EVENT_DESTROY, op, t, p->run, 0 };
		cell->value = CELL_GARBAGE;
		any = true;
	}
	return any;
}

/* Was the value there when the invocation began? */
static bool given_there(
	struct tn_pass *p, const struct tn_cell *expected, int64_t address)
{
	const struct tn_model *m = p->r->m;

	for (uint32_t i = 0; i < m->g->n_tensors; i++) {
		int64_t bit = address - tn_setting_address(p->r->s, i, 0);
		struct tn_cell c;

		if (m->form[i].root != i || !m->given[i] || bit < m->form[i].lo ||
			bit >= m->form[i].hi)
			continue;
		c = tn_cells_at(&p->world->start[p->run][i], bit);
		if (c.value == expected->value && c.at == expected->at)
			return true;
	}
	return false;
}

/* The value may have been overwritten several times: the first to do so is the one to
 * blame. Leaves *out alone when it is not known that the value was ever there. */
static void find_first_writer(struct tn_pass *p, const struct tn_difference *d,
	int64_t address, struct tn_event *out)
{
	const struct tn_run *r = p->r;
	bool there = given_there(p, &d->expected, address);
	struct tn_event first = { .op = TN_NONE };

	for (uint32_t i = 0; i < r->m->g->n_ops; i++) {
		uint32_t op = r->s->order[i];
		struct tn_event event = { .op = TN_NONE };
		struct tn_cell cell = { 0 };

		if (!p->ran_at[op] || r->s->fate[op] != FATE_RUNS ||
			r->m->kernel[op].kind == KERNEL_VIEW ||
			!leaves(p, op, address, &cell, &event))
			continue;
		if (cell.value == d->expected.value && cell.at == d->expected.at) {
			there = true;
			first.op = TN_NONE;
		} else if (there && first.op == TN_NONE) {
			first = event;
		}
	}
	if (first.op != TN_NONE)
		*out = first;
}

struct tn_loss *tn_pass_lose(struct tn_pass *p, enum tn_loss_kind kind, uint32_t victim,
	uint32_t reader, uint32_t operand, const struct tn_difference *d)
{
	struct tn_run *r = p->r;
	int64_t address = tn_setting_address(r->s, victim, d->begin);
	struct tn_loss loss = { .kind = kind,
		.victim = victim,
		.reader = reader,
		.operand = operand,
		.begin = address,
		.end = address + (d->end - d->begin),
		.bits = d->end - d->begin,
		.last = { .op = TN_NONE, .tensor = TN_NONE },
		.found_nothing = d->found.value == CELL_EMPTY,
		.expected = d->expected.event,
		.other = TN_NONE,
		.need = -1,
		.have = -1,
		.align = -1,
		.run = p->run,
		.claim = TN_NONE,
		.time = (uint32_t)r->losses->list.count };

	if (r->losses->list.count >= JUDGE_LOSSES_MAX ||
		!tn_run_take(r, (int64_t)r->m->g->n_ops + r->m->g->n_tensors)) {
		r->losses->cut = true;
		return NULL;
	}
	if (d->found.event != EVENT_NONE)
		loss.last = r->events.items[d->found.event];
	loss.found = loss.last;
	if (d->expected.value != CELL_EMPTY && d->expected.value != CELL_GARBAGE)
		find_first_writer(p, d, address, &loss.found);
	loss.expected_ran = loss.expected == EVENT_NONE || p->ran_at[loss.expected] != 0;
	if (loss.found.op != TN_NONE && loss.found.run == p->run)
		loss.found_after = loss.expected == EVENT_NONE ||
				   !p->ran_at[loss.found.op] ||
				   p->ran_at[loss.found.op] > p->ran_at[loss.expected];
	loss.read_before = read_before(p, &loss, d, address);
	loss.old_home = replaced_in_old_home(p, &loss, d, address);
	if (!tn_losses_add(r->losses, r->arena, loss)) {
		r->nomem = true;
		return NULL;
	}
	return &r->losses->list.items[r->losses->list.count - 1];
}

/* Puts what is there before the first op where the claims have it. */
static bool give(struct tn_pass *p)
{
	const struct tn_model *m = p->r->m;

	p->given = tn_pass_event(p, EVENT_GIVEN, TN_NONE, TN_NONE);
	for (uint32_t i = 0; i < m->g->n_tensors && !p->r->nomem; i++) {
		const struct tn_form *f = &m->form[i];
		bool once = m->role[i] == ROLE_CONST || m->role[i] == ROLE_VARIABLE;
		uint32_t event;

		if (f->root != i || !m->given[i] || (once && p->run))
			continue;
		event = tn_pass_event(p, EVENT_GIVEN, TN_NONE, i);
		if (event == EVENT_NONE ||
			!tn_cells_copy(&p->memory, p->r->arena,
				tn_setting_address(p->r->s, i, f->lo),
				&p->world->start[p->run][i], f->lo, f->hi - f->lo, event))
			p->r->nomem = true;
		tn_run_take_change(p->r, &p->memory);
	}
	return !p->r->nomem && !p->r->too_large;
}

#define WEIGHT_STATE 3 /* that no caller fills, and above */

/* Who loses most when somebody else's bits are where it is given. */
static int weight(const struct tn_model *m, uint32_t root)
{
	switch (m->role[root]) {
	case ROLE_CONST:
		return 4;
	case ROLE_VARIABLE:
		return WEIGHT_STATE;
	default:
		break;
	}
	if (!m->g->tensors[root].clobber)
		return 2;
	if (!tn_work_take(m->work, m->g->n_ops))
		return 0;
	for (uint32_t i = 0; i < m->g->n_ops; i++)
		for (uint32_t k = 0; k < m->g->ops[i].n_inputs; k++) {
			const struct tn_form *f = tn_model_operand(m, i, k);

			if (f && f->root == root)
				return 1;
		}
	return 0;
}

/* Nobody says in which order the caller fills what it gives, read or not: no two of them
 * may have common bits, whichever of them is last in the file. */
static void check_given(struct tn_pass *p)
{
	const struct tn_model *m = p->r->m;

	for (uint32_t i = 0; i < m->g->n_tensors && !p->r->nomem && !p->r->too_large;
		i++) {
		const struct tn_form *f = &m->form[i];
		uint32_t victim = i, other;
		struct tn_difference d;
		struct tn_loss *loss;
		int64_t shift;

		if (f->root != i || !m->given[i] ||
			!tn_pass_differs(p, i, &p->world->start[0][i], f->lo, f->hi, &d))
			continue;
		other = p->r->events.items[d.found.event].tensor;
		if (weight(m, other) > weight(m, i)) {
			victim = other;
			other = i;
		}
		shift = tn_setting_address(p->r->s, i, 0) -
			tn_setting_address(p->r->s, victim, 0);
		d.begin += shift;
		d.end += shift;
		loss = tn_pass_lose(p,
			weight(m, other) < WEIGHT_STATE ? LOSS_GIVEN : LOSS_INITIAL,
			victim, TN_NONE, TN_NONE, &d);
		if (loss)
			loss->last.tensor = loss->found.tensor = other;
	}
}

static bool run_world(struct tn_run *r, const struct tn_world *world)
{
	struct tn_pass p = { .r = r, .world = world };
	uint32_t n_ops = r->m->g->n_ops;

	for (p.run = 0; p.run < r->meaning->runs; p.run++) {
		p.time = 0;
		p.ran_at = TN_NEW_ARRAY(r->arena, uint32_t, n_ops);
		if (!p.ran_at)
			r->nomem = true;
		if (!r->nomem && give(&p) && !p.run)
			check_given(&p);
		for (uint32_t i = 0; i < n_ops && !r->nomem && !r->too_large; i++) {
			uint32_t op = r->s->order[i];

			if (!world->active[op])
				continue;
			if (r->s->fate[op] == FATE_RUNS && !tn_pass_op(&p, op))
				return false;
			p.ran_at[op] = ++p.time;
		}
		if (r->nomem || r->too_large || !tn_pass_end(&p))
			return false;
	}
	return true;
}

enum tn_status tn_run_all(struct tn_run *r)
{
	for (uint32_t w = 0; w < r->meaning->n_worlds; w++)
		if (!run_world(r, &r->meaning->worlds[w]))
			return r->too_large && !r->nomem ? TN_OK : TN_ERR_NOMEM;
	return TN_OK;
}
