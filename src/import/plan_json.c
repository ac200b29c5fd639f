#include "import/plan_json.h"

#include "base/strbuf.h"

#include <inttypes.h>
#include <string.h>

#include "import/json.h"
#include "import/plan_streams.h"

#include "base/banned.h"

#define RULE	    "plan/format"
#define REGIONS_MAX 256

struct reader {
	struct tn_import im;
	const struct tn_graph *g;
	const struct tn_plan_digests *want;
	struct tn_plan *plan;
	bool stale;
};

/* Fields of an object: each reports what is wrong with it and gives false. */

static bool get_int(struct reader *r, const struct tn_path *up, const json_t *object,
	const char *key, int64_t low, int64_t high, int64_t *out)
{
	const struct tn_path at = { up, key, 0 };

	return tn_json_int(
		&r->im, RULE, &at, json_object_get(object, key), low, high, out);
}

static bool get_u32(struct reader *r, const struct tn_path *up, const json_t *object,
	const char *key, uint32_t n, uint32_t *out)
{
	int64_t value;

	if (!get_int(r, up, object, key, 0, (int64_t)n - 1, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool get_bool(struct reader *r, const struct tn_path *up, const json_t *object,
	const char *key, bool *out)
{
	const struct tn_path at = { up, key, 0 };

	return tn_json_bool(&r->im, RULE, &at, json_object_get(object, key), out);
}

static bool get_text(struct reader *r, const struct tn_path *up, const json_t *object,
	const char *key, const char **out)
{
	const struct tn_path at = { up, key, 0 };

	return tn_json_string(&r->im, RULE, &at, json_object_get(object, key), out);
}

static const json_t *get_list(
	struct reader *r, const json_t *root, const struct tn_path *at)
{
	const json_t *list = json_object_get(root, at->key);

	return tn_json_want(&r->im, RULE, at, list, JSON_ARRAY) ? list : NULL;
}

/* One of the words for what a variant holds, in the order of their numbers. */
static void get_hold(
	struct reader *r, const struct tn_path *up, const json_t *object, uint8_t *out)
{
	static const char *const words[] = { "none", "pixel", "ring", "channel",
		"cycle" };
	const struct tn_path at = { up, "hold", 0 };
	const char *word;

	if (!get_text(r, up, object, "hold", &word))
		return;
	for (uint8_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(word, words[i]) == 0) {
			*out = i;
			return;
		}
	}
	tn_json_error(&r->im, RULE, &at,
		"expected 'none', 'pixel', 'ring', 'channel' or 'cycle'");
}

/* One of two words. */
static bool get_word(struct reader *r, const struct tn_path *up, const json_t *object,
	const char *key, const char *no, const char *yes, uint8_t *out)
{
	const struct tn_path at = { up, key, 0 };
	const char *word;

	if (!get_text(r, up, object, key, &word))
		return false;
	*out = strcmp(word, yes) == 0;
	if (*out || strcmp(word, no) == 0)
		return true;
	tn_json_error(&r->im, RULE, &at, "expected '%s' or '%s'", no, yes);
	return false;
}

static bool get_region(
	struct reader *r, const struct tn_path *up, const json_t *object, uint32_t *out)
{
	const struct tn_path at = { up, "region", 0 };
	const char *name;

	if (!get_text(r, up, object, "region", &name))
		return false;
	for (*out = 0; *out < r->plan->n_regions; ++*out)
		if (strcmp(r->plan->regions[*out].name, name) == 0)
			return true;
	tn_json_error(&r->im, RULE, &at, "there is no region '%s'", name);
	return false;
}

/* The name beside an index is for people, but it must not lie. A name that is no UTF-8
 * cannot be in the file. */
static bool check_name(struct reader *r, const struct tn_path *up, const json_t *object,
	const char *real)
{
	const struct tn_path at = { up, "name", 0 };
	const char *name;
	json_t *sayable;

	if (!get_text(r, up, object, "name", &name))
		return false;
	if (strcmp(name, real) == 0)
		return true;
	sayable = json_string(real);
	json_decref(sayable);
	if (!sayable)
		return true;
	tn_json_error(&r->im, RULE, &at, "'%s' is called '%s' in the graph", name, real);
	return false;
}

static bool parse_hex(const char *text, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";

	*out = 0;
	if (strlen(text) != 16)
		return false;
	for (int i = 0; i < 16; i++) {
		const char *d = strchr(digits, text[i]);

		if (!d)
			return false;
		*out = *out << 4 | (uint64_t)(d - digits);
	}
	return true;
}

static void read_digest(struct reader *r, const struct tn_path *up, const json_t *object,
	const char *key, const char *what, const uint64_t *want, uint64_t *out)
{
	const struct tn_path at = { up, key, 0 };
	const char *text;

	if (!get_text(r, up, object, key, &text))
		return;
	if (!parse_hex(text, out)) {
		tn_json_error(&r->im, RULE, &at, "expected 16 hexadecimal digits");
	} else if (want && *out != *want) {
		tn_json_error(&r->im, "plan/stale", &at,
			"the plan was made for another %s: found %s, expected "
			"%016" PRIx64,
			what, text, *want);
		r->stale = true;
	}
}

static void read_digests(struct reader *r, const json_t *root)
{
	const struct tn_path at = { NULL, "digests", 0 };
	const json_t *o = json_object_get(root, "digests");
	const struct tn_plan_digests *w = r->want;
	struct tn_plan_digests *d = &r->plan->digests;

	if (!tn_json_want(&r->im, RULE, &at, o, JSON_OBJECT))
		return;
	read_digest(r, &at, o, "graph", "graph", w ? &w->graph : NULL, &d->graph);
	read_digest(r, &at, o, "constants", "set of constants", w ? &w->constants : NULL,
		&d->constants);
	read_digest(
		r, &at, o, "kernels", "kernel set", w ? &w->kernels : NULL, &d->kernels);
	read_digest(r, &at, o, "contracts", "set of kernel contracts",
		w ? &w->contracts : NULL, &d->contracts);
}

static void read_numbers(struct reader *r, const json_t *root)
{
	struct tn_plan *p = r->plan;

	(void)get_int(r, NULL, root, "arena_bytes", 0, INT64_MAX, &p->arena_bytes);
	(void)get_int(
		r, NULL, root, "activation_bytes", 0, INT64_MAX, &p->activation_bytes);
	(void)get_int(r, NULL, root, "scratch_bytes", 0, INT64_MAX, &p->scratch_bytes);
	(void)get_int(r, NULL, root, "bound_bytes", 0, INT64_MAX, &p->bound_bytes);
	(void)get_int(r, NULL, root, "no_reuse_bytes", 0, INT64_MAX, &p->no_reuse_bytes);
	(void)get_int(r, NULL, root, "disjoint_bound_bytes", 0, INT64_MAX,
		&p->disjoint_bound_bytes);
	if (json_object_get(root, "access_cost"))
		(void)get_int(
			r, NULL, root, "access_cost", 0, INT64_MAX, &p->access_cost);
	if (json_object_get(root, "access_cost_bound"))
		(void)get_int(r, NULL, root, "access_cost_bound", 0, INT64_MAX,
			&p->access_cost_bound);
	(void)get_bool(r, NULL, root, "optimal", &p->optimal);
}

/* Files without it are older. */
static void read_schedule(struct reader *r, const json_t *root)
{
	const struct tn_path at = { NULL, "schedule", 0 };
	const json_t *o = json_object_get(root, "schedule");
	struct tn_plan_schedule *s = &r->plan->schedule;
	uint8_t searched;

	if (!o || !tn_json_want(&r->im, RULE, &at, o, JSON_OBJECT) ||
		!get_word(r, &at, o, "mode", "given", "search", &searched))
		return;
	s->searched = searched;
	if (!searched)
		return;
	(void)get_bool(r, &at, o, "optimal", &s->optimal);
	(void)get_int(r, &at, o, "bound_bytes", 0, INT64_MAX, &s->bound_bytes);
	s->given_bytes = -1;
	if (!json_is_null(json_object_get(o, "given_activation_bytes")))
		(void)get_int(r, &at, o, "given_activation_bytes", 0, INT64_MAX,
			&s->given_bytes);
}

static bool read_region(struct reader *r, const struct tn_path *at, const json_t *o,
	struct tn_plan_region *out)
{
	const struct tn_path name_at = { at, "name", 0 };
	const char *name;

	*out = (struct tn_plan_region){ .name = "", .capacity = -1, .align = 1 };
	if (!tn_json_want(&r->im, RULE, at, o, JSON_OBJECT))
		return true;
	if (!json_is_null(json_object_get(o, "capacity")))
		(void)get_int(r, at, o, "capacity", 0, INT64_MAX, &out->capacity);
	(void)get_int(r, at, o, "used", 0, INT64_MAX, &out->used);
	(void)get_int(r, at, o, "align", 1, INT64_MAX, &out->align);
	(void)get_int(r, at, o, "cost", 0, INT64_MAX, &out->cost);
	if (json_object_get(o, "reserved"))
		(void)get_int(r, at, o, "reserved", 0, INT64_MAX, &out->reserved);
	out->has_base =
		json_object_get(o, "base") && !json_is_null(json_object_get(o, "base"));
	if (out->has_base)
		(void)get_int(r, at, o, "base", 0, INT64_MAX, &out->base);
	if (json_object_get(o, "owned"))
		(void)get_bool(r, at, o, "owned", &out->owned);
	if (!get_text(r, at, o, "name", &name))
		return true;
	for (const struct tn_plan_region *p = r->plan->regions; p < out; p++)
		if (strcmp(p->name, name) == 0)
			tn_json_error(&r->im, RULE, &name_at,
				"there are two regions '%s'", name);
	out->name = tn_str_intern(r->im.strings, name, strlen(name));
	return out->name;
}

static void read_tensor(
	struct reader *r, const struct tn_path *at, const json_t *o, bool *seen)
{
	const struct tn_path index_at = { at, "index", 0 };
	struct tn_plan_tensor *t;
	uint32_t i;

	if (!tn_json_want(&r->im, RULE, at, o, JSON_OBJECT) ||
		!get_u32(r, at, o, "index", r->g->n_tensors, &i))
		return;
	if (seen[i]) {
		tn_json_error(&r->im, RULE, &index_at, "tensor %u is listed twice", i);
		return;
	}
	seen[i] = true;
	t = &r->plan->tensors[i];
	(void)check_name(r, at, o, r->g->tensors[i].name);
	(void)get_region(r, at, o, &t->region);
	(void)get_int(r, at, o, "offset", 0, INT64_MAX, &t->offset);
	(void)get_int(r, at, o, "bytes", 0, INT64_MAX, &t->bytes);
	if (json_object_get(o, "ring_bytes"))
		(void)get_int(r, at, o, "ring_bytes", 1, INT64_MAX, &t->ring_bytes);
	(void)get_int(r, at, o, "first", 0, INT64_MAX, &t->first);
	(void)get_int(r, at, o, "last", 0, INT64_MAX, &t->last);
}

static void read_pin(struct reader *r, const struct tn_path *at, const json_t *o,
	struct tn_plan_pin *out)
{
	*out = (struct tn_plan_pin){ .offset = -1 };
	if (!tn_json_want(&r->im, RULE, at, o, JSON_OBJECT) ||
		!get_u32(r, at, o, "index", r->g->n_tensors, &out->tensor))
		return;
	(void)check_name(r, at, o, r->g->tensors[out->tensor].name);
	(void)get_region(r, at, o, &out->region);
	if (!json_is_null(json_object_get(o, "offset")))
		(void)get_int(r, at, o, "offset", 0, INT64_MAX, &out->offset);
}

/* Plans without pins need no list of them. */
static bool read_pins(struct reader *r, const json_t *root)
{
	const struct tn_path pins_at = { NULL, "pins", 0 };
	const json_t *pins = json_object_get(root, "pins");
	size_t n = json_array_size(pins);

	if (!pins || !tn_json_want(&r->im, RULE, &pins_at, pins, JSON_ARRAY))
		return true;
	r->plan->pins = TN_NEW_ARRAY(r->im.arena, struct tn_plan_pin, n);
	if (!r->plan->pins || n >= UINT32_MAX)
		return false;
	r->plan->n_pins = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct tn_path at = { &pins_at, NULL, i };

		read_pin(r, &at, json_array_get(pins, i), &r->plan->pins[i]);
	}
	return true;
}

/* Plans without copies need no list of them. Whether they fit the graph is for who inserts
 * them to say. */
static bool read_copies(
	struct reader *r, const json_t *root, struct tn_plan_copy **out, uint32_t *out_n)
{
	const struct tn_path list_at = { NULL, "copies", 0 };
	const json_t *list = json_object_get(root, "copies");
	size_t n = json_array_size(list);

	*out = NULL;
	*out_n = 0;
	if (!list || !tn_json_want(&r->im, RULE, &list_at, list, JSON_ARRAY))
		return true;
	if (n > TN_PLAN_COPIES_MAX) {
		tn_json_error(&r->im, RULE, &list_at, "more than %d copies",
			TN_PLAN_COPIES_MAX);
		return true;
	}
	*out = TN_NEW_ARRAY(r->im.arena, struct tn_plan_copy, n);
	if (!*out)
		return false;
	*out_n = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct tn_path at = { &list_at, NULL, i };
		const json_t *o = json_array_get(list, i);
		struct tn_plan_copy *c = &(*out)[i];

		if (!tn_json_want(&r->im, RULE, &at, o, JSON_OBJECT))
			continue;
		(void)get_u32(r, &at, o, "index", UINT32_MAX, &c->tensor);
		(void)get_u32(r, &at, o, "before", UINT32_MAX, &c->before);
		(void)get_u32(r, &at, o, "reader", UINT32_MAX, &c->reader);
	}
	return true;
}

