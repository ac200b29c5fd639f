#include "ir/graph.h"

#include <string.h>

#include "base/checked.h"
#include "ir/op.h"

const char *tn_kernel_set_name(enum tn_kernel_set set)
{
	static const char *const names[KERNELS_COUNT] = { [KERNELS_PORTABLE] = "ref",
		[KERNELS_THUMB] = "thumb",
		[KERNELS_DSP] = "dsp",
		[KERNELS_MVE] = "mve" };

	return names[set];
}

const struct tn_attr *tn_op_attr(const struct tn_op *op, const char *name)
{
	for (uint32_t i = 0; i < op->n_attrs; i++)
		if (strcmp(op->attrs[i].name, name) == 0)
			return &op->attrs[i];
	return NULL;
}

int64_t tn_op_int(const struct tn_op *op, const char *name, int64_t otherwise)
{
	const struct tn_attr *a = tn_op_attr(op, name);

	return a && (a->kind == ATTR_INT || a->kind == ATTR_BOOL) ? a->v.i : otherwise;
}

double tn_op_float(const struct tn_op *op, const char *name, double otherwise)
{
	const struct tn_attr *a = tn_op_attr(op, name);

	if (a && a->kind == ATTR_FLOAT)
		return a->v.f;
	return a && a->kind == ATTR_INT ? (double)a->v.i : otherwise;
}

const char *tn_op_string(const struct tn_op *op, const char *name, const char *otherwise)
{
	const struct tn_attr *a = tn_op_attr(op, name);

	return a && a->kind == ATTR_STRING ? a->v.s : otherwise;
}

const char *const tn_declaring_attrs[] = { "accumulate", "align", "always_copy",
	"backward", "buffered", "channel_buffered", "destroys", "extra_tail_bytes",
	"in_place", "inplace", "mutates", "order", "passes", "prezero", "reads_target",
	"returns_input", "row_buffered", "scratch", "scratch_live", "scratch_required",
	"tied", "view", NULL };

bool tn_attr_declares(const char *name)
{
	for (size_t i = 0; tn_declaring_attrs[i]; i++)
		if (strcmp(tn_declaring_attrs[i], name) == 0)
			return true;
	return false;
}

bool tn_op_destroys(const struct tn_graph *g, const struct tn_op *op, uint32_t input)
{
	const struct tn_attr *a = tn_op_attr(op, "destroys");
	const char *name;
	bool named;

	if (!a || op->inputs[input].i == TN_NONE)
		return false;
	name = g->tensors[op->inputs[input].i].name;
	named = (a->kind == ATTR_BOOL && a->v.i) ||
		(a->kind == ATTR_STRING && strcmp(a->v.s, name) == 0);
	for (size_t n = 0; a->kind == ATTR_STRINGS && n < a->n; n++)
		named = named || strcmp(a->v.strings[n], name) == 0;
	return named;
}

enum tn_op_order tn_op_order(const struct tn_op *op)
{
	static const struct {
		const char *word;
		enum tn_op_order order;
	} words[] = { { "asc", OP_ORDER_ASCENDING }, { "ascending", OP_ORDER_ASCENDING },
		{ "desc", OP_ORDER_DESCENDING }, { "descending", OP_ORDER_DESCENDING } };
	const char *word = tn_op_string(op, "order", "");

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].order;
	return tn_op_attr(op, "order") ? OP_ORDER_UNKNOWN : OP_ORDER_ANY;
}

bool tn_op_has_own_kernel(const struct tn_op *op)
{
	static const char *const facts[] = { "prezero", "accumulate", "reads_target",
		"destroys", "extra_tail_bytes" };

	if (!op->n_attrs)
		return false;
	if (tn_op_int(op, "passes", 1) > 1 || tn_op_order(op) == OP_ORDER_UNKNOWN)
		return true;
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		const struct tn_attr *a = tn_op_attr(op, facts[i]);

		if (a && ((a->kind != ATTR_INT && a->kind != ATTR_BOOL) || a->v.i))
			return true;
	}
	return false;
}

