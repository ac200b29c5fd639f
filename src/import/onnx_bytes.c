/* The bytes of an ONNX model as the JSON that protobuf would print, so that one reader
 * reads both. The wire format is walked before it is unpacked: the unpacker recurses for
 * each level and allocates for each field. */
#include <inttypes.h>
#include <math.h>
#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "import/onnx.h"
#include "import/onnx.pb-c.h"

#include "base/banned.h"

#define FIELDS_MAX 64 /* of a message of the schema */

struct wire {
	size_t values; /* that the unpacked model has at most */
	const uint8_t *wrong; /* where the walk ended */
	const char *why;
};

static bool fail(struct wire *w, const uint8_t *at, const char *why)
{
	w->wrong = at;
	w->why = why;
	return false;
}

static bool varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (*at == end)
			return false;
		value |= (uint64_t)(**at & 0x7F) << shift;
		if (!(*(*at)++ & 0x80)) {
			*out = value;
			return true;
		}
	}
	return false;
}

/* Fields that are younger than the schema may be. */
static const struct later {
	const ProtobufCMessageDescriptor *of, *type; /* type NULL: text */
	uint32_t number;
	const char *name;
} laters[] = {
	{ &onnx__node_proto__descriptor, NULL, 8, "overload" },
	{ &onnx__function_proto__descriptor, &onnx__attribute_proto__descriptor, 11,
		"attribute_proto" },
	{ &onnx__function_proto__descriptor, NULL, 13, "overload" },
};

static const struct later *later(const ProtobufCMessageDescriptor *of, uint32_t number)
{
	for (size_t i = 0; i < sizeof(laters) / sizeof(*laters); i++)
		if (laters[i].of == of && laters[i].number == number)
			return &laters[i];
	return NULL;
}

static bool walk(struct wire *w, const uint8_t *at, const uint8_t *end,
	const ProtobufCMessageDescriptor *type, int depth);

/* A message of which there is one, again: the unpacker merges the two, and copies what it
 * has of the message around. `before`: values there were before that. */
static void count_merge(struct wire *w, const ProtobufCMessageDescriptor *type,
	const ProtobufCFieldDescriptor *field, size_t before, uint64_t *seen)
{
	const size_t index = (size_t)(field - type->fields);

	if (field->label == PROTOBUF_C_LABEL_REPEATED || index >= FIELDS_MAX)
		return;
	if (*seen >> index & 1)
		w->values += w->values - before;
	*seen |= UINT64_C(1) << index;
}

static bool walk_field(struct wire *w, const uint8_t **at, const uint8_t *end,
	const ProtobufCMessageDescriptor *type, int depth, size_t before, uint64_t *seen)
{
	const uint8_t *begin = *at;
	const ProtobufCFieldDescriptor *field;
	const ProtobufCMessageDescriptor *inner = NULL;
	uint64_t tag, n = 0;

	if (!varint(at, end, &tag) || tag >> 3 > UINT32_MAX)
		return fail(w, begin, "a field's number is cut off");
	field = protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
	switch (tag & 7) {
	case 0:
		return varint(at, end, &n) ||
		       fail(w, begin, "a number is longer than 64 bits, or cut off");
	case 1:
		n = 8;
		break;
	case 5:
		n = 4;
		break;
	case 2:
		if (!varint(at, end, &n))
			return fail(w, begin, "a length is cut off");
		break;
	default:
		return fail(w, begin, "there is no such kind of field");
	}
	if (n > (uint64_t)(end - *at))
		return fail(w, begin, "a field is longer than what holds it");
	if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
		inner = field->descriptor;
	else if (!field && later(type, (uint32_t)(tag >> 3)))
		inner = later(type, (uint32_t)(tag >> 3))->type;
	if ((tag & 7) == 2 && inner) {
		if (!walk(w, *at, *at + n, inner, depth + 1))
			return false;
		if (field)
			count_merge(w, type, field, before, seen);
	} else if ((tag & 7) == 2 && field && field->type != PROTOBUF_C_TYPE_BYTES &&
		   field->type != PROTOBUF_C_TYPE_STRING) {
		w->values += (size_t)n; /* packed: a byte each at least */
	}
	*at += n;
	return true;
}