static void read_op(
	struct reader *r, const struct tn_path *at, const json_t *o, bool *seen)
{
	const struct tn_path index_at = { at, "index", 0 };
	const struct tn_path variant_at = { at, "variant", 0 };
	const struct tn_path scratch_at = { at, "scratch", 0 };
	const json_t *variant = json_object_get(o, "variant");
	const json_t *scratch = json_object_get(o, "scratch");
	struct tn_plan_op *p;
	uint32_t i;

	if (!tn_json_want(&r->im, RULE, at, o, JSON_OBJECT) ||
		!get_u32(r, at, o, "index", r->g->n_ops, &i))
		return;
	if (seen[i]) {
		tn_json_error(&r->im, RULE, &index_at, "op %u is listed twice", i);
		return;
	}
	seen[i] = true;
	p = &r->plan->ops[i];
	(void)check_name(r, at, o, r->g->ops[i].name);
	(void)get_bool(r, at, o, "elided", &p->elided);
	if (tn_json_want(&r->im, RULE, &variant_at, variant, JSON_OBJECT)) {
		(void)get_word(r, &variant_at, variant, "order", "ascending",
			"descending", &p->descending);
		get_hold(r, &variant_at, variant, &p->hold);
	}
	p->scratch_region = TN_REGION_NONE;
	if (json_is_null(scratch) ||
		!tn_json_want(&r->im, RULE, &scratch_at, scratch, JSON_OBJECT))
		return;
	(void)get_region(r, &scratch_at, scratch, &p->scratch_region);
	(void)get_int(
		r, &scratch_at, scratch, "offset", 0, INT64_MAX, &p->scratch_offset);
	(void)get_int(r, &scratch_at, scratch, "bytes", 1, INT64_MAX, &p->scratch_bytes);
}

