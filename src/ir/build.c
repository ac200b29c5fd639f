#include "ir/build.h"

#include <stdio.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

#define EXPECT_MAX ((size_t)1 << 20)

void tn_build_init(struct tn_build *b, struct tn_arena *arena, struct tn_strings *strings,
	struct tn_diags *diags, const struct tn_source *source)
{
	*b = (struct tn_build){
		.arena = arena, .strings = strings, .diags = diags, .source = source
	};
}

void tn_build_expect(struct tn_build *b, size_t n_tensors, size_t n_ops)
{
	/* a file may promise more than it holds */
	n_tensors = n_tensors < EXPECT_MAX ? n_tensors : EXPECT_MAX;
	n_ops = n_ops < EXPECT_MAX ? n_ops : EXPECT_MAX;
	if (n_tensors && !b->tensors.capacity) {
		b->tensors.items = TN_NEW_ARRAY(b->arena, struct tn_tensor, n_tensors);
		b->tensors.capacity = b->tensors.items ? n_tensors : 0;
	}
	if (n_ops && !b->ops.capacity) {
		b->ops.items = TN_NEW_ARRAY(b->arena, struct tn_op, n_ops);
		b->ops.capacity = b->ops.items ? n_ops : 0;
	}
}

struct tn_tensor *tn_build_tensor(struct tn_build *b, const struct tn_path *path)
{
	struct tn_tensor t = { .name = "",
		.dtype = DTYPE_F32,
		.view_of = { TN_NONE },
		.elements = -1,
		.bytes = -1,
		.file_index = (uint32_t)b->tensors.count };

	t.pointer = tn_path_pointer(b->arena, path);
	if (!t.pointer || !tn_vec_push(b->arena, &b->tensors, t)) {
		b->failed = true;
		return NULL;
	}
	return &b->tensors.items[b->tensors.count - 1];
}

struct tn_op *tn_build_op(struct tn_build *b, const struct tn_path *path)
{
	struct tn_op op = {
		.name = "", .type = "", .file_index = (uint32_t)b->ops.count
	};

	op.pointer = tn_path_pointer(b->arena, path);
	if (!op.pointer || !tn_vec_push(b->arena, &b->ops, op)) {
		b->failed = true;
		return NULL;
	}
	return &b->ops.items[b->ops.count - 1];
}

static bool add_attr(struct tn_build *b, const char *name, struct tn_attr attr)
{
	struct tn_op *op = &b->ops.items[b->ops.count - 1];
	void *attrs = op->attrs;
	/* the op keeps no capacity: it is the next power of two from 8 */
	size_t capacity = op->n_attrs ? 8 : 0;

	while (capacity && capacity < op->n_attrs)
		capacity *= 2;
	attr.name = tn_str_intern(b->strings, name, strlen(name));
	if (!attr.name ||
		!tn_vec_grow(b->arena, &attrs, op->n_attrs, &capacity, sizeof(attr))) {
		b->failed = true;
		return false;
	}
	op->attrs = attrs;
	op->attrs[op->n_attrs++] = attr;
	return true;
}

bool tn_build_attr_int(struct tn_build *b, const char *name, int64_t value)
{
	return add_attr(
		b, name, (struct tn_attr){ .kind = ATTR_INT, .v.i = value, .n = 1 });
}

bool tn_build_attr_bool(struct tn_build *b, const char *name, bool value)
{
	return add_attr(
		b, name, (struct tn_attr){ .kind = ATTR_BOOL, .v.i = value, .n = 1 });
}

bool tn_build_attr_float(struct tn_build *b, const char *name, double value)
{
	return add_attr(
		b, name, (struct tn_attr){ .kind = ATTR_FLOAT, .v.f = value, .n = 1 });
}

bool tn_build_attr_string(struct tn_build *b, const char *name, const char *value)
{
	const char *text = tn_str_intern(b->strings, value, strlen(value));

	if (!text) {
		b->failed = true;
		return false;
	}
	return add_attr(
		b, name, (struct tn_attr){ .kind = ATTR_STRING, .v.s = text, .n = 1 });
}

static void *copy_list(struct tn_build *b, const void *values, size_t n, size_t size)
{
	void *copy = tn_arena_array(b->arena, n, size);

	if (!copy)
		b->failed = true;
	else if (n)
		memcpy(copy, values, n * size);
	return copy;
}

bool tn_build_attr_ints(
	struct tn_build *b, const char *name, const int64_t *values, size_t n)
{
	const int64_t *copy = copy_list(b, values, n, sizeof(*values));