static bool walk(struct wire *w, const uint8_t *at, const uint8_t *end,
	const ProtobufCMessageDescriptor *type, int depth)
{
	const size_t before = w->values;
	uint64_t seen = 0; /* fields, by index */

	if (depth > TN_JSON_DEPTH_MAX)
		return fail(w, at, "the nesting is too deep");
	while (at < end) {
		if (++w->values > TN_JSON_VALUES_MAX)
			return fail(w, at, "there are too many values");
		if (!walk_field(w, &at, end, type, depth, before, &seen))
			return false;
	}
	return true;
}

struct decode {
	struct tn_onnx *x;
	ProtobufCAllocator *allocator;
	bool nomem, damaged;
};

static json_t *convert(struct decode *d, const ProtobufCMessage *m);

static json_t *real(double value)
{
	if (isnan(value))
		return json_string("NaN");
	if (isinf(value))
		return json_string(value > 0 ? "Infinity" : "-Infinity");
	return json_real(value);
}

static json_t *large(uint64_t value)
{
	char text[24];

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return json_string(text);
}

static json_t *text(struct decode *d, const char *value)
{
	size_t len;
	const char *clean = tn_utf8_clean(
		&d->x->tree.scratch, value ? value : "", value ? strlen(value) : 0, &len);

	return clean ? json_stringn(clean, len) : NULL;
}

static json_t *bytes(struct decode *d, const ProtobufCBinaryData *value)
{
	struct tn_onnx_blob blob = { value->data, value->len };

	if (!tn_vec_push(&d->x->tree.scratch, &d->x->blobs, blob))
		return NULL;
	return json_integer((json_int_t)d->x->blobs.count - 1);
}

static json_t *scalar(
	struct decode *d, const ProtobufCFieldDescriptor *field, const void *at)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_ENUM:
		return json_integer(*(const int32_t *)at);
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32:
		return json_integer(*(const uint32_t *)at);
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
		return json_integer(*(const int64_t *)at);
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
		return large(*(const uint64_t *)at);
	case PROTOBUF_C_TYPE_FLOAT:
		return real(*(const float *)at);
	case PROTOBUF_C_TYPE_DOUBLE:
		return real(*(const double *)at);
	case PROTOBUF_C_TYPE_BOOL:
		return json_boolean(*(const protobuf_c_boolean *)at);
	case PROTOBUF_C_TYPE_STRING:
		return text(d, *(char *const *)at);
	case PROTOBUF_C_TYPE_BYTES:
		return bytes(d, at);
	case PROTOBUF_C_TYPE_MESSAGE:
		return convert(d, *(ProtobufCMessage *const *)at);
	}
	return json_null();
}

static size_t width(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE:
		return 8;
	case PROTOBUF_C_TYPE_BOOL:
		return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE:
		return sizeof(void *);
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	default:
		return 4;
	}
}

static json_t *list(struct decode *d, const ProtobufCFieldDescriptor *field,
	const uint8_t *items, size_t n)
{
	json_t *out = json_array();

	for (size_t i = 0; i < n && out; i++)
		if (json_array_append_new(
			    out, scalar(d, field, items + i * width(field))) != 0)
			d->nomem = true;
	return out;
}

/* Is the field there? Proto2 keeps presence in a flag, a case or a pointer. */
static bool present(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *field)
{
	const uint8_t *base = (const uint8_t *)m;
	const void *at = base + field->offset;

	if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
		return *(const uint32_t *)(const void *)(base +
							 field->quantifier_offset) ==
		       field->id;
	if (field->label == PROTOBUF_C_LABEL_REQUIRED)
		return true;
	if (field->type == PROTOBUF_C_TYPE_STRING) {
		const char *value = *(char *const *)at;

		return value && value != field->default_value;
	}
	if (field->type == PROTOBUF_C_TYPE_MESSAGE)
		return *(ProtobufCMessage *const *)at != NULL;
	return *(const protobuf_c_boolean *)(const void *)(base +
							   field->quantifier_offset);
}

