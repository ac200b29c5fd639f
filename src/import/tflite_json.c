/* Reads the JSON that flatc makes of a .tflite file. Fields are fetched here, by key; what
 * they mean is in tflite_build.c.
 *
 * flatc prints floats with six decimals, so a printed scale stands for every float that
 * prints like it. It is trusted only when there is one such float (16 and above), or when
 * it has more decimals than flatc ever prints; otherwise it is damaged, and so the graph
 * can be planned and not run. */
#include "import/import.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "import/tflite_json.h"

#include "base/banned.h"

struct options {
	struct tn_tflj *r;
	const json_t *table;
};

static void read_code(struct tn_tflj *r, const struct tn_path *path, const json_t *object,
	struct tn_tfl_code *out)
{
	const json_t *builtin = json_object_get(object, "builtin_code");
	int64_t deprecated =
			tn_tflj_number(r, path, object, "deprecated_builtin_code", 0),
		wide = 0;
	struct tn_path at = { path, "builtin_code", 0 };
	const char *name = json_string_value(builtin), *custom;
	size_t len;

	if (name && tn_tfl_op_number(name) >= 0) {
		wide = tn_tfl_op_number(name);
	} else if (name && !strchr("0123456789-", *name)) {
		/* newer than the schema known here */
		out->type = tn_tfl_text(&r->tfl, name, strlen(name));
		return;
	} else if (builtin && !tn_tflj_integer(r, &at, builtin, NULL, &wide)) {
		return;
	}
	tn_tflj_text(r, path, object, "custom_code", &custom, &len);
	tn_tfl_add_code(&r->tfl, path, wide, deprecated, custom, len, out);
}

static void read_buffer(struct tn_tflj *r, const struct tn_path *path,
	const json_t *object, size_t index, struct tn_tfl_buffer *out)
{
	const struct tn_flatc_data *data =
		index < r->flatc.buffers.count ? &r->flatc.buffers.items[index] : NULL;

	*out = (struct tn_tfl_buffer){ .kind = DATA_NONE };
	/* bytes behind the FlatBuffer, which flatc does not follow, or that somebody cut out */
	if ((tn_tflj_number(r, path, object, "offset", 0) > 1 &&
		    tn_tflj_number(r, path, object, "size", 0) != 0) ||
		json_object_get(object, "_stripped_bytes")) {
		out->kind = DATA_MISSING;
	} else if (data && data->n) {
		out->kind = DATA_BYTES;
		out->data = data->bytes;
		if (!tn_i64_from_size(data->n, &out->bytes))
			r->nomem = true;
	}
}

static void read_scales(struct tn_tflj *r, const struct tn_path *up, const json_t *object,
	struct tn_tfl_tensor *raw)
{
	const json_t *values = tn_tflj_list(r, up, object, "scale");
	struct tn_path path = { up, "scale", 0 };

	r->scale.count = 0;
	for (size_t i = 0; i < json_array_size(values); i++) {
		struct tn_path at = { &path, NULL, i };
		double value = 0;

		tn_tflj_real(r, &at, json_array_get(values, i), &value);
		raw->damaged = raw->damaged || !tn_tflj_is_exact(value);
		if (!tn_vec_push(&r->scratch, &r->scale, (float)value))
			r->nomem = true;
	}
	raw->scale = r->scale.items;
	raw->n_scale = r->scale.count;
}

static void read_quant(struct tn_tflj *r, const struct tn_path *path,
	const json_t *tensor, struct tn_tfl_tensor *raw)
{
	const json_t *object = tn_tflj_object(r, path, tensor, "quantization");
	const char *details = json_string_value(json_object_get(object, "details_type"));
	struct tn_path at = { path, "quantization", 0 };

	if (!object)
		return;
	raw->quant_details =
		details ? strcmp(details, "NONE") != 0
			: tn_tflj_number(r, &at, object, "details_type", 0) != 0;
	read_scales(r, &at, object, raw);
	tn_tflj_integers(r, &at, object, "zero_point", &r->zero_point);
	raw->zero_point = r->zero_point.v.items;
	raw->n_zero_point = r->zero_point.v.count;
	raw->axis = tn_tflj_number(r, &at, object, "quantized_dimension", 0);
}

