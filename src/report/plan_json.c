#include "report/plan_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "contract/contract.h"
#include "report/json_parts.h"

#include "base/banned.h"

static bool put_int(json_t *object, const char *key, int64_t value)
{
	return tn_json_put(object, key, json_integer(value));
}

/* Puts an object into the list if it was filled without an error. */
static bool push(json_t *list, json_t *object, bool filled)
{
	if (filled)
		return tn_json_push(list, object);
	json_decref(object);
	return false;
}

static bool put_regions(json_t *root, const struct tn_plan *plan)
{
	json_t *list = json_array();
	bool ok = tn_json_put(root, "regions", list);

	for (uint32_t i = 0; ok && i < plan->n_regions; i++) {
		const struct tn_plan_region *r = &plan->regions[i];
		json_t *o = json_object();

		ok = push(list, o,
			tn_json_put(o, "name", tn_json_text(r->name)) &&
				tn_json_put(o, "capacity",
					r->capacity < 0 ? json_null()
							: json_integer(r->capacity)) &&
				put_int(o, "used", r->used) &&
				put_int(o, "align", r->align) &&
				put_int(o, "cost", r->cost) &&
				put_int(o, "reserved", r->reserved) &&
				tn_json_put(o, "base",
					r->has_base ? json_integer(r->base)
						    : json_null()) &&
				tn_json_put(o, "owned", json_boolean(r->owned)));
	}
	return ok;
}

static bool put_pins(json_t *root, const struct tn_graph *g, const struct tn_plan *plan)
{
	json_t *list = json_array();
	bool ok = tn_json_put(root, "pins", list);

	for (uint32_t i = 0; ok && i < plan->n_pins; i++) {
		const struct tn_plan_pin *pin = &plan->pins[i];
		json_t *o = json_object();

		ok = push(list, o,
			tn_json_put(
				o, "name", tn_json_text(g->tensors[pin->tensor].name)) &&
				put_int(o, "index", pin->tensor) &&
				tn_json_put(o, "region",
					tn_json_text(plan->regions[pin->region].name)) &&
				tn_json_put(o, "offset",
					pin->offset < 0 ? json_null()
							: json_integer(pin->offset)));
	}
	return ok;
}

/* Names are of the graph with all copies; so are the indices, for ids stay. */
static bool put_copies(json_t *root, const struct tn_graph *g, const struct tn_plan *plan)
{
	json_t *list = json_array();
	bool ok = tn_json_put(root, "copies", list);

	for (uint32_t i = 0; ok && i < plan->n_copies; i++) {
		const struct tn_plan_copy *c = &plan->copies[i];
		json_t *o = json_object();

		ok = push(list, o,
			tn_json_put(
				o, "tensor", tn_json_text(g->tensors[c->tensor].name)) &&
				put_int(o, "index", c->tensor) &&
				put_int(o, "before", c->before) &&
				put_int(o, "reader", c->reader));
	}
	return ok;
}

static bool put_tensors(
	json_t *root, const struct tn_graph *g, const struct tn_plan *plan)
{
	json_t *list = json_array();
	bool ok = tn_json_put(root, "tensors", list);

	for (uint32_t i = 0; ok && i < plan->n_tensors; i++) {
		const struct tn_plan_tensor *t = &plan->tensors[i];
		json_t *o;

		if (t->region == TN_REGION_NONE)
			continue;
		o = json_object();
		ok = push(list, o,
			tn_json_put(o, "name", tn_json_text(g->tensors[i].name)) &&
				put_int(o, "index", i) &&
				tn_json_put(o, "region",
					tn_json_text(plan->regions[t->region].name)) &&
				put_int(o, "offset", t->offset) &&
				put_int(o, "bytes", t->bytes) &&
				(!t->ring_bytes ||
					put_int(o, "ring_bytes", t->ring_bytes)) &&
				put_int(o, "first", t->first) &&
				put_int(o, "last", t->last));
	}
	return ok;
}

