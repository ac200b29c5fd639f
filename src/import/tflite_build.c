#include "import/tflite_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "base/base64.h"
#include "base/utf8.h"

#define BUILTIN_MAX 9999 /* a larger operator code is damage, not the future */

static void error(struct tn_tfl *tfl, const char *rule, const struct tn_path *path,
	const char *fmt, ...) TN_PRINTF(4, 5);

static void error(struct tn_tfl *tfl, const char *rule, const struct tn_path *path,
	const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = tn_arena_vprintf(tfl->im->diags->arena, fmt, args);
	va_end(args);
	if (!text || !tn_diag(tfl->im->diags, SEVERITY_ERROR, rule, tfl->im->source, path,
			     "%s", text))
		tfl->nomem = true;
}

const char *tn_tfl_text(struct tn_tfl *tfl, const char *text, size_t len)
{
	size_t clean_len;
	const char *clean = tn_utf8_clean(tfl->im->arena, text, len, &clean_len);

	if (clean)
		clean = tn_str_intern(tfl->im->strings, clean, clean_len);
	if (!clean)
		tfl->nomem = true;
	return clean;
}

void tn_tfl_add_code(struct tn_tfl *tfl, const struct tn_path *path, int64_t builtin,
	int64_t deprecated, const char *custom, size_t custom_len,
	struct tn_tfl_code *out)
{
	/* files from before the wide field have 0 in it, and the narrow one is capped */
	int64_t number = builtin > deprecated ? builtin : deprecated;
	const char *name = tn_tfl_op_name(number);

	*out = (struct tn_tfl_code){ .kind = OP_UNKNOWN };
	if (!name && number > 0 && number <= BUILTIN_MAX) {
		/* newer than the schema known here: an op like any unknown one */
		char text[24];
		int len = snprintf(text, sizeof(text), "BUILTIN_%" PRId64, number);

		out->type = tn_tfl_text(tfl, text, (size_t)len);
		return;
	}
	if (!name) {
		error(tfl, "tflite/operator-code", path,
			"%" PRId64 " is not a known operator", number);
		return;
	}
	if (number != TN_TFL_CUSTOM) {
		out->kind = tn_op_kind_parse(name);
		out->type = tn_tfl_text(tfl, name, strlen(name));
		return;
	}
	out->custom = true;
	out->type = tn_tfl_text(tfl, custom, custom_len);
	if (out->type && !out->type[0]) {
		out->type = tn_tfl_text(tfl, "CUSTOM", 6);
	} else if (out->type && tn_op_kind_parse(out->type) != OP_UNKNOWN) {
		/* a custom op that borrows a known name is still not that op */
		char *type = tn_arena_printf(tfl->im->arena, "custom:%s", out->type);

		out->type = type ? tn_tfl_text(tfl, type, strlen(type)) : NULL;
		tfl->nomem = tfl->nomem || !type;
	}
}

static void set_shape(struct tn_tfl *tfl, struct tn_tensor *t, const struct tn_path *path,
	const struct tn_tfl_tensor *raw)
{
	if (raw->rank > TN_RANK_MAX) {
		struct tn_path at = { path, "shape", 0 };

		error(tfl, "graph/rank", &at, "%zu dimensions are more than %d",
			raw->rank, TN_RANK_MAX);
		t->shape.rank = 1;
		t->shape.dim[0] = TN_DIM_POISON;
		return;
	}
	t->shape.rank = (uint32_t)raw->rank;
	for (size_t i = 0; i < raw->rank; i++)
		t->shape.dim[i] = raw->shape[i];
}

/* A constant that was reported: nothing more follows from it. */
static void data_is_missing(struct tn_tensor *t)
{
	t->data_kind = DATA_MISSING;
	if (t->role == ROLE_ACT)
		t->role = ROLE_CONST;
}

