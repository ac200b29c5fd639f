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
		tn_diag_at(diags, SEVERITY_ERROR, tn_peril_rule(v->peril), g->source,
			pointer, subject, "%s: %s", v->hazard, v->why);
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

/* The ids of the set, for people; NULL: no memory. */
static const char *set_name(
	const struct tn_graph *g, const struct tn_claim_set *set, struct tn_arena *arena)
{
	const char *text = "";

	for (uint32_t i = 0; i < set->n && text; i++)
		text = tn_arena_printf(arena, "%s%s%s", text, i ? " + " : "",
			g->claims[set->claims[i]].id);
	return text;
}

static bool is_part(const struct tn_claim_set *part, const struct tn_claim_set *of)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < of->n && k < part->n; i++)
		k += part->claims[k] == of->claims[i];
	return k == part->n && part->n < of->n;
}

/* Rejected, though none of its parts is. */
static bool is_news(const struct tn_claims *claims, uint32_t set)
{
	const struct tn_claim_set *s = &claims->sets[set];

	if (s->verdict.result != CLAIM_REJECTED)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (claims->each[s->claims[i]].result != CLAIM_PROVED)
			return false;
	for (uint32_t i = 0; i < set; i++)
		if (claims->sets[i].verdict.result == CLAIM_REJECTED &&
			is_part(&claims->sets[i], s))
			return false;
	return true;
}

/* Of the graph's own ops: the one to blame is named. */
static void report_graph(const struct tn_graph *g, const struct tn_claim_verdict *v,
	struct tn_diags *diags)
{
	const struct tn_actor *writer = &v->witness.writer;
	const struct tn_op *op = v->result == CLAIM_REJECTED && writer->kind == ACTOR_OP
					 ? &g->ops[writer->op.i]
					 : NULL;

	report(g, op ? op->pointer : "/ops", op ? op->name : NULL, v, diags);
}

void tn_claims_report(
	const struct tn_graph *g, const struct tn_claims *claims, struct tn_diags *diags)
{
	for (uint32_t i = 0; i < claims->n; i++)
		report(g, g->claims[i].pointer, g->claims[i].id, &claims->each[i], diags);
	for (uint32_t i = 0; i < claims->n_graph; i++)
		report_graph(g, &claims->graph[i], diags);
	/* claims that cannot hold together may be alternatives: that is no finding */
	for (uint32_t i = 0; i < claims->n_sets; i++)
		if (is_news(claims, i))
			report(g, "/claims",
				claims->n <= TN_CLAIMS_ALL_SETS
					? set_name(g, &claims->sets[i], diags->arena)
					: NULL,
				&claims->sets[i].verdict, diags);
}

static void put_actor(struct tn_strbuf *out, const char *what, const struct tn_actor *a)
{
	tn_strbuf_printf(out, " %s %s", what, a->name ? a->name : "none");
	if (a->kind == ACTOR_BACKWARD)
		tn_strbuf_puts(out, " (backward)");
}

static void print(
	const struct tn_claim_verdict *v, const struct tn_graph *g, struct tn_strbuf *out)
{
	const struct tn_claim_witness *w = &v->witness;

	tn_strbuf_printf(out, ": %s", tn_claim_result_name(v->result));
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
	for (uint32_t i = 0; i < claims->n_graph; i++) {
		tn_strbuf_puts(out, "  (ops that work in place)");
		print(&claims->graph[i], g, out);
	}
	for (uint32_t i = 0; i < claims->n; i++) {
		tn_strbuf_printf(out, "  %s", g->claims[i].id);
		print(&claims->each[i], g, out);
	}
	for (uint32_t i = 0; i < claims->n_sets; i++) {
		const struct tn_claim_set *s = &claims->sets[i];

		tn_strbuf_puts(out, " ");
		for (uint32_t k = 0; k < s->n; k++)
			tn_strbuf_printf(
				out, "%s%s", k ? " + " : " ", g->claims[s->claims[k]].id);
		print(&s->verdict, g, out);
	}
}
