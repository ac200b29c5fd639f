/* Reads the bytes of a .tflite file: the lossless route. Fields are fetched here, by slot
 * number; what they mean is in tflite_build.c. */
#include "import/import.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "import/flatbuffer.h"
#include "import/tflite_build.h"

#define ERRORS_MAX 100 /* of one file: then the reader gives up */

/* Field numbers of the schema's tables. */
enum { MODEL_VERSION, MODEL_CODES, MODEL_SUBGRAPHS, MODEL_BUFFERS = 4 };
enum { CODE_DEPRECATED, CODE_CUSTOM, CODE_BUILTIN = 3 };
enum { SUBGRAPH_TENSORS, SUBGRAPH_INPUTS, SUBGRAPH_OUTPUTS, SUBGRAPH_OPS, SUBGRAPH_NAME };
enum {
	TENSOR_SHAPE,
	TENSOR_TYPE,
	TENSOR_BUFFER,
	TENSOR_NAME,
	TENSOR_QUANTIZATION,
	TENSOR_IS_VARIABLE,
	TENSOR_SPARSITY,
	TENSOR_EXTERNAL = 10,
};
enum { QUANT_SCALE = 2, QUANT_ZERO_POINT, QUANT_DETAILS_TYPE, QUANT_DIMENSION = 6 };
enum {
	OP_FIELD_CODE,
	OP_FIELD_INPUTS,
	OP_FIELD_OUTPUTS,
	OP_FIELD_OPTIONS_TYPE,
	OP_FIELD_OPTIONS,
	OP_FIELD_CUSTOM,
	OP_FIELD_INTERMEDIATES = 8,
	OP_FIELD_LARGE_CUSTOM,
};
enum { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };

struct ints {
	TN_VEC(int64_t) v;
};

struct reader {
	struct tn_import *im;
	struct tn_fb fb;
	struct tn_tfl tfl;
	struct tn_arena scratch;
	/* lists of the tensor or op at hand, reused */
	struct ints shape, zero_point, inputs, outputs, intermediates;
	TN_VEC(float) scale;
	size_t errors_before;
	bool nomem;
};

struct options {
	struct reader *r;
	struct tn_fb_table table;
};

/* Reports the damage that the last access met. */
static void damaged(struct reader *r, const struct tn_path *path, const char *key)
{
	struct tn_path at = { path, key, 0 };

	if (!tn_diag(r->im->diags, SEVERITY_ERROR, "tflite/damaged", r->im->source,
		    key ? &at : path, "the file is damaged: %s", r->fb.why))
		r->nomem = true;
}

static bool gives_up(const struct reader *r)
{
	return r->nomem || r->tfl.nomem ||
	       r->im->diags->errors - r->errors_before > ERRORS_MAX;
}

/* A number, `otherwise` when absent. */
static int64_t number(struct reader *r, const struct tn_fb_table *table, uint32_t slot,
	uint32_t bytes, bool is_signed, int64_t otherwise, const struct tn_path *path,
	const char *key)
{
	uint64_t value = 0;

	switch (tn_fb_scalar(&r->fb, table, slot, bytes, &value)) {
	case FB_OK:
		if (is_signed && bytes < 8 && value >> (8 * bytes - 1))
			value |= ~UINT64_C(0) << (8 * bytes);
		return (int64_t)value;
	case FB_BAD:
		damaged(r, path, key);
		break;
	case FB_ABSENT:
		break;
	}
	return otherwise;
}

static bool present(struct reader *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key)
{
	struct tn_fb_table dummy;
	enum tn_fb_found found = tn_fb_child(&r->fb, table, slot, &dummy);

	if (found == FB_BAD)
		damaged(r, path, key);
	return found == FB_OK;
}

/* A vector of 4- or 8-byte signed integers; absent is empty. */
static enum tn_fb_found integers(struct reader *r, const struct tn_fb_table *table,
	uint32_t slot, uint32_t bytes, struct ints *out, const struct tn_path *path,
	const char *key)
{
	struct tn_fb_vec vec = { 0 };
	enum tn_fb_found found = tn_fb_vector(&r->fb, table, slot, bytes, &vec);

	out->v.count = 0;
	if (found == FB_BAD)
		damaged(r, path, key);
	for (size_t i = 0; i < vec.count; i++) {
		uint64_t raw = tn_fb_value_at(&r->fb, &vec, i, bytes);
		int64_t value = bytes == 4 ? (int32_t)(uint32_t)raw : (int64_t)raw;

		if (!tn_vec_push(&r->scratch, &out->v, value)) {
			r->nomem = true;
			return FB_BAD;
		}
	}
	return found;
}