/* Does the attribute mean this input, by its name, or the first by being true? */
static bool means_input(const struct tn_graph *g, const struct tn_op *op, uint32_t input,
	const char *attr)
{
	const char *name = tn_op_string(op, attr, NULL);

	if (!name)
		return !input && tn_op_int(op, attr, 0);
	return op->inputs[input].i != TN_NONE &&
	       strcmp(g->tensors[op->inputs[input].i].name, name) == 0;
}

bool tn_op_reads_again(const struct tn_graph *g, const struct tn_op *op, uint32_t input)
{
	if (tn_op_int(op, "prezero", 0) || tn_op_int(op, "passes", 1) > 1)
		return true;
	if (!tn_op_int(op, "reads_target", 0)) /* a name, or nothing */
		return means_input(g, op, input, "reads_target");
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (means_input(g, op, k, "tied"))
			return means_input(g, op, input, "tied");
	return true;
}

size_t tn_op_n_scratch(const struct tn_op *op)
{
	const struct tn_attr *a = tn_op_attr(op, "scratch");

	return a && a->kind == ATTR_STRINGS ? a->n : a && a->kind == ATTR_STRING;
}

static bool is_scratch_input(const struct tn_graph *g, tn_tensor_id id)
{
	return id.i != TN_NONE && g->tensors[id.i].role == ROLE_SCRATCH;
}

tn_tensor_id tn_op_scratch(const struct tn_graph *g, const struct tn_op *op, size_t i)
{
	const struct tn_attr *a = tn_op_attr(op, "scratch");
	const char *name = a->kind == ATTR_STRING ? a->v.s : a->v.strings[i];
	tn_tensor_id id = { 0 };

	while (id.i < g->n_tensors && strcmp(g->tensors[id.i].name, name) != 0)
		id.i++;
	for (uint32_t k = 0; k < op->n_inputs && id.i < g->n_tensors; k++)
		if (op->inputs[k].i == id.i && is_scratch_input(g, id))
			id.i = TN_NONE;
	return id.i < g->n_tensors ? id : (tn_tensor_id){ TN_NONE };
}

int64_t tn_op_scratch_missing(const struct tn_graph *g, const struct tn_op *op)
{
	int64_t missing = tn_op_int(op, "scratch_required", 0);

	for (uint32_t k = 0; k < op->n_inputs && missing > 0; k++)
		if (is_scratch_input(g, op->inputs[k]))
			missing -= tn_max_i64(g->tensors[op->inputs[k].i].bytes, 0);
	for (size_t i = 0; i < tn_op_n_scratch(op) && missing > 0; i++)
		if (tn_op_scratch(g, op, i).i != TN_NONE)
			missing -= tn_max_i64(
				g->tensors[tn_op_scratch(g, op, i).i].bytes, 0);
	return tn_max_i64(missing, 0);
}

int64_t tn_op_tail(const struct tn_op *op)
{
	const struct tn_attr *a = tn_op_attr(op, "extra_tail_bytes");

	if (!a)
		return 0;
	return a->kind == ATTR_INT || a->kind == ATTR_BOOL ? tn_max_i64(a->v.i, 0)
							   : INT64_MAX;
}

int64_t *tn_graph_tails(
	const struct tn_graph *g, const bool *elided, struct tn_arena *arena)
{
	int64_t *tails = TN_NEW_ARRAY(arena, int64_t, g->n_tensors);

	for (uint32_t i = 0; tails && i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++) {
			const uint32_t out = g->ops[i].outputs[k].i;

			if (out < g->n_tensors && !(elided && elided[i]))
				tails[out] =
					tn_max_i64(tails[out], tn_op_tail(&g->ops[i]));
		}
	return tails;
}

int64_t tn_op_int_at(
	const struct tn_op *op, const char *name, size_t k, int64_t otherwise)
{
	const struct tn_attr *a = tn_op_attr(op, name);

	if (a && a->kind == ATTR_INTS && k < a->n)
		return a->v.ints[k];
	return a && a->kind == ATTR_INT && k == 0 ? a->v.i : otherwise;
}

