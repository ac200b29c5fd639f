#include "driver/refusal.h"

#include <string.h>

#include "base/banned.h"

/* Does the file itself say that the value lies in the tensor's bytes? */
static bool lies_in(const struct tn_graph *g, uint32_t value, uint32_t tensor)
{
	for (uint32_t hops = 0; value < g->n_tensors && hops <= g->n_tensors; hops++) {
		if (value == tensor)
			return true;
		value = g->tensors[value].view_of.i;
	}
	return false;
}

static bool is_rule(const struct tn_verdict *v, const char *rule)
{
	return v->rule && strcmp(v->rule, rule) == 0;
}

/* No plan can keep an input that the graph overwrites by its own word. */
static bool loses_input(struct tn_run *run)
{
	const struct tn_verdict *v = &run->verdict;
	const char *name;

	if (!is_rule(v, "plan/input-lost") || v->found.kind != SEEN_WRITTEN ||
		v->tensor == TN_NONE || !lies_in(&run->graph, v->found.tensor, v->tensor))
		return false;
	name = run->graph.tensors[v->tensor].name;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "hazard/input-write", run->source,
		run->graph.ops[v->found.op].pointer, name,
		"the graph itself overwrites '%s', which the caller wants back", name);
	tn_diag_note(&run->diags, "mark the input as clobber, or write elsewhere");
	return true;
}

/* Does the op destroy an input, or use scratch, that has bytes of the tensor? */
static bool destroys(const struct tn_graph *g, const struct tn_op *op, uint32_t tensor)
{
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (tn_op_destroys(g, op, k) &&
			(lies_in(g, op->inputs[k].i, tensor) ||
				lies_in(g, tensor, op->inputs[k].i)))
			return true;
	for (size_t i = 0; i < tn_op_n_scratch(op); i++) {
		const uint32_t s = tn_op_scratch(g, op, i).i;

		if (s != TN_NONE && (lies_in(g, tensor, s) || lies_in(g, s, tensor)))
			return true;
	}
	return false;
}

/* Nor can one keep what an op destroys by the graph's own word, when somebody still needs
 * it. */
static bool loses_destroyed(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	const struct tn_verdict *v = &run->verdict;
	uint32_t id = v->found.kind == SEEN_GARBAGE ? v->found.op : TN_NONE;
	const struct tn_op *op;

	if (is_rule(v, "plan/constant-overwrite"))
		id = v->op;
	op = id == TN_NONE ? NULL : &g->ops[id];
	if (!op || v->tensor == TN_NONE || !destroys(g, op, v->tensor))
		return false;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "hazard/destructive-input", run->source,
		op->pointer, op->name, "'%s' destroys '%s', which is needed after it",
		op->name, g->tensors[v->tensor].name);
	tn_diag_note(&run->diags,
		"run who reads it before it (--repair does), or give it a copy");
	return true;
}

/* Is the tensor scratch, by its role or by the op's own word? */
static bool is_scratch(const struct tn_run *run, const struct tn_op *op, uint32_t tensor)
{
	const struct tn_graph *g = &run->graph;
	const uint32_t root = run->aliases.of[tensor].root.i;

	if (g->tensors[root].role == ROLE_SCRATCH)
		return true;
	for (size_t i = 0; i < tn_op_n_scratch(op); i++) {
		const tn_tensor_id s = tn_op_scratch(g, op, i);

		if (s.i != TN_NONE && run->aliases.of[s.i].root.i == root)
			return true;
	}
	return false;
}

/* Nor can one keep what the graph puts into scratch: it is garbage when its op has run. */
static bool writes_scratch(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	const struct tn_verdict *v = &run->verdict;
	const struct tn_op *op = v->op == TN_NONE ? NULL : &g->ops[v->op];

	if (!is_rule(v, "plan/scratch-overlap"))
		return false;
	for (uint32_t k = 0; op && k < op->n_outputs; k++) {
		const uint32_t out = op->outputs[k].i;

		if (out == TN_NONE || !is_scratch(run, op, out))
			continue;
		tn_diag_at(&run->diags, SEVERITY_ERROR, "hazard/scratch-clobbered",
			run->source, op->pointer, op->name,
			"'%s' writes '%s' into scratch, which holds nothing when an op "
			"has run",
			op->name, g->tensors[out].name);
		tn_diag_note(
			&run->diags, "give what it writes a tensor that is no scratch");
		return true;
	}
	return false;
}