static void floats(struct reader *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key)
{
	struct tn_fb_vec vec = { 0 };

	r->scale.count = 0;
	if (tn_fb_vector(&r->fb, table, slot, 4, &vec) == FB_BAD)
		damaged(r, path, key);
	for (size_t i = 0; i < vec.count; i++) {
		uint32_t bits = (uint32_t)tn_fb_value_at(&r->fb, &vec, i, 4);
		float value;

		memcpy(&value, &bits, sizeof(value));
		if (!tn_vec_push(&r->scratch, &r->scale, value)) {
			r->nomem = true;
			return;
		}
	}
}

static void text(struct reader *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key, const char **out, size_t *out_len)
{
	*out = "";
	*out_len = 0;
	if (tn_fb_string(&r->fb, table, slot, out, out_len) == FB_BAD)
		damaged(r, path, key);
}

static void read_code(struct reader *r, const struct tn_path *path,
	const struct tn_fb_table *table, struct tn_tfl_code *out)
{
	int64_t deprecated = number(
		r, table, CODE_DEPRECATED, 1, true, 0, path, "deprecated_builtin_code");
	int64_t builtin =
		number(r, table, CODE_BUILTIN, 4, true, 0, path, "builtin_code");
	const char *custom;
	size_t len;

	text(r, table, CODE_CUSTOM, path, "custom_code", &custom, &len);
	tn_tfl_add_code(&r->tfl, path, builtin, deprecated, custom, len, out);
}

static void read_buffer(struct reader *r, const struct tn_path *path,
	const struct tn_fb_table *table, struct tn_tfl_buffer *out)
{
	struct tn_fb_vec vec = { 0 };
	uint64_t offset, size;

	*out = (struct tn_tfl_buffer){ .kind = DATA_NONE };
	if (tn_fb_vector(&r->fb, table, BUFFER_DATA, 1, &vec) == FB_BAD)
		damaged(r, path, "data");
	offset = (uint64_t)number(r, table, BUFFER_OFFSET, 8, false, 0, path, "offset");
	size = (uint64_t)number(r, table, BUFFER_SIZE, 8, false, 0, path, "size");
	/* 0 and 1 are placeholders: the data is inside */
	if (offset > 1 && size > 0) {
		if (offset > r->fb.len || size > r->fb.len - offset) {
			r->fb.why = "a buffer lies outside of the file";
			damaged(r, path, "offset");
			return;
		}
		vec = (struct tn_fb_vec){ .at = (size_t)offset, .count = (size_t)size };
	}
	if (!vec.count || !tn_i64_from_size(vec.count, &out->bytes))
		return;
	out->kind = DATA_BYTES;
	out->data = r->fb.data + vec.at;
}

static void read_quant(struct reader *r, const struct tn_path *path,
	const struct tn_fb_table *tensor, struct tn_tfl_tensor *raw)
{
	struct tn_path at = { path, "quantization", 0 };
	struct tn_fb_table table;
	enum tn_fb_found found = tn_fb_child(&r->fb, tensor, TENSOR_QUANTIZATION, &table);

	if (found == FB_BAD)
		damaged(r, path, "quantization");
	if (found != FB_OK)
		return;
	raw->quant_details = number(r, &table, QUANT_DETAILS_TYPE, 1, false, 0, &at,
				     "details_type") != 0;
	floats(r, &table, QUANT_SCALE, &at, "scale");
	integers(r, &table, QUANT_ZERO_POINT, 8, &r->zero_point, &at, "zero_point");
	raw->scale = r->scale.items;
	raw->n_scale = r->scale.count;
	raw->zero_point = r->zero_point.v.items;
	raw->n_zero_point = r->zero_point.v.count;
	raw->axis = number(
		r, &table, QUANT_DIMENSION, 4, true, 0, &at, "quantized_dimension");
}