static bool read_lists(struct reader *r, const json_t *root)
{
	const struct tn_path regions_at = { NULL, "regions", 0 };
	const struct tn_path tensors_at = { NULL, "tensors", 0 };
	const struct tn_path ops_at = { NULL, "ops", 0 };
	const json_t *regions = get_list(r, root, &regions_at);
	const json_t *tensors = get_list(r, root, &tensors_at);
	const json_t *ops = get_list(r, root, &ops_at);
	bool *tensor_seen = TN_NEW_ARRAY(r->im.arena, bool, r->g->n_tensors);
	bool *op_seen = TN_NEW_ARRAY(r->im.arena, bool, r->g->n_ops);
	bool ok = tensor_seen && op_seen;

	for (size_t i = 0; ok && i < json_array_size(regions); i++) {
		const struct tn_path at = { &regions_at, NULL, i };

		ok = read_region(
			r, &at, json_array_get(regions, i), &r->plan->regions[i]);
	}
	for (size_t i = 0; ok && i < json_array_size(tensors); i++) {
		const struct tn_path at = { &tensors_at, NULL, i };

		read_tensor(r, &at, json_array_get(tensors, i), tensor_seen);
	}
	for (size_t i = 0; ok && i < json_array_size(ops); i++) {
		const struct tn_path at = { &ops_at, NULL, i };

		read_op(r, &at, json_array_get(ops, i), op_seen);
	}
	for (uint32_t i = 0; ok && ops && i < r->g->n_ops; i++)
		if (!op_seen[i])
			tn_json_error(&r->im, RULE, &ops_at, "op %u, '%s', is missing", i,
				r->g->ops[i].name);
	return ok;
}

