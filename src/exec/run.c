/* A run of the executor, with what watches it: poison and guards. */
#include "exec/exec.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "exec/flow.h"
#include "exec/stream.h"

/* ---- poison and guards ---- */

static void fill_unneeded(const struct tn_exec *e, uint32_t region, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!e->needed[i])
			e->regions[region][i] = (uint8_t)e->poison;
}

/* Overwrites what no value occupies that a later op needs. Position -1: before the first
 * op, when only variables hold anything. */
static void poison(const struct tn_exec *e, int64_t position)
{
	const struct tn_plan *plan = e->program.plan;

	for (uint32_t r = 0; r < plan->n_regions; r++) {
		size_t size = (size_t)plan->regions[r].used;

		memset(e->needed, 0, size);
		for (uint32_t i = 0; i < e->graph->n_tensors; i++) {
			const struct tn_storage *s = &e->program.tensors[i];
			bool live = position < 0
					    ? e->graph->tensors[i].role == ROLE_VARIABLE
					    : e->life[i].birth <= position &&
						      position < e->life[i].death;

			if (s->region == r && live)
				memset(e->needed + s->offset, 1, (size_t)s->bytes);
		}
		fill_unneeded(e, r, size);
	}
}

/* The same inside a chain, behind event k. */
static void poison_event(
	const struct tn_exec *e, const struct tn_exec_stream *s, uint32_t k)
{
	const struct tn_plan *plan = e->program.plan;

	for (uint32_t r = 0; r < plan->n_regions; r++) {
		size_t size = (size_t)plan->regions[r].used;

		memset(e->needed, 0, size);
		tn_exec_stream_mark(e, s, k, r);
		fill_unneeded(e, r, size);
	}
}

static uint8_t gap_byte(const struct tn_exec *e)
{
	return e->poison == TN_POISON_NONE ? TN_EXEC_GUARD_BYTE : (uint8_t)e->poison;
}

/* In memory without sharing: the bytes before and behind a tensor or scratch. What is before
 * the second one and those that come later is the gap of the one before it, and what aligns
 * them; before the first one is the region's guard. */
struct gaps {
	uint8_t *before, *behind; /* NULL: there are none */
};

static struct gaps gaps_of(const struct tn_exec *e, const struct tn_storage *s)
{
	struct gaps gaps = { NULL, NULL };

	if (s->region == TN_REGION_NONE)
		return gaps;
	gaps.behind = tn_exec_at(e, s) + s->bytes;
	if (s->offset >= TN_PROGRAM_GAP)
		gaps.before = tn_exec_at(e, s) - TN_PROGRAM_GAP;
	return gaps;
}

/* Views lie inside another tensor: only storage of its own has gaps around it. */
static const struct tn_storage *owner(const struct tn_exec *e, uint32_t tensor)
{
	static const struct tn_storage none = { .region = TN_REGION_NONE };

	return e->graph->tensors[tensor].view_of.i == TN_NONE
		       ? &e->program.tensors[tensor]
		       : &none;
}

static void fill_gap(const struct tn_exec *e, const struct tn_storage *s)
{
	const struct gaps gaps = gaps_of(e, s);

	if (gaps.before)
		memset(gaps.before, gap_byte(e), TN_PROGRAM_GAP);
	if (gaps.behind)
		memset(gaps.behind, gap_byte(e), TN_PROGRAM_GAP);
}

static void fill_gaps(const struct tn_exec *e)
{
	for (uint32_t i = 0; i < e->graph->n_tensors; i++)
		fill_gap(e, owner(e, i));
	for (uint32_t i = 0; i < e->program.n_ops; i++)
		fill_gap(e, &e->program.ops[i].scratch);
}

static bool holds(const uint8_t *bytes, uint8_t value, size_t size)
{
	/* the first one holds it, and each what the one before it does */
	return !size || (bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0);
}

static bool gap_intact(const struct tn_exec *e, const struct tn_storage *s)
{
	const struct gaps gaps = gaps_of(e, s);

	return (!gaps.before || holds(gaps.before, gap_byte(e), TN_PROGRAM_GAP)) &&
	       (!gaps.behind || holds(gaps.behind, gap_byte(e), TN_PROGRAM_GAP));
}

static bool guards_intact(const struct tn_exec *e)
{
	const struct tn_plan *plan = e->program.plan;

	for (uint32_t r = 0; r < plan->n_regions; r++)
		if (!holds(e->regions[r] - TN_EXEC_GUARD, TN_EXEC_GUARD_BYTE,
			    TN_EXEC_GUARD) ||
			!holds(e->regions[r] + plan->regions[r].used, TN_EXEC_GUARD_BYTE,
				TN_EXEC_GUARD))
			return false;
	if (!e->unshared)
		return true;
	for (uint32_t i = 0; i < e->graph->n_tensors; i++)
		if (!gap_intact(e, owner(e, i)))
			return false;
	for (uint32_t i = 0; i < e->program.n_ops; i++)
		if (!gap_intact(e, &e->program.ops[i].scratch))
			return false;
	return true;
}

/* ---- running ---- */

static void show(const struct tn_exec *e, tn_layer_fn *fn, void *user, tn_tensor_id id,
	tn_op_id op)
{
	struct tn_exec_layer layer = { .tensor = id, .op = op };

	if (!fn || id.i == TN_NONE)
		return;
	layer.bytes = tn_exec_bytes(e, id, &layer.size);
	if (layer.bytes)
		fn(user, &layer);
}