static bool contains(const tn_tensor_id *list, uint32_t n, tn_tensor_id id)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].i == id.i)
			return true;
	return false;
}

uint32_t tn_op_operands(const struct tn_graph *g, const struct tn_op *op)
{
	uint32_t n = op->n_inputs;

	while (n && op->inputs[n - 1].i < g->n_tensors &&
		g->tensors[op->inputs[n - 1].i].role == ROLE_SCRATCH)
		n--;
	return n;
}

bool tn_tensor_is_constant(const struct tn_tensor *t)
{
	return t->role == ROLE_CONST ||
	       (t->data_kind != DATA_NONE && t->role != ROLE_VARIABLE);
}

bool tn_graph_is_input(const struct tn_graph *g, tn_tensor_id id)
{
	return contains(g->inputs, g->n_inputs, id);
}

bool tn_graph_is_output(const struct tn_graph *g, tn_tensor_id id)
{
	return contains(g->outputs, g->n_outputs, id);
}

static bool *flags_of(const struct tn_graph *g, const tn_tensor_id *list, uint32_t n,
	struct tn_arena *arena)
{
	bool *flags = TN_NEW_ARRAY(arena, bool, g->n_tensors);

	for (uint32_t i = 0; flags && i < n; i++)
		if (list[i].i < g->n_tensors)
			flags[list[i].i] = true;
	return flags;
}

bool *tn_graph_input_flags(const struct tn_graph *g, struct tn_arena *arena)
{
	return flags_of(g, g->inputs, g->n_inputs, arena);
}

bool *tn_graph_output_flags(const struct tn_graph *g, struct tn_arena *arena)
{
	return flags_of(g, g->outputs, g->n_outputs, arena);
}

bool tn_tensor_span(const struct tn_tensor *t, int64_t *begin, int64_t *end)
{
	int64_t low = 0, high = 0, bits = tn_dtype_bits(t->dtype);

	*begin = 0;
	*end = t->elements == 0 ? 0 : t->bytes;
	if (t->elements == 0 || !t->has_strides)
		return true;
	for (uint32_t i = 0; i < t->shape.rank; i++) {
		int64_t reach;

		if (!tn_mul_i64(t->shape.dim[i] - 1, t->stride[i], &reach) ||
			!tn_add_i64(
				reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
			return false;
	}
	if (!tn_add_i64(high, 1, &high) || !tn_mul_i64(low, bits, &low) ||
		!tn_mul_i64(high, bits, &high) || !tn_add_i64(high, 7, &high))
		return false;
	*begin = low / 8;
	*end = high / 8;
	return low % 8 == 0;
}

bool tn_tensor_int(const struct tn_tensor *t, int64_t index, int64_t *out)
{
	int bits = tn_dtype_bits(t->dtype);
	size_t width = (size_t)bits / 8;
	uint64_t raw = 0;
	bool is_signed = t->dtype == DTYPE_I8 || t->dtype == DTYPE_I16 ||
			 t->dtype == DTYPE_I32 || t->dtype == DTYPE_I64;
	bool is_unsigned = t->dtype == DTYPE_U8 || t->dtype == DTYPE_U16 ||
			   t->dtype == DTYPE_U32 || t->dtype == DTYPE_BOOL;

	if (t->data_kind != DATA_BYTES || !tn_tensor_is_constant(t) ||
		!(is_signed || is_unsigned) || index < 0 || index >= t->elements ||
		(index + 1) * (int64_t)width > t->data_bytes)
		return false;
	for (size_t i = 0; i < width; i++)
		raw |= (uint64_t)t->data[(size_t)index * width + i] << (8 * i);
	if (is_signed && bits < 64 && (raw >> (bits - 1)) & 1)
		raw |= ~UINT64_C(0) << bits;
	memcpy(out, &raw, sizeof(raw));
	return true;
}
