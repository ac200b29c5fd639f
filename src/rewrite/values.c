#include "rewrite/values.h"

#include <string.h>

#include "bind/bind.h"

#include "base/banned.h"

#define TENSORS_MAX 16

bool tn_values_operand(struct tn_edit *e, const struct tn_op *op, uint32_t *out_k)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0), *data = NULL;

	if (tn_op_info(op->kind)->access != ACCESS_POINTWISE || op->n_outputs != 1 ||
		!out || out->mutated)
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tn_edit_in(e, op, k);

		if (!t)
			continue;
		if (tn_edit_is_constant(t)) {
			if (t->elements != 1)
				return false;
			continue;
		}
		if (data)
			return false;
		data = t;
		*out_k = k;
	}
	return data && data->elements == out->elements;
}

int64_t tn_values_count(const struct tn_tensor *t)
{
	switch (t->dtype) {
	case DTYPE_I8:
	case DTYPE_U8:
		return 256;
	case DTYPE_I16:
		return 65536;
	default:
		return 0;
	}
}

/* Value i, the least first, `repeat` times each, all of them over and over. */
static uint8_t *all_values(
	struct tn_edit *e, const struct tn_tensor *t, int64_t n, int64_t repeat)
{
	const int64_t width = tn_dtype_bits(t->dtype) / 8;
	const int64_t count = tn_values_count(t);
	const int64_t least = t->dtype == DTYPE_U8 ? 0 : -count / 2;
	uint8_t *values = tn_arena_alloc(e->scratch, (size_t)(n * width));

	for (int64_t i = 0; values && i < n; i++) {
		const uint64_t value = (uint64_t)(least + i / repeat % count);

		for (int64_t b = 0; b < width; b++)
			values[i * width + b] = (uint8_t)(value >> (8 * b));
	}
	if (!values)
		e->failed = true;
	return values;
}

/* The activations of the ops, made a line of n elements; put back afterwards. */
struct lines {
	tn_tensor_id ids[TENSORS_MAX];
	struct tn_tensor saved[TENSORS_MAX];
	uint32_t n;
	bool full;
};

static void add_line(
	struct tn_edit *e, struct lines *l, tn_tensor_id id, const struct tn_shape *line)
{
	if (id.i == TN_NONE || tn_edit_is_constant(&e->g.tensors[id.i]))
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->ids[i].i == id.i)
			return;
	if (l->n == TENSORS_MAX) {
		l->full = true;
		return;
	}
	l->ids[l->n] = id;
	l->saved[l->n++] = e->g.tensors[id.i];
	if (!tn_edit_reshape(&e->g.tensors[id.i], line))
		l->full = true;
}

static const uint8_t *run(struct tn_edit *e, const tn_op_id *ids, uint32_t n,
	const struct tn_edit_given *given, uint32_t n_given, int64_t elements)
{
	const struct tn_shape line = { .rank = 1, .dim = { elements } };
	const uint8_t **results = NULL;
	struct lines l = { .n = 0 };

	for (uint32_t i = 0; i < n; i++) {
		const struct tn_op *op = &e->g.ops[ids[i].i];

		for (uint32_t k = 0; k < op->n_inputs; k++)
			add_line(e, &l, op->inputs[k], &line);
		add_line(e, &l, op->outputs[0], &line);
	}
	if (!l.full)
		results = tn_edit_run(e, ids, n, given, n_given);
	for (uint32_t i = 0; i < l.n; i++)
		e->g.tensors[l.ids[i].i] = l.saved[i];
	return results ? results[0] : NULL;
}

const uint8_t *tn_values_of_chain(struct tn_edit *e, const tn_op_id *ids, uint32_t n)
{
	struct tn_edit_given given;
	const struct tn_tensor *t;
	uint32_t k;

	if (!tn_values_operand(e, &e->g.ops[ids[0].i], &k))
		return NULL;
	given.id = e->g.ops[ids[0].i].inputs[k];
	t = &e->g.tensors[given.id.i];
	if (!tn_values_count(t))
		return NULL;
	given.bytes = all_values(e, t, tn_values_count(t), 1);
	return given.bytes ? run(e, ids, n, &given, 1, tn_values_count(t)) : NULL;
}

const uint8_t *tn_values_of_pair(struct tn_edit *e, const tn_op_id *ids, uint32_t n,
	tn_tensor_id a, tn_tensor_id b)
{
	struct tn_edit_given given[2] = { { a, NULL }, { b, NULL } };

	if (tn_values_count(&e->g.tensors[a.i]) != 256 ||
		tn_values_count(&e->g.tensors[b.i]) != 256)
		return NULL;
	given[0].bytes = all_values(e, &e->g.tensors[a.i], 65536, 256);
	given[1].bytes = all_values(e, &e->g.tensors[b.i], 65536, 1);
	return e->failed ? NULL : run(e, ids, n, given, 2, 65536);
}

bool tn_values_has_kernel(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_variant plain = { false, HOLD_NONE };
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_call call;
	bool ok;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ok = tn_bind(&e->g, tn_edit_id(e, op), plain, &arena, &diags, &call) == TN_OK;
	tn_arena_release(&arena);
	return ok;
}