static bool one_root(const struct tn_run *run, uint32_t a, uint32_t b)
{
	return run->aliases.of[a].root.i == run->aliases.of[b].root.i;
}

/* Nor has a plan a say in what lies behind a view in its own storage, past whose end an op
 * writes. */
static bool writes_past(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	const struct tn_verdict *v = &run->verdict;
	const struct tn_op *op;

	if (v->found.kind != SEEN_WRITTEN || v->tensor == TN_NONE ||
		v->found.begin < g->tensors[v->found.tensor].bytes ||
		!tn_op_tail(&g->ops[v->found.op]) ||
		!one_root(run, v->found.tensor, v->tensor))
		return false;
	op = &g->ops[v->found.op];
	tn_diag_at(&run->diags, SEVERITY_ERROR, "hazard/partial-overlap", run->source,
		op->pointer, op->name,
		"'%s' writes past the end of '%s', over '%s' in the same storage",
		op->name, g->tensors[v->found.tensor].name, g->tensors[v->tensor].name);
	tn_diag_note(&run->diags, "give what it writes storage of its own");
	return true;
}

/* Does the graph destroy by its own word what it needs? Our own plan takes nothing from an op
 * that is not to blame. */
static bool judges_badly(struct tn_run *run)
{
	const uint32_t n = run->graph.n_claims;
	enum tn_status status;

	run->graph.n_claims = 0;
	status = tn_claims_judge_all(
		&run->graph, NULL, &run->arena, &run->diags, &run->claims);
	run->graph.n_claims = n;
	if (status != TN_OK || !run->claims.n_graph)
		return false;
	tn_claims_report(&run->graph, &run->claims, &run->diags);
	return true;
}

/* Nor in what an op reads when the graph has it write there already. */
static bool reads_late(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	const struct tn_verdict *v = &run->verdict;
	const struct tn_op *op = v->op < g->n_ops ? &g->ops[v->op] : NULL;

	if (!op || v->found.kind != SEEN_WRITTEN || v->found.op != v->op ||
		v->tensor == TN_NONE || !one_root(run, v->found.tensor, v->tensor))
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		if (op->inputs[k].i != v->tensor || !tn_op_reads_again(g, op, k))
			continue;
		tn_diag_at(&run->diags, SEVERITY_ERROR, "hazard/write-before-read",
			run->source, op->pointer, op->name,
			"'%s' writes over '%s', which it still reads itself", op->name,
			g->tensors[v->tensor].name);
		tn_diag_note(&run->diags, "give what it writes storage of its own");
		return true;
	}
	return false;
}

bool tn_refusal_is_graphs(struct tn_run *run)
{
	bool (*const faults[])(struct tn_run *) = { loses_input, loses_destroyed,
		writes_scratch, writes_past, judges_badly, reads_late };

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (faults[i](run))
			return true;
	return false;
}

static uint32_t root_of(const struct tn_graph *g, tn_tensor_id id)
{
	while (id.i != TN_NONE && g->tensors[id.i].view_of.i != TN_NONE)
		id = g->tensors[id.i].view_of;
	return id.i;
}

/* Does an op of a type that only claims know write into the storage of what it reads? */
static bool works_in_place(const struct tn_graph *g, const struct tn_op *op)
{
	for (uint32_t k = 0; k < op->n_outputs && op->kind == OP_UNKNOWN; k++)
		for (uint32_t i = 0; i < op->n_inputs; i++)
			if (op->outputs[k].i != TN_NONE &&
				root_of(g, op->outputs[k]) == root_of(g, op->inputs[i]) &&
				!tn_op_names_anew(g, op, op->outputs[k].i))
				return true;
	return false;
}

enum tn_status tn_refusal_own_word(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	bool any = false;

	for (uint32_t i = 0; i < g->n_ops && !any; i++)
		any = works_in_place(g, &g->ops[i]);
	if (!any || !judges_badly(run))
		return TN_OK;
	run->verified = false;
	return TN_ERR_REFUSED;
}
