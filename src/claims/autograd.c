/* What an op keeps for its backward pass, when the graph has none of its own. */
#include "base/banned.h"
#include "claims/autograd.h"
#include "claims/training.h"
#include "ir/type_name.h"

static const struct {
	const char *type;
	int first, others, result;
} rows[] = {
#define AUTOGRAD(type, first, others, result) { type, first, others, result },
#include "autograd.def"
#undef AUTOGRAD
};

/* A number in place of a tensor, as readers make one: nobody trains it. */
static bool is_number(const struct tn_model *m, tn_tensor_id id)
{
	const struct tn_tensor *t = id.i < m->g->n_tensors ? &m->g->tensors[id.i] : NULL;

	return t && t->role == ROLE_CONST && t->shape.rank == 0 && !t->name[0] &&
	       t->data_kind == DATA_BYTES;
}

bool tn_autograd_saves(
	const struct tn_model *m, uint32_t op, uint32_t operand, bool in_place)
{
	const struct tn_op *o = &m->g->ops[op];
	const char *name = o->kind == OP_UNKNOWN ? o->type : tn_op_info(o->kind)->name;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool either = rows[i].first == 2;

		if (!tn_type_same(rows[i].type, o->type) &&
			!tn_type_same(rows[i].type, name))
			continue;
		if (operand >= o->n_inputs)
			return rows[i].result || (either && in_place);
		if (operand > 0)
			return rows[i].others;
		/* the factor is kept for the other one's gradient; a number that is no
		 * operand has none */
		if ((o->kind == OP_MUL || o->kind == OP_DIV) && o->n_inputs == 1)
			return false;
		if (o->kind == OP_MUL && o->n_inputs == 2 && is_number(m, o->inputs[1]))
			return false;
		return either ? !in_place : rows[i].first != 0;
	}
	/* what only moves elements keeps none of them */
	return !m->kernel[op].copies;
}