static bool read_tensor(struct tn_tflj *r, struct tn_build *b, const struct tn_path *path,
	const json_t *object)
{
	struct tn_tfl_tensor raw = { .name = "" };
	struct tn_path type_at = { path, "type", 0 };
	const json_t *type = json_object_get(object, "type");

	tn_tflj_integers(r, path, object, "shape", &r->shape);
	for (size_t i = 0; i < r->shape.v.count; i++)
		r->shape.v.items[i] = tn_dim_given(r->shape.v.items[i]);
	raw.shape = r->shape.v.items;
	raw.rank = r->shape.v.count;
	if (type && !tn_tflj_integer(r, &type_at, type, tn_tfl_tensor_types, &raw.type))
		raw.type = 0;
	raw.buffer = (uint64_t)tn_tflj_number(r, path, object, "buffer", 0);
	tn_tflj_text(r, path, object, "name", &raw.name, &raw.name_len);
	raw.is_variable = tn_tflj_number(r, path, object, "is_variable", 0) != 0;
	raw.sparse = json_object_get(object, "sparsity") != NULL;
	raw.external = tn_tflj_number(r, path, object, "external_buffer", 0) != 0;
	read_quant(r, path, object, &raw);
	return !r->nomem && tn_tfl_add_tensor(&r->tfl, b, path, &raw);
}

static enum tn_tfl_found get_option(void *user, const struct tn_tfl_field *f,
	const struct tn_path *path, struct tn_tfl_value *out)
{
	struct options *o = user;
	struct tn_tflj *r = o->r;
	const json_t *value = json_object_get(o->table, f->key);
	struct tn_path at = { path, f->key, 0 };

	if (!value)
		return TFL_ABSENT;
	switch (f->type) {
	case TFL_BOOL:
	case TFL_I8:
	case TFL_I32:
		return tn_tflj_integer(r, &at, value, f->names, &out->i) ? TFL_FOUND
									 : TFL_WRONG;
	case TFL_F32:
		if (!tn_tflj_real(r, &at, value, &out->f))
			return TFL_WRONG;
		r->tfl.lossy = r->tfl.lossy || !tn_tflj_is_exact(out->f);
		out->f = (float)out->f;
		return TFL_FOUND;
	case TFL_STRING:
		tn_tflj_text(r, path, o->table, f->key, &out->text, &out->n);
		return TFL_FOUND;
	case TFL_I32_LIST:
		break;
	}
	if (!tn_tflj_integers(r, path, o->table, f->key, &r->shape))
		return TFL_WRONG;
	out->list = r->shape.v.items;
	out->n = r->shape.v.count;
	return TFL_FOUND;
}

/* The list of numbers as bytes, in scratch. */
static void read_custom(struct tn_tflj *r, const struct tn_path *path,
	const json_t *object, struct tn_tfl_op *raw)
{
	const json_t *values = tn_tflj_list(r, path, object, "custom_options");
	struct tn_path up = { path, "custom_options", 0 };
	size_t n = json_array_size(values);
	uint8_t *bytes = TN_NEW_ARRAY(&r->scratch, uint8_t, n);

	if (!bytes) {
		r->nomem = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct tn_path at = { &up, NULL, i };
		int64_t value = 0;

		tn_json_int(r->im, TFLITE_TYPE, &at, json_array_get(values, i), 0, 255,
			&value);
		bytes[i] = (uint8_t)value;
	}
	raw->custom = bytes;
	raw->n_custom = n;
}

