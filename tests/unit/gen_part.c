#include "gen_part.h"

#include <stdio.h>
#include <stdlib.h>

#include "ir/seed.h"

void gen_need(bool ok)
{
	if (!ok) {
		fprintf(stderr, "the test ran out of memory\n");
		exit(EXIT_FAILURE);
	}
}

uint32_t gen_range(struct tn_gen *gen, uint32_t lo, uint32_t hi)
{
	return lo + tn_gen_random(gen, hi - lo + 1);
}

struct tn_tensor *gen_at(struct tn_gen *gen, int id)
{
	return &gen->build.tensors.items[id];
}

int64_t gen_elements(struct tn_gen *gen, int id)
{
	int64_t n = 0;

	gen_need(tn_shape_elements(&gen_at(gen, id)->shape, &n));
	return n;
}

void gen_set_quant(struct tn_gen *gen, struct tn_tensor *t, uint32_t n, uint32_t axis,
	float scale, int64_t zero_point)
{
	float *scales = TN_NEW_ARRAY(&gen->arena, float, n);
	int64_t *zeros = TN_NEW_ARRAY(&gen->arena, int64_t, n);

	gen_need(scales && zeros);
	for (uint32_t i = 0; i < n; i++) {
		scales[i] = scale * (float)(1 + i % 3);
		zeros[i] = zero_point;
	}
	t->quant = (struct tn_quant){
		.n = n, .axis = axis, .scale = scales, .zero_point = zeros
	};
}

int gen_add_tensor(struct tn_gen *gen, enum tn_dtype dtype, enum tn_role role,
	uint32_t rank, const int64_t *dim)
{
	int id = (int)gen->build.tensors.count;
	struct tn_tensor *t;
	char name[24];

	snprintf(name, sizeof(name), "t%d", id);
	t = tn_gen_tensor(gen, name, dtype, role, rank, dim);
	if (dtype == DTYPE_I8)
		gen_set_quant(gen, t, 1, 0, GEN_SCALE, -1);
	if (dtype == DTYPE_I16)
		gen_set_quant(gen, t, 1, 0, GEN_SCALE_I16, 0);
	return id;
}

int gen_like(struct tn_gen *gen, int id)
{
	struct tn_shape shape = gen_at(gen, id)->shape;
	int copy = gen_add_tensor(
		gen, gen_at(gen, id)->dtype, ROLE_ACT, shape.rank, shape.dim);

	gen_at(gen, copy)->quant = gen_at(gen, id)->quant;
	return copy;
}

int gen_add_const(
	struct tn_gen *gen, enum tn_dtype dtype, uint32_t rank, const int64_t *dim)
{
	int id = gen_add_tensor(gen, dtype, ROLE_CONST, rank, dim);
	struct tn_tensor *t = gen_at(gen, id);
	int64_t bytes = 0;
	uint8_t *data;

	gen_need(tn_dtype_bytes(dtype, gen_elements(gen, id), &bytes));
	data = tn_arena_alloc(&gen->arena, (size_t)bytes);
	gen_need(data);
	tn_seed_const((uint32_t)id, dtype, data, bytes);
	t->data = data;
	t->data_bytes = bytes;
	t->data_kind = DATA_BYTES;
	t->quant.n = 0;
	return id;
}

int gen_add_ints(struct tn_gen *gen, uint32_t n, const int64_t *values)
{
	int id = gen_add_const(gen, DTYPE_I32, 1, (int64_t[]){ n });
	uint8_t *data = TN_NEW_ARRAY(&gen->arena, uint8_t, 4 * n);

	gen_need(data);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < 4; k++)
			data[4 * i + k] = (uint8_t)((uint64_t)values[i] >> (8 * k));
	gen_at(gen, id)->data = data;
	return id;
}

void gen_add_op(struct tn_gen *gen, const char *type, const int *in, const int *out)
{
	char name[48];

	snprintf(name, sizeof(name), "%s_%zu", type, gen->build.ops.count);
	(void)tn_gen_op(gen, name, type, in, out);
}
