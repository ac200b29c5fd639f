#include "bind/row_call.h"

#include <stddef.h>
#include <string.h>

#include "base/banned.h"
#include "bind/binder.h"

/* In every parameter struct of a window the geometry is at the same place. */
#define GEOMETRY_AT offsetof(struct tn_conv_params, g)
_Static_assert(offsetof(struct tn_window_f32_params, g) == GEOMETRY_AT, "geometry");
_Static_assert(offsetof(struct tn_pool_params, g) == GEOMETRY_AT, "geometry");
_Static_assert(offsetof(struct tn_dsp_conv_params, g) == GEOMETRY_AT, "geometry");
_Static_assert(offsetof(struct tn_dsp_depthwise_params, g) == GEOMETRY_AT, "geometry");
_Static_assert(offsetof(struct tn_thumb_conv_params, g) == GEOMETRY_AT, "geometry");
_Static_assert(offsetof(struct tn_thumb_depthwise_params, g) == GEOMETRY_AT, "geometry");
_Static_assert(offsetof(struct tn_mve_conv_params, g) == GEOMETRY_AT, "geometry");
_Static_assert(offsetof(struct tn_mve_depthwise_params, g) == GEOMETRY_AT, "geometry");
_Static_assert(offsetof(struct tn_geometry, y_end) ==
		       offsetof(struct tn_geometry, y_begin) + sizeof(int32_t),
	"rows");

struct bind_rows {
	const struct tn_graph *g;
	tn_op_id op;
	struct tn_variant variant;
	struct tn_row_room room;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_row_call *out;
};

/* ---- windows ---- */

static enum tn_status bind_window(struct bind_rows *b)
{
	struct tn_row_call *out = b->out;
	enum tn_status status =
		tn_bind(b->g, b->op, b->variant, b->arena, b->diags, &out->call);
	struct tn_geometry g;
	char *params;

	if (status != TN_OK)
		return status;
	params = tn_arena_alloc(b->arena, out->call.kernel->params->size);
	if (!params)
		return TN_ERR_NOMEM;
	memcpy(params, out->call.params, out->call.kernel->params->size);
	memcpy(&g, params + GEOMETRY_AT, sizeof(g));
	g.in_rows = (int32_t)b->room.in;
	g.out_rows = (int32_t)b->room.out;
	memcpy(params + GEOMETRY_AT, &g, sizeof(g));
	out->call.params = params;
	out->rows_at = (uint32_t)(GEOMETRY_AT + offsetof(struct tn_geometry, y_begin));
	return TN_OK;
}

/* ---- totals ---- */

static void total_s8(const void *of, bool pool, struct tn_plane plane, void *params)
{
	if (pool) {
		const struct tn_pool_params *whole = of;
		struct tn_average_rows_params *p = params;

		*p = (struct tn_average_rows_params){ .plane = plane,
			.act_min = whole->act_min,
			.act_max = whole->act_max };
	} else {
		const struct tn_sum_params *whole = of;
		struct tn_sum_rows_params *p = params;

		*p = (struct tn_sum_rows_params){ .plane = plane,
			.in_bias = whole->in_bias,
			.multiplier = whole->multiplier,
			.shift = whole->shift,
			.out_offset = whole->out_offset,
			.out_min = whole->out_min,
			.out_max = whole->out_max };
	}
}

static void total_f32(const void *of, bool pool, struct tn_plane plane, void *params)
{
	if (pool) {
		const struct tn_window_f32_params *whole = of;
		struct tn_average_rows_f32_params *p = params;

		*p = (struct tn_average_rows_f32_params){ .plane = plane,
			.act_min = whole->act_min,
			.act_max = whole->act_max };
	} else {
		const struct tn_sum_f32_params *whole = of;
		struct tn_sum_rows_f32_params *p = params;

		*p = (struct tn_sum_rows_f32_params){ .plane = plane,
			.divisor = whole->divisor };
	}
}

/* The whole op is bound, then the same by rows, with what it computed. */
static enum tn_status bind_total(struct bind_rows *b)
{
	const struct tn_op *op = &b->g->ops[b->op.i];
	const struct tn_tensor *in = &b->g->tensors[op->inputs[0].i];
	const bool pool = op->kind == OP_AVERAGE_POOL_2D, real = in->dtype == DTYPE_F32;
	const enum tn_kernel_id kernel =
		pool   ? real ? KERNEL_AVERAGE_ROWS_F32 : KERNEL_AVERAGE_ROWS_S8
		: real ? KERNEL_SUM_ROWS_F32
		       : KERNEL_SUM_ROWS_S8;
	const struct tn_plane plane = { .height = (int32_t)in->shape.dim[1],
		.width = (int32_t)in->shape.dim[2],
		.channels = (int32_t)in->shape.dim[3],
		.y_end = (int32_t)in->shape.dim[1],
		.in_rows = (int32_t)b->room.in };
	struct tn_graph portable = *b->g;
	struct tn_call whole, *call = &b->out->call;
	enum tn_status status;
	void *params;