static bool read_op(struct tn_tflj *r, struct tn_build *b, const struct tn_path *path,
	const json_t *object)
{
	struct tn_tfl_op raw = { .get = get_option };
	struct options options = { .r = r };
	const json_t *tag = json_object_get(object, "builtin_options_type");

	raw.code = (uint64_t)tn_tflj_number(r, path, object, "opcode_index", 0);
	tn_tflj_integers(r, path, object, "inputs", &r->inputs);
	tn_tflj_integers(r, path, object, "outputs", &r->outputs);
	tn_tflj_integers(r, path, object, "intermediates", &r->intermediates);
	raw.inputs = r->inputs.v.items;
	raw.n_inputs = r->inputs.v.count;
	raw.outputs = r->outputs.v.items;
	raw.n_outputs = r->outputs.v.count;
	raw.intermediates = r->intermediates.v.items;
	raw.n_intermediates = r->intermediates.v.count;
	raw.table = json_string_value(tag);
	if (json_is_integer(tag)) {
		raw.table = tn_tfl_options_name((uint64_t)json_integer_value(tag));
		raw.table = raw.table ? raw.table : "?";
	}
	if (raw.table && strcmp(raw.table, "NONE") == 0)
		raw.table = NULL;
	options.table = tn_tflj_object(r, path, object, "builtin_options");
	if (raw.table && options.table)
		raw.user = &options;
	read_custom(r, path, object, &raw);
	return !r->nomem && tn_tfl_add_op(&r->tfl, b, path, &raw);
}

typedef bool read_item(struct tn_tflj *r, struct tn_build *b, const struct tn_path *path,
	const json_t *object);

static void read_items(struct tn_tflj *r, struct tn_build *b, const struct tn_path *up,
	const json_t *graph, const char *key, read_item *fn)
{
	const json_t *items = tn_tflj_list(r, up, graph, key);
	struct tn_path path = { up, key, 0 };

	for (size_t i = 0; i < json_array_size(items) && !r->nomem; i++) {
		const json_t *object = json_array_get(items, i);
		struct tn_path at = { &path, NULL, i };

		/* what is no object has no members: defaults keep the indices right */
		tn_json_want(r->im, TFLITE_TYPE, &at, object, JSON_OBJECT);
		r->nomem = !fn(r, b, &at, object) || r->nomem;
	}
}

static enum tn_status read_subgraph(struct tn_tflj *r, struct tn_build *b,
	const struct tn_path *path, const json_t *object, struct tn_graph *out)
{
	const char *name;
	size_t len;

	*out = (struct tn_graph){ .format = FORMAT_TFLITE_JSON };
	tn_tflj_text(r, path, object, "name", &name, &len);
	out->name = tn_tfl_text(&r->tfl, name, len);
	read_items(r, b, path, object, "tensors", read_tensor);
	read_items(r, b, path, object, "operators", read_op);
	tn_tflj_integers(r, path, object, "inputs", &r->inputs);
	tn_tflj_integers(r, path, object, "outputs", &r->outputs);
	if (r->nomem || r->tfl.nomem ||
		!tn_tfl_add_ends(&r->tfl, b, path, r->inputs.v.items, r->inputs.v.count,
			r->outputs.v.items, r->outputs.v.count))
		return TN_ERR_NOMEM;
	return TN_OK;
}

static enum tn_status read_subgraphs(
	struct tn_tflj *r, const json_t *model, struct tn_graph *out)
{
	const json_t *graphs = tn_tflj_list(r, NULL, model, "subgraphs");
	struct tn_path root = { NULL, "subgraphs", 0 };
	struct tn_build main, sub;

	if (!json_array_size(graphs)) {
		tn_json_error(
			r->im, "tflite/no-graph", &root, "the model has no subgraph");
		return TN_ERR_INPUT;
	}
	tn_build_init(&main, r->im->arena, r->im->strings, r->im->diags, r->im->source);
	for (size_t i = 0; i < json_array_size(graphs); i++) {
		const json_t *object = json_array_get(graphs, i);
		struct tn_path at = { &root, NULL, i };
		struct tn_graph graph;
		enum tn_status status;

		if (!tn_json_want(r->im, TFLITE_TYPE, &at, object, JSON_OBJECT))
			return TN_ERR_INPUT;
		if (i)
			tn_build_init(&sub, r->im->arena, r->im->strings, r->im->diags,
				r->im->source);
		status = read_subgraph(r, i ? &sub : &main, &at, object, &graph);
		if (status == TN_OK && i)
			status = tn_build_finish(&sub, &graph);
		if (status != TN_OK)
			return status;
		if (!i)
			*out = graph;
		else if (!tn_vec_push(r->im->arena, &main.subgraphs, graph))
			return TN_ERR_NOMEM;
	}
	out->lossy = r->tfl.lossy;
	return tn_build_finish(&main, out);
}

