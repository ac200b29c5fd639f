#include "exec/exec.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "bind/view.h"
#include "exec/exec_part.h"
#include "exec/flow.h"
#include "exec/stream.h"
#include "ir/seed.h"

/* ---- memory ---- */

static enum tn_status make_regions(struct tn_exec *e, struct tn_arena *arena)
{
	const struct tn_plan *plan = e->program.plan;
	size_t largest = 0;

	e->regions = TN_NEW_ARRAY(arena, uint8_t *, plan->n_regions);
	if (!e->regions)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < plan->n_regions; i++) {
		size_t size;
		uint8_t *block;

		if (!tn_size_from_i64(plan->regions[i].used, &size) ||
			size > SIZE_MAX - 4 * TN_EXEC_GUARD)
			return TN_ERR_NOMEM;
		block = tn_arena_alloc(arena, size + 3 * TN_EXEC_GUARD);
		if (!block)
			return TN_ERR_NOMEM;
		block += TN_EXEC_GUARD - (uintptr_t)block % TN_EXEC_GUARD;
		memset(block, TN_EXEC_GUARD_BYTE, TN_EXEC_GUARD);
		memset(block + TN_EXEC_GUARD + size, TN_EXEC_GUARD_BYTE, TN_EXEC_GUARD);
		e->regions[i] = block + TN_EXEC_GUARD;
		largest = size > largest ? size : largest;
	}
	e->needed = tn_arena_alloc(arena, largest);
	return e->needed ? TN_OK : TN_ERR_NOMEM;
}

/* Constants may lie anywhere in a file; kernels load whole elements. */
static const uint8_t *aligned(
	struct tn_arena *arena, const uint8_t *bytes, int64_t n_bytes)
{
	size_t size = (size_t)n_bytes;
	uint8_t *copy;

	if ((uintptr_t)bytes % TN_PROGRAM_ALIGN == 0)
		return bytes;
	copy = tn_arena_alloc(arena, size);
	if (copy && size)
		memcpy(copy, bytes, size);
	return copy;
}

static enum tn_status locate(struct tn_exec *e, struct tn_arena *arena)
{
	const struct tn_graph *g = e->graph;

	e->bytes = TN_NEW_ARRAY(arena, const uint8_t *, g->n_tensors);
	if (!e->bytes)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_storage *s = &e->program.tensors[i];
		const struct tn_tensor *constant;
		int64_t offset;

		if (s->region != TN_REGION_NONE) {
			e->bytes[i] = tn_exec_at(e, s);
			continue;
		}
		constant = tn_constant_of(g, (tn_tensor_id){ i }, &offset);
		if (!constant)
			continue;
		e->bytes[i] =
			aligned(arena, constant->data + offset, g->tensors[i].bytes);
		if (!e->bytes[i])
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

static const void *read_from(const struct tn_exec *e, const struct tn_operand *o)
{
	return o->tensor.i == TN_NONE ? o->data : e->bytes[o->tensor.i];
}

/* NULL for what no kernel may write: a constant. */
static void *write_to(const struct tn_exec *e, const struct tn_operand *o)
{
	const struct tn_storage *s;

	if (o->tensor.i == TN_NONE)
		return NULL;
	s = &e->program.tensors[o->tensor.i];
	return s->region == TN_REGION_NONE ? NULL : tn_exec_at(e, s);
}

static enum tn_status link_flow(
	struct tn_exec *e, struct tn_arena *arena, tn_op_id id, struct tn_exec_op *op)
{
	const struct tn_op *o = &e->graph->ops[id.i];

	op->out = TN_NEW_ARRAY(arena, void *, o->n_outputs);
	if (!op->out)
		return TN_ERR_NOMEM;
	for (uint32_t k = 0; k < o->n_outputs; k++)
		op->out[k] = write_to(e, &(struct tn_operand){ .tensor = o->outputs[k] });
	return tn_flow_new(e, id, op->out, arena, &op->flow);
}

static enum tn_status link_ops(struct tn_exec *e, struct tn_arena *arena)
{
	e->ops = TN_NEW_ARRAY(arena, struct tn_exec_op, e->program.n_ops);
	if (!e->ops)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < e->program.n_ops; i++) {
		const struct tn_program_op *po = &e->program.ops[i];
		struct tn_exec_op *op = &e->ops[i];

		if (po->elided)
			continue;
		if (po->flow) {
			enum tn_status status = link_flow(e, arena, po->op, op);

			if (status != TN_OK)
				return status;
			continue;
		}
		op->in = TN_NEW_ARRAY(arena, const void *, po->call.n_in);
		op->out = TN_NEW_ARRAY(arena, void *, po->call.n_out);
		op->row_in = TN_NEW_ARRAY(arena, const void *, po->call.n_in);
		op->row_out = TN_NEW_ARRAY(arena, void *, po->call.n_out);
		if (!op->in || !op->out || !op->row_in || !op->row_out)
			return TN_ERR_NOMEM;
		for (uint32_t k = 0; k < po->call.n_in; k++)
			op->in[k] = read_from(e, &po->call.in[k]);
		for (uint32_t k = 0; k < po->call.n_out; k++)
			op->out[k] = write_to(e, &po->call.out[k]);
		if (po->scratch.region != TN_REGION_NONE)
			op->scratch = tn_exec_at(e, &po->scratch);
	}
	return TN_OK;
}

