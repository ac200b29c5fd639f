#include "same_graph.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME_INT(a, b, field)                                                            \
	ck_assert_msg((int64_t)(a)->field == (int64_t)(b)->field,                        \
		"%s: " #field " %" PRId64 " and %" PRId64, what, (int64_t)(a)->field,    \
		(int64_t)(b)->field)
#define SAME_TEXT(a, b, field)                                                           \
	ck_assert_msg(                                                                   \
		strcmp((a)->field ? (a)->field : "", (b)->field ? (b)->field : "") == 0, \
		"%s: " #field " '%s' and '%s'", what, (a)->field, (b)->field)

static void same_ids(const char *what, const char *list, const void *a, const void *b,
	uint32_t n_a, uint32_t n_b)
{
	ck_assert_msg(n_a == n_b, "%s: %u and %u %s", what, n_a, n_b, list);
	ck_assert_msg(n_a == 0 || memcmp(a, b, n_a * sizeof(tn_tensor_id)) == 0,
		"%s: %s differ", what, list);
}

static void same_quant(const char *what, const struct tn_quant *a,
	const struct tn_quant *b, unsigned flags)
{
	bool rounded = (flags & SAME_BUT_ROUNDED) && b->damaged;

	SAME_INT(a, b, n);
	SAME_INT(a, b, axis);
	if (!rounded)
		SAME_INT(a, b, damaged);
	for (uint32_t i = 0; i < a->n; i++) {
		ck_assert_msg(a->zero_point[i] == b->zero_point[i], "%s: zero point %u",
			what, i);
		if (rounded)
			ck_assert_msg(fabs((double)a->scale[i] - (double)b->scale[i]) <=
					      5.01e-7,
				"%s: scale %u is %.9g and %.9g", what, i,
				(double)a->scale[i], (double)b->scale[i]);
		else
			ck_assert_msg(
				memcmp(&a->scale[i], &b->scale[i], sizeof(float)) == 0,
				"%s: scale %u is %.9g and %.9g", what, i,
				(double)a->scale[i], (double)b->scale[i]);
	}
}

static void same_tensor(const char *graph, const struct tn_tensor *a,
	const struct tn_tensor *b, unsigned flags)
{
	char what[1024];

	snprintf(what, sizeof(what), "%.300s: tensor %u '%.300s'", graph, a->file_index,
		a->name);
	SAME_TEXT(a, b, name);
	SAME_INT(a, b, dtype);
	ck_assert_msg(tn_shape_equal(&a->shape, &b->shape), "%s: shape", what);
	SAME_INT(a, b, role);
	SAME_INT(a, b, clobber);
	SAME_INT(a, b, mutated);
	SAME_INT(a, b, observed);
	same_quant(what, &a->quant, &b->quant, flags);
	if (!(flags & SAME_BUT_ROUNDED) || b->data_kind != DATA_MISSING) {
		SAME_INT(a, b, data_kind);
		SAME_INT(a, b, data_bytes);
	}
	SAME_INT(a, b, seeded);
	SAME_INT(a, b, seed);
	ck_assert_msg(b->data_kind != DATA_BYTES ||
			      memcmp(a->data, b->data, (size_t)a->data_bytes) == 0,
		"%s: data", what);
	SAME_INT(a, b, view_of.i);
	SAME_INT(a, b, view_offset);
	SAME_INT(a, b, has_strides);
	for (uint32_t i = 0; a->has_strides && i < a->shape.rank; i++)
		SAME_INT(a, b, stride[i]);
	SAME_INT(a, b, elements);
	SAME_INT(a, b, bytes);
	SAME_INT(a, b, file_index);
	if (!(flags & SAME_BUT_POINTERS))
		SAME_TEXT(a, b, pointer);
}

static bool same_double(double a, double b, unsigned flags)
{
	return memcmp(&a, &b, sizeof(a)) == 0 ||
	       ((flags & SAME_BUT_ROUNDED) && fabs(a - b) <= 5.01e-7);
}

static void same_attr(
	const char *op, const struct tn_attr *a, const struct tn_attr *b, unsigned flags)
{
	char what[1024];

	snprintf(what, sizeof(what), "%.700s: attribute '%.200s'", op, a->name);
	SAME_TEXT(a, b, name);
	SAME_INT(a, b, kind);
	SAME_INT(a, b, n);
	switch (a->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		SAME_INT(a, b, v.i);
		break;
	case ATTR_FLOAT:
		ck_assert_msg(same_double(a->v.f, b->v.f, flags), "%s: %.17g and %.17g",
			what, a->v.f, b->v.f);
		break;
	case ATTR_STRING:
		SAME_TEXT(a, b, v.s);
		break;
	case ATTR_INTS:
		for (size_t i = 0; i < a->n; i++)
			SAME_INT(a, b, v.ints[i]);
		break;
	case ATTR_FLOATS:
		for (size_t i = 0; i < a->n; i++)
			ck_assert_msg(same_double(a->v.floats[i], b->v.floats[i], flags),
				"%s: element %zu", what, i);
		break;
	case ATTR_STRINGS:
		for (size_t i = 0; i < a->n; i++)
			SAME_TEXT(a, b, v.strings[i]);
		break;
	}
}

static void same_op(
	const char *graph, const struct tn_op *a, const struct tn_op *b, unsigned flags)
{
	char what[1024];

	snprintf(what, sizeof(what), "%.300s: op '%.300s'", graph, a->name);
	SAME_TEXT(a, b, name);
	SAME_INT(a, b, kind);
	SAME_TEXT(a, b, type);
	same_ids(what, "inputs", a->inputs, b->inputs, a->n_inputs, b->n_inputs);
	same_ids(what, "outputs", a->outputs, b->outputs, a->n_outputs, b->n_outputs);
	SAME_INT(a, b, n_attrs);
	for (uint32_t i = 0; i < a->n_attrs; i++)
		same_attr(what, &a->attrs[i], &b->attrs[i], flags);
	if (!(flags & SAME_BUT_POINTERS)) {
		SAME_INT(a, b, file_index); /* a reader may leave ops out */
		SAME_TEXT(a, b, pointer);
	}
}

static void same_claim(
	const char *graph, const struct tn_claim *a, const struct tn_claim *b)
{
	char what[1024];

	snprintf(what, sizeof(what), "%.300s: claim '%.300s'", graph, a->id);
	SAME_TEXT(a, b, id);
	SAME_TEXT(a, b, kind);
	SAME_INT(a, b, op.i);
	SAME_INT(a, b, in.i);
	SAME_INT(a, b, out.i);
	SAME_INT(a, b, tensor.i);
	SAME_INT(a, b, of.i);
	SAME_INT(a, b, byte_offset);
	SAME_INT(a, b, bytes);
	SAME_INT(a, b, arena_bytes);
	SAME_INT(a, b, align);
	SAME_INT(a, b, base_address);
	SAME_INT(a, b, n_places);
	for (uint32_t i = 0; i < a->n_places; i++) {
		SAME_INT(a, b, places[i].tensor.i);
		SAME_INT(a, b, places[i].offset);
		SAME_INT(a, b, places[i].size);
	}
	same_ids(what, "ops in order", a->order, b->order, a->n_order, b->n_order);
}

static void same_flow(
	const char *what, const struct tn_graph *a, const struct tn_graph *b)
{
	SAME_INT(a, b, parallel);
	SAME_TEXT(a, b, unrolled_op);
	SAME_INT(a, b, trip_count);
	SAME_INT(a, b, n_branches);
	for (uint32_t i = 0; i < a->n_branches; i++) {
		SAME_TEXT(a, b, branches[i].choice);
		SAME_TEXT(a, b, branches[i].name);
		same_ids(what, "ops in branch", a->branches[i].ops, b->branches[i].ops,
			a->branches[i].n_ops, b->branches[i].n_ops);
	}
	SAME_INT(a, b, n_scopes);
	for (uint32_t i = 0; i < a->n_scopes; i++) {
		SAME_TEXT(a, b, scopes[i].name);
		same_ids(what, "tensors in scope", a->scopes[i].tensors,
			b->scopes[i].tensors, a->scopes[i].n_tensors,
			b->scopes[i].n_tensors);
	}
}

void same_graph(const char *what, const struct tn_graph *a, const struct tn_graph *b,
	unsigned flags)
{
	SAME_TEXT(a, b, name);
	SAME_INT(a, b, n_tensors);
	for (uint32_t i = 0; i < a->n_tensors; i++)
		same_tensor(what, &a->tensors[i], &b->tensors[i], flags);
	SAME_INT(a, b, n_ops);
	for (uint32_t i = 0; i < a->n_ops; i++)
		same_op(what, &a->ops[i], &b->ops[i], flags);
	same_ids(what, "inputs", a->inputs, b->inputs, a->n_inputs, b->n_inputs);
	same_ids(what, "outputs", a->outputs, b->outputs, a->n_outputs, b->n_outputs);
	same_ids(what, "steps", a->schedule, b->schedule, a->n_ops, b->n_ops);
	SAME_INT(a, b, n_claims);
	for (uint32_t i = 0; i < a->n_claims; i++)
		same_claim(what, &a->claims[i], &b->claims[i]);
	SAME_INT(a, b, invocations);
	same_flow(what, a, b);
	if (!(flags & SAME_BUT_ROUNDED))
		SAME_INT(a, b, lossy);
	if (!(flags & SAME_BUT_POINTERS) && !(flags & SAME_BUT_ROUNDED))
		SAME_INT(a, b, format);
	SAME_INT(a, b, n_subgraphs);
	for (uint32_t i = 0; i < a->n_subgraphs; i++) {
		char sub[1024];

		snprintf(sub, sizeof(sub), "%.300s: subgraph %u", what, i + 1);
		same_graph(sub, &a->subgraphs[i], &b->subgraphs[i], flags);
	}
}
