/* Ops that are told by an operand where to read or write, and those that move blocks to
 * and from the batch. */
#include <string.h>

#include "gen_op.h"
#include "gen_part.h"

/* Indices: constants in [0, n), or a value. */
static int indices(struct gen_site *s, uint32_t rank, const int64_t *dim, int64_t n)
{
	struct tn_shape shape = { .rank = rank };
	int64_t list[64], count = 1;
	int id;

	for (uint32_t d = 0; d < rank; d++)
		count *= shape.dim[d] = dim[d];
	if (tn_gen_random(s->gen, 2) || count > 64)
		return gen_another(s, DTYPE_I32, &shape, -1);
	for (int64_t i = 0; i < count; i++)
		list[i] = tn_gen_random(s->gen, (uint32_t)n);
	id = gen_add_ints(s->gen, (uint32_t)count, list);
	gen_at(s->gen, id)->shape = shape;
	return id;
}

bool gen_make_gather(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	int64_t n = gen_range(s->gen, 1, 4);
	struct tn_shape shape;
	uint32_t axis;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	axis = tn_gen_random(s->gen, shape.rank);
	list = indices(s, 1, &n, shape.dim[axis]);
	shape.dim[axis] = n;
	if (gen_out(s, k->out, shape.rank, shape.dim, in) < 0)
		return false;
	gen_emit(s, k, GEN_IDS(in, list));
	gen_need(tn_build_attr_int(&s->gen->build, "axis", axis) &&
		 tn_build_attr_int(&s->gen->build, "batch_dims", 0));
	return true;
}

bool gen_make_gather_nd(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	int64_t dim[TN_RANK_MAX + 1], least = INT64_MAX;
	struct tn_shape shape;
	uint32_t tuple;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	tuple = gen_range(s->gen, 1, shape.rank);
	for (uint32_t d = 0; d < tuple; d++)
		least = shape.dim[d] < least ? shape.dim[d] : least;
	dim[0] = gen_range(s->gen, 1, 4);
	list = indices(s, 2, (int64_t[]){ dim[0], tuple }, least);
	memcpy(dim + 1, shape.dim + tuple, (shape.rank - tuple) * sizeof(*dim));
	if (gen_out(s, k->out, 1 + shape.rank - tuple, dim, in) < 0)
		return false;
	gen_emit(s, k, GEN_IDS(in, list));
	return true;
}

/* Rows of an int8 table as floats; the first value is the indices. */
bool gen_make_embedding(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), table;
	int64_t dim[2];

	if (in < 0 || gen_at(s->gen, in)->shape.rank != 1)
		return false;
	dim[0] = gen_range(s->gen, 1, 4);
	dim[1] = gen_range(s->gen, 1, 4);
	table = gen_add_const(s->gen, DTYPE_I8, 2, dim);
	gen_set_quant(s->gen, gen_at(s->gen, table), 1, 0, 0.01f, 0);
	dim[0] = gen_at(s->gen, in)->shape.dim[0];
	if (gen_out(s, k->out, 2, dim, -1) < 0)
		return false;
	gen_emit(s, k, GEN_IDS(in, table));
	return true;
}

bool gen_make_update(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), part, start;
	struct tn_shape shape, small;
	int64_t rank;

	if (in < 0)
		return false;
	shape = small = gen_at(s->gen, in)->shape;
	rank = shape.rank;
	for (uint32_t d = 0; d < shape.rank; d++)
		small.dim[d] = gen_range(s->gen, 1, (uint32_t)shape.dim[d]);
	part = gen_another(s, k->in, &small, in);
	start = indices(s, 1, &rank, 2);
	(void)gen_out(s, k->out, shape.rank, shape.dim, in);
	gen_emit(s, k, GEN_IDS(in, part, start));
	return true;
}

/* Blocks of pixels to the batch, or back. */
bool gen_make_batch(struct gen_site *s, const struct gen_op_kind *k)
{
	bool to_batch = strcmp(k->type, "SPACE_TO_BATCH_ND") == 0;
	int in = gen_first(s, k, true), block, edges;
	int64_t dim[4], b[2], edge[4];

	if (in < 0)
		return false;
	memcpy(dim, gen_at(s->gen, in)->shape.dim, sizeof(dim));
	for (int i = 0; i < 2; i++) {
		b[i] = gen_range(s->gen, 1, 2);
		if (!to_batch && dim[0] % b[i])
			b[i] = 1;
		dim[0] = to_batch ? dim[0] * b[i] : dim[0] / b[i];
		edge[2 * i] = tn_gen_random(s->gen, 2);
		edge[2 * i + 1] = 0;
		if (to_batch) {
			int64_t n = dim[1 + i] + edge[2 * i];

			edge[2 * i + 1] = (b[i] - n % b[i]) % b[i];
			dim[1 + i] = (n + edge[2 * i + 1]) / b[i];
		} else {
			dim[1 + i] = dim[1 + i] * b[i] - edge[2 * i];
		}
		if (dim[1 + i] < 1)
			return false;
	}
	block = gen_add_ints(s->gen, 2, b);
	edges = gen_add_const(s->gen, DTYPE_I32, 2, (int64_t[]){ 2, 2 });
	gen_at(s->gen, edges)->data = gen_at(s->gen, gen_add_ints(s->gen, 4, edge))->data;
	if (gen_out(s, k->out, 4, dim, in) < 0)
		return false;
	gen_emit(s, k, GEN_IDS(in, block, edges));
	return true;
}

