#include "claims/claims.h"

#include <inttypes.h>

#include "claims/court.h"
#include "claims/training.h"

#include "base/banned.h"

static const struct {
	const char *name, *group, *rule;
} perils[PERIL_COUNT] = {
#define PERIL(id, name, group, rule) [id] = { name, group, rule },
#include "claims/perils.def"
#undef PERIL
};

const char *tn_peril_name(enum tn_peril peril)
{
	return perils[peril].name;
}

const char *tn_peril_group(enum tn_peril peril)
{
	return perils[peril].group;
}

const char *tn_peril_rule(enum tn_peril peril)
{
	return perils[peril].rule;
}

const char *tn_claim_result_name(enum tn_claim_result result)
{
	static const char *const names[] = { [CLAIM_PROVED] = "proved",
		[CLAIM_REJECTED] = "rejected",
		[CLAIM_UNPROVED] = "unproved" };

	return names[result];
}

/* Each trial has memory of its own: what lasts is copied to `arena`. */
static enum tn_status judge(struct tn_court *c, const struct tn_claim *const *claims,
	uint32_t n, struct tn_arena *arena, struct tn_claim_verdict *out)
{
	struct tn_arena scratch;
	struct tn_trial trial;
	enum tn_status status;

	*out = (struct tn_claim_verdict){ .result = CLAIM_UNPROVED };
	tn_arena_init(&scratch);
	status = tn_court_try(c, claims, n, NULL, &scratch, &trial);
	if (status == TN_OK)
		status = tn_court_advise(c, claims, n, &trial, &scratch, arena, out);
	if (status == TN_OK && trial.result == CLAIM_REJECTED)
		status = tn_court_remedies(c, claims, n, &trial, &scratch, arena, out);
	tn_arena_release(&scratch);
	return status;
}

static enum tn_status judge_set(struct tn_court *c, const uint32_t *claims, uint32_t n,
	struct tn_diags *diags, struct tn_arena *arena, struct tn_claim_verdict *out)
{
	const struct tn_claim **set = TN_NEW_ARRAY(c->arena, const struct tn_claim *, n);

	if (!set)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (claims[i] >= c->g->n_claims) {
			tn_diag_at(diags, SEVERITY_ERROR, "claims/index", c->g->source,
				NULL, NULL,
				"there is no claim number %u: the graph has %u",
				claims[i], c->g->n_claims);
			return TN_ERR_INPUT;
		}
		set[i] = &c->g->claims[claims[i]];
	}
	return judge(c, set, n, arena, out);
}

enum tn_status tn_claims_judge(const struct tn_graph *g, const uint32_t *claims,
	uint32_t n_claims, const struct tn_claim_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_claim_verdict *out)
{
	struct tn_arena own;
	struct tn_court court;
	enum tn_status status;

	tn_arena_init(&own);
	status = tn_court_init(&court, g, options, &own, diags);
	if (status == TN_OK)
		status = judge_set(&court, claims, n_claims, diags, arena, out);
	tn_arena_release(&own);
	return status;
}

static enum tn_status judge_each(struct tn_court *c, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_claims *out)
{
	uint32_t n = c->g->n_claims;

	out->each = TN_NEW_ARRAY(arena, struct tn_claim_verdict, n);
	if (!out->each)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		enum tn_status status = judge_set(c, &i, 1, diags, arena, &out->each[i]);

		if (status != TN_OK)
			return status;
	}
	out->n = n;
	return TN_OK;
}

/* The set of the claims whose bits are in the mask; all for a mask of 0. */
static enum tn_status judge_together(struct tn_court *c, unsigned mask,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_claims *out)
{
	struct tn_claim_set *set = &out->sets[out->n_sets];
	uint32_t *list = TN_NEW_ARRAY(arena, uint32_t, c->g->n_claims);

	if (!list)
		return TN_ERR_NOMEM;
	set->claims = list;
	for (uint32_t i = 0; i < c->g->n_claims; i++)
		if (!mask || mask >> i & 1)
			list[set->n++] = i;
	out->n_sets++;
	return judge_set(c, list, set->n, diags, arena, &set->verdict);
}

static uint32_t bits_in(unsigned mask)
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

static enum tn_status judge_sets(struct tn_court *c, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_claims *out)
{
	uint32_t n = c->g->n_claims;
	bool all = n <= TN_CLAIMS_ALL_SETS;
	enum tn_status status = TN_OK;

	if (n < 2)
		return TN_OK;
	out->sets = TN_NEW_ARRAY(arena, struct tn_claim_set, all ? 1u << n : 1);
	if (!out->sets)
		return TN_ERR_NOMEM;
	for (uint32_t size = 2; all && size < n; size++)
		for (unsigned mask = 1; mask < 1u << n && status == TN_OK; mask++)
			if (bits_in(mask) == size)
				status = judge_together(c, mask, arena, diags, out);
	return status == TN_OK ? judge_together(c, 0, arena, diags, out) : status;
}

