#include "claims/repair.h"

#include <string.h>

#include "base/checked.h"
#include "claims/remedy.h"

#include "base/banned.h"

struct repairing {
	struct tn_court *c;
	const struct tn_graph *g;
	struct tn_arena *arena; /* of the result */
	struct tn_arena *own; /* of the court: claims that take the place of others */
	const struct tn_claim **set; /* those that hold */
	uint32_t n;
	uint32_t *from; /* by position in the set: the claim of the graph */
	const struct tn_claim *wish; /* a plan that is rejected */
	bool may_copy;
	TN_VEC(struct tn_repair_step) steps;
	struct tn_repair *out;
};

/* Can a plan say what the fix changes? */
static bool applies(const struct repairing *r, const struct tn_fix *fix)
{
	const struct tn_court *c = r->c;
	const struct tn_kernel *own;

	if (fix->changes)
		return r->may_copy && fix->copies;
	if (fix->op == TN_NONE)
		return fix->with || fix->more || fix->drops;
	own = &c->model.kernel[fix->op];
	return own->kind == KERNEL_CONTRACT && fix->kernel.buffered == own->buffered &&
	       fix->kernel.passes == own->passes && fix->kernel.prezero == own->prezero;
}

static bool tell(struct repairing *r, uint32_t claim, const char *hazard,
	struct tn_claim_remedy remedy)
{
	struct tn_repair_step step = { claim, hazard, remedy };

	return remedy.text && tn_vec_push(r->arena, &r->steps, step);
}

static void leave_out(struct repairing *r, uint32_t at)
{
	for (uint32_t i = at; i + 1 < r->n; i++) {
		r->set[i] = r->set[i + 1];
		r->from[i] = r->from[i + 1];
	}
	r->n--;
}

static bool apply(struct repairing *r, const struct tn_fix *fix, uint32_t blamed)
{
	if (fix->op != TN_NONE) {
		r->c->model.kernel[fix->op] = fix->kernel;
		r->out->has_variant[fix->op] = true;
		r->out->variant[fix->op] = fix->kernel.variant;
	}
	if (fix->with)
		r->set[fix->at] = fix->with;
	if (fix->more) {
		r->set[r->n] = fix->more;
		r->from[r->n++] = TN_NONE;
	}
	if (fix->drops)
		leave_out(r, blamed);
	if (!fix->copies)
		return true;
	/* what is found is in the scratch of the trial */
	r->out->copies = TN_NEW_ARRAY(r->arena, struct tn_claim_copy, fix->n_copies);
	if (!r->out->copies)
		return false;
	memcpy(r->out->copies, fix->copies, fix->n_copies * sizeof(*fix->copies));
	r->out->n_copies = fix->n_copies;
	return true;
}

/* The newest claim of the set is rejected. */
static enum tn_status mend(
	struct repairing *r, uint32_t claim, const struct tn_trial *trial)
{
	const char *hazard = tn_peril_name(trial->worst.peril);
	struct tn_remedies found;
	enum tn_status status =
		tn_remedies_find(&found, r->c, r->set, r->n, trial, r->own, r->arena);

	if (status != TN_OK)
		return status;
	for (size_t i = 0; i < found.list.count; i++) {
		const struct tn_fix *fix = &found.list.items[i];

		if (!applies(r, fix))
			continue;
		return apply(r, fix, found.blamed) && tell(r, claim, hazard, fix->say)
			       ? TN_OK
			       : TN_ERR_NOMEM;
	}
	if (tn_claim_is(&r->g->claims[claim], "plan")) {
		r->wish = &r->g->claims[claim];
		leave_out(r, r->n - 1);
		return TN_OK;
	}
	leave_out(r, r->n - 1);
	return tell(r, claim, hazard,
		       (struct tn_claim_remedy){ "given_up",
			       tn_arena_printf(
				       r->arena, "give '%s' up", r->g->claims[claim].id),
			       0 })
		       ? TN_OK
		       : TN_ERR_NOMEM;
}

static enum tn_status join(struct repairing *r, uint32_t claim)
{
	struct tn_arena scratch;
	struct tn_trial trial;
	enum tn_status status;