static void set_data(struct tn_tfl *tfl, struct tn_tensor *t, const struct tn_path *path,
	const struct tn_tfl_tensor *raw)
{
	struct tn_path at = { path, "buffer", 0 };

	if (raw->sparse) {
		at.key = "sparsity";
		error(tfl, "tflite/sparsity", &at, "sparse tensors are not supported");
		data_is_missing(t);
		return;
	}
	if (raw->external) {
		at.key = "external_buffer";
		error(tfl, "tflite/external-buffer", &at,
			"constants in external files are not supported");
		data_is_missing(t);
		return;
	}
	/* 0 means "no buffer", in a file without any buffer, too */
	if (raw->buffer == 0 && tfl->n_buffers == 0)
		return;
	if (raw->buffer >= tfl->n_buffers) {
		error(tfl, "tflite/buffer", &at,
			"buffer %" PRIu64 " is out of range: there are %zu", raw->buffer,
			tfl->n_buffers);
		data_is_missing(t);
		return;
	}
	t->data_kind = tfl->buffers[raw->buffer].kind;
	t->data = tfl->buffers[raw->buffer].data;
	t->data_bytes = tfl->buffers[raw->buffer].bytes;
	if (t->data_kind != DATA_NONE && t->role == ROLE_ACT)
		t->role = ROLE_CONST;
}

static void set_quant(struct tn_tfl *tfl, struct tn_tensor *t, const struct tn_path *path,
	const struct tn_tfl_tensor *raw)
{
	struct tn_path at = { path, "quantization", 0 };
	float *scale;
	int64_t *zero_point;

	if (raw->quant_details) {
		tn_diag(tfl->im->diags, SEVERITY_WARNING, "tflite/quantization",
			tfl->im->source, &at,
			"only per-tensor and per-axis scales are supported: the graph "
			"can "
			"be planned and not run");
		t->quant.damaged = true;
		return;
	}
	if (!raw->n_scale)
		return;
	if (raw->n_zero_point && raw->n_zero_point != raw->n_scale) {
		error(tfl, "tflite/quantization", &at, "%zu scales and %zu zero points",
			raw->n_scale, raw->n_zero_point);
		return;
	}
	if (raw->n_scale > 1 && (raw->axis < 0 || raw->axis >= (int64_t)raw->rank)) {
		error(tfl, "tflite/quantization", &at,
			"dimension %" PRId64 " is out of range for %zu dimensions",
			raw->axis, raw->rank);
		return;
	}
	scale = TN_NEW_ARRAY(tfl->im->arena, float, raw->n_scale);
	zero_point = TN_NEW_ARRAY(tfl->im->arena, int64_t, raw->n_scale);
	if (!scale || !zero_point || !tn_u32_from_size(raw->n_scale, &t->quant.n)) {
		tfl->nomem = true;
		return;
	}
	memcpy(scale, raw->scale, raw->n_scale * sizeof(*scale));
	if (raw->n_zero_point)
		memcpy(zero_point, raw->zero_point, raw->n_scale * sizeof(*zero_point));
	t->quant.axis = raw->n_scale > 1 ? (uint32_t)raw->axis : 0;
	t->quant.scale = scale;
	t->quant.zero_point = zero_point;
	t->quant.damaged = raw->damaged;
	tfl->lossy = tfl->lossy || raw->damaged;
}

bool tn_tfl_add_tensor(struct tn_tfl *tfl, struct tn_build *b, const struct tn_path *path,
	const struct tn_tfl_tensor *raw)
{
	struct tn_tensor *t = tn_build_tensor(b, path);

	if (!t)
		return false;
	t->name = tn_tfl_text(tfl, raw->name, raw->name_len);
	if (!t->name)
		return false;
	t->dtype = raw->type >= 0 && raw->type <= 127
			   ? tn_dtype_from_tflite((int)raw->type)
			   : DTYPE_INVALID;
	if (t->dtype == DTYPE_INVALID) {
		struct tn_path at = { path, "type", 0 };

		error(tfl, "graph/dtype", &at, "%" PRId64 " is not a known element type",
			raw->type);
	}
	if (raw->is_variable)
		t->role = ROLE_VARIABLE;
	set_shape(tfl, t, path, raw);
	set_data(tfl, t, path, raw);
	set_quant(tfl, t, path, raw);
	return !tfl->nomem;
}

/* Checked ids in the graph's arena; a wrong index is reported and becomes TN_NONE. */
static tn_tensor_id *take_ids(struct tn_tfl *tfl, struct tn_build *b,
	const struct tn_path *path, const char *key, const int64_t *list, size_t n,
	bool optional)
{
	struct tn_path up = { path, key, 0 };
	tn_tensor_id *ids = TN_NEW_ARRAY(tfl->im->arena, tn_tensor_id, n);

	if (!ids) {
		tfl->nomem = true;
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		struct tn_path at = { &up, NULL, i };

		ids[i].i = TN_NONE;
		if (list[i] >= 0 && (uint64_t)list[i] < b->tensors.count)
			ids[i].i = (uint32_t)list[i];
		else if (list[i] != -1 || !optional)
			error(tfl, "graph/undefined-tensor", &at,
				"tensor index %" PRId64
				" is out of range: there are %zu tensors",
				list[i], b->tensors.count);
	}
	return ids;
}

