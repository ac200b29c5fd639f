/* What an op hands on unchanged. Learnt from the steps that the op's contract declares: a
 * step of an op that only copies writes what it has read, so the value of an output byte is
 * the value of the input byte that was read for it. */
#include <string.h>

#include "contract/contract.h"
#include "verify/reference.h"

#include "base/banned.h"

/* A copy in more pieces than this is a value of its own: nobody can do without the op. */
#define PIECES_MAX 4096

struct copying {
	struct tn_deed *deed;
	struct tn_arena *arena;
	uint32_t n_inputs;
	bool copies; /* so far */
	bool failed;
};

static bool same_scale(const struct tn_quant *a, const struct tn_quant *b)
{
	if (a->n != b->n || a->n > 1)
		return false;
	return !a->n || (memcmp(a->scale, b->scale, sizeof(*a->scale)) == 0 &&
				a->zero_point[0] == b->zero_point[0]);
}

/* Does the op move elements, of one type and one scale? Else the same number is stored as
 * other bytes. */
static bool only_copies(const struct tn_graph *g, const struct tn_op *op)
{
	const bool cast = op->kind == OP_CAST;
	const struct tn_tensor *out;

	if (!op->n_outputs || op->outputs[0].i == TN_NONE ||
		(tn_op_info(op->kind)->access != ACCESS_MAP && !cast) ||
		strcmp(tn_op_string(op, "activation", "NONE"), "NONE") != 0)
		return false;
	out = &g->tensors[op->outputs[0].i];
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		bool input = k < op->n_inputs;
		tn_tensor_id id = input ? op->inputs[k] : op->outputs[k - op->n_inputs];
		const struct tn_tensor *t = id.i == TN_NONE ? NULL : &g->tensors[id.i];

		/* what to copy, and how, is said by constants; of CAST it is the value */
		if (input && (!t || (!cast && (t->role == ROLE_CONST ||
						      t->data_kind != DATA_NONE))))
			continue;
		if (!t || t->dtype != out->dtype || !same_scale(&t->quant, &out->quant))
			return false;
	}
	return true;
}

static bool copy_run(void *user, const struct tn_step *s)
{
	struct copying *c = user;
	const struct tn_access *r = s->reads, *w = s->writes;
	struct tn_memory *from, *to;
	int64_t len = w->end - w->begin, n = s->count;

	c->copies = s->n_writes == 1 && s->n_reads < 2 &&
		    (!s->n_reads || r->end - r->begin == len);
	if (!c->copies || !s->n_reads) /* no read: a fill, or a constant */
		return c->copies;
	from = &c->deed->touches[r->operand].before;
	to = &c->deed->touches[c->n_inputs + w->operand].made;
	if (s->read_by == len && s->write_by == len) { /* side by side */
		len *= n;
		n = 1;
	}
	for (int64_t j = 0; j < n && c->copies; j++) {
		c->failed = !tn_memory_copy(to, c->arena, w->begin + j * s->write_by,
			from, r->begin + j * s->read_by, len);
		c->copies = !c->failed && to->count <= PIECES_MAX;
	}
	return c->copies;
}

bool tn_reference_copies(struct tn_reference *ref, tn_op_id id, struct tn_arena *arena)
{
	const struct tn_variant plain = { false, HOLD_NONE };
	struct tn_deed *deed = &ref->deeds[id.i];
	struct copying c = { deed, arena, ref->g->ops[id.i].n_inputs, true, false };

	if (deed->opaque || !only_copies(ref->g, &ref->g->ops[id.i]))
		return true;
	if (tn_contract_runs(ref->g, id, plain, copy_run, &c) == TN_ERR_NOMEM || c.failed)
		return false;
	for (uint32_t k = c.n_inputs; k < deed->n && !c.copies; k++) { /* as it was */
		const struct tn_extent *at = &deed->touches[k].at;

		if (!tn_memory_write(&deed->touches[k].made, arena, 0,
			    at->end - at->begin, deed->first_value + k, 0))
			return false;
	}
	return true;
}
