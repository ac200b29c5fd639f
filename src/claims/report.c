/* Verdicts as findings, and as text. */
#include <inttypes.h>
#include <string.h>

#include "claims/claims.h"

#include "base/banned.h"

static void add_notes(struct tn_diags *diags, const struct tn_claim_verdict *v)
{
	for (size_t i = 0; i < v->n_remedies; i++)
		tn_diag_note(diags, "remedy: %s", v->remedies[i].text);
	for (size_t i = 0; i < v->n_assumptions; i++)
		tn_diag_note(diags, "assumed: %s", v->assumptions[i]);
}

static void report(const struct tn_graph *g, const char *pointer, const char *subject,
	const struct tn_claim_verdict *v, struct tn_diags *diags)
{
	switch (v->result) {
	case CLAIM_REJECTED:
		tn_diag_at(diags, SEVERITY_ERROR, "claims/rejected", g->source, pointer,
			subject, "%s: %s", v->hazard, v->why);
		add_notes(diags, v);
		break;
	case CLAIM_UNPROVED:
		tn_diag_at(diags, SEVERITY_WARNING, "claims/unproved", g->source, pointer,
			subject, "%s", v->why);
		break;
	case CLAIM_PROVED:
		for (size_t i = 0; i < v->n_notes; i++)
			tn_diag_at(diags, SEVERITY_NOTE, "claims/waste", g->source,
				pointer, subject, "%s", v->notes[i]);
		break;
	}
}

void tn_claims_report(
	const struct tn_graph *g, const struct tn_claims *claims, struct tn_diags *diags)
{
	bool alone = true;

	for (uint32_t i = 0; i < claims->n; i++) {
		report(g, g->claims[i].pointer, g->claims[i].id, &claims->each[i], diags);
		alone = alone && claims->each[i].result == CLAIM_PROVED;
	}
	/* claims that cannot hold together may be alternatives: that is no finding */
	if (claims->has_joint && alone && claims->joint.result == CLAIM_REJECTED)
		report(g, "/claims", NULL, &claims->joint, diags);
}

static void put_actor(struct tn_strbuf *out, const char *what, const struct tn_actor *a)
{
	tn_strbuf_printf(out, " %s %s", what, a->name ? a->name : "none");
	if (a->kind == ACTOR_BACKWARD)
		tn_strbuf_puts(out, " (backward)");
}

static void print(const struct tn_graph *g, const char *id,
	const struct tn_claim_verdict *v, struct tn_strbuf *out)
{
	const struct tn_claim_witness *w = &v->witness;

	tn_strbuf_printf(out, "  %s: %s", id, tn_claim_result_name(v->result));
	if (v->result == CLAIM_REJECTED) {
		tn_strbuf_printf(out, " %s:", v->hazard);
		put_actor(out, "writer", &w->writer);
		tn_strbuf_printf(out, ", victim %s,",
			w->victim.i == TN_NONE ? "scratch"
					       : g->tensors[w->victim.i].name);
		put_actor(out, "reader", &w->reader);
		if (w->begin >= 0)
			tn_strbuf_printf(out, ", bytes [%" PRId64 ", %" PRId64 ")",
				w->begin, w->end);
	} else if (v->saves_bytes) {
		tn_strbuf_printf(out, ", saves %" PRId64 " B", v->saves_bytes);
	}
	tn_strbuf_printf(out, "\n    %s\n", v->why);
	for (size_t i = 0; i < v->n_remedies; i++)
		tn_strbuf_printf(out, "    remedy (%s, %" PRId64 " B): %s\n",
			v->remedies[i].kind, v->remedies[i].bytes, v->remedies[i].text);
	for (size_t i = 0; i < v->n_assumptions; i++)
		tn_strbuf_printf(out, "    assumed: %s\n", v->assumptions[i]);
	for (size_t i = 0; i < v->n_notes; i++)
		tn_strbuf_printf(out, "    note: %s\n", v->notes[i]);
}

void tn_claims_print(
	const struct tn_graph *g, const struct tn_claims *claims, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "claims:\n");
	for (uint32_t i = 0; i < claims->n; i++)
		print(g, g->claims[i].id, &claims->each[i], out);
	if (claims->has_joint)
		print(g, "all", &claims->joint, out);
}