static bool add_list(
	struct tn_build *b, const struct tn_tfl_option *o, const struct tn_tfl_value *v)
{
	return tn_build_attr_ints(b, o->attr, v->list, v->n);
}

/* The name of an enumeration's value; NULL, and a report, when it has none. */
static const char *enum_name(struct tn_tfl *tfl, const struct tn_tfl_field *f,
	const struct tn_path *path, int64_t value)
{
	struct tn_path at = { path, f->key, 0 };

	for (int64_t i = 0; f->names[i]; i++)
		if (i == value)
			return f->names[i];
	error(tfl, "tflite/options", &at, "%" PRId64 " is not a known value", value);
	return NULL;
}

static bool add_option(struct tn_tfl *tfl, struct tn_build *b, const struct tn_path *path,
	const struct tn_tfl_op *raw, const struct tn_tfl_option *o)
{
	const struct tn_tfl_field *f = &o->first;
	struct tn_tfl_value v = { .i = f->otherwise }, w = { .i = o->second.otherwise };
	enum tn_tfl_found found = TFL_ABSENT;

	if (raw->user)
		found = raw->get(raw->user, f, path, &v);
	if (raw->user && o->second.key && found != TFL_WRONG &&
		raw->get(raw->user, &o->second, path, &w) == TFL_WRONG)
		found = TFL_WRONG;
	if (found == TFL_WRONG)
		return !tfl->nomem;
	if (o->second.key) {
		const int64_t pair[2] = { v.i, w.i };

		return tn_build_attr_ints(b, o->attr, pair, 2);
	}
	switch (f->type) {
	case TFL_I32_LIST: /* absent and empty differ: an empty shape is a scalar's */
		return found == TFL_ABSENT || add_list(b, o, &v);
	case TFL_STRING: {
		const char *text = tn_tfl_text(tfl, v.text ? v.text : "", v.n);

		return text && tn_build_attr_string(b, o->attr, text);
	}
	case TFL_F32:
		return tn_build_attr_float(b, o->attr, v.f);
	case TFL_BOOL:
		return tn_build_attr_bool(b, o->attr, v.i != 0);
	case TFL_I8:
	case TFL_I32:
		break;
	}
	if (o->as_name) {
		const char *name = enum_name(tfl, f, path, v.i);

		return !name || tn_build_attr_string(b, o->attr, name);
	}
	return tn_build_attr_int(b, o->attr, v.i);
}

static bool add_options(struct tn_tfl *tfl, struct tn_build *b,
	const struct tn_path *path, const struct tn_tfl_op *raw, enum tn_op_kind kind)
{
	const struct tn_tfl_options *options = tn_tfl_options(kind);
	struct tn_path at = { path, "builtin_options", 0 };

	if (!options->table)
		return true;
	if (raw->table && strcmp(raw->table, options->table) != 0) {
		error(tfl, "tflite/options", &at, "%s carries '%s' instead of %s",
			tn_op_info(kind)->name, raw->table, options->table);
		return true;
	}
	for (uint32_t i = 0; i < options->n; i++)
		if (!add_option(tfl, b, &at, raw, &options->options[i]))
			return false;
	return true;
}

/* What an op carries besides the options that its kind is known to have. */
static bool add_extras(struct tn_tfl *tfl, struct tn_build *b, const struct tn_path *path,
	const struct tn_tfl_op *raw)
{
	if (raw->n_intermediates) {
		struct tn_path up = { path, "intermediates", 0 };

		for (size_t i = 0; i < raw->n_intermediates; i++) {
			struct tn_path at = { &up, NULL, i };
			int64_t index = raw->intermediates[i];

			if (index < -1 || index >= (int64_t)b->tensors.count)
				error(tfl, "graph/undefined-tensor", &at,
					"tensor index %" PRId64 " is out of range",
					index);
		}
		if (!tn_build_attr_ints(
			    b, "intermediates", raw->intermediates, raw->n_intermediates))
			return false;
	}
	if (raw->n_custom) {
		struct tn_strbuf text;
		bool ok;

		tn_strbuf_init(&text);
		tn_base64_encode(&text, raw->custom, raw->n_custom);
		ok = !text.failed && tn_build_attr_string(b, "custom_options", text.text);
		tn_strbuf_release(&text);
		if (!ok)
			return false;
	}
	return true;
}

