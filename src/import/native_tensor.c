/* Tensors of the native format. Names come first, so that a view may name a tensor that
 * follows it. */
#include "import/native.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "import/size_expr.h"

static bool read_name(struct tn_native *n, const struct tn_path *at, const json_t *object,
	struct tn_tensor *t)
{
	const json_t *name = tn_native_member(n, at, object, "name");
	const json_t *label = json_object_get(object, "label");
	struct tn_path name_at = { at, "name", 0 }, label_at = { at, "label", 0 };
	const char *text = "";

	if (name && tn_json_string(n->im, NATIVE_TYPE, &name_at, name, &text)) {
		text = tn_native_intern(n, text);
		if (!text)
			return false;
		t->name = text;
		switch (tn_names_add(&n->tensors, text, t->file_index)) {
		case NAME_ADDED:
			break;
		case NAME_TAKEN:
			tn_json_error(n->im, "native/duplicate-name", &name_at,
				"there are two tensors '%s'", text);
			break;
		case NAME_NOMEM:
			return false;
		}
	}
	/* what a file of another format calls the tensor, when that is not unique */
	if (label && tn_json_string(n->im, NATIVE_TYPE, &label_at, label, &text))
		t->name = tn_native_intern(n, text);
	return t->name != NULL;
}

static void read_dtype(struct tn_native *n, const struct tn_path *at,
	const json_t *object, struct tn_tensor *t)
{
	const json_t *value = tn_native_member(n, at, object, "dtype");
	struct tn_path path = { at, "dtype", 0 };
	const char *text;

	t->dtype = DTYPE_INVALID;
	if (!value || !tn_json_string(n->im, NATIVE_TYPE, &path, value, &text))
		return;
	t->dtype = tn_dtype_parse(text);
	if (t->dtype == DTYPE_INVALID)
		tn_json_error(n->im, "graph/dtype", &path,
			"'%s' is not a known element type", text);
}

/* A size; null or -1 when it is not known; or text over names that the caller gives sizes. */
static int64_t read_dim(
	struct tn_native *n, const struct tn_path *at, const json_t *value)
{
	const char *name = json_string_value(value);
	int64_t size;

	if (json_is_null(value))
		return TN_DIM_UNKNOWN;
	if (name)
		return tn_size_or_report(n->im, at, name);
	return tn_json_int(n->im, NATIVE_TYPE, at, value, INT64_MIN + 1, INT64_MAX, &size)
		       ? size
		       : TN_DIM_POISON;
}

static void read_shape(struct tn_native *n, const struct tn_path *at,
	const json_t *object, struct tn_tensor *t)
{
	const json_t *list = tn_native_member(n, at, object, "shape");
	struct tn_path path = { at, "shape", 0 };
	size_t rank = json_array_size(list);

	t->shape.rank = 1;
	t->shape.dim[0] = TN_DIM_POISON;
	if (!list || !tn_json_want(n->im, NATIVE_TYPE, &path, list, JSON_ARRAY))
		return;
	if (rank > TN_RANK_MAX) {
		tn_json_error(n->im, "graph/rank", &path,
			"%zu dimensions are more than %d", rank, TN_RANK_MAX);
		return;
	}
	t->shape.rank = (uint32_t)rank;
	for (size_t i = 0; i < rank; i++) {
		struct tn_path dim = { &path, NULL, i };

		t->shape.dim[i] = read_dim(n, &dim, json_array_get(list, i));
	}
}

static void read_role(struct tn_native *n, const struct tn_path *at, const json_t *object,
	struct tn_tensor *t)
{
	static const char *const roles[] = { [ROLE_ACT] = "act",
		[ROLE_INPUT] = "input",
		[ROLE_OUTPUT] = "output",
		[ROLE_CONST] = "const",
		[ROLE_VARIABLE] = "variable",
		[ROLE_SCRATCH] = "scratch" };
	const json_t *value = json_object_get(object, "role");
	struct tn_path path = { at, "role", 0 };
	const char *text;

	if (!value) {
		t->role = json_object_get(object, "data") ? ROLE_CONST : ROLE_ACT;
		return;
	}
	if (!tn_json_string(n->im, NATIVE_TYPE, &path, value, &text))
		return;
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		if (strcmp(roles[i], text) == 0) {
			t->role = (enum tn_role)i;
			return;
		}
	}
	tn_json_error(n->im, NATIVE_VALUE, &path, "there is no role '%s'", text);
}

/* A list of numbers, or one number. */
static size_t list_size(const json_t *value)
{
	return json_is_array(value) ? json_array_size(value) : value != NULL;
}

static const json_t *list_item(const json_t *value, size_t i)
{
	return json_is_array(value) ? json_array_get(value, i) : value;
}

static bool read_scales(struct tn_native *n, const struct tn_path *up,
	const json_t *object, float *scale, int64_t *zero_point, size_t count)
{
	const json_t *scales = json_object_get(object, "scale");
	const json_t *zeros = json_object_get(object, "zero_point");
	struct tn_path scale_path = { up, "scale", 0 },
		       zero_path = { up, "zero_point", 0 };
	size_t n_zeros = list_size(zeros);

	if (zeros && n_zeros != count && n_zeros != 1) {
		tn_json_error(n->im, "native/quantization", &zero_path,
			"%zu scales and %zu zero points", count, n_zeros);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		struct tn_path at = { &scale_path, NULL, i },
			       zero_at = { &zero_path, NULL, i };
		double value;

		if (!tn_native_real(list_item(scales, i), &value)) {
			tn_json_error(n->im, "native/quantization", &at,
				"expected a number or the bits of one (\"0x3f800000\"), "
				"found %s",
				tn_json_kind(list_item(scales, i)));
			return false;
		}
		scale[i] = (float)value;
		if (zeros && !tn_json_int(n->im, NATIVE_TYPE, &zero_at,
				     list_item(zeros, n_zeros == 1 ? 0 : i), INT64_MIN,
				     INT64_MAX, &zero_point[i]))
			return false;
	}
	return true;
}

