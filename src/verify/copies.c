/* What an op hands on unchanged. Learnt from the steps that the op's contract declares: a
 * step of an op that only copies writes what it has read, so the value of an output byte is
 * the value of the input byte that was read for it. */
#include <string.h>

#include "base/checked.h"
#include "contract/contract.h"
#include "verify/reference.h"

#include "base/banned.h"

/* A copy in more runs than this is a value of its own: nobody can do without the op. */
#define RUNS_MAX 4096

struct copying {
	struct tn_touch *in, *out; /* the op's inputs, its outputs */
	struct tn_arena *arena;
	bool gives_up, failed;
};

static bool same_scale(const struct tn_quant *a, const struct tn_quant *b)
{
	if (a->n != b->n || a->n > 1)
		return false;
	return !a->n || (memcmp(a->scale, b->scale, sizeof(*a->scale)) == 0 &&
				a->zero_point[0] == b->zero_point[0]);
}

/* One type and one scale for what is read and what is written: else the same number is
 * stored as other bytes. */
static bool alike(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *out = &g->tensors[op->outputs[0].i];

	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		tn_tensor_id id =
			k < op->n_inputs ? op->inputs[k] : op->outputs[k - op->n_inputs];
		const struct tn_tensor *t;

		if (id.i == TN_NONE)
			continue;
		t = &g->tensors[id.i];
		if (k < op->n_inputs &&
			(t->role == ROLE_CONST || t->data_kind != DATA_NONE))
			continue;
		if (t->dtype != out->dtype || !same_scale(&t->quant, &out->quant))
			return false;
	}
	return true;
}

static bool only_copies(const struct tn_graph *g, const struct tn_op *op)
{
	if (!op->n_outputs)
		return false;
	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (op->outputs[k].i == TN_NONE)
			return false;
	if (tn_op_info(op->kind)->access != ACCESS_MAP)
		return false;
	/* what scatters pixels is a value of its own: nobody can do without the op */
	if (op->kind == OP_RESIZE_NEAREST_NEIGHBOR || op->kind == OP_BATCH_TO_SPACE_ND)
		return false;
	return strcmp(tn_op_string(op, "activation", "NONE"), "NONE") == 0 &&
	       alike(g, op);
}

static bool copy_step(void *user, const struct tn_step *step)
{
	struct copying *c = user;
	const struct tn_access *r = step->reads, *w = step->writes;
	struct tn_touch *out;

	c->gives_up = step->n_writes != 1 || step->n_reads > 1 ||
		      (step->n_reads && r->end - r->begin != w->end - w->begin);
	if (c->gives_up || !step->n_reads) /* a fill, or a constant */
		return !c->gives_up;
	out = &c->out[w->operand];
	c->failed = !tn_memory_copy(&out->made, c->arena, w->begin,
		&c->in[r->operand].before, r->begin, r->end - r->begin);
	c->gives_up = out->made.count > RUNS_MAX;
	return !c->failed && !c->gives_up;
}

bool tn_reference_copies(struct tn_reference *ref, tn_op_id id, struct tn_arena *arena)
{
	const struct tn_op *op = &ref->g->ops[id.i];
	struct tn_deed *deed = &ref->deeds[id.i];
	struct copying c = {
		.in = deed->touches, .out = deed->touches + op->n_inputs, .arena = arena
	};
	struct tn_variant variants[TN_VARIANTS_MAX];
	enum tn_status status = TN_OK;

	if (!only_copies(ref->g, op) || !tn_contract_variants(ref->g, id, variants))
		return true;
	status = tn_contract_walk(ref->g, id, variants[0], copy_step, &c);
	for (uint32_t k = 0; k < op->n_outputs && c.gives_up && !c.failed; k++)
		c.failed = !tn_memory_write(&c.out[k].made, arena, 0,
			c.out[k].at.end - c.out[k].at.begin,
			deed->first_value + op->n_inputs + k, 0);
	return !c.failed && status != TN_ERR_NOMEM;
}