static bool read_tensor(struct reader *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_vec *vec, size_t index)
{
	static const int64_t poison[] = { TN_DIM_POISON };
	struct tn_tfl_tensor raw = { .name = "" };
	struct tn_fb_table table;

	if (tn_fb_table_at(&r->fb, vec, index, &table) != FB_OK) {
		damaged(r, path, NULL);
		raw.shape = poison;
		raw.rank = 1;
		return tn_tfl_add_tensor(&r->tfl, b, path, &raw);
	}
	integers(r, &table, TENSOR_SHAPE, 4, &r->shape, path, "shape");
	raw.shape = r->shape.v.items;
	raw.rank = r->shape.v.count;
	raw.type = number(r, &table, TENSOR_TYPE, 1, true, 0, path, "type");
	raw.buffer =
		(uint64_t)number(r, &table, TENSOR_BUFFER, 4, false, 0, path, "buffer");
	text(r, &table, TENSOR_NAME, path, "name", &raw.name, &raw.name_len);
	raw.is_variable = number(r, &table, TENSOR_IS_VARIABLE, 1, false, 0, path,
				  "is_variable") != 0;
	raw.sparse = present(r, &table, TENSOR_SPARSITY, path, "sparsity");
	raw.external = number(r, &table, TENSOR_EXTERNAL, 4, false, 0, path,
			       "external_buffer") != 0;
	read_quant(r, path, &table, &raw);
	return tn_tfl_add_tensor(&r->tfl, b, path, &raw);
}

static enum tn_tfl_found option_list(struct options *o, const struct tn_tfl_field *f,
	const struct tn_path *path, struct tn_tfl_value *out)
{
	struct reader *r = o->r;

	switch (integers(r, &o->table, f->slot, 4, &r->shape, path, f->key)) {
	case FB_OK:
		out->list = r->shape.v.items;
		out->n = r->shape.v.count;
		return TFL_FOUND;
	case FB_BAD:
		return TFL_WRONG;
	case FB_ABSENT:
		break;
	}
	return TFL_ABSENT;
}

static enum tn_tfl_found get_option(void *user, const struct tn_tfl_field *f,
	const struct tn_path *path, struct tn_tfl_value *out)
{
	struct options *o = user;
	struct reader *r = o->r;
	size_t errors = r->im->diags->errors;
	uint32_t bits;
	float value;

	switch (f->type) {
	case TFL_BOOL:
		out->i = number(
			r, &o->table, f->slot, 1, false, f->otherwise, path, f->key);
		break;
	case TFL_I8:
		out->i = number(
			r, &o->table, f->slot, 1, true, f->otherwise, path, f->key);
		break;
	case TFL_I32:
		out->i = number(
			r, &o->table, f->slot, 4, true, f->otherwise, path, f->key);
		break;
	case TFL_F32:
		bits = (uint32_t)number(r, &o->table, f->slot, 4, false, 0, path, f->key);
		memcpy(&value, &bits, sizeof(value));
		out->f = value;
		break;
	case TFL_STRING:
		text(r, &o->table, f->slot, path, f->key, &out->text, &out->n);
		break;
	case TFL_I32_LIST:
		return option_list(o, f, path, out);
	}
	return r->im->diags->errors == errors ? TFL_FOUND : TFL_WRONG;
}

static void read_custom(struct reader *r, const struct tn_path *path,
	const struct tn_fb_table *table, struct tn_tfl_op *raw)
{
	struct tn_fb_vec vec = { 0 };

	if (tn_fb_vector(&r->fb, table, OP_FIELD_CUSTOM, 1, &vec) == FB_BAD)
		damaged(r, path, "custom_options");
	if (number(r, table, OP_FIELD_LARGE_CUSTOM, 8, false, 0, path,
		    "large_custom_options_offset") > 1)
		tn_diag(r->im->diags, SEVERITY_WARNING, "tflite/custom-options",
			r->im->source, path,
			"custom options outside of the model are ignored");
	/* copied as text: they count like a string */
	if (vec.count > r->fb.budget) {
		r->fb.why = "too many references to the same bytes";
		damaged(r, path, "custom_options");
		return;
	}
	r->fb.budget -= vec.count;
	raw->custom = vec.count ? r->fb.data + vec.at : NULL;
	raw->n_custom = vec.count;
}

