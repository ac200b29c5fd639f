/* Tensors and ops of a .tflite file's subgraph. */
#include <string.h>

#include "import/tflite_bytes.h"

#include "base/banned.h"

/* Field numbers of the schema's tables. */
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

struct options {
	struct tn_tflb *r;
	struct tn_fb_table table;
};

static void read_quant(struct tn_tflb *r, const struct tn_path *path,
	const struct tn_fb_table *tensor, struct tn_tfl_tensor *raw)
{
	struct tn_path at = { path, "quantization", 0 };
	struct tn_fb_table table;
	enum tn_fb_found found = tn_fb_child(&r->fb, tensor, TENSOR_QUANTIZATION, &table);

	if (found == FB_BAD)
		tn_tflb_damaged(r, path, "quantization");
	if (found != FB_OK)
		return;
	raw->quant_details = tn_tflb_number(r, &table, QUANT_DETAILS_TYPE, 1, false, 0,
				     &at, "details_type") != 0;
	tn_tflb_floats(r, &table, QUANT_SCALE, &at, "scale");
	tn_tflb_integers(
		r, &table, QUANT_ZERO_POINT, 8, &r->zero_point, &at, "zero_point");
	raw->scale = r->scale.items;
	raw->n_scale = r->scale.count;
	raw->zero_point = r->zero_point.v.items;
	raw->n_zero_point = r->zero_point.v.count;
	raw->axis = tn_tflb_number(
		r, &table, QUANT_DIMENSION, 4, true, 0, &at, "quantized_dimension");
}

static bool read_tensor(struct tn_tflb *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_vec *vec, size_t index)
{
	static const int64_t poison[] = { TN_DIM_POISON };
	struct tn_tfl_tensor raw = { .name = "" };
	struct tn_fb_table table;

	if (tn_fb_table_at(&r->fb, vec, index, &table) != FB_OK) {
		tn_tflb_damaged(r, path, NULL);
		raw.shape = poison;
		raw.rank = 1;
		return tn_tfl_add_tensor(&r->tfl, b, path, &raw);
	}
	tn_tflb_integers(r, &table, TENSOR_SHAPE, 4, &r->shape, path, "shape");
	raw.shape = r->shape.v.items;
	raw.rank = r->shape.v.count;
	raw.type = tn_tflb_number(r, &table, TENSOR_TYPE, 1, true, 0, path, "type");
	raw.buffer = (uint64_t)tn_tflb_number(
		r, &table, TENSOR_BUFFER, 4, false, 0, path, "buffer");
	tn_tflb_text(r, &table, TENSOR_NAME, path, "name", &raw.name, &raw.name_len);
	raw.is_variable = tn_tflb_number(r, &table, TENSOR_IS_VARIABLE, 1, false, 0, path,
				  "is_variable") != 0;
	raw.sparse = tn_tflb_present(r, &table, TENSOR_SPARSITY, path, "sparsity");
	raw.external = tn_tflb_number(r, &table, TENSOR_EXTERNAL, 4, false, 0, path,
			       "external_buffer") != 0;
	read_quant(r, path, &table, &raw);
	return tn_tfl_add_tensor(&r->tfl, b, path, &raw);
}

