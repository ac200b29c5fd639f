/* Calls of a torch.export graph as ops. */
#include <string.h>

#include "import/torch.h"

#include "base/banned.h"

static void add_result(struct tn_torch *r, tn_tensor_id id)
{
	if (id.i == TN_NONE)
		return;
	if (tn_torch_fill(r, id))
		tn_torch_mutate(r, id);
	tn_foreign_out(&r->f, id);
}

/* Calls fn for each tensor of an argument; one that is left out is TN_NONE. */
static void each_tensor(struct tn_torch *r, const struct tn_torch_argument *a,
	void (*fn)(struct tn_torch *r, const struct tn_at *at, const char *name))
{
	if (strcmp(a->key, "as_tensor") == 0) {
		fn(r, &a->at, tn_at_text(&r->tree, &a->at, "name", ""));
		return;
	}
	if (strcmp(a->key, "as_tensors") != 0 &&
		strcmp(a->key, "as_optional_tensors") != 0)
		return;
	for (size_t i = 0; i < json_array_size(a->at.json); i++) {
		struct tn_at item, inner;

		tn_at_item(&a->at, i, &item);
		if (tn_at_key(&r->tree, &item, "as_tensor", &inner))
			fn(r, &inner, tn_at_text(&r->tree, &inner, "name", ""));
		else if (json_is_string(json_object_get(item.json, "name")))
			fn(r, &item, tn_at_text(&r->tree, &item, "name", ""));
	}
}

static void push_input(struct tn_torch *r, const struct tn_at *at, const char *name)
{
	tn_foreign_in(&r->f, tn_torch_tensor(r, at, name));
}

static void push_output(struct tn_torch *r, const struct tn_at *at, const char *name)
{
	add_result(r, tn_torch_tensor(r, at, name));
}

/* Operands that may be None keep their places. */
static void read_norm_operands(
	struct tn_torch *r, const struct tn_at *node, const struct tn_aten_norm *n)
{
	struct tn_at frames[3];
	struct tn_torch_argument a;

	for (size_t i = 0; i < n->n_operands; i++) {
		bool given = tn_torch_argument(
			r, node, n->operands[i].name, SIZE_MAX, frames, &a);

		if (given && strcmp(a.key, "as_tensor") == 0)
			each_tensor(r, &a, push_input);
		else
			tn_foreign_in(&r->f, (tn_tensor_id){ TN_NONE });
	}
}

/* ---- the arguments, for what all readers of such operators ask ---- */

static bool named(const struct tn_aten_call *call, const char *name,
	struct tn_at frames[3], struct tn_torch_argument *out)
{
	return tn_torch_argument(call->reader, call->node, name, SIZE_MAX, frames, out) &&
	       strcmp(out->key, "as_none") != 0;
}

static bool number_of(
	const struct tn_aten_call *call, const char *name, size_t place, double *out)
{
	struct tn_torch *r = call->reader;
	struct tn_at frames[3];
	struct tn_torch_argument a;

	(void)place;
	if (!named(call, name, frames, &a))
		return false;
	if (strcmp(a.key, "as_bool") == 0) {
		*out = json_is_true(a.at.json);
		return true;
	}
	return (strcmp(a.key, "as_int") == 0 || strcmp(a.key, "as_float") == 0) &&
	       tn_at_as_real(&r->tree, &a.at, out);
}

static size_t ints_of(const struct tn_aten_call *call, const char *name, size_t place,
	int64_t *out, size_t max)
{
	struct tn_torch *r = call->reader;
	struct tn_at frames[3], item;
	struct tn_torch_argument a;
	size_t n;

	(void)place;
	if (!named(call, name, frames, &a))
		return 0;
	if (strcmp(a.key, "as_int") == 0)
		return tn_at_as_int(&r->tree, &a.at, out) ? 1 : SIZE_MAX;
	if (strcmp(a.key, "as_ints") != 0 && strcmp(a.key, "as_sym_ints") != 0)
		return SIZE_MAX;
	n = json_array_size(a.at.json);
	for (size_t i = 0; i < n && i < max; i++) {
		tn_at_item(&a.at, i, &item);
		if (!json_is_integer(item.json) ||
			!tn_at_as_int(&r->tree, &item, &out[i]))
			return SIZE_MAX;
	}
	return n;
}

