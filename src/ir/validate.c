#include "ir/validate.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "base/checked.h"
#include "ir/validate_part.h"

void tn_check_error(struct tn_check *c, const char *rule, const char *pointer,
	const char *subject, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = tn_arena_vprintf(c->diags->arena, fmt, args);
	va_end(args);
	c->bad = true;
	if (!text || !tn_diag_at(c->diags, SEVERITY_ERROR, rule, c->g->source, pointer,
			     subject, "%s", text))
		c->nomem = true;
}

static void tensor_error(
	struct tn_check *c, const char *rule, const struct tn_tensor *t, const char *text)
{
	tn_check_error(c, rule, t->pointer, t->name, "'%s' %s", t->name, text);
}

/* True when the size is known. */
static bool check_size(struct tn_check *c, const struct tn_tensor *t)
{
	if (t->elements >= 0 && t->bytes >= 0)
		return true;
	for (uint32_t i = 0; i < t->shape.rank; i++) {
		int64_t dim = t->shape.dim[i];

		if (dim == TN_DIM_POISON) { /* the reader has said why */
			c->bad = true;
			return false;
		}
		if (dim == TN_DIM_UNKNOWN) {
			tn_check_error(c, "graph/dynamic-shape", t->pointer, t->name,
				"dimension %u of '%s' is not known: give it a size", i,
				t->name);
			return false;
		}
		if (dim < 0) {
			tn_check_error(c, "graph/negative-dimension", t->pointer, t->name,
				"dimension %u of '%s' is %" PRId64, i, t->name, dim);
			return false;
		}
	}
	tensor_error(c, "graph/size-overflow", t, "is too large: its size overflows");
	return false;
}

static void check_data(struct tn_check *c, const struct tn_tensor *t)
{
	bool sized = tn_dtype_bits(t->dtype) > 0;

	if (!sized && t->data_kind == DATA_NONE && t->elements > 0 &&
		(t->dtype == DTYPE_STRING || t->dtype == DTYPE_VARIANT)) {
		tn_diag_at(c->diags, SEVERITY_WARNING, "graph/unsized-type", c->g->source,
			t->pointer, t->name,
			"elements of type %s have no fixed size: '%s' counts as 0 bytes",
			tn_dtype_name(t->dtype), t->name);
	}
	if (sized && t->data_kind == DATA_BYTES && t->data_bytes != t->bytes)
		tn_check_error(c, "graph/constant-size", t->pointer, t->name,
			"'%s' holds %" PRId64 " bytes, its shape needs %" PRId64, t->name,
			t->data_bytes, t->bytes);
}

static bool zero_point_fits(enum tn_dtype dtype, int64_t z)
{
	switch (dtype) {
	case DTYPE_I8:
		return z >= INT8_MIN && z <= INT8_MAX;
	case DTYPE_U8:
		return z >= 0 && z <= UINT8_MAX;
	case DTYPE_I16:
		return z >= INT16_MIN && z <= INT16_MAX;
	default:
		return z >= INT32_MIN && z <= INT32_MAX;
	}
}

static void check_quant(struct tn_check *c, const struct tn_tensor *t)
{
	const struct tn_quant *q = &t->quant;

	if (q->n > 1 && q->axis >= t->shape.rank) {
		tn_check_error(c, "graph/quantization", t->pointer, t->name,
			"'%s' is quantised along dimension %u of %u", t->name, q->axis,
			t->shape.rank);
		return;
	}
	if (q->n > 1 && t->shape.dim[q->axis] != q->n) {
		tn_check_error(c, "graph/quantization", t->pointer, t->name,
			"'%s' has %u scales along a dimension of %" PRId64, t->name, q->n,
			t->shape.dim[q->axis]);
		return;
	}
	for (uint32_t i = 0; i < q->n; i++) {
		if (!(q->scale[i] >= 0) || isinf(q->scale[i])) {
			tn_check_error(c, "graph/quantization", t->pointer, t->name,
				"scale %u of '%s' is %g", i, t->name,
				(double)q->scale[i]);
			return;
		}
		if (!zero_point_fits(t->dtype, q->zero_point[i])) {
			tn_check_error(c, "graph/quantization", t->pointer, t->name,
				"zero point %u of '%s' is %" PRId64
				", which %s does not hold",
				i, t->name, q->zero_point[i], tn_dtype_name(t->dtype));
			return;
		}
	}
}

