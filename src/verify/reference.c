#include "verify/reference.h"

#include "base/checked.h"
#include "contract/contract.h"

/* A view lies in its root: tn_validate has seen to it. A root with elements in front of its
 * first one has no place that a plan could name. */
static bool extent_of(const struct tn_graph *g, uint32_t id, struct tn_extent *out)
{
	int64_t begin, end;
	uint32_t up;

	*out = (struct tn_extent){ .root = id };
	for (; (up = g->tensors[out->root].view_of.i) != TN_NONE; out->root = up) {
		const struct tn_tensor *t = &g->tensors[out->root];

		out->start += t->view_offset * tn_dtype_bits(t->dtype) / 8;
	}
	if (!tn_tensor_span(&g->tensors[id], &begin, &end))
		return false;
	out->begin = out->start + begin;
	out->end = out->start + end;
	return out->begin >= 0;
}

static bool unary(const struct tn_op *op)
{
	return op->n_inputs > 0 && op->n_outputs == 1 && op->inputs[0].i != TN_NONE &&
	       op->outputs[0].i != TN_NONE;
}

/* A view of its first input that the graph declares: nothing runs. Of an op that has a
 * kernel the attribute says nothing, the kernel would run all the same. */
static bool is_idle(const struct tn_reference *ref, const struct tn_op *op)
{
	const struct tn_extent *in, *out;

	if (!unary(op) || ref->g->tensors[op->outputs[0].i].view_of.i == TN_NONE)
		return false;
	in = &ref->extent[op->inputs[0].i];
	out = &ref->extent[op->outputs[0].i];
	return in->root == out->root &&
	       ((op->kind == OP_UNKNOWN && tn_op_int(op, "view", 0)) ||
		       (tn_op_info(op->kind)->access == ACCESS_VIEW &&
			       in->begin == out->begin && in->end == out->end));
}

/* Are the output's bytes those of the first input? */
static bool is_copy(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *in, *out;

	if (!unary(op) || tn_op_info(op->kind)->access != ACCESS_VIEW)
		return false;
	in = &g->tensors[op->inputs[0].i];
	out = &g->tensors[op->outputs[0].i];
	/* a view of elements below a byte may start inside one */
	return in->dtype == out->dtype && in->bytes == out->bytes && !in->has_strides &&
	       !out->has_strides &&
	       (tn_dtype_bits(in->dtype) % 8 == 0 ||
		       (in->view_of.i == TN_NONE && out->view_of.i == TN_NONE));
}

static void describe(const struct tn_reference *ref, const struct tn_op *op,
	const struct tn_deed *deed, uint32_t k, struct tn_touch *t)
{
	bool output = k >= op->n_inputs;
	const struct tn_tensor *tensor;

	t->tensor = (output ? op->outputs[k - op->n_inputs] : op->inputs[k]).i;
	if (t->tensor == TN_NONE)
		return;
	tensor = &ref->g->tensors[t->tensor];
	t->at = ref->extent[t->tensor];
	/* what an opaque op leaves of its output as it was, and what lies between the
	 * strides of one, must have been right before */
	t->reads = !output || deed->opaque || tensor->has_strides;
	t->strict = !output && !tensor->has_strides;
	/* recurrent kernels update the state that they are given as an input */
	t->writes = output ||
		    (deed->opaque && ref->g->tensors[t->at.root].role == ROLE_VARIABLE);
}

static bool snapshot(struct tn_reference *ref, struct tn_arena *arena,
	const struct tn_touch *t, struct tn_memory *to)
{
	return tn_memory_copy(to, arena, 0, &ref->state[t->at.root], t->at.begin,
		t->at.end - t->at.begin);
}