bool tn_tfl_add_op(struct tn_tfl *tfl, struct tn_build *b, const struct tn_path *path,
	const struct tn_tfl_op *raw)
{
	struct tn_op *op = tn_build_op(b, path);
	const struct tn_tfl_code *code = NULL;

	if (!op)
		return false;
	if (raw->code < tfl->n_codes) {
		code = &tfl->codes[raw->code];
	} else {
		struct tn_path at = { path, "opcode_index", 0 };

		error(tfl, "tflite/operator-code", &at,
			"operator code %" PRIu64 " is out of range: there are %zu",
			raw->code, tfl->n_codes);
	}
	op->type = code && code->type ? code->type : tn_tfl_text(tfl, "?", 1);
	op->kind = code ? code->kind : OP_UNKNOWN;
	op->inputs = take_ids(tfl, b, path, "inputs", raw->inputs, raw->n_inputs, true);
	op->outputs =
		take_ids(tfl, b, path, "outputs", raw->outputs, raw->n_outputs, false);
	if (!op->type || !op->inputs || !op->outputs ||
		!tn_u32_from_size(raw->n_inputs, &op->n_inputs) ||
		!tn_u32_from_size(raw->n_outputs, &op->n_outputs))
		return false;
	return add_options(tfl, b, path, raw, op->kind) &&
	       add_extras(tfl, b, path, raw) && !tfl->nomem;
}

/* An activation that no op writes, handed to custom ops only: that is how such an op
 * gets working memory of its own (the tensor arenas of an NPU's command stream). */
static bool find_scratch(struct tn_tfl *tfl, struct tn_build *b)
{
	uint8_t *used = TN_NEW_ARRAY(tfl->im->arena, uint8_t, b->tensors.count);

	if (!used)
		return false;
	for (size_t i = 0; i < b->ops.count; i++) {
		const struct tn_op *op = &b->ops.items[i];
		bool custom = op->kind == OP_UNKNOWN && tn_tfl_op_number(op->type) < 0;

		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (op->inputs[k].i != TN_NONE)
				used[op->inputs[k].i] |= custom ? 1 : 2;
		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (op->outputs[k].i != TN_NONE)
				used[op->outputs[k].i] |= 2;
	}
	for (size_t i = 0; i < b->tensors.count; i++)
		if (used[i] == 1 && b->tensors.items[i].role == ROLE_ACT)
			b->tensors.items[i].role = ROLE_SCRATCH;
	return true;
}

bool tn_tfl_add_ends(struct tn_tfl *tfl, struct tn_build *b, const struct tn_path *path,
	const int64_t *inputs, size_t n_inputs, const int64_t *outputs, size_t n_outputs)
{
	tn_tensor_id *in = take_ids(tfl, b, path, "inputs", inputs, n_inputs, false);
	tn_tensor_id *out = take_ids(tfl, b, path, "outputs", outputs, n_outputs, false);
	bool *listed = TN_NEW_ARRAY(b->arena, bool, b->tensors.count);

	if (!in || !out || !listed)
		return false;
	for (size_t i = 0; i < n_inputs; i++) {
		if (in[i].i == TN_NONE || listed[in[i].i]) /* one value, given once */
			continue;
		listed[in[i].i] = true;
		if (b->tensors.items[in[i].i].role == ROLE_ACT) {
			b->tensors.items[in[i].i].role = ROLE_INPUT;
			b->tensors.items[in[i].i].clobber = !tfl->im->keep_inputs;
		}
		if (!tn_vec_push(b->arena, &b->inputs, in[i]))
			return false;
	}
	for (size_t i = 0; i < n_outputs; i++) {
		if (out[i].i == TN_NONE)
			continue;
		if (b->tensors.items[out[i].i].role == ROLE_ACT)
			b->tensors.items[out[i].i].role = ROLE_OUTPUT;
		if (!tn_vec_push(b->arena, &b->outputs, out[i]))
			return false;
	}
	return find_scratch(tfl, b);
}
