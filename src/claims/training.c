#include "claims/training.h"

#include <string.h>

#include "base/banned.h"
#include "ir/type_name.h"
#include "ir/views.h"

bool tn_op_says_in_place(const struct tn_op *op)
{
	const char *name = tn_type_bare(op->type);
	size_t len = strcspn(name, ".");

	return tn_op_int(op, "inplace", 0) != 0 || (len > 1 && name[len - 1] == '_');
}

static bool is_batch_norm(const struct tn_op *op)
{
	static const char *const names[] = { "BatchNorm", "BatchNormalization",
		"batch_norm", "native_batch_norm", "BatchNorm1d", "BatchNorm2d",
		"BatchNorm3d", "FusedBatchNorm", "_native_batch_norm_legit" };
	static const char *const modes[] = { "training", "is_training", "training_mode" };
	bool known = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		known = known || tn_type_same(names[i], op->type);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes) && known; i++)
		known = tn_op_int(op, modes[i], 1) != 0;
	return known && op->n_inputs >= 5;
}

/* Operands of a batch normalisation: x, scale, shift, running mean, running variance. */
static bool update_statistics(
	struct tn_graph *g, struct tn_op *op, struct tn_arena *arena)
{
	tn_tensor_id *outputs = TN_NEW_ARRAY(arena, tn_tensor_id, op->n_outputs + 2);
	struct tn_attr *attrs = TN_NEW_ARRAY(arena, struct tn_attr, op->n_attrs + 1);
	uint32_t n = 0;

	if (!outputs || !attrs)
		return false;
	for (; n < op->n_outputs; n++)
		outputs[n] = op->outputs[n];
	for (uint32_t k = 3; k < 5; k++) {
		struct tn_tensor *t;

		if (op->inputs[k].i >= g->n_tensors)
			continue;
		t = &g->tensors[op->inputs[k].i];
		if (t->role != ROLE_CONST && t->role != ROLE_VARIABLE)
			continue;
		t->role = ROLE_VARIABLE;
		t->mutated = true;
		outputs[n++] = op->inputs[k];
	}
	for (uint32_t i = 0; i < op->n_attrs; i++)
		attrs[i] = op->attrs[i];
	/* the statistics are read before they are written */
	attrs[op->n_attrs] = (struct tn_attr){
		.name = "buffered", .kind = ATTR_BOOL, .v.i = 1, .n = 1
	};
	op->attrs = attrs;
	op->n_attrs++;
	op->outputs = outputs;
	op->n_outputs = n;
	if (op->kind == OP_BATCH_NORM) /* whose kernel takes the statistics as they are */
		op->kind = OP_UNKNOWN;
	return true;
}

enum tn_status tn_training_graph(
	const struct tn_graph *g, struct tn_arena *arena, const struct tn_graph **out)
{
	struct tn_graph *copy = NULL;

	*out = g;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		if (!is_batch_norm(&g->ops[i]))
			continue;
		if (!copy) {
			copy = TN_NEW(arena, struct tn_graph);
			if (!copy)
				return TN_ERR_NOMEM;
			*copy = *g;
			copy->ops = TN_NEW_ARRAY(arena, struct tn_op, g->n_ops);
			copy->tensors =
				TN_NEW_ARRAY(arena, struct tn_tensor, g->n_tensors);
			if (!copy->ops || !copy->tensors)
				return TN_ERR_NOMEM;
			memcpy(copy->ops, g->ops, g->n_ops * sizeof(*g->ops));
			memcpy(copy->tensors, g->tensors,
				g->n_tensors * sizeof(*g->tensors));
			*out = copy;
		}
		if (!update_statistics(copy, &copy->ops[i], arena))
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

enum tn_status tn_training_claims(const struct tn_graph *g, struct tn_arena *arena,
	const struct tn_claim ***out, uint32_t *out_n, bool *out_any)
{
	struct tn_views views;

	*out_n = 0;
	*out_any = false;
	*out = TN_NEW_ARRAY(arena, const struct tn_claim *, g->n_ops);
	if (!*out || !tn_views_find(g, arena, &views))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];
		struct tn_claim *claim;

		if (!tn_op_says_in_place(op) || !op->n_inputs || !op->n_outputs ||
			op->inputs[0].i >= g->n_tensors ||
			op->outputs[0].i >= g->n_tensors)
			continue;
		*out_any = true;
		if (views.root[op->inputs[0].i] == views.root[op->outputs[0].i])
			continue; /* the graph itself writes there */
		claim = TN_NEW(arena, struct tn_claim);
		if (!claim)
			return TN_ERR_NOMEM;
		*claim = (struct tn_claim){ .id = op->name,
			.kind = "inplace",
			.op = { i },
			.in = op->inputs[0],
			.out = op->outputs[0],
			.tensor = { TN_NONE },
			.of = { TN_NONE },
			.byte_offset = -1,
			.bytes = -1,
			.arena_bytes = -1,
			.align = -1,
			.base_address = -1,
			.pointer = op->pointer };
		(*out)[(*out_n)++] = claim;
	}
	return TN_OK;
}