static void start(struct tn_exec *e)
{
	if (e->poison != TN_POISON_NONE)
		poison(e, -1);
	if (e->unshared)
		fill_gaps(e);
	for (uint32_t k = 0; k < e->graph->n_inputs; k++) {
		const uint32_t id = e->graph->inputs[k].i;
		const struct tn_storage *s = &e->program.tensors[id];

		if (s->region != TN_REGION_NONE && !tn_plan_is_fed(e->program.plan, id))
			memcpy(tn_exec_at(e, s), e->inputs[k], (size_t)s->bytes);
	}
}

static enum tn_status check_guards(
	const struct tn_exec *e, const struct tn_op *op, const char *who)
{
	if (guards_intact(e))
		return TN_OK;
	tn_diag_at(e->diags, SEVERITY_ERROR, "exec/guard", e->graph->source, op->pointer,
		op->name, "op '%s' wrote outside of its operands (%s)", op->name, who);
	return TN_ERR_INTERNAL;
}

static enum tn_status run_chain(const struct tn_exec *e, const struct tn_exec_stream *s)
{
	enum tn_status status = TN_OK;

	for (uint32_t k = 0; k < s->n_events && status == TN_OK; k++) {
		const struct tn_program_op *po =
			s->events[k].position == TN_NONE
				? NULL
				: &e->program.ops[s->events[k].position];

		if (po && !po->rows)
			continue;
		tn_exec_stream_run(e, s, k);
		if (po)
			status = check_guards(
				e, &e->graph->ops[po->op.i], po->call.kernel->symbol);
		if (e->poison != TN_POISON_NONE)
			poison_event(e, s, k);
	}
	return status;
}

/* What an op uses as scratch by its attributes, before it runs and after. */
static void spoil_scratch(const struct tn_exec *e, const struct tn_op *op)
{
	for (size_t i = 0; i < tn_op_n_scratch(op); i++) {
		const uint32_t id = tn_op_scratch(e->graph, op, i).i;
		const struct tn_plan_tensor *t =
			&e->program.plan->tensors[id == TN_NONE ? 0 : id];

		if (id != TN_NONE && t->region != TN_REGION_NONE)
			memset(e->regions[t->region] + t->offset, e->poison,
				(size_t)t->bytes);
	}
}

/* What the graph says of the op's own kernel and the built-in one does not do: inputs are
 * destroyed, bytes past the end of outputs are written. */
static void spoil(const struct tn_exec *e, const struct tn_op *op)
{
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		const bool input = k < op->n_inputs;
		const uint32_t id =
			(input ? op->inputs[k] : op->outputs[k - op->n_inputs]).i;
		int64_t tail = input ? 0 : tn_op_tail(op);
		const struct tn_storage *s;

		if (id == TN_NONE || e->program.tensors[id].region == TN_REGION_NONE)
			continue;
		s = &e->program.tensors[id];
		/* the guards see what is beyond the region */
		tail = tn_min_i64(tail, e->program.plan->regions[s->region].used +
						TN_EXEC_GUARD - s->offset - s->bytes);
		if (tail > 0)
			memset(tn_exec_at(e, s) + s->bytes, e->poison, (size_t)tail);
		if (input && tn_op_destroys(e->graph, op, k))
			memset(tn_exec_at(e, s), e->poison, (size_t)s->bytes);
	}
	spoil_scratch(e, op);
}

/* Runs the op at position i, or the chain that starts there. */
static enum tn_status run_at(struct tn_exec *e, uint32_t i)
{
	const struct tn_program_op *po = &e->program.ops[i];
	const struct tn_plan_stream *s = tn_plan_stream_at(e->program.plan, i);
	const struct tn_op *op = &e->graph->ops[po->op.i];
	const struct tn_exec_op *x = &e->ops[i];

	if (s)
		return i == s->first
			       ? run_chain(e, &e->streams[s - e->program.plan->streams])
			       : TN_OK;
	if (e->poison != TN_POISON_NONE && !e->unshared && !po->elided)
		spoil_scratch(e, op);
	if (x->flow) {
		enum tn_status status = tn_flow_run(e, po->op, x->flow, x->out);

		if (status != TN_OK)
			return status;
	} else if (!po->elided) {
		po->call.kernel->run(po->call.params, x->in, x->out, x->scratch);
	}
	if (e->poison != TN_POISON_NONE && !e->unshared && !po->elided)
		spoil(e, op);
	return check_guards(e, op,
		po->elided ? "nothing ran"
		: x->flow  ? "a body"
			   : po->call.kernel->symbol);
}

/* Does the op at position i run, and others of its chain behind it? All have run then. */
static bool is_inside(const struct tn_exec *e, uint32_t i)
{
	const struct tn_plan_stream *s = tn_plan_stream_at(e->program.plan, i);

	return s && i + 1 < s->first + s->n;
}

enum tn_status tn_exec_run(struct tn_exec *e, tn_layer_fn *fn, void *user)
{
	const struct tn_graph *g = e->graph;

	start(e);
	for (uint32_t k = 0; k < g->n_inputs; k++)
		show(e, fn, user, g->inputs[k], (tn_op_id){ TN_NONE });
	for (uint32_t i = 0; i < e->program.n_ops; i++) {
		const struct tn_program_op *po = &e->program.ops[i];
		const struct tn_op *op = &g->ops[po->op.i];
		enum tn_status status = run_at(e, i);

		if (status != TN_OK)
			return status;
		for (uint32_t k = 0; k < op->n_outputs; k++)
			show(e, fn, user, op->outputs[k], po->op);
		if (e->poison != TN_POISON_NONE && !e->unshared && !is_inside(e, i))
			poison(e, i);
	}
	return TN_OK;
}
