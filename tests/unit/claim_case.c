#include "claim_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loaded.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "-";
}

static bool is_op(const struct tn_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (strcmp(g->ops[i].name, name) == 0)
			return true;
	return false;
}

static bool is_tensor(const struct tn_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (strcmp(g->tensors[i].name, name) == 0)
			return true;
	return false;
}

/* An actor by name. What is no op of the graph is a party outside of it: observers go by
 * many names. */
static bool same_actor(
	const struct tn_graph *g, const json_t *want, const struct tn_actor *have)
{
	const char *name = json_string_value(want);

	if (!name)
		return have->kind == ACTOR_NONE;
	if (is_op(g, name))
		return have->kind != ACTOR_NONE && have->op.i != TN_NONE &&
		       strcmp(have->name, name) == 0;
	if (have->kind == ACTOR_OBSERVER)
		return strcmp(name, "caller") != 0 && strcmp(name, "next run") != 0;
	return have->name && strcmp(have->name, name) == 0;
}

static bool same_witness(
	const struct tn_graph *g, const json_t *want, const struct tn_claim_witness *have)
{
	const char *victim = json_string_value(json_object_get(want, "victim"));
	const json_t *bytes = json_object_get(want, "bytes");
	const json_t *run = json_object_get(want, "invocation");

	if (!same_actor(g, json_object_get(want, "writer"), &have->writer) ||
		!same_actor(g, json_object_get(want, "reader"), &have->reader))
		return false;
	if (victim && is_tensor(g, victim)
			? have->victim.i == TN_NONE ||
				  strcmp(g->tensors[have->victim.i].name, victim) != 0
			: have->victim.i != TN_NONE)
		return false;
	if (run && json_integer_value(run) != have->invocation)
		return false;
	if (json_object_get(want, "need") &&
		(json_integer_value(json_object_get(want, "need")) != have->need ||
			json_integer_value(json_object_get(want, "have")) != have->have))
		return false;
	return !bytes ||
	       (json_integer_value(json_array_get(bytes, 0)) == have->begin &&
		       json_integer_value(json_array_get(bytes, 1)) == have->end);
}

static void print_have(const struct tn_graph *g, const struct tn_claim_verdict *v)
{
	const struct tn_claim_witness *w = &v->witness;

	printf("#   have %s %s: writer %s, victim %s, reader %s, bytes [%" PRId64
	       ", %" PRId64 ")",
		tn_claim_result_name(v->result), v->hazard ? v->hazard : "",
		w->writer.name ? w->writer.name : "-",
		w->victim.i == TN_NONE ? "-" : g->tensors[w->victim.i].name,
		w->reader.name ? w->reader.name : "-", w->begin, w->end);
	if (w->need >= 0)
		printf(", needs %" PRId64 " has %" PRId64, w->need, w->have);
	printf("\n#   %s\n", v->why);
	for (size_t i = 0; i < v->n_remedies; i++)
		printf("#   remedy %s (%" PRId64 " B): %s\n", v->remedies[i].kind,
			v->remedies[i].bytes, v->remedies[i].text);
	for (size_t i = 0; i < v->n_assumptions; i++)
		printf("#   assumed: %s\n", v->assumptions[i]);
	for (size_t i = 0; i < v->n_notes; i++)
		printf("#   note: %s\n", v->notes[i]);
}

static uint32_t claim_named(const struct tn_graph *g, const char *id)
{
	for (uint32_t i = 0; i < g->n_claims; i++)
		if (strcmp(g->claims[i].id, id) == 0)
			return i;
	return UINT32_MAX;
}

static struct tn_claim_options options_of(const json_t *item)
{
	struct tn_claim_options o = { 0 };

	if (strcmp(text_of(item, "profile"), "training") == 0)
		o.profile = PROFILE_TRAINING;
	if (strcmp(text_of(item, "execution"), "parallel") == 0)
		o.execution = EXECUTION_PARALLEL;
	if (strcmp(text_of(item, "allocation"), "owner") == 0)
		o.allocation = ALLOCATION_AT_OWNER;
	/* a case may speak of an allocation that its graph does not show */
	if (json_object_get(item, "oracle"))
		o.allocation = ALLOCATION_AT_OWNER;
	return o;
}

static bool has_remedies(const json_t *want, const struct tn_claim_verdict *v)
{
	for (size_t i = 0; i < json_array_size(want); i++) {
		const char *kind = json_string_value(json_array_get(want, i));
		bool found = false;

		for (size_t k = 0; k < v->n_remedies; k++)
			found = found || strcmp(v->remedies[k].kind, kind) == 0;
		if (!found)
			return false;
	}
	return true;
}

static bool check_item(struct loaded *l, const char *id, const json_t *item)
{
	const json_t *set = json_object_get(item, "claims");
	const char *verdict = text_of(item, "verdict");
	const json_t *saves = json_object_get(item, "saves");
	struct tn_claim_options options = options_of(item);
	uint32_t claims[64], n = 0;
	struct tn_claim_verdict v;
	enum tn_claim_result want = strcmp(verdict, "PROVE") == 0    ? CLAIM_PROVED
				    : strcmp(verdict, "REJECT") == 0 ? CLAIM_REJECTED
								     : CLAIM_UNPROVED;
	bool ok;
	char *text;

	for (; n < json_array_size(set) && n < 64; n++) {
		claims[n] =
			claim_named(&l->graph, json_string_value(json_array_get(set, n)));
		ck_assert_msg(claims[n] != UINT32_MAX, "%s: no such claim", id);
	}
	ck_assert_int_eq(
		tn_claims_judge(&l->graph, claims, n, &options, &l->run, &l->diags, &v),
		TN_OK);
	ok = v.result == want;
	if (want == CLAIM_REJECTED)
		ok = ok && strcmp(text_of(item, "hazard"), v.hazard) == 0 &&
		     same_witness(
			     &l->graph, json_object_get(item, "witness"), &v.witness);
	ok = ok && has_remedies(json_object_get(item, "remedies"), &v) &&
	     (!saves || json_integer_value(saves) == v.saves_bytes);
	if (ok && !getenv("TN_VERBOSE"))
		return true;
	text = json_dumps(item, JSON_COMPACT);
	printf("# %s %s\n#   want %s\n", ok ? "right" : "WRONG", id, text);
	free(text);
	print_have(&l->graph, &v);
	return ok;
}

int claim_case(const char *id, json_t *graph, json_t *answers, int *out_wrong)
{
	struct loaded l;
	char *text;

	json_object_set_new(graph, "format", json_string("tenure.graph/1"));
	text = json_dumps(graph, JSON_COMPACT);
	ck_assert(text != NULL);
	loaded_bytes(&l, id, text, strlen(text), NULL);
	/* sizes may be what the claims are about */
	if (l.status != TN_ERR_INPUT || !l.graph.n_ops)
		loaded_ok(&l, id);
	for (size_t i = 0; i < json_array_size(answers); i++)
		if (!check_item(&l, id, json_array_get(answers, i)))
			(*out_wrong)++;
	loaded_release(&l);
	free(text);
	return (int)json_array_size(answers);
}