static const char *text_of(
	const struct tn_aten_call *call, const char *name, size_t place)
{
	struct tn_at frames[3];
	struct tn_torch_argument a;

	(void)place;
	return named(call, name, frames, &a) ? json_string_value(a.at.json) : NULL;
}

static bool tensor_of(const struct tn_aten_call *call, const char *name, size_t place)
{
	struct tn_at frames[3];
	struct tn_torch_argument a;

	(void)place;
	return named(call, name, frames, &a) && strncmp(a.key, "as_tensor", 9) == 0;
}

/* "torch.ops.aten.add_.Tensor": the name between namespace and overload. */
static const char *bare_name(struct tn_torch *r, const char *target)
{
	static const char prefix[] = "torch.ops.";
	const char *name = target, *dot = NULL;
	char *copy;

	if (strncmp(target, prefix, sizeof(prefix) - 1) == 0) {
		/* "torch", "ops" and the namespace */
		for (int i = 0; i < 3 && (dot = strchr(name, '.')) != NULL; i++)
			name = dot + 1;
		name = dot ? name : target;
	}
	dot = strchr(name, '.');
	copy = tn_arena_strndup(
		&r->tree.scratch, name, dot ? (size_t)(dot - name) : strlen(name));
	r->tree.nomem = r->tree.nomem || !copy;
	return copy ? copy : "";
}

/* Operands: tensors, and the number that a binary op has in place of one. */
static void read_operands(
	struct tn_torch *r, const struct tn_at *node, const struct tn_aten *a)
{
	bool binary = a->kind != OP_UNKNOWN && tn_op_info(a->kind)->min_inputs == 2 &&
		      tn_op_info(a->kind)->access == ACCESS_POINTWISE;
	struct tn_at list, item, arg;
	size_t n = tn_at_list(&r->tree, node, "inputs", &list);
	enum tn_dtype dtype = DTYPE_F32;

	if (a->form == ATEN_NORM) {
		read_norm_operands(r, node, tn_aten_norm_of(a));
		return;
	}
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		struct tn_torch_argument one;
		double value = 0;

		tn_at_item(&list, i, &item);
		if (strcmp(tn_at_text(&r->tree, &item, "name", ""), "out") == 0 ||
			!tn_at_object(&r->tree, &item, "arg", &arg) ||
			!tn_torch_member(&arg, &one))
			continue; /* "out" is written, and not read */
		each_tensor(r, &one, push_input);
		if (i == 0 && r->f.in.v.count && r->f.in.v.items[0].i != TN_NONE)
			dtype = tn_foreign_at(&r->f, r->f.in.v.items[0])->dtype;
		if (i == 1 && binary &&
			(strcmp(one.key, "as_float") == 0 ||
				strcmp(one.key, "as_int") == 0) &&
			tn_at_as_real(&r->tree, &one.at, &value))
			tn_aten_scalar(&r->f, node, dtype, value);
	}
}

/* The tensor under a new name, when there is one. A view has no writer of its own: what is
 * written is another view of the same bytes. */
static void write_in_place(
	struct tn_torch *r, const struct tn_at *node, tn_tensor_id self, const char *name)
{
	struct tn_tensor t = *tn_foreign_at(&r->f, self);
	tn_tensor_id id = self;

