#include "import/plan_json.h"

#include <inttypes.h>
#include <string.h>

#include "import/plan_field.h"
#include "import/plan_streams.h"

#include "base/banned.h"

#define REGIONS_MAX 256

/* The name beside an index is for people, but it must not lie. A name that is no UTF-8
 * cannot be in the file. */
static bool check_name(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *real)
{
	const struct tn_path at = { up, "name", 0 };
	const char *name;
	json_t *sayable;

	if (!tn_plan_text(r, up, object, "name", &name))
		return false;
	if (strcmp(name, real) == 0)
		return true;
	sayable = json_string(real);
	json_decref(sayable);
	if (!sayable)
		return true;
	tn_json_error(&r->im, TN_PLAN_FORMAT, &at, "'%s' is called '%s' in the graph",
		name, real);
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

static void read_digest(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, const char *what, const uint64_t *want,
	uint64_t *out)
{
	const struct tn_path at = { up, key, 0 };
	const char *text;

	if (!tn_plan_text(r, up, object, key, &text))
		return;
	if (!parse_hex(text, out)) {
		tn_json_error(
			&r->im, TN_PLAN_FORMAT, &at, "expected 16 hexadecimal digits");
	} else if (want && *out != *want) {
		tn_json_error(&r->im, "plan/stale", &at,
			"the plan was made for another %s: found %s, expected "
			"%016" PRIx64,
			what, text, *want);
		r->stale = true;
	}
}

static void read_digests(struct tn_plan_reader *r, const json_t *root)
{
	const struct tn_path at = { NULL, "digests", 0 };
	const json_t *o = json_object_get(root, "digests");
	const struct tn_plan_digests *w = r->want;
	struct tn_plan_digests *d = &r->plan->digests;

	if (!tn_json_want(&r->im, TN_PLAN_FORMAT, &at, o, JSON_OBJECT))
		return;
	read_digest(r, &at, o, "graph", "graph", w ? &w->graph : NULL, &d->graph);
	read_digest(r, &at, o, "constants", "set of constants", w ? &w->constants : NULL,
		&d->constants);
	read_digest(
		r, &at, o, "kernels", "kernel set", w ? &w->kernels : NULL, &d->kernels);
	read_digest(r, &at, o, "contracts", "set of kernel contracts",
		w ? &w->contracts : NULL, &d->contracts);
}

static void read_numbers(struct tn_plan_reader *r, const json_t *root)
{
	struct tn_plan *p = r->plan;

	(void)tn_plan_int(r, NULL, root, "arena_bytes", 0, INT64_MAX, &p->arena_bytes);
	(void)tn_plan_int(
		r, NULL, root, "activation_bytes", 0, INT64_MAX, &p->activation_bytes);
	(void)tn_plan_int(
		r, NULL, root, "scratch_bytes", 0, INT64_MAX, &p->scratch_bytes);
	(void)tn_plan_int(r, NULL, root, "bound_bytes", 0, INT64_MAX, &p->bound_bytes);
	(void)tn_plan_int(
		r, NULL, root, "no_reuse_bytes", 0, INT64_MAX, &p->no_reuse_bytes);
	(void)tn_plan_int(r, NULL, root, "disjoint_bound_bytes", 0, INT64_MAX,
		&p->disjoint_bound_bytes);
	if (json_object_get(root, "access_cost"))
		(void)tn_plan_int(
			r, NULL, root, "access_cost", 0, INT64_MAX, &p->access_cost);
	if (json_object_get(root, "access_cost_bound"))
		(void)tn_plan_int(r, NULL, root, "access_cost_bound", 0, INT64_MAX,
			&p->access_cost_bound);
	(void)tn_plan_bool(r, NULL, root, "optimal", &p->optimal);
}

/* Files without them are older. */
static void read_mode(struct tn_plan_reader *r, const json_t *root)
{
	struct tn_plan *p = r->plan;
	const char *word;

	if (json_object_get(root, "align"))
		(void)tn_plan_int(r, NULL, root, "align", 1, 1 << 20, &p->align);
	if (!json_object_get(root, "overlap") ||
		!tn_plan_text(r, NULL, root, "overlap", &word))
		return;
	for (int i = OVERLAP_NONE; i <= OVERLAP_FULL; i++) {
		if (strcmp(word, tn_overlap_names[i]) == 0) {
			p->overlap = (enum tn_overlap_mode)i;
			return;
		}
	}
	tn_json_error(&r->im, TN_PLAN_FORMAT, &(struct tn_path){ NULL, "overlap", 0 },
		"expected 'none', 'inplace' or 'full'");
}

/* Files without it are older. */
static void read_schedule(struct tn_plan_reader *r, const json_t *root)
{
	const struct tn_path at = { NULL, "schedule", 0 };
	const json_t *o = json_object_get(root, "schedule");
	struct tn_plan_schedule *s = &r->plan->schedule;
	uint8_t searched;

	if (!o || !tn_json_want(&r->im, TN_PLAN_FORMAT, &at, o, JSON_OBJECT) ||
		!tn_plan_word(r, &at, o, "mode", "given", "search", &searched))
		return;
	s->searched = searched;
	if (!searched)
		return;
	(void)tn_plan_bool(r, &at, o, "optimal", &s->optimal);
	(void)tn_plan_int(r, &at, o, "bound_bytes", 0, INT64_MAX, &s->bound_bytes);
	s->given_bytes = -1;
	if (!json_is_null(json_object_get(o, "given_activation_bytes")))
		(void)tn_plan_int(r, &at, o, "given_activation_bytes", 0, INT64_MAX,
			&s->given_bytes);
}

static bool read_region(struct tn_plan_reader *r, const struct tn_path *at,
	const json_t *o, struct tn_plan_region *out)
{
	const struct tn_path name_at = { at, "name", 0 };
	const char *name;

	*out = (struct tn_plan_region){ .name = "", .capacity = -1, .align = 1 };
	if (!tn_json_want(&r->im, TN_PLAN_FORMAT, at, o, JSON_OBJECT))
		return true;
	if (!json_is_null(json_object_get(o, "capacity")))
		(void)tn_plan_int(r, at, o, "capacity", 0, INT64_MAX, &out->capacity);
	(void)tn_plan_int(r, at, o, "used", 0, INT64_MAX, &out->used);
	(void)tn_plan_int(r, at, o, "align", 1, INT64_MAX, &out->align);
	(void)tn_plan_int(r, at, o, "cost", 0, INT64_MAX, &out->cost);
	if (json_object_get(o, "reserved"))
		(void)tn_plan_int(r, at, o, "reserved", 0, INT64_MAX, &out->reserved);
	out->has_base =
		json_object_get(o, "base") && !json_is_null(json_object_get(o, "base"));
	if (out->has_base)
		(void)tn_plan_int(r, at, o, "base", 0, INT64_MAX, &out->base);
	if (json_object_get(o, "owned"))
		(void)tn_plan_bool(r, at, o, "owned", &out->owned);
	if (!tn_plan_text(r, at, o, "name", &name))
		return true;
	for (const struct tn_plan_region *p = r->plan->regions; p < out; p++)
		if (strcmp(p->name, name) == 0)
			tn_json_error(&r->im, TN_PLAN_FORMAT, &name_at,
				"there are two regions '%s'", name);
	out->name = tn_str_intern(r->im.strings, name, strlen(name));
	return out->name;
}

static void read_tensor(
	struct tn_plan_reader *r, const struct tn_path *at, const json_t *o, bool *seen)
{
	const struct tn_path index_at = { at, "index", 0 };
	struct tn_plan_tensor *t;
	uint32_t i;

	if (!tn_json_want(&r->im, TN_PLAN_FORMAT, at, o, JSON_OBJECT) ||
		!tn_plan_index(r, at, o, "index", r->g->n_tensors, &i))
		return;
	if (seen[i]) {
		tn_json_error(&r->im, TN_PLAN_FORMAT, &index_at,
			"tensor %u is listed twice", i);
		return;
	}
	seen[i] = true;
	t = &r->plan->tensors[i];
	(void)check_name(r, at, o, r->g->tensors[i].name);
	(void)tn_plan_region_of(r, at, o, &t->region);
	(void)tn_plan_int(r, at, o, "offset", 0, INT64_MAX, &t->offset);
	(void)tn_plan_int(r, at, o, "bytes", 0, INT64_MAX, &t->bytes);
	if (json_object_get(o, "ring_bytes"))
		(void)tn_plan_int(r, at, o, "ring_bytes", 1, INT64_MAX, &t->ring_bytes);
	(void)tn_plan_int(r, at, o, "first", 0, INT64_MAX, &t->first);
	(void)tn_plan_int(r, at, o, "last", 0, INT64_MAX, &t->last);
}

static void read_pin(struct tn_plan_reader *r, const struct tn_path *at, const json_t *o,
	struct tn_plan_pin *out)
{
	*out = (struct tn_plan_pin){ .offset = -1 };
	if (!tn_json_want(&r->im, TN_PLAN_FORMAT, at, o, JSON_OBJECT) ||
		!tn_plan_index(r, at, o, "index", r->g->n_tensors, &out->tensor))
		return;
	(void)check_name(r, at, o, r->g->tensors[out->tensor].name);
	(void)tn_plan_region_of(r, at, o, &out->region);
	if (!json_is_null(json_object_get(o, "offset")))
		(void)tn_plan_int(r, at, o, "offset", 0, INT64_MAX, &out->offset);
}

/* Plans without pins need no list of them. */
static bool read_pins(struct tn_plan_reader *r, const json_t *root)
{
	const struct tn_path pins_at = { NULL, "pins", 0 };
	const json_t *pins = json_object_get(root, "pins");
	size_t n = json_array_size(pins);

	if (!pins || !tn_json_want(&r->im, TN_PLAN_FORMAT, &pins_at, pins, JSON_ARRAY))
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

static void read_op(
	struct tn_plan_reader *r, const struct tn_path *at, const json_t *o, bool *seen)
{
	const struct tn_path index_at = { at, "index", 0 };
	const struct tn_path variant_at = { at, "variant", 0 };
	const struct tn_path scratch_at = { at, "scratch", 0 };
	const json_t *variant = json_object_get(o, "variant");
	const json_t *scratch = json_object_get(o, "scratch");
	struct tn_plan_op *p;
	uint32_t i;

	if (!tn_json_want(&r->im, TN_PLAN_FORMAT, at, o, JSON_OBJECT) ||
		!tn_plan_index(r, at, o, "index", r->g->n_ops, &i))
		return;
	if (seen[i]) {
		tn_json_error(
			&r->im, TN_PLAN_FORMAT, &index_at, "op %u is listed twice", i);
		return;
	}
	seen[i] = true;
	p = &r->plan->ops[i];
	(void)check_name(r, at, o, r->g->ops[i].name);
	(void)tn_plan_bool(r, at, o, "elided", &p->elided);
	if (tn_json_want(&r->im, TN_PLAN_FORMAT, &variant_at, variant, JSON_OBJECT)) {
		(void)tn_plan_word(r, &variant_at, variant, "order", "ascending",
			"descending", &p->descending);
		tn_plan_hold(r, &variant_at, variant, &p->hold);
	}
	p->scratch_region = TN_REGION_NONE;
	if (json_is_null(scratch) ||
		!tn_json_want(&r->im, TN_PLAN_FORMAT, &scratch_at, scratch, JSON_OBJECT))
		return;
	(void)tn_plan_region_of(r, &scratch_at, scratch, &p->scratch_region);
	(void)tn_plan_int(
		r, &scratch_at, scratch, "offset", 0, INT64_MAX, &p->scratch_offset);
	(void)tn_plan_int(
		r, &scratch_at, scratch, "bytes", 1, INT64_MAX, &p->scratch_bytes);
}

static bool read_lists(struct tn_plan_reader *r, const json_t *root)
{
	const struct tn_path regions_at = { NULL, "regions", 0 };
	const struct tn_path tensors_at = { NULL, "tensors", 0 };
	const struct tn_path ops_at = { NULL, "ops", 0 };
	const json_t *regions = tn_plan_list(r, root, &regions_at);
	const json_t *tensors = tn_plan_list(r, root, &tensors_at);
	const json_t *ops = tn_plan_list(r, root, &ops_at);
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
			tn_json_error(&r->im, TN_PLAN_FORMAT, &ops_at,
				"op %u, '%s', is missing", i, r->g->ops[i].name);
	return ok;
}

static bool read_order(struct tn_plan_reader *r, const json_t *root)
{
	const struct tn_path order_at = { NULL, "order", 0 };
	const json_t *order = tn_plan_list(r, root, &order_at);
	bool *seen = TN_NEW_ARRAY(r->im.arena, bool, r->g->n_ops);

	if (!seen)
		return false;
	if (order && json_array_size(order) != r->g->n_ops)
		tn_json_error(&r->im, TN_PLAN_FORMAT, &order_at, "%zu entries for %u ops",
			json_array_size(order), r->g->n_ops);
	for (size_t i = 0; i < json_array_size(order) && i < r->g->n_ops; i++) {
		const struct tn_path at = { &order_at, NULL, i };
		int64_t id;

		if (!tn_json_int(&r->im, TN_PLAN_FORMAT, &at, json_array_get(order, i), 0,
			    (int64_t)r->g->n_ops - 1, &id))
			continue;
		if (seen[id])
			tn_json_error(&r->im, TN_PLAN_FORMAT, &at,
				"op %" PRId64 " is twice in the order", id);
		seen[id] = true;
		r->plan->order[i] = (uint32_t)id;
	}
	return true;
}

static bool read_format(struct tn_plan_reader *r, const json_t *root)
{
	const struct tn_path at = { NULL, "format", 0 };
	const char *format;

	if (!tn_json_want(&r->im, TN_PLAN_FORMAT, NULL, root, JSON_OBJECT) ||
		!tn_plan_text(r, NULL, root, "format", &format))
		return false;
	if (strcmp(format, "tenure.plan/1") == 0)
		return true;
	tn_json_error(&r->im, TN_PLAN_FORMAT, &at,
		"the format is '%s', not 'tenure.plan/1'", format);
	tn_diag_note(r->im.diags, "expected a plan, as 'tenure plan -o' writes it");
	return false;
}

static enum tn_status read_plan(struct tn_plan_reader *r, const json_t *root)
{
	const struct tn_path regions_at = { NULL, "regions", 0 };
	const size_t before = r->im.diags->errors;
	uint32_t n_regions;

	if (!read_format(r, root))
		return TN_ERR_INPUT;
	if (json_array_size(json_object_get(root, "regions")) > REGIONS_MAX) {
		tn_json_error(&r->im, TN_PLAN_FORMAT, &regions_at, "more than %d regions",
			REGIONS_MAX);
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
	read_mode(r, root);
	read_schedule(r, root);
	if (!read_lists(r, root) || !read_pins(r, root) || !read_order(r, root) ||
		!tn_plan_copies(r, root, &r->plan->copies, &r->plan->n_copies) ||
		!tn_plan_streams_read(&r->im, root, r->plan))
		return TN_ERR_NOMEM;
	return r->im.diags->errors > before ? TN_ERR_INPUT : TN_OK;
}

enum tn_status tn_plan_file_read(const struct tn_plan_file *file,
	const struct tn_graph *g, const struct tn_plan_digests *want,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_plan *out)
{
	struct tn_plan_reader r = { .im = { .arena = arena,
					    .strings = strings,
					    .diags = diags,
					    .source = file->source },
		.g = g,
		.want = want,
		.plan = out };

	return read_plan(&r, file->json.root);
}

enum tn_status tn_import_plan_json(const struct tn_graph *g,
	const struct tn_source *source, const struct tn_plan_digests *want,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_plan *out)
{
	struct tn_plan_file *file;
	enum tn_status status = tn_plan_file_open(source, arena, diags, &file);

	if (status == TN_OK)
		status = tn_plan_file_read(file, g, want, arena, strings, diags, out);
	tn_plan_file_close(file);
	return status;
}