static enum tn_tfl_found option_list(struct options *o, const struct tn_tfl_field *f,
	const struct tn_path *path, struct tn_tfl_value *out)
{
	struct tn_tflb *r = o->r;

	switch (tn_tflb_integers(r, &o->table, f->slot, 4, &r->shape, path, f->key)) {
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
	struct tn_tflb *r = o->r;
	size_t errors = r->im->diags->errors;
	uint32_t bits;
	float value;

	switch (f->type) {
	case TFL_BOOL:
		out->i = tn_tflb_number(
			r, &o->table, f->slot, 1, false, f->otherwise, path, f->key);
		break;
	case TFL_I8:
		out->i = tn_tflb_number(
			r, &o->table, f->slot, 1, true, f->otherwise, path, f->key);
		break;
	case TFL_I32:
		out->i = tn_tflb_number(
			r, &o->table, f->slot, 4, true, f->otherwise, path, f->key);
		break;
	case TFL_F32:
		bits = (uint32_t)tn_tflb_number(
			r, &o->table, f->slot, 4, false, 0, path, f->key);
		memcpy(&value, &bits, sizeof(value));
		out->f = value;
		break;
	case TFL_STRING:
		tn_tflb_text(r, &o->table, f->slot, path, f->key, &out->text, &out->n);
		break;
	case TFL_I32_LIST:
		return option_list(o, f, path, out);
	}
	return r->im->diags->errors == errors ? TFL_FOUND : TFL_WRONG;
}

static void read_custom(struct tn_tflb *r, const struct tn_path *path,
	const struct tn_fb_table *table, struct tn_tfl_op *raw)
{
	struct tn_fb_vec vec = { 0 };

	if (tn_fb_vector(&r->fb, table, OP_FIELD_CUSTOM, 1, &vec) == FB_BAD)
		tn_tflb_damaged(r, path, "custom_options");
	if (tn_tflb_number(r, table, OP_FIELD_LARGE_CUSTOM, 8, false, 0, path,
		    "large_custom_options_offset") > 1)
		tn_diag(r->im->diags, SEVERITY_WARNING, "tflite/custom-options",
			r->im->source, path,
			"custom options outside of the model are ignored");
	/* copied as text: they count like a string */
	if (vec.count > r->fb.budget) {
		r->fb.why = "too many references to the same bytes";
		tn_tflb_damaged(r, path, "custom_options");
		return;
	}
	r->fb.budget -= vec.count;
	raw->custom = vec.count ? r->fb.data + vec.at : NULL;
	raw->n_custom = vec.count;
}

static bool read_op(struct tn_tflb *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_vec *vec, size_t index)
{
	struct tn_tfl_op raw = { .get = get_option };
	struct options options = { .r = r };
	struct tn_fb_table table;
	uint64_t tag;

	if (tn_fb_table_at(&r->fb, vec, index, &table) != FB_OK) {
		tn_tflb_damaged(r, path, NULL);
		return true;
	}
	raw.code = (uint64_t)tn_tflb_number(
		r, &table, OP_FIELD_CODE, 4, false, 0, path, "opcode_index");
	tn_tflb_integers(r, &table, OP_FIELD_INPUTS, 4, &r->inputs, path, "inputs");
	tn_tflb_integers(r, &table, OP_FIELD_OUTPUTS, 4, &r->outputs, path, "outputs");
	tn_tflb_integers(r, &table, OP_FIELD_INTERMEDIATES, 4, &r->intermediates, path,
		"intermediates");
	raw.inputs = r->inputs.v.items;
	raw.n_inputs = r->inputs.v.count;
	raw.outputs = r->outputs.v.items;
	raw.n_outputs = r->outputs.v.count;
	raw.intermediates = r->intermediates.v.items;
	raw.n_intermediates = r->intermediates.v.count;
	tag = (uint64_t)tn_tflb_number(r, &table, OP_FIELD_OPTIONS_TYPE, 1, false, 0,
		path, "builtin_options_type");
	if (tag) {
		const char *name = tn_tfl_options_name(tag);

		raw.table = name ? name : "?";
		switch (tn_fb_child(&r->fb, &table, OP_FIELD_OPTIONS, &options.table)) {
		case FB_OK:
			raw.user = &options;
			break;
		case FB_BAD:
			tn_tflb_damaged(r, path, "builtin_options");
			break;
		case FB_ABSENT:
			break;
		}
	}
	read_custom(r, path, &table, &raw);
	return tn_tfl_add_op(&r->tfl, b, path, &raw);
}

typedef bool read_item(struct tn_tflb *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_vec *vec, size_t index);

static void read_items(struct tn_tflb *r, struct tn_build *b, const struct tn_path *up,
	const struct tn_fb_table *table, uint32_t slot, const char *key, read_item *fn)
{
	struct tn_path path = { up, key, 0 };
	struct tn_fb_vec vec = { 0 };

	if (tn_fb_vector(&r->fb, table, slot, 4, &vec) == FB_BAD)
		tn_tflb_damaged(r, up, key);
	for (size_t i = 0; i < vec.count && !tn_tflb_gives_up(r); i++) {
		struct tn_path at = { &path, NULL, i };

		if (!fn(r, b, &at, &vec, i))
			r->nomem = true;
	}
}

void tn_tflb_tensors(struct tn_tflb *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_table *subgraph, uint32_t slot)
{
	read_items(r, b, path, subgraph, slot, "tensors", read_tensor);
}

void tn_tflb_ops(struct tn_tflb *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_table *subgraph, uint32_t slot)
{
	read_items(r, b, path, subgraph, slot, "operators", read_op);
}