static bool read_order(struct reader *r, const json_t *root)
{
	const struct tn_path order_at = { NULL, "order", 0 };
	const json_t *order = get_list(r, root, &order_at);
	bool *seen = TN_NEW_ARRAY(r->im.arena, bool, r->g->n_ops);

	if (!seen)
		return false;
	if (order && json_array_size(order) != r->g->n_ops)
		tn_json_error(&r->im, RULE, &order_at, "%zu entries for %u ops",
			json_array_size(order), r->g->n_ops);
	for (size_t i = 0; i < json_array_size(order) && i < r->g->n_ops; i++) {
		const struct tn_path at = { &order_at, NULL, i };
		int64_t id;

		if (!tn_json_int(&r->im, RULE, &at, json_array_get(order, i), 0,
			    (int64_t)r->g->n_ops - 1, &id))
			continue;
		if (seen[id])
			tn_json_error(&r->im, RULE, &at,
				"op %" PRId64 " is twice in the order", id);
		seen[id] = true;
		r->plan->order[i] = (uint32_t)id;
	}
	return true;
}

static bool read_format(struct reader *r, const json_t *root)
{
	const struct tn_path at = { NULL, "format", 0 };
	const char *format;

	if (!tn_json_want(&r->im, RULE, NULL, root, JSON_OBJECT) ||
		!get_text(r, NULL, root, "format", &format))
		return false;
	if (strcmp(format, "tenure.plan/1") == 0)
		return true;
	tn_json_error(
		&r->im, RULE, &at, "the format is '%s', not 'tenure.plan/1'", format);
	return false;
}

