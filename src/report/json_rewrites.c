#include "report/json_rewrites.h"

#include "report/json_parts.h"

json_t *tn_json_passes(const struct tn_view *v)
{
	json_t *list = json_array();

	for (int i = 0; list && v->rewrites && i < PASS_COUNT; i++)
		if (v->rewrites->passes & 1u << i &&
			!tn_json_push(list, json_string(tn_pass_name((enum tn_pass)i)))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static bool put_name(json_t *o, const char *key, const char *name)
{
	return !name || tn_json_put(o, key, tn_json_text(name));
}

static json_t *rewrite(const struct tn_rewrite *r)
{
	json_t *o = json_object();
	bool ok = tn_json_put(o, "pass", json_string(tn_pass_name(r->pass))) &&
		  put_name(o, "op", r->op) && put_name(o, "gone", r->gone) &&
		  put_name(o, "tensor", r->tensor) &&
		  tn_json_put(o, "ram_bytes", json_integer(r->ram_bytes)) &&
		  tn_json_put(o, "flash_bytes", json_integer(r->flash_bytes)) &&
		  (!r->channels || tn_json_put(o, "channels", json_integer(r->channels)));

	if (ok)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *refusal(const struct tn_rewrite *r)
{
	json_t *o = json_object();
	bool ok = tn_json_put(o, "pass", json_string(tn_pass_name(r->pass))) &&
		  put_name(o, "op", r->op) && put_name(o, "why", r->why) &&
		  put_name(o, "witness", r->witness) &&
		  (!r->ram_bytes ||
			  tn_json_put(o, "ram_bytes", json_integer(r->ram_bytes)));

	if (ok)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *list_of(
	const struct tn_view *v, bool done, json_t *(*item)(const struct tn_rewrite *r))
{
	json_t *list = json_array();
	const size_t n = v->rewrites ? v->rewrites->list.count : 0;

	for (size_t i = 0; list && i < n; i++) {
		const struct tn_rewrite *r = &v->rewrites->list.items[i];

		if (r->done == done && !tn_json_push(list, item(r))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *tn_json_rewrites(const struct tn_view *v)
{
	return list_of(v, true, rewrite);
}

json_t *tn_json_refusals(const struct tn_view *v)
{
	return list_of(v, false, refusal);
}