static void check_tensors(struct tn_check *c)
{
	for (uint32_t i = 0; i < c->g->n_tensors; i++) {
		const struct tn_tensor *t = &c->g->tensors[i];

		if (t->dtype == DTYPE_INVALID) {
			c->bad = true;
			if (!c->reported_before)
				tensor_error(c, "graph/dtype", t, "has no element type");
		}
		if (!check_size(c, t))
			continue;
		check_data(c, t);
		check_quant(c, t);
	}
}

/* Can later checks index with every id? Only an op's input may be absent. */
static bool check_ids(struct tn_check *c)
{
	bool ok = true;

	for (uint32_t i = 0; i < c->g->n_ops; i++) {
		const struct tn_op *op = &c->g->ops[i];

		for (uint32_t k = 0; k < op->n_inputs; k++)
			ok = ok && (op->inputs[k].i == TN_NONE ||
					   tn_tensor_id_ok(c->g, op->inputs[k]));
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			if (tn_tensor_id_ok(c->g, op->outputs[k]))
				continue;
			ok = false;
			if (!c->reported_before)
				tn_check_error(c, "graph/missing-output", op->pointer,
					op->name, "output %u of '%s' is absent", k,
					op->name);
		}
	}
	for (uint32_t i = 0; i < c->g->n_inputs; i++)
		ok = ok && tn_tensor_id_ok(c->g, c->g->inputs[i]);
	for (uint32_t i = 0; i < c->g->n_outputs; i++)
		ok = ok && tn_tensor_id_ok(c->g, c->g->outputs[i]);
	for (uint32_t i = 0; i < c->g->n_tensors; i++)
		ok = ok && (c->g->tensors[i].view_of.i == TN_NONE ||
				   tn_tensor_id_ok(c->g, c->g->tensors[i].view_of));
	c->bad = c->bad || !ok;
	return ok;
}

#define PAIRS_MAX (INT64_C(1) << 22) /* of an input and an output of one op, in a graph */

#define OPERANDS_MAX 16384 /* of an op: who looks at one asks about all others */

/* Each pair is judged on its own: may the one be written over the other? */
static void check_pairs(struct tn_check *c)
{
	int64_t pairs = 0;

	for (uint32_t i = 0; i < c->g->n_ops; i++) {
		const struct tn_op *op = &c->g->ops[i];
		int64_t own;

		if ((int64_t)op->n_inputs + op->n_outputs > OPERANDS_MAX) {
			tn_check_error(c, "graph/operands", op->pointer, op->name,
				"'%s' has %u inputs and %u outputs: more than %d are not "
				"supported",
				op->name, op->n_inputs, op->n_outputs, OPERANDS_MAX);
			return;
		}
		if (tn_mul_i64(op->n_inputs, op->n_outputs, &own) &&
			tn_add_i64(pairs, own, &pairs) && pairs <= PAIRS_MAX)
			continue;
		tn_check_error(c, "graph/operands", op->pointer, op->name,
			"'%s' has %u inputs and %u outputs: with those before it that is "
			"more than %" PRId64 " pairs",
			op->name, op->n_inputs, op->n_outputs, PAIRS_MAX);
		return;
	}
}

static enum tn_status check_graph(const struct tn_graph *g, const struct tn_graph *file,
	struct tn_diags *diags, bool reported_before)
{
	struct tn_check c = { .g = g, .file = file, .diags = diags };

