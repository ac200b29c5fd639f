/* The schedule is a permutation of the ops, and each value is there before it is read. A
 * value that no order could provide is a cycle, and is named. */
#include <inttypes.h>

#include "base/checked.h"
#include "ir/validate_part.h"

#define NEVER INT64_MAX /* nothing produces the value */
#define START (-1) /* there before the first op */

struct order {
	struct tn_check *c;
	int64_t *position; /* by op, in the schedule */
	uint32_t *writer; /* by tensor: its first writer in the schedule, or TN_NONE */
	int64_t *ready; /* by tensor: position that makes it readable, START or NEVER */
	uint32_t *ready_op; /* by tensor: the op at that position */
};

static const char *op_name(const struct order *o, uint32_t op)
{
	return o->c->g->ops[op].name;
}

static bool check_schedule(struct order *o)
{
	const struct tn_graph *g = o->c->g;
	bool ok = true;

	for (uint32_t i = 0; i < g->n_ops; i++)
		o->position[i] = NEVER;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t op = g->schedule[i].i;

		if (op >= g->n_ops) {
			tn_check_error(o->c, "graph/schedule", "/schedule", NULL,
				"step %u of the schedule names no op", i);
			ok = false;
		} else if (o->position[op] != NEVER) {
			tn_check_error(o->c, "graph/schedule", "/schedule",
				op_name(o, op), "'%s' is twice in the schedule",
				op_name(o, op));
			ok = false;
		} else {
			o->position[op] = i;
		}
	}
	return ok;
}

static bool initial(const struct tn_tensor *t)
{
	return t->role == ROLE_INPUT || t->role == ROLE_CONST ||
	       t->role == ROLE_VARIABLE || t->role == ROLE_SCRATCH || t->elements == 0;
}

/* One producer each, and none for what is there from the start, unless `mutated`. */
static void check_writer(struct order *o, uint32_t op, tn_tensor_id id)
{
	const struct tn_tensor *t = &o->c->g->tensors[id.i];
	const struct tn_op *self = &o->c->g->ops[op];
	uint32_t first = o->writer[id.i];

	if (first == TN_NONE)
		o->writer[id.i] = op;
	if (t->mutated || t->elements == 0)
		return;
	if (first != TN_NONE) {
		tn_check_error(o->c, "graph/several-producers", self->pointer, self->name,
			"'%s' is produced by '%s' and by '%s'", t->name,
			op_name(o, first), self->name);
		tn_diag_note(o->c->diags,
			"expected: one producer, or a tensor that is 'mutated'");
	} else if (t->role == ROLE_INPUT || t->role == ROLE_CONST) {
		tn_check_error(o->c, "graph/several-producers", self->pointer, self->name,
			"'%s' writes '%s', which is %s", self->name, t->name,
			t->role == ROLE_INPUT ? "an input that is not 'mutated'"
					      : "a constant");
	}
}

/* A view that no op writes is there with what it views; a root that no op writes, with
 * the first of its views that is written. Whether all bytes are there is for the verifier
 * to say. */
static bool find_ready(struct order *o)
{
	const struct tn_graph *g = o->c->g;
	int64_t *first =
		TN_NEW_ARRAY(&o->c->scratch, int64_t, g->n_tensors); /* by root */
	uint32_t *first_op = TN_NEW_ARRAY(&o->c->scratch, uint32_t, g->n_tensors);

	if (!first || !first_op)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		first[i] = NEVER;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		uint32_t root = o->c->root[i];

		o->ready[i] = NEVER;
		if (initial(&g->tensors[i])) {
			o->ready[i] = START;
		} else if (o->writer[i] != TN_NONE) {
			o->ready[i] = o->position[o->writer[i]];
			o->ready_op[i] = o->writer[i];
		}
		if (o->ready[i] < first[root]) {
			first[root] = o->ready[i];
			first_op[root] = o->ready_op[i];
		}
	}
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		if (o->ready[i] == NEVER) {
			o->ready[i] = first[o->c->root[i]];
			o->ready_op[i] = first_op[o->c->root[i]];
		}
	}
	return true;
}

/* Does the op need the value of an op that does not run before it? */
static bool too_early(const struct order *o, uint32_t op, tn_tensor_id id)
{
	return id.i != TN_NONE && o->ready[id.i] != NEVER &&
	       o->ready[id.i] >= o->position[op];
}

struct cycles {
	uint32_t *waits; /* by op: operands that are not there yet */
	uint32_t *begin; /* by op: its readers in `readers`, CSR */
	uint32_t *readers;
	uint32_t *queue;
};

static bool count_edges(struct order *o, struct cycles *k)
{
	const struct tn_graph *g = o->c->g;
	size_t edges = 0;

	for (uint32_t i = 0; i < g->n_ops; i++)
		edges += g->ops[i].n_inputs;
	k->waits = TN_NEW_ARRAY(&o->c->scratch, uint32_t, g->n_ops);
	k->begin = TN_NEW_ARRAY(&o->c->scratch, uint32_t, (size_t)g->n_ops + 2);
	k->readers = TN_NEW_ARRAY(&o->c->scratch, uint32_t, edges);
	k->queue = TN_NEW_ARRAY(&o->c->scratch, uint32_t, g->n_ops);
	if (!k->waits || !k->begin || !k->readers || !k->queue)
		return false;
	/* begin[p + 2] counts, then is summed and filled, so that begin[p] .. begin[p + 1]
	 * are the readers of p in the end */
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < g->n_ops; i++) {
			for (uint32_t n = 0; n < g->ops[i].n_inputs; n++) {
				tn_tensor_id id = g->ops[i].inputs[n];

				if (id.i == TN_NONE || o->ready[id.i] == START ||
					o->ready[id.i] == NEVER)
					continue;
				if (pass == 0) {
					k->begin[o->ready_op[id.i] + 2]++;
					k->waits[i]++;
				} else {
					k->readers[k->begin[o->ready_op[id.i] + 1]++] = i;
				}
			}
		}
		for (uint32_t i = 0; pass == 0 && i < g->n_ops; i++)
			k->begin[i + 2] += k->begin[i + 1];
	}
	return true;
}