static enum tn_status make_inputs(struct tn_exec *e, struct tn_arena *arena)
{
	e->inputs = TN_NEW_ARRAY(arena, uint8_t *, e->graph->n_inputs);
	if (!e->inputs)
		return TN_ERR_NOMEM;
	for (uint32_t k = 0; k < e->graph->n_inputs; k++) {
		size_t size = 0;

		(void)tn_exec_bytes(e, e->graph->inputs[k], &size);
		e->inputs[k] = tn_arena_alloc(arena, size);
		if (!e->inputs[k])
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

static enum tn_status make(struct tn_exec *e, const struct tn_plan *plan,
	struct tn_arena *arena, struct tn_exec **out)
{
	enum tn_status status;

	e->poison = TN_POISON_NONE;
	e->unshared = !plan;
	status = tn_program_new(e->graph, plan, true, arena, e->diags, &e->program);
	if (status == TN_OK)
		status = make_regions(e, arena);
	if (status == TN_OK)
		status = locate(e, arena);
	if (status == TN_OK)
		status = link_ops(e, arena);
	if (status == TN_OK)
		status = make_inputs(e, arena);
	if (status != TN_OK)
		return status;
	e->life = tn_life_new(&e->program, arena);
	if (!e->life)
		return TN_ERR_NOMEM;
	status = tn_exec_streams_new(e, arena);
	if (status != TN_OK)
		return status;
	tn_exec_reset(e);
	*out = e;
	return TN_OK;
}

enum tn_status tn_exec_new(const struct tn_graph *g, const struct tn_plan *plan,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_exec **out)
{
	struct tn_exec *e = TN_NEW(arena, struct tn_exec);
	uint32_t *n_bodies = TN_NEW(arena, uint32_t);

	if (!e || !n_bodies)
		return TN_ERR_NOMEM;
	*e = (struct tn_exec){
		.graph = g, .file = g, .diags = diags, .n_bodies = n_bodies
	};
	return make(e, plan, arena, out);
}

enum tn_status tn_exec_new_body(const struct tn_exec *e, const struct tn_graph *body,
	struct tn_arena *arena, struct tn_exec **out)
{
	struct tn_exec *b = TN_NEW(arena, struct tn_exec);

	if (!b)
		return TN_ERR_NOMEM;
	*b = (struct tn_exec){ .graph = body,
		.file = e->file,
		.depth = e->depth + 1,
		.n_bodies = e->n_bodies,
		.diags = e->diags };
	return make(b, NULL, arena, out);
}

/* ---- inputs, variables, results ---- */

void tn_exec_poison(struct tn_exec *e, int pattern)
{
	e->poison = pattern;
}

void tn_exec_reset(struct tn_exec *e)
{
	for (uint32_t i = 0; i < e->program.n_ops; i++)
		for (int k = 0; k < 2 && e->ops[i].flow; k++)
			if (e->ops[i].flow->body[k])
				tn_exec_reset(e->ops[i].flow->body[k]);
	for (uint32_t i = 0; i < e->graph->n_tensors; i++) {
		const struct tn_tensor *t = &e->graph->tensors[i];
		const struct tn_storage *s = &e->program.tensors[i];

		if (t->role != ROLE_VARIABLE || s->region == TN_REGION_NONE)
			continue;
		if (t->data_kind == DATA_BYTES && t->data_bytes == s->bytes)
			memcpy(tn_exec_at(e, s), t->data, (size_t)s->bytes);
		else
			memset(tn_exec_at(e, s), tn_variable_byte(t), (size_t)s->bytes);
	}
}

enum tn_status tn_exec_input(
	struct tn_exec *e, uint32_t k, const void *bytes, size_t size)
{
	size_t want = 0;

	if (k < e->graph->n_inputs)
		(void)tn_exec_bytes(e, e->graph->inputs[k], &want);
	if (k >= e->graph->n_inputs || want != size) {
		tn_diag_at(e->diags, SEVERITY_ERROR, "exec/input-size", e->graph->source,
			NULL, NULL, "input %u has %zu bytes, %zu are given", k, want,
			size);
		return TN_ERR_INPUT;
	}
	if (size)
		memcpy(e->inputs[k], bytes, size);
	return TN_OK;
}

void tn_exec_seed(struct tn_exec *e, uint32_t seed)
{
	for (uint32_t k = 0; k < e->graph->n_inputs; k++) {
		tn_tensor_id id = e->graph->inputs[k];
		size_t size = 0;

		if (tn_exec_bytes(e, id, &size))
			tn_seed_input(seed + k, e->graph->tensors[id.i].dtype,
				e->inputs[k], (int64_t)size);
	}
}

const uint8_t *tn_exec_bytes(const struct tn_exec *e, tn_tensor_id id, size_t *out_size)
{
	*out_size = 0;
	if (!tn_tensor_id_ok(e->graph, id) || !e->bytes[id.i])
		return NULL;
	*out_size = (size_t)e->graph->tensors[id.i].bytes;
	return e->whole && e->whole[id.i] ? e->whole[id.i] : e->bytes[id.i];
}