static json_t *variant(const struct tn_plan_op *p)
{
	json_t *o = json_object();

	if (tn_json_put(o, "order",
		    json_string(p->descending ? "descending" : "ascending")) &&
		tn_json_put(o, "hold", json_string(tn_hold_name((enum tn_hold)p->hold))))
		return o;
	json_decref(o);
	return NULL;
}

static json_t *scratch(const struct tn_plan *plan, const struct tn_plan_op *p)
{
	json_t *o;

	if (!p->scratch_bytes)
		return json_null();
	o = json_object();
	if (tn_json_put(
		    o, "region", tn_json_text(plan->regions[p->scratch_region].name)) &&
		put_int(o, "offset", p->scratch_offset) &&
		put_int(o, "bytes", p->scratch_bytes))
		return o;
	json_decref(o);
	return NULL;
}

static bool put_facts(json_t *o, const json_t *facts)
{
	static const char *const keys[] = { "type", "live_bytes", "macs", "bytes_read",
		"bytes_written" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		json_t *value = json_object_get(facts, keys[i]);

		if (value && json_object_set(o, keys[i], value) != 0)
			return false;
	}
	return true;
}

static bool put_ops(json_t *root, const struct tn_graph *g, const struct tn_plan *plan,
	const json_t *facts)
{
	json_t *list = json_array(), *order = json_array();
	bool ok = tn_json_put(root, "ops", list);

	ok = tn_json_put(root, "order", order) && ok;
	for (uint32_t i = 0; ok && i < plan->n_ops; i++) {
		uint32_t id = plan->order[i];
		const struct tn_plan_op *p = &plan->ops[id];
		json_t *o = json_object();

		ok = push(list, o,
			     tn_json_put(o, "name", tn_json_text(g->ops[id].name)) &&
				     put_int(o, "index", id) &&
				     tn_json_put(o, "variant", variant(p)) &&
				     tn_json_put(o, "elided", json_boolean(p->elided)) &&
				     tn_json_put(o, "scratch", scratch(plan, p)) &&
				     put_facts(o, json_array_get(facts, i))) &&
		     tn_json_push(order, json_integer(id));
	}
	return ok;
}

/* op, first row, rows, and how much further on in the next pass through the loop */
static json_t *event(const struct tn_plan_event *e)
{
	json_t *list = json_array();

	if (tn_json_push(list,
		    json_integer(e->op == TN_PLAN_CALLER ? -1 : (json_int_t)e->op)) &&
		tn_json_push(list, json_integer(e->y)) &&
		tn_json_push(list, json_integer(e->rows)) &&
		tn_json_push(list, json_integer(e->step)))
		return list;
	json_decref(list);
	return NULL;
}

static bool put_loops(json_t *stream, const struct tn_plan_stream *s)
{
	json_t *loops = json_array();
	bool ok = tn_json_put(stream, "loops", loops);

	for (uint32_t i = 0; ok && i < s->n_loops; i++) {
		const struct tn_plan_loop *l = &s->loops[i];
		json_t *o = json_object(), *events = json_array();

		ok = put_int(o, "times", l->times) && tn_json_put(o, "events", events);
		for (uint32_t k = 0; ok && k < l->n_events; k++)
			ok = tn_json_push(events, event(&l->events[k]));
		ok = push(loops, o, ok);
	}
	return ok;
}

/* Plans without chains need no list of them. */
static bool put_streams(json_t *root, const struct tn_plan *plan)
{
	json_t *list;
	bool ok;

	if (!plan->n_streams)
		return true;
	list = json_array();
	ok = tn_json_put(root, "streams", list);
	for (uint32_t i = 0; ok && i < plan->n_streams; i++) {
		const struct tn_plan_stream *s = &plan->streams[i];
		json_t *o = json_object();

		ok = push(list, o,
			put_int(o, "first", s->first) && put_int(o, "ops", s->n) &&
				tn_json_put(o, "order",
					json_string(s->descending ? "descending"
								  : "ascending")) &&
				(!s->fed || put_int(o, "input", s->input)) &&
				put_loops(o, s));
	}
	return ok;
}