/* Runs what can run. What is left waits for a cycle. */
static void run_all(const struct order *o, struct cycles *k)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < o->c->g->n_ops; i++)
		if (!k->waits[i])
			k->queue[tail++] = i;
	while (head < tail) {
		uint32_t op = k->queue[head++];

		for (uint32_t e = k->begin[op]; e < k->begin[op + 1]; e++)
			if (--k->waits[k->readers[e]] == 0)
				k->queue[tail++] = k->readers[e];
	}
}

/* An op that the op waits for, and the tensor. */
static uint32_t waits_for(
	const struct order *o, const struct cycles *k, uint32_t op, uint32_t *out_tensor)
{
	const struct tn_op *self = &o->c->g->ops[op];

	for (uint32_t n = 0; n < self->n_inputs; n++) {
		tn_tensor_id id = self->inputs[n];

		if (id.i == TN_NONE || o->ready[id.i] == START || o->ready[id.i] == NEVER)
			continue;
		if (k->waits[o->ready_op[id.i]]) {
			*out_tensor = id.i;
			return o->ready_op[id.i];
		}
	}
	return TN_NONE;
}

static void report_cycle(struct order *o, const struct cycles *k, uint32_t start)
{
	const struct tn_op *first = &o->c->g->ops[start];
	uint32_t op = start, tensor = 0;

	tn_check_error(o->c, "graph/cycle", first->pointer, first->name,
		"'%s' needs its own result: there is a cycle", first->name);
	do {
		uint32_t next = waits_for(o, k, op, &tensor);

		tn_diag_note(o->c->diags, "'%s' needs '%s' from '%s'", op_name(o, op),
			o->c->g->tensors[tensor].name, op_name(o, next));
		op = next;
	} while (op != start);
}

/* Each op that is left waits for another one that is left: following these leads into a
 * cycle. `seen` holds the walk's number, so that each op is walked once. */
static bool report_cycles(struct order *o, struct cycles *k)
{
	uint32_t *seen = TN_NEW_ARRAY(&o->c->scratch, uint32_t, o->c->g->n_ops);
	uint32_t walk = 0, tensor;

	if (!seen)
		return false;
	for (uint32_t i = 0; i < o->c->g->n_ops; i++) {
		uint32_t op = i;

		if (!k->waits[i] || seen[i])
			continue;
		walk++;
		while (!seen[op]) {
			seen[op] = walk;
			op = waits_for(o, k, op, &tensor);
		}
		if (seen[op] == walk)
			report_cycle(o, k, op);
	}
	return true;
}

static void report_early(struct order *o, const struct cycles *k)
{
	for (uint32_t i = 0; i < o->c->g->n_ops; i++) {
		const struct tn_op *op = &o->c->g->ops[i];

		for (uint32_t n = 0; n < op->n_inputs && !k->waits[i]; n++) {
			tn_tensor_id id = op->inputs[n];

			if (too_early(o, i, id))
				tn_check_error(o->c, "graph/order", op->pointer, op->name,
					"'%s' reads '%s' before '%s' produces it",
					op->name, o->c->g->tensors[id.i].name,
					op_name(o, o->ready_op[id.i]));
		}
	}
}

static void check_reads(struct order *o)
{
	const struct tn_graph *g = o->c->g;
	bool early = false;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];

		for (uint32_t k = 0; k < op->n_inputs; k++) {
			tn_tensor_id id = op->inputs[k];

			early = early || too_early(o, i, id);
			if (id.i != TN_NONE && o->ready[id.i] == NEVER)
				tn_check_error(o->c, "graph/never-produced", op->pointer,
					op->name,
					"'%s' reads '%s', which nothing produces",
					op->name, g->tensors[id.i].name);
		}
	}
	for (uint32_t i = 0; i < g->n_outputs; i++) {
		const struct tn_tensor *t = &g->tensors[g->outputs[i].i];

		if (o->ready[g->outputs[i].i] == NEVER)
			tn_check_error(o->c, "graph/never-produced", t->pointer, t->name,
				"nothing produces the output '%s'", t->name);
	}
	if (early) {
		struct cycles k;

		if (!count_edges(o, &k)) {
			o->c->nomem = true;
			return;
		}
		run_all(o, &k);
		report_early(o, &k);
		o->c->nomem = !report_cycles(o, &k) || o->c->nomem;
	}
}

void tn_check_order(struct tn_check *c)
{
	const struct tn_graph *g = c->g;
	struct order o = { .c = c };

	o.position = TN_NEW_ARRAY(&c->scratch, int64_t, g->n_ops);
	o.writer = TN_NEW_ARRAY(&c->scratch, uint32_t, g->n_tensors);
	o.ready = TN_NEW_ARRAY(&c->scratch, int64_t, g->n_tensors);
	o.ready_op = TN_NEW_ARRAY(&c->scratch, uint32_t, g->n_tensors);
	if (!o.position || !o.writer || !o.ready || !o.ready_op) {
		c->nomem = true;
		return;
	}
	if (!check_schedule(&o))
		return;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		o.writer[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[g->schedule[i].i];

		for (uint32_t k = 0; k < op->n_outputs; k++)
			check_writer(&o, g->schedule[i].i, op->outputs[k]);
	}
	if (!find_ready(&o)) {
		c->nomem = true;
		return;
	}
	check_reads(&o);
}
