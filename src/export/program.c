#include "export/program.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"

#define RESULTS_MAX 8 /* of one call, one by one; more are a list */

/* Types that programs have no name for are so many bytes. */
static const char *const scalar_types[DTYPE_COUNT] = {
	[DTYPE_F32] = "FLOAT",
	[DTYPE_F16] = "HALF",
	[DTYPE_BF16] = "BFLOAT16",
	[DTYPE_F64] = "DOUBLE",
	[DTYPE_F8E4M3] = "FLOAT8E4M3FN",
	[DTYPE_F8E5M2] = "FLOAT8E5M2",
	[DTYPE_I8] = "CHAR",
	[DTYPE_I16] = "SHORT",
	[DTYPE_I32] = "INT",
	[DTYPE_I64] = "LONG",
	[DTYPE_U8] = "BYTE",
	[DTYPE_U16] = "UINT16",
	[DTYPE_U32] = "UINT32",
	[DTYPE_U64] = "UINT64",
	[DTYPE_BOOL] = "BOOL",
	[DTYPE_C64] = "COMPLEXFLOAT",
	[DTYPE_C128] = "COMPLEXDOUBLE",
};

struct writer {
	const struct tn_graph *g;
	const struct tn_program_plan *plan;
	struct tn_strbuf *out;
	uint32_t none; /* the value that is none; lists follow it */
	uint32_t lists;
};

static void put_text(struct tn_strbuf *out, const char *text)
{
	tn_strbuf_putc(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20)
			tn_strbuf_printf(out, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			tn_strbuf_printf(out, "\\%c", c);
		else
			tn_strbuf_putc(out, (char)c);
	}
	tn_strbuf_putc(out, '"');
}

