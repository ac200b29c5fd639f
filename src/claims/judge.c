#include "claims/claims.h"

#include <inttypes.h>

#include "claims/court.h"

#include "base/banned.h"

static const struct {
	const char *name, *group;
} perils[PERIL_COUNT] = {
#define PERIL(id, name, group) [id] = { name, group },
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
	uint32_t *all = TN_NEW_ARRAY(c->arena, uint32_t, n);

	out->each = TN_NEW_ARRAY(arena, struct tn_claim_verdict, n);
	if (!all || !out->each)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		enum tn_status status;

		all[i] = i;
		status = judge_set(c, &i, 1, diags, arena, &out->each[i]);
		if (status != TN_OK)
			return status;
	}
	out->n = n;
	out->has_joint = n > 1;
	return out->has_joint ? judge_set(c, all, n, diags, arena, &out->joint) : TN_OK;
}

enum tn_status tn_claims_judge_all(const struct tn_graph *g,
	const struct tn_claim_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_claims *out)
{
	struct tn_arena own;
	struct tn_court court;
	enum tn_status status = TN_OK;

	*out = (struct tn_claims){ 0 };
	if (!g->n_claims)
		return TN_OK;
	tn_arena_init(&own);
	status = tn_court_init(&court, g, options, &own, diags);
	if (status == TN_OK)
		status = judge_each(&court, arena, diags, out);
	tn_arena_release(&own);
	return status;
}