static bool read_op(struct reader *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_vec *vec, size_t index)
{
	struct tn_tfl_op raw = { .get = get_option };
	struct options options = { .r = r };
	struct tn_fb_table table;
	uint64_t tag;

	if (tn_fb_table_at(&r->fb, vec, index, &table) != FB_OK) {
		damaged(r, path, NULL);
		return true;
	}
	raw.code = (uint64_t)number(
		r, &table, OP_FIELD_CODE, 4, false, 0, path, "opcode_index");
	integers(r, &table, OP_FIELD_INPUTS, 4, &r->inputs, path, "inputs");
	integers(r, &table, OP_FIELD_OUTPUTS, 4, &r->outputs, path, "outputs");
	integers(r, &table, OP_FIELD_INTERMEDIATES, 4, &r->intermediates, path,
		"intermediates");
	raw.inputs = r->inputs.v.items;
	raw.n_inputs = r->inputs.v.count;
	raw.outputs = r->outputs.v.items;
	raw.n_outputs = r->outputs.v.count;
	raw.intermediates = r->intermediates.v.items;
	raw.n_intermediates = r->intermediates.v.count;
	tag = (uint64_t)number(r, &table, OP_FIELD_OPTIONS_TYPE, 1, false, 0, path,
		"builtin_options_type");
	if (tag) {
		const char *name = tn_tfl_options_name(tag);

		raw.table = name ? name : "?";
		switch (tn_fb_child(&r->fb, &table, OP_FIELD_OPTIONS, &options.table)) {
		case FB_OK:
			raw.user = &options;
			break;
		case FB_BAD:
			damaged(r, path, "builtin_options");
			break;
		case FB_ABSENT:
			break;
		}
	}
	read_custom(r, path, &table, &raw);
	return tn_tfl_add_op(&r->tfl, b, path, &raw);
}

typedef bool read_item(struct reader *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_vec *vec, size_t index);

static void read_items(struct reader *r, struct tn_build *b, const struct tn_path *up,
	const struct tn_fb_table *table, uint32_t slot, const char *key, read_item *fn)
{
	struct tn_path path = { up, key, 0 };
	struct tn_fb_vec vec = { 0 };

	if (tn_fb_vector(&r->fb, table, slot, 4, &vec) == FB_BAD)
		damaged(r, up, key);
	for (size_t i = 0; i < vec.count && !gives_up(r); i++) {
		struct tn_path at = { &path, NULL, i };

		if (!fn(r, b, &at, &vec, i))
			r->nomem = true;
	}
}

static enum tn_status read_subgraph(struct reader *r, struct tn_build *b,
	const struct tn_path *path, const struct tn_fb_table *table, struct tn_graph *out)
{
	const char *name;
	size_t len;

	*out = (struct tn_graph){ .format = FORMAT_TFLITE };
	text(r, table, SUBGRAPH_NAME, path, "name", &name, &len);
	out->name = tn_tfl_text(&r->tfl, name, len);
	read_items(r, b, path, table, SUBGRAPH_TENSORS, "tensors", read_tensor);
	read_items(r, b, path, table, SUBGRAPH_OPS, "operators", read_op);
	integers(r, table, SUBGRAPH_INPUTS, 4, &r->inputs, path, "inputs");
	integers(r, table, SUBGRAPH_OUTPUTS, 4, &r->outputs, path, "outputs");
	if (!gives_up(r) &&
		!tn_tfl_add_ends(&r->tfl, b, path, r->inputs.v.items, r->inputs.v.count,
			r->outputs.v.items, r->outputs.v.count))
		return TN_ERR_NOMEM;
	if (r->nomem || r->tfl.nomem)
		return TN_ERR_NOMEM;
	return gives_up(r) ? TN_ERR_INPUT : TN_OK;
}

static enum tn_status read_subgraphs(
	struct reader *r, const struct tn_fb_table *model, struct tn_graph *out)
{
	struct tn_path root = { NULL, "subgraphs", 0 };
	struct tn_build main, sub;
	struct tn_fb_vec vec = { 0 };