static enum tn_status read_plan(struct reader *r, const json_t *root)
{
	const struct tn_path regions_at = { NULL, "regions", 0 };
	const size_t before = r->im.diags->errors;
	uint32_t n_regions;

	if (!read_format(r, root))
		return TN_ERR_INPUT;
	if (json_array_size(json_object_get(root, "regions")) > REGIONS_MAX) {
		tn_json_error(
			&r->im, RULE, &regions_at, "more than %d regions", REGIONS_MAX);
		return TN_ERR_INPUT;
	}
	n_regions = (uint32_t)json_array_size(json_object_get(root, "regions"));
	if (tn_plan_init(r->plan, r->im.arena, r->g->n_tensors, r->g->n_ops, n_regions) !=
		TN_OK)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < r->g->n_tensors; i++)
		r->plan->tensors[i].bytes = r->g->tensors[i].bytes;
	read_digests(r, root);
	if (r->stale) /* its names and indices mean something else */
		return TN_ERR_REFUSED;
	read_numbers(r, root);
	read_schedule(r, root);
	if (!read_lists(r, root) || !read_pins(r, root) || !read_order(r, root) ||
		!read_copies(r, root, &r->plan->copies, &r->plan->n_copies) ||
		!tn_plan_streams_read(&r->im, root, r->plan))
		return TN_ERR_NOMEM;
	return r->im.diags->errors > before ? TN_ERR_INPUT : TN_OK;
}