/* Of the metadata only a memory plan matters. */
static bool read_metadata(struct tn_tflj *r, const json_t *model, struct tn_graph *g)
{
	const json_t *items = tn_tflj_list(r, NULL, model, "metadata");
	struct tn_path path = { NULL, "metadata", 0 };

	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *object = json_array_get(items, i);
		struct tn_path at = { &path, NULL, i };
		const char *name;
		size_t len;

		tn_tflj_text(r, &at, object, "name", &name, &len);
		if (strcmp(name, TN_TFL_OFFLINE_PLAN) == 0)
			return tn_tfl_add_offline_plan(&r->tfl, g, &at,
				(uint64_t)tn_tflj_number(r, &at, object, "buffer", 0));
	}
	return true;
}

static enum tn_status read_model(
	struct tn_tflj *r, const json_t *model, struct tn_graph *out)
{
	struct tn_path codes = { NULL, "operator_codes", 0 };
	struct tn_path buffers = { NULL, "buffers", 0 };
	const json_t *items;
	enum tn_status status;
	int64_t version;

	if (!tn_json_want(r->im, TFLITE_TYPE, NULL, model, JSON_OBJECT))
		return TN_ERR_INPUT;
	version = tn_tflj_number(r, NULL, model, "version", 0);
	if (version != 3) {
		struct tn_path at = { NULL, "version", 0 };

		tn_json_error(r->im, "tflite/version", &at,
			"version %" PRId64 " of the schema is not supported, only 3 is",
			version);
		return TN_ERR_INPUT;
	}
	items = tn_tflj_list(r, NULL, model, "operator_codes");
	r->tfl.n_codes = json_array_size(items);
	r->tfl.codes = TN_NEW_ARRAY(&r->scratch, struct tn_tfl_code, r->tfl.n_codes);
	for (size_t i = 0; i < r->tfl.n_codes && r->tfl.codes; i++) {
		struct tn_path at = { &codes, NULL, i };

		read_code(r, &at, json_array_get(items, i), &r->tfl.codes[i]);
	}
	items = tn_tflj_list(r, NULL, model, "buffers");
	r->tfl.n_buffers = json_array_size(items);
	r->tfl.buffers =
		TN_NEW_ARRAY(&r->scratch, struct tn_tfl_buffer, r->tfl.n_buffers);
	for (size_t i = 0; i < r->tfl.n_buffers && r->tfl.buffers; i++) {
		struct tn_path at = { &buffers, NULL, i };

		read_buffer(r, &at, json_array_get(items, i), i, &r->tfl.buffers[i]);
	}
	if (!r->tfl.codes || !r->tfl.buffers || r->nomem || r->tfl.nomem)
		return TN_ERR_NOMEM;
	status = read_subgraphs(r, model, out);
	if (status == TN_OK &&
		(!read_metadata(r, model, out) || !tn_tfl_resolve_state(&r->tfl, out)))
		status = TN_ERR_NOMEM;
	return status;
}

static size_t origin(void *user, size_t offset)
{
	return tn_flatc_origin(user, offset);
}

enum tn_status tn_import_tflite_json(struct tn_import *im, struct tn_graph *out)
{
	struct tn_tflj r = { .im = im, .tfl.im = im };
	struct tn_source source = *im->source;
	struct tn_json model = { .root = NULL };
	enum tn_status status;

	tn_arena_init(&r.scratch);
	status = tn_flatc_read(im, &r.flatc);
	if (status == TN_OK)
		status = tn_json_load(im, r.flatc.json.text ? r.flatc.json.text : "",
			r.flatc.json.len, origin, &source, &model);
	if (status == TN_OK)
		status = read_model(&r, model.root, out);
	tn_json_drop(&model);
	tn_flatc_release(&r.flatc);
	tn_arena_release(&r.scratch);
	return status;
}