	if (tn_fb_vector(&r->fb, model, MODEL_SUBGRAPHS, 4, &vec) == FB_BAD)
		damaged(r, NULL, "subgraphs");
	else if (!vec.count)
		tn_diag(r->im->diags, SEVERITY_ERROR, "tflite/no-graph", r->im->source,
			&root, "the model has no subgraph");
	if (!vec.count)
		return TN_ERR_INPUT;
	tn_build_init(&main, r->im->arena, r->im->strings, r->im->diags, r->im->source);
	for (size_t i = 0; i < vec.count; i++) {
		struct tn_path at = { &root, NULL, i };
		struct tn_build *b = i ? &sub : &main;
		struct tn_fb_table table;
		struct tn_graph graph;
		enum tn_status status;

		if (tn_fb_table_at(&r->fb, &vec, i, &table) != FB_OK) {
			damaged(r, &at, NULL);
			return TN_ERR_INPUT;
		}
		if (i)
			tn_build_init(&sub, r->im->arena, r->im->strings, r->im->diags,
				r->im->source);
		status = read_subgraph(r, b, &at, &table, &graph);
		if (status == TN_OK && i)
			status = tn_build_finish(b, &graph);
		if (status != TN_OK)
			return status;
		if (!i)
			*out = graph;
		else if (!tn_vec_push(r->im->arena, &main.subgraphs, graph))
			return TN_ERR_NOMEM;
	}
	return tn_build_finish(&main, out);
}

/* Operator codes and buffers, which the subgraphs refer to. */
static enum tn_status read_tables(struct reader *r, const struct tn_fb_table *model)
{
	struct tn_path codes = { NULL, "operator_codes", 0 };
	struct tn_path buffers = { NULL, "buffers", 0 };
	struct tn_fb_vec vec = { 0 };
	struct tn_fb_table table;

	if (tn_fb_vector(&r->fb, model, MODEL_CODES, 4, &vec) == FB_BAD)
		damaged(r, NULL, "operator_codes");
	r->tfl.codes = TN_NEW_ARRAY(&r->scratch, struct tn_tfl_code, vec.count);
	if (!r->tfl.codes)
		return TN_ERR_NOMEM;
	r->tfl.n_codes = vec.count;
	for (size_t i = 0; i < vec.count && !gives_up(r); i++) {
		struct tn_path at = { &codes, NULL, i };

		if (tn_fb_table_at(&r->fb, &vec, i, &table) == FB_OK)
			read_code(r, &at, &table, &r->tfl.codes[i]);
		else
			damaged(r, &at, NULL);
	}
	vec.count = 0;
	if (tn_fb_vector(&r->fb, model, MODEL_BUFFERS, 4, &vec) == FB_BAD)
		damaged(r, NULL, "buffers");
	r->tfl.buffers = TN_NEW_ARRAY(&r->scratch, struct tn_tfl_buffer, vec.count);
	if (!r->tfl.buffers)
		return TN_ERR_NOMEM;
	r->tfl.n_buffers = vec.count;
	for (size_t i = 0; i < vec.count && !gives_up(r); i++) {
		struct tn_path at = { &buffers, NULL, i };

		if (tn_fb_table_at(&r->fb, &vec, i, &table) == FB_OK)
			read_buffer(r, &at, &table, &r->tfl.buffers[i]);
		else
			damaged(r, &at, NULL);
	}
	return TN_OK;
}

static enum tn_status read_model(struct reader *r, struct tn_graph *out)
{
	struct tn_fb_table model;
	enum tn_status status;
	int64_t version;

	if (tn_fb_root(&r->fb, &model) != FB_OK) {
		damaged(r, NULL, NULL);
		return r->nomem ? TN_ERR_NOMEM : TN_ERR_INPUT;
	}
	version = number(r, &model, MODEL_VERSION, 4, false, 0, NULL, "version");
	if (version != 3) {
		struct tn_path at = { NULL, "version", 0 };

		tn_diag(r->im->diags, SEVERITY_ERROR, "tflite/version", r->im->source,
			&at,
			"version %" PRId64 " of the schema is not supported, only 3 is",
			version);
		return TN_ERR_INPUT;
	}
	status = read_tables(r, &model);
	if (status == TN_OK)
		status = read_subgraphs(r, &model, out);
	if (r->im->diags->errors - r->errors_before > ERRORS_MAX)
		tn_diag_note(r->im->diags, "there are more errors; reading stopped here");
	return status;
}

enum tn_status tn_import_tflite(struct tn_import *im, struct tn_graph *out)
{
	struct reader r = { .im = im, .errors_before = im->diags->errors };
	enum tn_status status;

	tn_arena_init(&r.scratch);
	tn_fb_init(&r.fb, im->source->text, im->source->len);
	r.tfl.im = im;
	status = read_model(&r, out);
	if (status == TN_OK && (r.nomem || r.tfl.nomem || im->diags->failed))
		status = TN_ERR_NOMEM;
	tn_arena_release(&r.scratch);
	return status;
}
