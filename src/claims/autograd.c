/* What an op keeps for its backward pass, when the graph has none of its own. */
#include <string.h>

#include "base/banned.h"
#include "claims/autograd.h"

static const struct {
	const char *type;
	bool first, others, result;
} rows[] = {
#define AUTOGRAD(type, first, others, result) { type, first, others, result },
#include "autograd.def"
#undef AUTOGRAD
};

bool tn_autograd_saves(const struct tn_model *m, uint32_t op, uint32_t operand)
{
	const struct tn_op *o = &m->g->ops[op];
	const char *name = o->kind == OP_UNKNOWN ? o->type : tn_op_info(o->kind)->name;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(rows[i].type, o->type) != 0 && strcmp(rows[i].type, name) != 0)
			continue;
		if (operand >= o->n_inputs)
			return rows[i].result;
		return operand == 0 ? rows[i].first : rows[i].others;
	}
	/* what only moves elements keeps none of them */
	return !m->kernel[op].copies;
}