static void read_quant(struct tn_native *n, const struct tn_path *up,
	const json_t *tensor, struct tn_tensor *t)
{
	const json_t *object = json_object_get(tensor, "quantization");
	struct tn_path at = { up, "quantization", 0 }, axis_at = { &at, "axis", 0 };
	const json_t *axis;
	size_t count;
	int64_t value = 0;
	float *scale;
	int64_t *zero_point;

	if (!object || json_is_null(object) ||
		!tn_json_want(n->im, NATIVE_TYPE, &at, object, JSON_OBJECT))
		return;
	t->quant.damaged = tn_native_flag(n, &at, object, "damaged");
	count = list_size(json_object_get(object, "scale"));
	if (!count)
		return;
	axis = json_object_get(object, "axis");
	if (axis && !tn_json_int(n->im, NATIVE_TYPE, &axis_at, axis, 0, TN_RANK_MAX - 1,
			    &value))
		return;
	if (count > 1 && !axis) {
		tn_json_error(n->im, NATIVE_MISSING, &at,
			"'axis' is missing: there are several scales");
		return;
	}
	scale = TN_NEW_ARRAY(n->im->arena, float, count);
	zero_point = TN_NEW_ARRAY(n->im->arena, int64_t, count);
	if (!scale || !zero_point) {
		n->nomem = true;
		return;
	}
	if (!read_scales(n, &at, object, scale, zero_point, count) ||
		!tn_u32_from_size(count, &t->quant.n))
		return;
	t->quant.axis = count > 1 ? (uint32_t)value : 0;
	t->quant.scale = scale;
	t->quant.zero_point = zero_point;
}

static void read_strides(struct tn_native *n, const struct tn_path *up,
	const json_t *tensor, struct tn_tensor *t)
{
	const json_t *list = tn_native_list(n, up, tensor, "strides");
	struct tn_path path = { up, "strides", 0 };

	if (!list)
		return;
	if (json_array_size(list) != t->shape.rank) {
		tn_json_error(n->im, NATIVE_VALUE, &path, "%zu strides for %u dimensions",
			json_array_size(list), t->shape.rank);
		return;
	}
	for (uint32_t i = 0; i < t->shape.rank; i++) {
		struct tn_path at = { &path, NULL, i };

		if (!tn_json_int(n->im, NATIVE_TYPE, &at, json_array_get(list, i),
			    INT64_MIN, INT64_MAX, &t->stride[i]))
			return;
	}
	t->has_strides = true;
}

static bool read_tensor(
	struct tn_native *n, const struct tn_path *at, const json_t *object)
{
	struct tn_tensor *t = tn_build_tensor(n->b, at);

	if (!t)
		return false;
	if (!tn_json_want(n->im, NATIVE_TYPE, at, object, JSON_OBJECT)) {
		t->shape.rank = 1;
		t->shape.dim[0] = TN_DIM_POISON;
		return true;
	}
	if (!read_name(n, at, object, t))
		return false;
	read_dtype(n, at, object, t);
	read_shape(n, at, object, t);
	read_role(n, at, object, t);
	t->clobber = tn_native_flag(n, at, object, "clobber") && !n->im->keep_inputs;
	t->mutated = tn_native_flag(n, at, object, "mutated");
	t->observed = tn_native_flag(n, at, object, "observed");
	read_quant(n, at, object, t);
	return true;
}

static void read_view(struct tn_native *n, const struct tn_path *up, const json_t *object,
	struct tn_tensor *t)
{
	const json_t *of = json_object_get(object, "view_of");
	const json_t *offset = json_object_get(object, "offset");
	struct tn_path of_at = { up, "view_of", 0 }, offset_at = { up, "offset", 0 };

	if (of)
		t->view_of = tn_native_tensor(n, &of_at, of);
	if (offset && !of)
		tn_json_error(n->im, NATIVE_VALUE, &offset_at,
			"an offset without 'view_of' says nothing");
	else if (offset)
		tn_json_int(n->im, NATIVE_TYPE, &offset_at, offset, INT64_MIN, INT64_MAX,
			&t->view_offset);
	read_strides(n, up, object, t);
}

void tn_native_tensors(struct tn_native *n, const struct tn_path *up, const json_t *graph)
{
	const json_t *list = tn_native_list(n, up, graph, "tensors");
	struct tn_path path = { up, "tensors", 0 };

	if (!list && !json_object_get(graph, "tensors"))
		tn_native_member(n, up, graph, "tensors");
	tn_build_expect(n->b, json_array_size(list), 0);
	for (size_t i = 0; i < json_array_size(list) && !n->nomem; i++) {
		struct tn_path at = { &path, NULL, i };

		n->nomem = !read_tensor(n, &at, json_array_get(list, i)) || n->nomem;
	}
	for (size_t i = 0; i < n->b->tensors.count && !n->nomem; i++) {
		const json_t *object = json_array_get(list, i);
		struct tn_tensor *t = &n->b->tensors.items[i];
		struct tn_path at = { &path, NULL, i };

		if (!json_is_object(object))
			continue;
		read_view(n, &at, object, t);
		tn_native_data(n, &at, json_object_get(object, "data"), t);
	}
}
