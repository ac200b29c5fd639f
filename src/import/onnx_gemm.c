/* Gemm: alpha * A' * B' + beta * C, where A' is A or transposed, and so on. A constant B
 * makes it a layer, whose weights are alpha * B' by rows of one output. */
#include <string.h>

#include "import/onnx_spell.h"

#include "base/banned.h"

#define BIAS_MAX (INT64_C(1) << 22) /* numbers that one C is spread to */

struct gemm {
	bool trans_a, trans_b;
	float alpha, beta;
	int64_t rows, depth, outputs;
};

static float real_at(const uint8_t *data, int64_t i)
{
	float value;

	memcpy(&value, data + 4 * i, sizeof(value));
	return value;
}

static bool is_one(float value)
{
	return value >= 1.0f && value <= 1.0f;
}

static bool read(struct tn_spell *s, struct gemm *g)
{
	const struct tn_shape *a = tn_infer_shape(s->n, 0), *b = tn_infer_shape(s->n, 1);
	const struct tn_tensor *c = tn_spell_in(s, 2);
	int64_t count;

	g->trans_a = tn_onnx_attr_int(s->x, s->n, "transA", 0) != 0;
	g->trans_b = tn_onnx_attr_int(s->x, s->n, "transB", 0) != 0;
	g->alpha = (float)tn_spell_attr_real(s, "alpha", 1);
	g->beta = (float)tn_spell_attr_real(s, "beta", 1);
	if (!a || !b || a->rank != 2 || b->rank != 2 ||
		tn_infer_dtype(s->n, 0) != DTYPE_F32 ||
		tn_infer_dtype(s->n, 1) != DTYPE_F32 ||
		(c && (c->dtype != DTYPE_F32 || c->shape.rank > 2 ||
			      !tn_shape_elements(&c->shape, &count))))
		return false;
	g->rows = a->dim[g->trans_a];
	g->depth = a->dim[!g->trans_a];
	g->outputs = b->dim[!g->trans_b];
	return b->dim[g->trans_b] == g->depth && g->depth > 0 && g->outputs > 0;
}

static tn_tensor_id weights(struct tn_spell *s, const struct gemm *g)
{
	const struct tn_shape shape = { .rank = 2, .dim = { g->outputs, g->depth } };
	const struct tn_tensor *b = tn_spell_in(s, 1);
	float *data;

	if (g->trans_b && is_one(g->alpha))
		return s->n->in[1];
	if (!tn_spell_is_constant(b))
		return tn_spell_constant(s, "weights", DTYPE_F32, &shape, NULL);
	data = tn_arena_alloc(&s->x->tree.scratch, (size_t)b->data_bytes);
	if (!data) {
		s->x->tree.nomem = true;
		return s->n->in[1];
	}
	for (int64_t o = 0; o < g->outputs; o++)
		for (int64_t i = 0; i < g->depth; i++)
			data[o * g->depth + i] =
				g->alpha * real_at(b->data, g->trans_b
								    ? o * g->depth + i
								    : i * g->outputs + o);
	return tn_spell_constant(s, "weights", DTYPE_F32, &shape, data);
}

/* Is C one constant for each output, or for all? */
static bool is_bias(const struct tn_spell *s, const struct gemm *g)
{
	const struct tn_tensor *c = tn_spell_in(s, 2);
	const uint32_t rank = c->shape.rank;

	return tn_spell_is_constant(c) && g->outputs <= BIAS_MAX &&
	       (rank < 2 || c->shape.dim[0] == 1) &&
	       (rank < 1 || c->shape.dim[rank - 1] == 1 ||
		       c->shape.dim[rank - 1] == g->outputs);
}

