/* Ops of the native format and their attributes. */
#include "import/native.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

static bool read_operands(struct tn_native *n, const struct tn_path *up,
	const json_t *object, const char *key, bool optional, tn_tensor_id **out,
	uint32_t *out_n)
{
	const json_t *list = tn_native_list(n, up, object, key);
	struct tn_path path = { up, key, 0 };
	size_t count = json_array_size(list);

	*out = TN_NEW_ARRAY(n->im->arena, tn_tensor_id, count);
	if (!*out || !tn_u32_from_size(count, out_n))
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_array_get(list, i);
		struct tn_path at = { &path, NULL, i };

		(*out)[i].i = TN_NONE;
		if (!optional || !json_is_null(value))
			(*out)[i] = tn_native_tensor(n, &at, value);
	}
	return true;
}

static bool attr_list(struct tn_native *n, const struct tn_path *at, const char *name,
	const json_t *list)
{
	size_t count = json_array_size(list), integers = 0, reals = 0, strings = 0;
	int64_t *ints = TN_NEW_ARRAY(n->scratch, int64_t, count);
	double *floats = TN_NEW_ARRAY(n->scratch, double, count);
	const char **texts = TN_NEW_ARRAY(n->im->arena, const char *, count);

	if (!ints || !floats || !texts)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *v = json_array_get(list, i);
		const json_t *bits = json_object_get(v, "bits");

		if (json_is_integer(v)) {
			integers++;
			ints[i] = json_integer_value(v);
			floats[i] = (double)ints[i];
		} else if (json_is_real(v) || bits) {
			reals += tn_native_real(bits ? bits : v, &floats[i]);
		} else if (json_is_string(v)) {
			strings++;
			texts[i] = tn_native_intern(n, json_string_value(v));
			if (!texts[i])
				return false;
		}
	}
	if (integers == count)
		return tn_build_attr_ints(n->b, name, ints, count);
	if (integers + reals == count)
		return tn_build_attr_floats(n->b, name, floats, count);
	if (strings == count)
		return tn_build_attr_strings(n->b, name, texts, count);
	tn_json_error(n->im, NATIVE_TYPE, at,
		"a list attribute holds only numbers, or only strings");
	return true;
}

static bool read_attr(struct tn_native *n, const struct tn_path *at, const char *name,
	const json_t *value)
{
	double real;

	switch (json_typeof(value)) {
	case JSON_INTEGER:
		return tn_build_attr_int(n->b, name, json_integer_value(value));
	case JSON_REAL:
		return tn_build_attr_float(n->b, name, json_real_value(value));
	case JSON_TRUE:
	case JSON_FALSE:
		return tn_build_attr_bool(n->b, name, json_is_true(value));
	case JSON_STRING:
		return tn_build_attr_string(n->b, name, json_string_value(value));
	case JSON_ARRAY:
		return attr_list(n, at, name, value);
	case JSON_OBJECT: /* a number that JSON does not have */
		if (tn_native_real(json_object_get(value, "bits"), &real))
			return tn_build_attr_float(n->b, name, real);
		tn_json_error(n->im, NATIVE_TYPE, at,
			"an attribute is a number, a string, true, false or a list");
		return true;
	case JSON_NULL:
		break;
	}
	return true;
}

static bool read_attrs(
	struct tn_native *n, const struct tn_path *up, const json_t *object)
{
	json_t *attrs = json_object_get(object, "attrs");
	struct tn_path path = { up, "attrs", 0 };

	if (!attrs || json_is_null(attrs) ||
		!tn_json_want(n->im, NATIVE_TYPE, &path, attrs, JSON_OBJECT))
		return true;
	for (void *i = json_object_iter(attrs); i; i = json_object_iter_next(attrs, i)) {
		const char *name = json_object_iter_key(i);
		struct tn_path at = { &path, name, 0 };

		if (!read_attr(n, &at, name, json_object_iter_value(i)))
			return false;
	}
	return true;
}

/* An op that says so writes a tensor that may have other writers. */
static void mark_mutated(struct tn_native *n, const struct tn_op *op)
{
	const struct tn_attr *a = tn_op_attr(op, "mutates");

	for (size_t i = 0; a && a->kind == ATTR_STRINGS && i < a->n; i++) {
		uint32_t id = tn_names_find(&n->tensors, a->v.strings[i]);

		for (uint32_t k = 0; k < op->n_outputs && id != TN_NONE; k++)
			if (op->outputs[k].i == id)
				n->b->tensors.items[id].mutated = true;
	}
}

static bool read_name(struct tn_native *n, const struct tn_path *up, const json_t *object,
	struct tn_op *op)
{
	const json_t *name = json_object_get(object, "name");
	struct tn_path at = { up, "name", 0 };
	const char *text = "";

	if (name && !tn_json_string(n->im, NATIVE_TYPE, &at, name, &text))
		return true;
	if (!text[0])
		text = tn_arena_printf(n->scratch, "%s#%u", op->type, op->file_index);
	text = text ? tn_native_intern(n, text) : NULL;
	if (!text)
		return false;
	op->name = text;
	switch (tn_names_add(&n->ops, text, op->file_index)) {
	case NAME_ADDED:
		return true;
	case NAME_TAKEN:
		tn_json_error(n->im, "native/duplicate-name", &at,
			"there are two ops '%s'", text);
		return true;
	case NAME_NOMEM:
		break;
	}
	return false;
}

static bool read_op(struct tn_native *n, const struct tn_path *at, const json_t *object)
{
	struct tn_op *op = tn_build_op(n->b, at);
	struct tn_path type_at = { at, "type", 0 };
	const json_t *type;
	const char *text = "";

	if (!op)
		return false;
	if (!tn_json_want(n->im, NATIVE_TYPE, at, object, JSON_OBJECT))
		return true;
	type = tn_native_member(n, at, object, "type");
	if (type)
		tn_json_string(n->im, NATIVE_TYPE, &type_at, type, &text);
	op->type = tn_native_intern(n, text);
	if (!op->type)
		return false;
	op->kind = tn_op_kind_parse(text);
	if (!read_name(n, at, object, op) ||
		!read_operands(
			n, at, object, "inputs", true, &op->inputs, &op->n_inputs) ||
		!read_operands(
			n, at, object, "outputs", false, &op->outputs, &op->n_outputs) ||
		!read_attrs(n, at, object))
		return false;
	mark_mutated(n, op);
	return true;
}

void tn_native_ops(struct tn_native *n, const struct tn_path *up, const json_t *graph)
{
	const json_t *list = tn_native_list(n, up, graph, "ops");
	struct tn_path path = { up, "ops", 0 };

	if (!list && !json_object_get(graph, "ops"))
		tn_native_member(n, up, graph, "ops");
	tn_build_expect(n->b, 0, json_array_size(list));
	for (size_t i = 0; i < json_array_size(list) && !n->nomem; i++) {
		struct tn_path at = { &path, NULL, i };

		n->nomem = !read_op(n, &at, json_array_get(list, i)) || n->nomem;
	}
}