static bool run_op(struct tn_reference *ref, tn_op_id id, struct tn_arena *arena)
{
	const struct tn_op *op = &ref->g->ops[id.i];
	struct tn_deed *deed = &ref->deeds[id.i];
	struct tn_touch *t = deed->touches =
		TN_NEW_ARRAY(arena, struct tn_touch, deed->n);
	struct tn_variant variants[TN_VARIANTS_MAX];
	bool copy = is_copy(ref->g, op), ok = t;

	deed->opaque = !tn_contract_variants(ref->g, id, variants);
	if (is_idle(ref, op))
		deed->n = 0;
	for (uint32_t k = 0; ok && k < deed->n; k++) {
		describe(ref, op, deed, k, &t[k]);
		ok = snapshot(ref, arena, &t[k], &t[k].before);
	}
	for (uint32_t k = 0; ok && k < deed->n; k++) {
		if (t[k].writes && copy)
			t[k].made = t[0].before; /* both are only read from here on */
		else if (t[k].writes)
			ok = tn_memory_write(&t[k].made, arena, 0,
				t[k].at.end - t[k].at.begin, deed->first_value + k, 0);
	}
	ok = ok && (copy || !deed->n || tn_reference_copies(ref, id, arena));
	for (uint32_t k = 0; ok && k < deed->n; k++)
		if (t[k].writes)
			ok = tn_memory_copy(&ref->state[t[k].at.root], arena,
				t[k].at.begin, &t[k].made, 0,
				t[k].at.end - t[k].at.begin);
	for (uint32_t k = 0; ok && k < deed->n; k++) {
		int64_t len = t[k].at.end - t[k].at.begin;

		ok = snapshot(ref, arena, &t[k], &t[k].after);
		if (!t[k].writes && tn_memory_match(&t[k].after, 0, &t[k].before, 0, len,
					    false) < len)
			deed->tangled = true;
		if (!t[k].writes && ref->constant[t[k].at.root])
			t[k].at.end = t[k].at.begin; /* not in planned memory */
	}
	return ok;
}

static bool number_values(struct tn_reference *ref)
{
	uint64_t n = ref->g->n_tensors;

	for (uint32_t i = 0; i < ref->g->n_ops && n < TN_NOTHING; i++) {
		struct tn_deed *deed = &ref->deeds[i];

		deed->n = ref->g->ops[i].n_inputs + ref->g->ops[i].n_outputs;
		deed->first_value = (uint32_t)n;
		deed->garbage = deed->first_value + deed->n;
		n += (uint64_t)deed->n + 1;
	}
	ref->n_values = (uint32_t)n;
	return n < TN_NOTHING;
}

/* What is there before the first op. A view among it has what its root was given. */
static bool fill(struct tn_reference *ref, struct tn_arena *arena)
{
	const struct tn_graph *g = ref->g;
	bool ok = true;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		ref->constant[i] = tn_tensor_is_constant(t);
		ref->given[i] = t->role == ROLE_INPUT || t->role == ROLE_VARIABLE ||
				tn_tensor_is_constant(t);
	}
	for (uint32_t i = 0; i < g->n_inputs; i++)
		if (g->inputs[i].i != TN_NONE)
			ref->given[g->inputs[i].i] = true;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_extent *at = &ref->extent[i];

		if (at->root != i && ref->given[at->root])
			ref->given[i] = false;
		if (ref->given[i])
			ok = ok && tn_memory_write(&ref->state[at->root], arena,
					   at->begin, at->end, i, 0);
	}
	return ok;
}

enum tn_status tn_reference_run(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_reference *out)
{
	*out = (struct tn_reference){ .g = g };
	out->deeds = TN_NEW_ARRAY(arena, struct tn_deed, g->n_ops);
	out->extent = TN_NEW_ARRAY(arena, struct tn_extent, g->n_tensors);
	out->given = TN_NEW_ARRAY(arena, bool, g->n_tensors);
	out->constant = TN_NEW_ARRAY(arena, bool, g->n_tensors);
	out->state = TN_NEW_ARRAY(arena, struct tn_memory, g->n_tensors);
	if (!out->deeds || !out->extent || !out->given || !out->constant || !out->state)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (!extent_of(g, i, &out->extent[i]))
			return TN_ERR_INPUT;
	if (!number_values(out) || !fill(out, arena))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (!run_op(out, g->schedule[i], arena))
			return TN_ERR_NOMEM;
	return TN_OK;
}
