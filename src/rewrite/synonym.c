#include "rewrite/synonym.h"

#include <string.h>

#include "base/banned.h"

void tn_synonym_rename(struct tn_edit *e, struct tn_op *op, enum tn_op_kind kind)
{
	const char *name = tn_op_info(kind)->name;

	op->kind = kind;
	op->type = tn_str_intern(e->strings, name, strlen(name));
	if (!op->type)
		e->failed = true;
}

void tn_rewrite_synonyms(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i);

		if (!op || op->n_outputs != 1 || !tn_edit_out(e, op, 0))
			continue;
		tn_synonym_clamp(e, op);
		tn_synonym_product(e, op);
		tn_synonym_mean(e, op);
	}
}