static json_t *hex(uint64_t value)
{
	char digits[17];

	snprintf(digits, sizeof(digits), "%016" PRIx64, value);
	return json_string(digits);
}

/* Said only when it is not the portable one. */
static bool put_kernels(json_t *root, const struct tn_graph *g)
{
	return g->kernels == KERNELS_PORTABLE ||
	       tn_json_put(
		       root, "kernel_set", json_string(tn_kernel_set_name(g->kernels)));
}

static bool put_digests(json_t *root, const struct tn_plan_digests *d)
{
	json_t *o = json_object();

	return tn_json_put(root, "digests", o) &&
	       tn_json_put(o, "graph", hex(d->graph)) &&
	       tn_json_put(o, "constants", hex(d->constants)) &&
	       tn_json_put(o, "kernels", hex(d->kernels)) &&
	       tn_json_put(o, "contracts", hex(d->contracts));
}

/* What is known of other orders of the ops. */
static bool put_schedule(json_t *root, const struct tn_plan_schedule *s)
{
	json_t *o = json_object();

	return tn_json_put(root, "schedule", o) &&
	       tn_json_put(o, "mode", json_string(s->searched ? "search" : "given")) &&
	       (!s->searched || (tn_json_put(o, "optimal", json_boolean(s->optimal)) &&
					put_int(o, "bound_bytes", s->bound_bytes) &&
					tn_json_put(o, "given_activation_bytes",
						s->given_bytes < 0
							? json_null()
							: json_integer(s->given_bytes))));
}

static bool put_list(json_t *root, const char *key, json_t *list)
{
	return tn_json_put(root, key, list ? json_incref(list) : json_array());
}

enum tn_status tn_plan_json_write(const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_plan_extras *extras, struct tn_strbuf *out)
{
	static const struct tn_plan_extras none = { NULL, NULL, NULL, NULL, NULL };
	json_t *root = json_object();
	bool ok;

	if (!extras)
		extras = &none;
	ok = tn_json_put(root, "format", json_string("tenure.plan/1")) &&
	     put_int(root, "arena_bytes", plan->arena_bytes) &&
	     put_int(root, "activation_bytes", plan->activation_bytes) &&
	     put_int(root, "scratch_bytes", plan->scratch_bytes) &&
	     put_int(root, "bound_bytes", plan->bound_bytes) &&
	     tn_json_put(
		     root, "optimal", json_boolean(plan->optimal && !plan->said.bound)) &&
	     put_int(root, "no_reuse_bytes", plan->no_reuse_bytes) &&
	     put_int(root, "disjoint_bound_bytes", plan->disjoint_bound_bytes) &&
	     tn_json_put(root, "overlap", json_string(tn_overlap_names[plan->overlap])) &&
	     (!plan->align || put_int(root, "align", plan->align)) &&
	     put_int(root, "access_cost", plan->access_cost) &&
	     put_int(root, "access_cost_bound", plan->access_cost_bound) &&
	     put_schedule(root, &plan->schedule) && put_kernels(root, g) &&
	     put_digests(root, &plan->digests) && put_regions(root, plan) &&
	     put_pins(root, g, plan) && (!plan->n_copies || put_copies(root, g, plan)) &&
	     put_tensors(root, g, plan) && put_ops(root, g, plan, extras->ops) &&
	     put_streams(root, plan) && put_list(root, "decisions", extras->decisions) &&
	     put_list(root, "rewrite", extras->rewrite) &&
	     put_list(root, "rewrites", extras->rewrites) &&
	     put_list(root, "rewrites_refused", extras->refused);
	if (ok)
		return tn_json_write(root, out);
	json_decref(root);
	return TN_ERR_NOMEM;
}