	portable.kernels = KERNELS_PORTABLE;
	status = tn_bind(&portable, b->op, b->variant, b->arena, b->diags, &whole);
	if (status != TN_OK)
		return status;
	*call = whole;
	call->kernel = &tn_kernels[kernel];
	call->n_in = 1;
	params = tn_arena_alloc(b->arena, call->kernel->params->size);
	if (!params)
		return TN_ERR_NOMEM;
	call->params = params;
	(real ? total_f32 : total_s8)(whole.params, pool, plane, params);
	b->out->rows_at = (uint32_t)(offsetof(struct tn_average_rows_params, plane) +
				     offsetof(struct tn_plane, y_begin));
	return TN_OK;
}

/* ---- element by element ---- */

/* The op with operands that have one row: its call is that of each row. */
struct one_row {
	struct tn_graph g;
	struct tn_op op;
	tn_tensor_id *real; /* by tensor of g: the graph's */
};

static void add_operand(struct one_row *o, const struct tn_graph *g, tn_tensor_id *id)
{
	struct tn_tensor *t;
	uint32_t i = 0;

	if (id->i == TN_NONE)
		return;
	while (i < o->g.n_tensors && o->real[i].i != id->i)
		i++;
	if (i == o->g.n_tensors) {
		o->g.n_tensors++;
		o->real[i] = *id;
		t = &o->g.tensors[i];
		*t = g->tensors[id->i];
		t->view_of.i = TN_NONE;
		if (!tn_tensor_is_constant(t)) {
			t->elements /= t->shape.dim[1];
			t->bytes /= t->shape.dim[1];
			t->shape.dim[1] = 1;
		}
	}
	id->i = i;
}

static bool one_row_of(struct bind_rows *b, struct one_row *o)
{
	const struct tn_op *op = &b->g->ops[b->op.i];
	const uint32_t n = op->n_inputs + op->n_outputs;
	tn_tensor_id *ids = TN_NEW_ARRAY(b->arena, tn_tensor_id, n);

	o->g = *b->g;
	o->op = *op;
	o->real = TN_NEW_ARRAY(b->arena, tn_tensor_id, n);
	o->g.tensors = TN_NEW_ARRAY(b->arena, struct tn_tensor, n);
	o->g.n_tensors = 0;
	if (!ids || !o->real || !o->g.tensors)
		return false;
	o->op.inputs = ids;
	o->op.outputs = ids + op->n_inputs;
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = i < op->n_inputs ? op->inputs[i] : op->outputs[i - op->n_inputs];
		add_operand(o, b->g, &ids[i]);
	}
	o->g.ops = &o->op;
	o->g.n_ops = 1;
	o->g.n_inputs = o->g.n_outputs = 0;
	return true;
}

static enum tn_status bind_elements(struct bind_rows *b)
{
	struct one_row *one = TN_NEW(b->arena, struct one_row);
	struct tn_call *call = &b->out->call;
	enum tn_status status;

	if (!one || !one_row_of(b, one))
		return TN_ERR_NOMEM;
	status = tn_bind(&one->g, (tn_op_id){ 0 }, b->variant, b->arena, b->diags, call);
	for (uint32_t k = 0; status == TN_OK && k < call->n_in; k++)
		if (call->in[k].tensor.i != TN_NONE)
			call->in[k].tensor = one->real[call->in[k].tensor.i];
	for (uint32_t k = 0; status == TN_OK && k < call->n_out; k++)
		if (call->out[k].tensor.i != TN_NONE)
			call->out[k].tensor = one->real[call->out[k].tensor.i];
	return status;
}

enum tn_status tn_bind_rows(const struct tn_graph *g, tn_op_id op,
	struct tn_variant variant, bool total, struct tn_row_room room,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_row_call *out)
{
	struct bind_rows b = { g, op, variant, room, arena, diags, out };

	*out = (struct tn_row_call){ .scratch = tn_contract_scratch(g, op, variant) };
	if (!tn_row_op_of(g, op, total, &out->rows)) {
		tn_diag_at(diags, SEVERITY_ERROR, TN_RULE_NO_KERNEL, g->source,
			g->ops[op.i].pointer, g->ops[op.i].name,
			"'%s' does not run row by row", g->ops[op.i].name);
		return TN_ERR_REFUSED;
	}
	switch (out->rows.kind) {
	case ROWS_WINDOW:
		return bind_window(&b);
	case ROWS_TOTAL:
		out->scratch = out->rows.state;
		return bind_total(&b);
	default:
		return bind_elements(&b);
	}
}
