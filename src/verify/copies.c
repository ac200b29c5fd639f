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
	struct tn_deed *deed;
	struct tn_arena *arena;
	uint32_t n_inputs;
	uint32_t input, output; /* of the run so far */
	int64_t from, to, len;
	uint32_t runs;
	bool counting; /* how many runs are there? */
	bool failed;
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
		/* what to copy, and how, is said by constants; of CAST it is the value */
		if (k < op->n_inputs && op->kind != OP_CAST &&
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
	if (tn_op_info(op->kind)->access != ACCESS_MAP && op->kind != OP_CAST)
		return false;
	/* what scatters pixels is a value of its own: nobody can do without the op */
	if (op->kind == OP_RESIZE_NEAREST_NEIGHBOR || op->kind == OP_BATCH_TO_SPACE_ND)
		return false;
	return strcmp(tn_op_string(op, "activation", "NONE"), "NONE") == 0 &&
	       alike(g, op);
}

static bool end_run(struct copying *c)
{
	struct tn_touch *in, *out;

	if (!c->len)
		return true;
	c->runs++;
	if (!c->counting) {
		in = &c->deed->touches[c->input];
		out = &c->deed->touches[c->n_inputs + c->output];
		c->failed = !tn_memory_copy(
			&out->made, c->arena, c->to, &in->before, c->from, c->len);
	}
	c->len = 0;
	return !c->failed && c->runs <= RUNS_MAX;
}

static bool copy_step(void *user, const struct tn_step *step)
{
	struct copying *c = user;
	const struct tn_access *r = step->reads, *w = step->writes;

	if (step->n_writes != 1 || step->n_reads > 1 ||
		(step->n_reads && r->end - r->begin != w->end - w->begin)) {
		c->runs = RUNS_MAX + 1;
		return false;
	}
	if (!step->n_reads) /* a fill, or a constant */
		return end_run(c);
	if (c->len && r->operand == c->input && w->operand == c->output &&
		r->begin == c->from + c->len && w->begin == c->to + c->len) {
		c->len += r->end - r->begin;
		return true;
	}
	if (!end_run(c))
		return false;
	c->input = r->operand;
	c->output = w->operand;
	c->from = r->begin;
	c->to = w->begin;
	c->len = r->end - r->begin;
	return true;
}

static enum tn_status walk(struct copying *c, const struct tn_graph *g, tn_op_id id)
{
	struct tn_variant variants[TN_VARIANTS_MAX];
	enum tn_status status;

	c->runs = 0;
	c->len = 0;
	if (!tn_contract_variants(g, id, variants))
		return TN_ERR_REFUSED;
	if (tn_contract_is_uniform(g, id)) { /* element by element: one run */
		c->len = g->tensors[g->ops[id.i].outputs[0].i].bytes;
		c->input = c->output = 0;
		c->from = c->to = 0;
		(void)end_run(c);
		return c->failed ? TN_ERR_NOMEM : TN_OK;
	}
	status = tn_contract_moves(g, id, copy_step, c);
	if (status == TN_OK && c->runs <= RUNS_MAX)
		(void)end_run(c);
	if (c->failed)
		return TN_ERR_NOMEM;
	return status == TN_OK && c->runs > RUNS_MAX ? TN_ERR_REFUSED : status;
}

bool tn_reference_copies(struct tn_reference *ref, tn_op_id id, struct tn_arena *arena)
{
	const struct tn_op *op = &ref->g->ops[id.i];
	struct copying c = { .deed = &ref->deeds[id.i],
		.arena = arena,
		.n_inputs = op->n_inputs,
		.counting = true };
	enum tn_status status;

	if (c.deed->opaque || !only_copies(ref->g, op))
		return true;
	status = walk(&c, ref->g, id);
	if (status == TN_OK) {
		c.counting = false;
		status = walk(&c, ref->g, id);
	}
	return status != TN_ERR_NOMEM;
}