/* Dimensions from the outermost to the innermost in memory. */
static void put_order(struct tn_strbuf *out, const struct tn_tensor *t)
{
	uint32_t order[TN_RANK_MAX];

	for (uint32_t i = 0; i < t->shape.rank; i++) {
		uint32_t at = i;

		for (; t->has_strides && at && t->stride[order[at - 1]] < t->stride[i];
			at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (uint32_t i = 0; i < t->shape.rank; i++)
		tn_strbuf_printf(out, "%s%u", i ? ", " : "", order[i]);
}

static bool is_stored(const struct tn_tensor *t)
{
	return t->role == ROLE_CONST || t->role == ROLE_VARIABLE;
}

static void put_tensor(struct writer *w, uint32_t i)
{
	const struct tn_tensor *t = &w->g->tensors[i];
	const struct tn_program_place *place = &w->plan->places[i];
	const char *type = scalar_types[t->dtype];
	struct tn_strbuf *out = w->out;

	tn_strbuf_printf(out,
		"        {\"val_type\": \"Tensor\", \"val\": {\"scalar_type\": \"%s\", "
		"\"sizes\": [",
		type ? type : "BYTE");
	for (uint32_t d = 0; type && d < t->shape.rank; d++)
		tn_strbuf_printf(out, "%s%" PRId64, d ? ", " : "", t->shape.dim[d]);
	if (!type)
		tn_strbuf_printf(out, "%" PRId64 "], \"dim_order\": [0", t->bytes);
	else
		tn_strbuf_puts(out, "], \"dim_order\": [");
	if (type)
		put_order(out, t);
	tn_strbuf_printf(
		out, "], \"data_buffer_idx\": %" PRIu32, is_stored(t) ? i + 1 : 0);
	if (place->memory)
		tn_strbuf_printf(out,
			", \"allocation_info\": {\"memory_id\": %" PRId64
			", \"memory_offset_low\": %" PRId64
			", \"memory_offset_high\": %" PRId64 "}",
			place->memory, place->offset & UINT32_MAX, place->offset >> 32);
	tn_strbuf_puts(out, ", \"extra_tensor_info\": {\"fully_qualified_name\": ");
	put_text(out, t->name);
	tn_strbuf_puts(out, "}}},\n");
}

static bool has_list(const struct tn_op *op)
{
	return op->n_outputs > RESULTS_MAX;
}

static void put_values(struct writer *w)
{
	for (uint32_t i = 0; i < w->g->n_tensors; i++)
		put_tensor(w, i);
	tn_strbuf_puts(w->out, "        {\"val_type\": \"Null\"}");
	for (uint32_t i = 0; i < w->g->n_ops; i++) {
		const struct tn_op *op = &w->g->ops[w->g->schedule[i].i];

		if (!has_list(op))
			continue;
		tn_strbuf_puts(w->out,
			",\n        {\"val_type\": \"TensorList\", \"val\": {\"items\": "
			"[");
		for (uint32_t k = 0; k < op->n_outputs; k++)
			tn_strbuf_printf(
				w->out, "%s%" PRIu32, k ? ", " : "", op->outputs[k].i);
		tn_strbuf_puts(w->out, "]}}");
	}
	tn_strbuf_putc(w->out, '\n');
}

static void put_ends(
	struct tn_strbuf *out, const char *key, const tn_tensor_id *ids, uint32_t n)
{
	tn_strbuf_printf(out, "      \"%s\": [", key);
	for (uint32_t i = 0; i < n; i++)
		tn_strbuf_printf(out, "%s%" PRIu32, i ? ", " : "", ids[i].i);
	tn_strbuf_puts(out, "],\n");
}

/* Working memory is written by the op that has it, and by no other. */
static bool is_scratch(const struct writer *w, tn_tensor_id id)
{
	return id.i != TN_NONE && w->g->tensors[id.i].role == ROLE_SCRATCH;
}

static void put_results(struct writer *w, const struct tn_op *op, uint32_t list)
{
	if (has_list(op)) {
		tn_strbuf_printf(w->out, ", %" PRIu32, list);
		return;
	}
	for (uint32_t i = 0; i < op->n_outputs; i++)
		tn_strbuf_printf(w->out, ", %" PRIu32, op->outputs[i].i);
	for (uint32_t i = 0; i < op->n_inputs; i++)
		if (is_scratch(w, op->inputs[i]))
			tn_strbuf_printf(w->out, ", %" PRIu32, op->inputs[i].i);
}

/* An op that moves nothing: ExecuTorch calls it a view. */
static bool is_view(const struct writer *w, const struct tn_op *op)
{
	const struct tn_program_place *in, *out;

	if (op->kind != OP_RESHAPE || !op->n_inputs || op->inputs[0].i == TN_NONE ||
		op->n_outputs != 1)
		return false;
	in = &w->plan->places[op->inputs[0].i];
	out = &w->plan->places[op->outputs[0].i];
	return in->memory && in->memory == out->memory && in->offset == out->offset;
}

/* The first argument is none, so that each call has one. */
static void put_call(struct writer *w, uint32_t index, const struct tn_op *op)
{
	uint32_t list = w->none + 1 + w->lists;

	tn_strbuf_printf(w->out,
		"            {\"instr_args_type\": \"KernelCall\", \"instr_args\": "
		"{\"op_index\": %" PRIu32 ", \"args\": [%" PRIu32,
		index, w->none);
	for (uint32_t i = 0; i < (is_view(w, op) ? 1 : op->n_inputs); i++)
		if (!is_scratch(w, op->inputs[i]))
			tn_strbuf_printf(w->out, ", %" PRIu32,
				op->inputs[i].i == TN_NONE ? w->none : op->inputs[i].i);
	put_results(w, op, list);
	put_results(w, op, list);
	if (!op->n_outputs) /* or the last operand would be taken for a result */
		tn_strbuf_printf(w->out, ", %" PRIu32, w->none);
	tn_strbuf_printf(w->out, "]}}%s\n", index + 1 < w->g->n_ops ? "," : "");
	w->lists += has_list(op);
}

static void put_operators(struct writer *w)
{
	for (uint32_t i = 0; i < w->g->n_ops; i++) {
		const struct tn_op *op = &w->g->ops[w->g->schedule[i].i];

		tn_strbuf_puts(w->out, "        {\"name\": ");
		if (is_view(w, op)) {
			tn_strbuf_puts(w->out, "\"executorch_prim::et_view\"");
		} else {
			char *name = NULL;
			struct tn_strbuf text;

			tn_strbuf_init(&text);
			tn_strbuf_printf(&text, "tenure::%s", op->type);
			name = text.text;
			w->out->failed = w->out->failed || text.failed;
			put_text(w->out, name ? name : "");
			tn_strbuf_release(&text);
		}
		tn_strbuf_printf(w->out, ", \"overload\": \"out\"}%s\n",
			i + 1 < w->g->n_ops ? "," : "");
	}
}

enum tn_status tn_export_program(const struct tn_graph *g,
	const struct tn_program_plan *plan, struct tn_diags *diags, struct tn_strbuf *out)
{
	struct writer w = { .g = g, .plan = plan, .out = out, .none = g->n_tensors };

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		if (g->tensors[i].view_of.i == TN_NONE)
			continue;
		tn_diag_at(diags, SEVERITY_ERROR, "plan/offsets", g->source,
			g->tensors[i].pointer, g->tensors[i].name,
			"'%s' is a view of another tensor: a list of values with offsets "
			"cannot say that",
			g->tensors[i].name);
		return TN_ERR_REFUSED;
	}
	tn_strbuf_puts(out, "{\n  \"version\": 0,\n  \"execution_plan\": [\n    {\n"
			    "      \"name\": ");
	put_text(out, g->name && *g->name ? g->name : "forward");
	tn_strbuf_puts(out, ",\n      \"values\": [\n");
	put_values(&w);
	tn_strbuf_puts(out, "      ],\n");
	put_ends(out, "inputs", g->inputs, g->n_inputs);
	put_ends(out, "outputs", g->outputs, g->n_outputs);
	tn_strbuf_puts(out, "      \"chains\": [\n        {\"inputs\": [], \"outputs\": "
			    "[], \"instructions\": [\n");
	for (uint32_t i = 0; i < g->n_ops; i++)
		put_call(&w, i, &g->ops[g->schedule[i].i]);
	tn_strbuf_puts(out, "        ]}\n      ],\n      \"operators\": [\n");
	put_operators(&w);
	tn_strbuf_puts(out, "      ],\n      \"delegates\": [],\n"
			    "      \"non_const_buffer_sizes\": [0");
	for (uint32_t m = 1; m < plan->n_memories; m++)
		tn_strbuf_printf(out, ", %" PRId64, plan->sizes[m]);
	tn_strbuf_puts(out, "]\n    }\n  ],\n  \"constant_buffer\": [],\n"
			    "  \"backend_delegate_data\": [],\n  \"segments\": []\n}\n");
	return TN_OK;
}