	return copy &&
	       add_attr(b, name,
		       (struct tn_attr){ .kind = ATTR_INTS, .v.ints = copy, .n = n });
}

bool tn_build_attr_floats(
	struct tn_build *b, const char *name, const double *values, size_t n)
{
	const double *copy = copy_list(b, values, n, sizeof(*values));

	return copy &&
	       add_attr(b, name,
		       (struct tn_attr){ .kind = ATTR_FLOATS, .v.floats = copy, .n = n });
}

bool tn_build_attr_strings(
	struct tn_build *b, const char *name, const char *const *values, size_t n)
{
	const char *const *copy = copy_list(b, values, n, sizeof(*values));

	return copy && add_attr(b, name,
			       (struct tn_attr){
				       .kind = ATTR_STRINGS, .v.strings = copy, .n = n });
}

static void check_id(
	struct tn_build *b, tn_tensor_id *id, const char *pointer, const char *subject)
{
	if (id->i == TN_NONE || id->i < b->tensors.count)
		return;
	tn_diag_at(b->diags, SEVERITY_ERROR, "graph/undefined-tensor", b->source, pointer,
		subject, "tensor index %u is out of range: there are %zu tensors", id->i,
		b->tensors.count);
	id->i = TN_NONE;
}

/* Poison: an unknown size is -1 and is reported by tn_validate, once. */
static void measure(struct tn_tensor *t)
{
	int64_t elements, bytes;

	if (tn_shape_elements(&t->shape, &elements) &&
		tn_dtype_bytes(t->dtype, elements, &bytes)) {
		t->elements = elements;
		t->bytes = bytes;
	}
}

static bool name_op(struct tn_build *b, struct tn_op *op)
{
	char text[96];
	int len, cut = 0;

	if (op->name && op->name[0])
		return true;
	while (cut < 64 && op->type[cut])
		cut++;
	while (cut && ((unsigned char)op->type[cut] & 0xC0) == 0x80)
		cut--; /* not inside of a character */
	len = snprintf(text, sizeof(text), "%.*s#%u", cut, op->type, op->file_index);
	op->name = tn_str_intern(b->strings, text, (size_t)len);
	return op->name != NULL;
}

static bool file_order(struct tn_build *b)
{
	for (uint32_t i = 0; i < b->ops.count; i++)
		if (!tn_vec_push(b->arena, &b->schedule, ((tn_op_id){ i })))
			return false;
	return true;
}

enum tn_status tn_build_finish(struct tn_build *b, struct tn_graph *out)
{
	uint32_t dummy;

	if (b->failed || !tn_u32_from_size(b->tensors.count, &dummy) ||
		!tn_u32_from_size(b->ops.count, &dummy))
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < b->tensors.count; i++) {
		struct tn_tensor *t = &b->tensors.items[i];

		check_id(b, &t->view_of, t->pointer, t->name);
		measure(t);
	}
	for (size_t i = 0; i < b->ops.count; i++) {
		struct tn_op *op = &b->ops.items[i];

		if (!name_op(b, op))
			return TN_ERR_NOMEM;
		for (uint32_t k = 0; k < op->n_inputs; k++)
			check_id(b, &op->inputs[k], op->pointer, op->name);
		for (uint32_t k = 0; k < op->n_outputs; k++)
			check_id(b, &op->outputs[k], op->pointer, op->name);
	}
	for (size_t i = 0; i < b->inputs.count; i++)
		check_id(b, &b->inputs.items[i], "/inputs", NULL);
	for (size_t i = 0; i < b->outputs.count; i++)
		check_id(b, &b->outputs.items[i], "/outputs", NULL);
	if (!b->schedule.count && !file_order(b))
		return TN_ERR_NOMEM;
	out->source = b->source;
	out->tensors = b->tensors.items;
	out->n_tensors = (uint32_t)b->tensors.count;
	out->ops = b->ops.items;
	out->n_ops = (uint32_t)b->ops.count;
	out->inputs = b->inputs.items;
	out->n_inputs = (uint32_t)b->inputs.count;
	out->outputs = b->outputs.items;
	out->n_outputs = (uint32_t)b->outputs.count;
	out->schedule = b->schedule.items;
	out->claims = b->claims.items;
	out->n_claims = (uint32_t)b->claims.count;
	out->subgraphs = b->subgraphs.items;
	out->n_subgraphs = (uint32_t)b->subgraphs.count;
	if (!out->name)
		out->name = "";
	if (!out->invocations)
		out->invocations = 1;
	return TN_OK;
}