static tn_tensor_id bias(struct tn_spell *s, const struct gemm *g)
{
	const struct tn_shape line = { .rank = 1, .dim = { g->outputs } };
	const struct tn_tensor *c = tn_spell_in(s, 2);
	const int64_t n = c->data_bytes / 4;
	float *data;

	if (c->shape.rank == 1 && n == g->outputs && is_one(g->beta))
		return s->n->in[2];
	data = tn_arena_array(&s->x->tree.scratch, (size_t)g->outputs, sizeof(*data));
	if (!data) {
		s->x->tree.nomem = true;
		return s->n->in[2];
	}
	for (int64_t o = 0; o < g->outputs; o++)
		data[o] = g->beta * real_at(c->data, n == 1 ? 0 : o);
	return tn_spell_constant(s, "bias", DTYPE_F32, &line, data);
}

static tn_tensor_id times(struct tn_spell *s, tn_tensor_id id, float factor,
	const char *word, tn_tensor_id out)
{
	const struct tn_shape scalar = { .rank = 0 };
	tn_tensor_id ids[2] = { id,
		tn_spell_constant(s, "factor", DTYPE_F32, &scalar, &factor) };

	if (out.i == TN_NONE)
		out = tn_spell_tensor(
			s, word, DTYPE_F32, &tn_foreign_at(s->f, id)->shape);
	tn_spell_op(s, OP_MUL, word, ids, 2, out);
	return out;
}

/* The sum with a C that is no bias. */
static void add(struct tn_spell *s, const struct gemm *g, tn_tensor_id product)
{
	const tn_tensor_id none = { TN_NONE };
	tn_tensor_id ids[2] = { product, s->n->in[2] };

	if (!is_one(g->beta))
		ids[1] = times(s, ids[1], g->beta, "beta", none);
	tn_spell_op(s, OP_ADD, NULL, ids, 2, s->n->out[0]);
}

bool tn_spell_gemm(struct tn_spell *s)
{
	const struct tn_tensor *b = tn_spell_in(s, 1), *c = tn_spell_in(s, 2);
	const bool sum = c != NULL;
	const tn_tensor_id none = { TN_NONE };
	tn_tensor_id ids[3] = { none, none, none }, out = s->n->out[0];
	struct tn_shape shape = { .rank = 2 };
	bool layer, inside;
	struct gemm g;

	if (s->n->n_out != 1 || !b || !read(s, &g))
		return false;
	layer = b->role == ROLE_CONST;
	if (layer && !g.trans_a && g.trans_b && is_one(g.alpha) && is_one(g.beta) &&
		(!c || (c->role == ROLE_CONST && c->shape.rank == 1 &&
			       c->shape.dim[0] == g.outputs)))
		return false; /* it is one as it is */
	inside = layer && sum && is_bias(s, &g);
	shape.dim[0] = g.rows;
	shape.dim[1] = g.depth;
	ids[0] = s->n->in[0];
	if (layer && g.trans_a) {
		static const int64_t swap[2] = { 1, 0 };

		ids[0] = tn_spell_tensor(s, "rows", DTYPE_F32, &shape);
		tn_spell_op(s, OP_TRANSPOSE, "rows", s->n->in, 1, ids[0]);
		tn_spell_ints(s, "perm", swap, 2);
	}
	shape.dim[1] = g.outputs;
	ids[1] = layer ? weights(s, &g) : s->n->in[1];
	if (inside)
		ids[2] = bias(s, &g);
	if (sum && !inside)
		out = tn_spell_tensor(s, "product", DTYPE_F32, &shape);
	if (layer) {
		tn_spell_op(s, OP_FULLY_CONNECTED, sum && !inside ? "product" : NULL, ids,
			inside ? 3 : 2, out);
	} else {
		const bool scaled = !is_one(g.alpha);
		tn_tensor_id whole =
			scaled ? tn_spell_tensor(s, "plain", DTYPE_F32, &shape) : out;

		tn_spell_op(s, OP_BATCH_MATMUL,
			scaled ? "plain"
			: sum  ? "product"
			       : NULL,
			ids, 2, whole);
		tn_spell_int(s, "adj_x", g.trans_a);
		tn_spell_int(s, "adj_y", g.trans_b);
		if (scaled)
			times(s, whole, g.alpha, sum ? "product" : NULL, out);
	}
	if (sum && !inside)
		add(s, &g, out);
	return true;
}