	r->set[r->n] = &r->g->claims[claim];
	r->from[r->n++] = claim;
	tn_arena_init(&scratch);
	status = tn_court_try(r->c, r->set, r->n, NULL, &scratch, &trial);
	if (status == TN_OK && trial.result == CLAIM_REJECTED) {
		status = mend(r, claim, &trial);
	} else if (status == TN_OK && trial.result == CLAIM_UNPROVED) {
		leave_out(r, r->n - 1);
		if (!tell(r, claim, NULL,
			    (struct tn_claim_remedy){ "given_up",
				    tn_arena_strdup(r->arena, trial.why), 0 }))
			status = TN_ERR_NOMEM;
	}
	tn_arena_release(&scratch);
	return status;
}

static bool allocate(struct repairing *r)
{
	uint32_t n = r->g->n_claims, ops = r->g->n_ops, tensors = r->g->n_tensors;
	struct tn_repair *out = r->out;

	/* each claim may bring an order with it */
	r->set = TN_NEW_ARRAY(r->own, const struct tn_claim *, 2 * (size_t)n + 1);
	r->from = TN_NEW_ARRAY(r->own, uint32_t, 2 * (size_t)n + 1);
	out->space = TN_NEW_ARRAY(r->arena, uint32_t, tensors);
	out->at = TN_NEW_ARRAY(r->arena, int64_t, tensors);
	out->order = TN_NEW_ARRAY(r->arena, uint32_t, ops);
	out->elided = TN_NEW_ARRAY(r->arena, bool, ops);
	out->has_variant = TN_NEW_ARRAY(r->arena, bool, ops);
	out->variant = TN_NEW_ARRAY(r->arena, struct tn_variant, ops);
	return r->set && r->from && out->space && out->at && out->order && out->elided &&
	       out->has_variant && out->variant;
}

static int64_t floor_byte(int64_t bit)
{
	return bit >= 0 ? bit / 8 : -((-bit + 7) / 8);
}

/* Copies what the setting says, in bytes. */
static enum tn_status settle(struct repairing *r)
{
	struct tn_setting s;
	struct tn_losses losses = { 0 };
	struct tn_repair *out = r->out;
	enum tn_status status;

	if (r->wish)
		r->set[r->n] = r->wish;
	status = tn_setting_init(
		&s, &r->c->model, r->set, r->n + (r->wish != NULL), r->own, &losses);
	if (status == TN_OK && s.contradiction && r->wish)
		status = tn_setting_init(&s, &r->c->model, r->set, r->n, r->own, &losses);
	if (status != TN_OK)
		return status;
	out->spaces = TN_NEW_ARRAY(r->arena, struct tn_repair_space, s.n_spaces);
	if (!out->spaces)
		return TN_ERR_NOMEM;
	out->n_spaces = s.n_spaces;
	out->has_order = s.has_order;
	for (uint32_t i = 0; i < s.n_spaces; i++)
		out->spaces[i] = (struct tn_repair_space){ floor_byte(s.spaces[i].lo),
			floor_byte(s.spaces[i].hi + 7), s.spaces[i].kind == SPACE_ARENA };
	for (uint32_t i = 0; i < r->g->n_tensors; i++) {
		bool own = r->c->model.form[i].root == i && s.site_of[i] == i;

		out->space[i] = own ? s.site[i].space : TN_NONE;
		out->at[i] = own ? floor_byte(s.site[i].bit) : 0;
	}
	for (uint32_t i = 0; i < r->g->n_ops; i++) {
		out->order[i] = s.order[i];
		out->elided[i] = s.fate[i] == FATE_ELIDED;
	}
	return TN_OK;
}

enum tn_status tn_claims_repair(const struct tn_graph *g,
	const struct tn_claim_options *options, bool may_copy, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_repair *out)
{
	struct tn_arena own;
	struct tn_court court;
	struct repairing r = { .c = &court,
		.g = g,
		.arena = arena,
		.own = &own,
		.may_copy = may_copy,
		.out = out };
	enum tn_status status;

	*out = (struct tn_repair){ 0 };
	tn_arena_init(&own);
	status = tn_court_init(&court, g, options, &own, diags);
	if (status == TN_OK && !allocate(&r))
		status = TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_claims && status == TN_OK && !out->copies; i++)
		status = join(&r, i);
	if (status == TN_OK && !out->copies)
		status = settle(&r);
	for (uint32_t i = 0; i < r.n && status == TN_OK; i++)
		out->n_held += r.from[i] != TN_NONE && r.set[i] == &g->claims[r.from[i]];
	out->steps = r.steps.items;
	out->n_steps = r.steps.count;
	tn_arena_release(&own);
	return status;
}