	c.reported_before = reported_before;
	tn_arena_init(&c.scratch);
	check_tensors(&c);
	if (check_ids(&c)) {
		check_pairs(&c);
		tn_check_views(&c);
		if (!c.nomem)
			tn_check_order(&c);
		for (uint32_t i = 0; i < g->n_ops && !c.nomem; i++)
			tn_check_op(&c, &g->ops[i]);
	}
	tn_arena_release(&c.scratch);
	if (c.nomem || diags->failed)
		return TN_ERR_NOMEM;
	return c.bad ? TN_ERR_INPUT : TN_OK;
}

/* Which subgraphs an op runs; indices into the file, 0 is the main graph. */
static uint32_t calls(const struct tn_op *op, int64_t out[2])
{
	switch (op->kind) {
	case OP_IF:
		out[0] = tn_op_int(op, "then_subgraph", -1);
		out[1] = tn_op_int(op, "else_subgraph", -1);
		return 2;
	case OP_WHILE:
		out[0] = tn_op_int(op, "cond_subgraph", -1);
		out[1] = tn_op_int(op, "body_subgraph", -1);
		return 2;
	case OP_CALL_ONCE:
		out[0] = tn_op_int(op, "init_subgraph", -1);
		return 1;
	default:
		return 0;
	}
}

struct call_frame {
	uint32_t graph, op, call; /* where the walk goes on */
};

/* A graph that runs itself never ends. Depth first, with a stack of our own. */
static enum tn_status check_recursion(const struct tn_graph *g, struct tn_diags *diags)
{
	size_t n = (size_t)g->n_subgraphs + 1, depth = 1;
	struct tn_arena scratch;
	enum tn_status status = TN_ERR_NOMEM;
	struct call_frame *stack;
	uint8_t *state; /* 0 new, 1 on the stack, 2 done */

	tn_arena_init(&scratch);
	stack = TN_NEW_ARRAY(&scratch, struct call_frame, n);
	state = TN_NEW_ARRAY(&scratch, uint8_t, n);
	if (!stack || !state)
		goto out;
	status = TN_OK;
	state[0] = 1;
	while (depth) {
		struct call_frame *f = &stack[depth - 1];
		const struct tn_graph *sub = f->graph ? &g->subgraphs[f->graph - 1] : g;
		const struct tn_op *op;
		int64_t to[2];

		if (f->op >= sub->n_ops) {
			state[f->graph] = 2;
			depth--;
			continue;
		}
		op = &sub->ops[f->op];
		if (f->call >= calls(op, to)) {
			f->op++;
			f->call = 0;
			continue;
		}
		f->call++;
		if (to[f->call - 1] < 0 || to[f->call - 1] >= (int64_t)n)
			continue; /* reported with the op */
		if (state[to[f->call - 1]] == 1) {
			tn_diag_at(diags, SEVERITY_ERROR, "graph/recursion", g->source,
				op->pointer, op->name,
				"'%s' runs the subgraph %" PRId64 " that it is part of",
				op->name, to[f->call - 1]);
			status = TN_ERR_INPUT;
		} else if (state[to[f->call - 1]] == 0) {
			state[to[f->call - 1]] = 1;
			stack[depth++] =
				(struct call_frame){ .graph = (uint32_t)to[f->call - 1] };
		}
	}
out:
	tn_arena_release(&scratch);
	return status;
}

enum tn_status tn_validate(const struct tn_graph *g, struct tn_diags *diags)
{
	bool before = diags->errors > 0;
	enum tn_status status = check_graph(g, g, diags, before);

	for (uint32_t i = 0; i < g->n_subgraphs && status != TN_ERR_NOMEM; i++) {
		enum tn_status sub = check_graph(&g->subgraphs[i], g, diags, before);

		if (sub != TN_OK)
			status = sub;
	}
	if (status != TN_ERR_NOMEM && g->n_subgraphs) {
		enum tn_status sub = check_recursion(g, diags);

		if (sub != TN_OK)
			status = sub;
	}
	return status;
}