/* What the schema has no field for, and is needed: its bytes were walked. */
static void convert_later(struct decode *d, const ProtobufCMessage *m, json_t *out)
{
	for (unsigned i = 0; i < m->n_unknown_fields && out; i++) {
		const ProtobufCMessageUnknownField *u = &m->unknown_fields[i];
		const struct later *field = later(m->descriptor, u->tag);
		const uint8_t *at = u->data, *end = u->data + u->len;
		ProtobufCMessage *inner;
		json_t *items;
		uint64_t n;

		if (!field || u->wire_type != 2 || !varint(&at, end, &n))
			continue;
		if (!field->type) {
			char *copy = tn_arena_strndup(&d->x->tree.scratch,
				(const char *)at, (size_t)(end - at));

			if (!copy ||
				json_object_set_new(out, field->name, text(d, copy)) != 0)
				d->nomem = true;
			continue;
		}
		items = json_object_get(out, field->name);
		if (!items && json_object_set_new(out, field->name, json_array()) == 0)
			items = json_object_get(out, field->name);
		inner = protobuf_c_message_unpack(
			field->type, d->allocator, (size_t)(end - at), at);
		if (!inner)
			d->damaged = true;
		else if (!items || json_array_append_new(items, convert(d, inner)) != 0)
			d->nomem = true;
	}
}

static json_t *convert(struct decode *d, const ProtobufCMessage *m)
{
	const uint8_t *base = (const uint8_t *)m;
	json_t *out = json_object();

	for (unsigned i = 0; i < m->descriptor->n_fields && out; i++) {
		const ProtobufCFieldDescriptor *field = &m->descriptor->fields[i];
		const void *at = base + field->offset;
		json_t *value = NULL;

		if (field->label == PROTOBUF_C_LABEL_REPEATED) {
			size_t n =
				*(const size_t *)(const void *)(base +
								field->quantifier_offset);

			if (!n)
				continue;
			value = list(d, field, *(uint8_t *const *)at, n);
		} else if (present(m, field)) {
			value = scalar(d, field, at);
		} else {
			continue;
		}
		if (json_object_set_new(out, field->name, value) != 0)
			d->nomem = true;
	}
	convert_later(d, m, out);
	d->nomem = d->nomem || !out;
	return out;
}

/* The unpacked model lives as long as the graph, whose constants point into it. */
static void *allocate(void *decode, size_t size)
{
	struct decode *d = decode;
	void *memory = tn_arena_alloc(d->x->tree.im->arena, size);

	d->nomem = d->nomem || !memory;
	return memory;
}

static void release(void *decode, void *memory)
{
	(void)decode;
	(void)memory;
}

enum tn_status tn_onnx_decode(struct tn_onnx *x, struct tn_import *im, json_t **out)
{
	const uint8_t *data = (const uint8_t *)im->source->text;
	struct decode d = { .x = x };
	ProtobufCAllocator allocator = { allocate, release, &d };
	struct wire w = { .values = 0 };
	ProtobufCMessage *model;

	if (!walk(&w, data, data + im->source->len, &onnx__model_proto__descriptor, 0)) {
		tn_diag(im->diags, SEVERITY_ERROR, "onnx/damaged", im->source, NULL,
			"the file is damaged at byte %zu: %s", (size_t)(w.wrong - data),
			w.why);
		return TN_ERR_INPUT;
	}
	d.allocator = &allocator;
	model = protobuf_c_message_unpack(
		&onnx__model_proto__descriptor, &allocator, im->source->len, data);
	*out = model ? convert(&d, model) : NULL;
	if (d.nomem)
		return TN_ERR_NOMEM;
	if (model && !d.damaged)
		return TN_OK;
	tn_diag(im->diags, SEVERITY_ERROR, "onnx/damaged", im->source, NULL,
		"the file is damaged: it is no ONNX model");
	return TN_ERR_INPUT;
}
