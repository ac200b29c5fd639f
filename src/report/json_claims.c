/* Verdicts on claims as JSON. */
#include "report/json_claims.h"

#include <string.h>

#include "base/banned.h"

static json_t *texts(const char *const *list, size_t n)
{
	json_t *out = json_array();

	for (size_t i = 0; i < n; i++)
		if (!tn_json_push(out, tn_json_text(list[i]))) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *tensor(const struct tn_view *v, tn_tensor_id id)
{
	return id.i == TN_NONE ? json_null() : tn_json_text(v->g->tensors[id.i].name);
}

static json_t *size_or_null(int64_t bytes)
{
	return bytes < 0 ? json_null() : json_integer(bytes);
}

static json_t *bytes_of(const struct tn_claim_witness *w)
{
	return w->begin < 0
		       ? json_null()
		       : json_pack("[I, I]", (json_int_t)w->begin, (json_int_t)w->end);
}

/* Scratch need not be a tensor. */
static json_t *victim(const struct tn_view *v, const struct tn_claim_verdict *verdict)
{
	const char *group = tn_peril_group(verdict->peril);

	if (verdict->witness.victim.i == TN_NONE && group && strcmp(group, "kernel") == 0)
		return json_string("scratch");
	return tensor(v, verdict->witness.victim);
}

static json_t *witness(const struct tn_view *v, const struct tn_claim_verdict *verdict)
{
	const struct tn_claim_witness *w = &verdict->witness;
	json_t *out;

	if (verdict->result != CLAIM_REJECTED)
		return json_null();
	out = json_object();
	if (tn_json_put(out, "writer", tn_json_text(w->writer.name)) &&
		tn_json_put(out, "victim", victim(v, verdict)) &&
		tn_json_put(out, "reader", tn_json_text(w->reader.name)) &&
		tn_json_put(out, "bytes", bytes_of(w)) &&
		tn_json_put(out, "other", tensor(v, w->other)) &&
		tn_json_put(out, "need", size_or_null(w->need)) &&
		tn_json_put(out, "have", size_or_null(w->have)) &&
		tn_json_put(out, "align", size_or_null(w->align)) &&
		tn_json_put(out, "invocation", json_integer(w->invocation)))
		return out;
	json_decref(out);
	return NULL;
}

static json_t *remedies(const struct tn_claim_verdict *verdict)
{
	json_t *out = json_array();

	for (size_t i = 0; i < verdict->n_remedies; i++) {
		const struct tn_claim_remedy *r = &verdict->remedies[i];
		json_t *one = json_object();

		if (!tn_json_put(one, "kind", json_string(r->kind)) ||
			!tn_json_put(one, "text", tn_json_text(r->text)) ||
			!tn_json_put(one, "bytes", json_integer(r->bytes)) ||
			json_array_append(out, one) != 0) {
			json_decref(one);
			json_decref(out);
			return NULL;
		}
		json_decref(one);
	}
	return out;
}

static json_t *set_of(const struct tn_view *v, const uint32_t *set, uint32_t n)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < n; i++)
		if (!tn_json_push(out, tn_json_text(v->g->claims[set[i]].id))) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *verdict_of(const struct tn_view *v, const struct tn_claim_verdict *verdict,
	const uint32_t *set, uint32_t n)
{
	json_t *out = json_object();
	const struct tn_claim none = { 0 }, one = n == 1 ? v->g->claims[set[0]] : none;

	if (tn_json_put(out, "file", tn_json_text(tn_view_file(v))) &&
		tn_json_put(out, "id", tn_json_text(one.id)) &&
		tn_json_put(out, "kind", tn_json_text(one.kind)) &&
		tn_json_put(out, "claims", set_of(v, set, n)) &&
		tn_json_put(out, "verdict",
			json_string(tn_claim_result_name(verdict->result))) &&
		tn_json_put(out, "hazard", tn_json_text(verdict->hazard)) &&
		tn_json_put(out, "witness", witness(v, verdict)) &&
		tn_json_put(out, "reason", tn_json_text(verdict->why)) &&
		tn_json_put(out, "saves_bytes", json_integer(verdict->saves_bytes)) &&
		tn_json_put(out, "remedies", remedies(verdict)) &&
		tn_json_put(out, "assumptions",
			texts(verdict->assumptions, verdict->n_assumptions)) &&
		tn_json_put(out, "notes", texts(verdict->notes, verdict->n_notes)))
		return out;
	json_decref(out);
	return NULL;
}

json_t *tn_json_claims(const struct tn_view *v)
{
	json_t *out = json_array();
	bool ok = out != NULL;

	for (uint32_t i = 0; v->claims && i < v->claims->n_graph && ok; i++)
		ok = tn_json_push(out, verdict_of(v, &v->claims->graph[i], NULL, 0));
	for (uint32_t i = 0; v->claims && i < v->claims->n && ok; i++)
		ok = tn_json_push(out, verdict_of(v, &v->claims->each[i], &i, 1));
	for (uint32_t i = 0; v->claims && i < v->claims->n_sets && ok; i++) {
		const struct tn_claim_set *s = &v->claims->sets[i];

		ok = tn_json_push(out, verdict_of(v, &s->verdict, s->claims, s->n));
	}
	if (ok)
		return out;
	json_decref(out);
	return NULL;
}