/* Of one element, which is the first value if that is one. */
bool gen_make_fill(struct gen_site *s, const struct gen_op_kind *k)
{
	int64_t dim[2] = { gen_range(s->gen, 1, 4), gen_range(s->gen, 1, 4) };
	const struct tn_shape scalar = { .rank = 0 };
	int in = s->first, list;

	if (in < 0 || gen_at(s->gen, in)->dtype != k->in ||
		gen_at(s->gen, in)->shape.rank)
		in = gen_another(s, k->in, &scalar, -1);
	list = gen_add_ints(s->gen, 2, dim);
	(void)gen_out(s, k->out, 2, dim, in);
	gen_emit(s, k, GEN_IDS(list, in));
	return true;
}

bool gen_make_broadcast_args(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;

	if (in < 0 || gen_at(s->gen, in)->shape.rank != 1 ||
		gen_at(s->gen, in)->shape.dim[0] > 4)
		return false;
	list = gen_add_ints(s->gen, 1, (int64_t[]){ 1 });
	(void)gen_out(s, k->out, 1, gen_at(s->gen, in)->shape.dim, -1);
	gen_emit(s, k, GEN_IDS(in, list));
	return true;
}

bool gen_make_shape(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false);
	int64_t rank;

	if (in < 0)
		return false;
	rank = gen_at(s->gen, in)->shape.rank;
	(void)gen_out(s, k->out, 1, &rank, -1);
	gen_emit(s, k, GEN_IDS(in));
	return true;
}

/* A recurrent op: it writes the state that it is given as an operand. */
bool gen_make_svdf(struct gen_site *s, const struct gen_op_kind *k)
{
	bool f32 = k->in == DTYPE_F32;
	enum tn_dtype weight = f32 ? DTYPE_F32 : DTYPE_I8;
	int64_t units = gen_range(s->gen, 1, 4), rank = gen_range(s->gen, 1, 2);
	enum tn_dtype kept = f32 ? DTYPE_F32 : k->arg ? DTYPE_I16 : DTYPE_I8;
	int64_t filters = units * rank, memory = gen_range(s->gen, 2, 4), *x;
	int in = gen_first(s, k, false), feature, time, bias, state;

	if (in < 0 || gen_at(s->gen, in)->shape.rank != 2)
		return false;
	x = gen_at(s->gen, in)->shape.dim;
	if (gen_out(s, k->out, 2, (int64_t[]){ x[0], units }, -1) < 0)
		return false;
	x = gen_at(s->gen, in)->shape.dim;
	feature = gen_add_const(s->gen, weight, 2, (int64_t[]){ filters, x[1] });
	time = gen_add_const(s->gen, kept, 2, (int64_t[]){ filters, memory });
	bias = gen_add_const(s->gen, f32 ? DTYPE_F32 : DTYPE_I32, 1, &units);
	x = gen_at(s->gen, in)->shape.dim;
	state = gen_add_tensor(
		s->gen, kept, ROLE_VARIABLE, 2, (int64_t[]){ x[0], memory * filters });
	if (!f32) {
		gen_set_quant(s->gen, gen_at(s->gen, feature), 1, 0, 0.01f, 0);
		gen_set_quant(s->gen, gen_at(s->gen, time), 1, 0, 0.01f, 0);
	}
	gen_emit(s, k, GEN_IDS(in, feature, time, bias, state));
	gen_need(tn_build_attr_int(&s->gen->build, "rank", rank) &&
		 tn_build_attr_string(&s->gen->build, "activation", "NONE"));
	return true;
}

/* Weights, biases and two states, as many as the op has in TFLite. */
bool gen_make_lstm(struct gen_site *s, const struct gen_op_kind *k)
{
	enum { INPUTS = 20, BIAS = 12, HIDDEN = 18, CELL = 19 };
	bool f32 = k->in == DTYPE_F32;
	enum tn_dtype bias = f32 ? DTYPE_F32 : k->in == DTYPE_I8 ? DTYPE_I32 : DTYPE_I64;
	int64_t units = gen_range(s->gen, 1, 4), batches, n_in;
	bool time_major = tn_gen_random(s->gen, 2);
	int ids[INPUTS + 1], in = gen_first(s, k, false);
	struct tn_shape x;

	if (in < 0 || gen_at(s->gen, in)->shape.rank != 3)
		return false;
	x = gen_at(s->gen, in)->shape;
	if (gen_out(s, k->out, 3, (int64_t[]){ x.dim[0], x.dim[1], units }, -1) < 0)
		return false;
	batches = x.dim[time_major ? 1 : 0];
	n_in = x.dim[2];
	for (int i = 0; i < INPUTS; i++)
		ids[i] = -1;
	ids[0] = in;
	ids[INPUTS] = TN_GEN_END;
	for (int i = 1; i < 9; i++) {
		ids[i] = gen_add_const(s->gen, f32 ? DTYPE_F32 : DTYPE_I8, 2,
			(int64_t[]){ units, i < 5 ? n_in : units });
		if (!f32)
			gen_set_quant(s->gen, gen_at(s->gen, ids[i]), 1, 0, 0.01f, 0);
	}
	for (int i = 0; i < 4; i++)
		ids[BIAS + i] = gen_add_const(s->gen, bias, 1, &units);
	ids[HIDDEN] = gen_add_tensor(
		s->gen, k->in, ROLE_VARIABLE, 2, (int64_t[]){ batches, units });
	ids[CELL] = gen_add_tensor(s->gen, f32 ? DTYPE_F32 : DTYPE_I16, ROLE_VARIABLE, 2,
		(int64_t[]){ batches, units });
	if (!f32)
		gen_set_quant(s->gen, gen_at(s->gen, ids[CELL]), 1, 0, 1.0f / 2048, 0);
	gen_emit(s, k, ids);
	gen_need(tn_build_attr_int(&s->gen->build, "time_major", time_major) &&
		 tn_build_attr_string(&s->gen->build, "activation", "TANH"));
	return true;
}