enum tn_status tn_import_plan_json(const struct tn_graph *g,
	const struct tn_source *source, const struct tn_plan_digests *want,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_plan *out)
{
	struct reader r = { .im = { .arena = arena,
				    .strings = strings,
				    .diags = diags,
				    .source = source },
		.g = g,
		.want = want,
		.plan = out };
	json_t *root = NULL;
	enum tn_status status =
		tn_json_load(&r.im, source->text, source->len, NULL, NULL, &root);

	if (status != TN_OK)
		return status;
	status = read_plan(&r, root);
	json_decref(root);
	return status;
}

/* Names with commas between them. */
static bool join_names(struct reader *r, const json_t *list, struct tn_strbuf *out)
{
	const struct tn_path at = { NULL, "rewrite", 0 };
	size_t i;
	json_t *name;

	json_array_foreach(list, i, name)
	{
		const struct tn_path item = { &at, NULL, i };

		if (!tn_json_want(&r->im, RULE, &item, name, JSON_STRING))
			return false;
		tn_strbuf_printf(out, "%s%s", i ? "," : "", json_string_value(name));
	}
	if (!out->len)
		tn_strbuf_puts(out, "none");
	return true;
}

static enum tn_status read_changes(
	struct reader *r, const json_t *root, struct tn_plan_changes *out)
{
	const size_t before = r->im.diags->errors;
	struct tn_strbuf text;
	bool enough;

	tn_strbuf_init(&text);
	enough = read_copies(r, root, &out->copies, &out->n_copies);
	if (enough && join_names(r, json_object_get(root, "rewrite"), &text)) {
		out->rewrite =
			text.failed ? NULL
				    : tn_str_intern(r->im.strings, text.text, text.len);
		enough = out->rewrite;
	}
	tn_strbuf_release(&text);
	return !enough			      ? TN_ERR_NOMEM
	       : r->im.diags->errors > before ? TN_ERR_INPUT
					      : TN_OK;
}

enum tn_status tn_import_plan_changes(const struct tn_source *source,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_plan_changes *out)
{
	struct reader r = { .im = { .arena = arena,
				    .strings = strings,
				    .diags = diags,
				    .source = source } };
	json_t *root = NULL;
	enum tn_status status =
		tn_json_load(&r.im, source->text, source->len, NULL, NULL, &root);

	*out = (struct tn_plan_changes){ 0 };
	if (status != TN_OK)
		return status;
	status = read_changes(&r, root, out);
	json_decref(root);
	return status;
}

enum tn_status tn_import_plan_kernels(const struct tn_source *source,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	const char **out_name)
{
	static const struct tn_path at = { NULL, "kernel_set", 0 };
	struct reader r = { .im = { .arena = arena,
				    .strings = strings,
				    .diags = diags,
				    .source = source } };
	const json_t *name;
	json_t *root = NULL;
	enum tn_status status =
		tn_json_load(&r.im, source->text, source->len, NULL, NULL, &root);

	*out_name = NULL;
	if (status != TN_OK)
		return status;
	name = json_object_get(root, at.key);
	if (name && !tn_json_want(&r.im, RULE, &at, name, JSON_STRING)) {
		status = TN_ERR_INPUT;
	} else if (name) {
		*out_name = tn_str_intern(
			strings, json_string_value(name), json_string_length(name));
		status = *out_name ? TN_OK : TN_ERR_NOMEM;
	}
	json_decref(root);
	return status;
}