#define GRAPH_TOLD_MAX 32 /* ops to blame; the rest shows when these are mended */

static bool same_witness(
	const struct tn_claim_verdict *a, const struct tn_claim_verdict *b)
{
	const struct tn_claim_witness *x = &a->witness, *y = &b->witness;

	return b->result == CLAIM_REJECTED && a->peril == b->peril &&
	       x->victim.i == y->victim.i && x->writer.kind == y->writer.kind &&
	       x->writer.op.i == y->writer.op.i && x->reader.kind == y->reader.kind &&
	       x->reader.op.i == y->reader.op.i;
}

/* Is it what a claim, or several together, was rejected for? */
static bool told_of_claims(
	const struct tn_claims *claims, const struct tn_claim_verdict *v)
{
	for (uint32_t i = 0; i < claims->n; i++)
		if (same_witness(v, &claims->each[i]))
			return true;
	for (uint32_t i = 0; i < claims->n_sets; i++)
		if (same_witness(v, &claims->sets[i].verdict))
			return true;
	return false;
}

/* What ops destroy by the graph's own word: one verdict for each op to blame, whatever is
 * claimed. */
static enum tn_status judge_own_word(
	struct tn_court *c, struct tn_arena *arena, struct tn_claims *out)
{
	enum tn_status status = TN_OK;

	c->told = TN_NEW_ARRAY(c->arena, bool, c->g->n_ops);
	out->graph = TN_NEW_ARRAY(arena, struct tn_claim_verdict, GRAPH_TOLD_MAX);
	if (!c->told || !out->graph)
		return TN_ERR_NOMEM;
	while (status == TN_OK && out->n_graph < GRAPH_TOLD_MAX) {
		struct tn_claim_verdict *v = &out->graph[out->n_graph];
		uint32_t op;
		bool blamed;

		status = judge(c, NULL, 0, arena, v);
		if (status != TN_OK || v->result != CLAIM_REJECTED)
			break;
		op = v->witness.writer.op.i;
		blamed = v->witness.writer.kind == ACTOR_OP && !c->told[op];

		out->n_graph += !told_of_claims(out, v);
		if (!blamed)
			break;
		c->told[op] = true;
	}
	c->told = NULL;
	return status;
}

/* Ops that say themselves that they work in place: is anything lost, or in training that
 * backward needs? In inference only what is wrong is told: the graph means what they do. */
static enum tn_status judge_in_place(
	struct tn_court *c, struct tn_arena *arena, struct tn_claims *out, bool *done)
{
	const struct tn_claim **set;
	uint32_t n;
	enum tn_status status = tn_training_claims(c->g, c->arena, &set, &n, done);

	if (status != TN_OK || !*done)
		return status;
	out->graph = TN_NEW(arena, struct tn_claim_verdict);
	if (!out->graph)
		return TN_ERR_NOMEM;
	status = judge(c, set, n, arena, out->graph);
	out->n_graph = status == TN_OK && (c->options.profile == PROFILE_TRAINING ||
						  out->graph->result == CLAIM_REJECTED);
	return status;
}

/* Does an op write a tensor that it reads, as its name says? */
static bool writes_in_place(const struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];

		if (tn_op_says_in_place(op) && op->n_inputs && op->n_outputs &&
			op->outputs[0].i < g->n_tensors &&
			g->tensors[op->outputs[0].i].view_of.i != TN_NONE)
			return true;
	}
	return false;
}

/* Does an op write, by the graph's own word, where something was before? */
static bool overwrites(const struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];

		if (tn_op_attr(op, "destroys"))
			return true;
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			const uint32_t t = op->outputs[k].i;

			if (t != TN_NONE &&
				(g->tensors[t].mutated ||
					g->tensors[t].view_of.i != TN_NONE) &&
				!tn_op_names_anew(g, op, t))
				return true;
		}
	}
	return false;
}

enum tn_status tn_claims_judge_all(const struct tn_graph *g,
	const struct tn_claim_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_claims *out)
{
	const bool training = options && options->profile == PROFILE_TRAINING;
	const bool own_word = overwrites(g);
	struct tn_arena own;
	struct tn_court court;
	enum tn_status status = TN_OK;
	bool done = false;

	*out = (struct tn_claims){ 0 };
	if (!g->n_claims && !training && !writes_in_place(g) && !own_word)
		return TN_OK;
	tn_arena_init(&own);
	status = tn_court_init(&court, g, options, &own, diags);
	if (status == TN_OK)
		status = judge_each(&court, arena, diags, out);
	if (status == TN_OK)
		status = judge_sets(&court, arena, diags, out);
	if (status == TN_OK && (training || writes_in_place(g)))
		status = judge_in_place(&court, arena, out, &done);
	if (status == TN_OK && own_word && !done && court.model.valid)
		status = judge_own_word(&court, arena, out);
	tn_arena_release(&own);
	return status;
}
