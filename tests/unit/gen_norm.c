/* Normalisations with parameters. */
#include <string.h>

#include "gen_op.h"
#include "gen_part.h"

/* Floats above zero. */
static int variances(struct tn_gen *gen, int64_t n)
{
	int id = gen_add_const(gen, DTYPE_F32, 1, &n);
	uint8_t *data = TN_NEW_ARRAY(&gen->arena, uint8_t, 4 * (size_t)n);

	gen_need(data);
	for (int64_t i = 0; i < n; i++) {
		float value = 0.25f * (float)gen_range(gen, 1, 12);

		memcpy(data + 4 * i, &value, sizeof(value));
	}
	gen_at(gen, id)->data = data;
	return id;
}

bool gen_make_batch_norm(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), part[3];
	struct tn_shape shape;
	uint32_t axis;
	int64_t n;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	axis = tn_gen_random(s->gen, shape.rank);
	n = shape.dim[axis];
	for (int i = 0; i < 3; i++)
		part[i] = gen_add_const(s->gen, k->in, 1, &n);
	(void)gen_out(s, k->out, shape.rank, shape.dim, -1);
	gen_emit(s, k, GEN_IDS(in, part[0], part[1], part[2], variances(s->gen, n)));
	gen_need(tn_build_attr_int(&s->gen->build, "axis", axis));
	return true;
}

/* arg: outputs with what is known of each row. */
bool gen_make_layer_norm(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), part[2];
	struct tn_shape shape, row;
	uint32_t axis;

	if (in < 0)
		return false;
	shape = row = gen_at(s->gen, in)->shape;
	axis = tn_gen_random(s->gen, shape.rank);
	row.rank -= axis;
	memmove(row.dim, row.dim + axis, row.rank * sizeof(*row.dim));
	for (int i = 0; i < 2; i++)
		part[i] = gen_add_const(s->gen, k->in, row.rank, row.dim);
	(void)gen_out(s, k->out, shape.rank, shape.dim, -1);
	for (int i = 0; i < k->arg; i++)
		(void)gen_out(s, k->out, axis, shape.dim, -1);
	gen_emit(s, k, GEN_IDS(in, part[0], part[1]));
	gen_need(tn_build_attr_int(
		&s->gen->build, "axis", (int64_t)axis - (int64_t)shape.rank));
	return true;
}