	tn_torch_mutate(r, self);
	if (t.view_of.i == TN_NONE) {
		if (name)
			tn_torch_also_named(r, name, self);
	} else {
		if (name)
			id = tn_torch_tensor(r, node, name);
		else
			id = tn_foreign_tensor(&r->f, node, "", t.dtype, &t.shape)
				     ? tn_foreign_newest(&r->f)
				     : (tn_tensor_id){ TN_NONE };
		if (id.i == TN_NONE)
			return;
		tn_torch_become_view(r, id, self, 0);
		tn_foreign_at(&r->f, id)->has_strides = t.has_strides;
		memcpy(tn_foreign_at(&r->f, id)->stride, t.stride, sizeof(t.stride));
	}
	tn_foreign_out(&r->f, id);
}

/* The argument "out" of an overload that has it; TN_NONE: there is none. */
static tn_tensor_id out_of(struct tn_torch *r, const struct tn_at *node)
{
	struct tn_at frames[3];
	struct tn_torch_argument a;

	if (!tn_torch_argument(r, node, "out", SIZE_MAX, frames, &a) ||
		strcmp(a.key, "as_tensor") != 0)
		return (tn_tensor_id){ TN_NONE };
	return tn_torch_tensor(r, &a.at, tn_at_text(&r->tree, &a.at, "name", ""));
}

static void read_results(struct tn_torch *r, const struct tn_at *node)
{
	struct tn_at list, item;
	size_t n = tn_at_list(&r->tree, node, "outputs", &list);

	for (size_t i = 0; i < n; i++) {
		struct tn_torch_argument one;

		tn_at_item(&list, i, &item);
		if (tn_torch_member(&item, &one))
			each_tensor(r, &one, push_output);
	}
}

/* What a call without a result writes, for it is there to do something: its list in place
 * (_foreach_add_), or of an operator that nobody knows all its operands. PyTorch's own
 * others are assertions. */
static bool writes_operands(const char *target, const struct tn_aten *a)
{
	static const char *const silent[] = { "torch.ops.aten.", "torch.ops.prims.",
		"torch.ops.prim.", "torch.ops.profiler.", "torch.ops.inductor." };

	if (a->in_place)
		return true;
	if (strncmp(target, "torch.ops.", 10) != 0)
		return false;
	for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++)
		if (strncmp(target, silent[i], strlen(silent[i])) == 0)
			return false;
	return true;
}

static void write_operands(struct tn_torch *r, const struct tn_at *node, bool first)
{
	struct tn_at frames[3];
	struct tn_torch_argument a;
	size_t n = r->f.in.v.count;

	/* of _foreach_add_.List only the first list */
	if (first && tn_torch_argument(r, node, "self", 0, frames, &a) &&
		strcmp(a.key, "as_tensors") == 0 && json_array_size(a.at.json) < n)
		n = json_array_size(a.at.json);
	for (size_t i = 0; i < n; i++)
		if (r->f.in.v.items[i].i != TN_NONE)
			write_in_place(r, node, r->f.in.v.items[i], NULL);
}

void tn_torch_read_node(struct tn_torch *r, const struct tn_at *node)
{
	const char *target = tn_at_text(&r->tree, node, "target", "");
	struct tn_aten a = tn_aten_of(bare_name(r, target));
	struct tn_torch_results results;
	tn_tensor_id out;

	tn_torch_results(r, node, &results);
	if (results.n ? tn_torch_read_view(r, node, &a) : !writes_operands(target, &a))
		return; /* numbers and assertions take no memory */
	if (!tn_foreign_op(
		    &r->f, node, a.kind, target, tn_at_text(&r->tree, node, "name", "")))
		return;
	read_operands(r, node, &a);
	out = out_of(r, node);
	if (!results.n)
		write_operands(r, node, a.in_place);
	else if (out.i != TN_NONE)
		write_in_place(r, node, out, results.name[0]);
	else if (a.in_place && r->f.in.v.count && r->f.in.v.items[0].i != TN_NONE)
		write_in_place(r, node, r->f.in.v.items[0], results.name[0]);
	else
		read_results(r, node);
	tn_foreign_close(&r->f);
	tn_aten_attributes(&r->f, &a,
		&(struct tn_aten_call){
			r, node, number_of, ints_of, text_of, tensor_of });
}
