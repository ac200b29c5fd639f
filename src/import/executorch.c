/* Reads an ExecuTorch program (.pte) as flatc writes it in JSON. Instructions are ops;
 * their arguments are indices of values, outputs last: an `out` variant names its outputs
 * twice, as arguments and as results. The offsets that every planned tensor carries become
 * claims of kind `plan`, one for each memory. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/executorch.h"

#include "base/banned.h"

#define RESULTS_MAX 8 /* of one call */
#define INTEGER_MAX 9007199254740992.0 /* 2^53: up to here doubles hold each integer */

/* The value of an index that the file holds; NULL after a report. */
static struct tn_et_value *value_at(
	struct tn_et *r, const struct tn_at *at, int64_t index)
{
	if (index >= 0 && (uint64_t)index < r->values.count)
		return &r->values.items[index];
	tn_at_error(&r->tree, at, ET_VALUE,
		"value %" PRId64 " is out of range: there are %zu", index,
		r->values.count);
	return NULL;
}

static void write_tensor(struct tn_et *r, struct tn_et_value *v)
{
	struct tn_tensor *t = tn_foreign_at(&r->f, v->tensor);

	if (v->written || t->role == ROLE_INPUT)
		t->mutated = true;
	v->written = true;
	tn_foreign_out(&r->f, v->tensor);
}

/* The tensors of an argument, as operands or as results. */
static void add_argument(
	struct tn_et *r, const struct tn_at *at, const struct tn_et_value *v, bool result)
{
	size_t n = v->kind == ET_LIST ? v->items.v.count : 1;

	for (size_t i = 0; i < n && !r->tree.full; i++) {
		struct tn_et_value *one = NULL;

		if (v->kind == ET_LIST && v->items.v.items[i] == -1) {
			if (!result)
				tn_foreign_in(&r->f, (tn_tensor_id){ TN_NONE });
			continue;
		}
		if (v->kind == ET_LIST)
			one = value_at(r, at, v->items.v.items[i]);
		else if (v->kind == ET_TENSOR)
			one = &r->values.items[v - r->values.items];
		if (!one || one->kind != ET_TENSOR)
			continue;
		if (result)
			write_tensor(r, one);
		else
			tn_foreign_in(&r->f, one->tensor);
	}
}

static bool holds_tensors(const struct tn_et *r, size_t arg)
{
	enum tn_et_kind kind = r->values.items[r->args.v.items[arg]].kind;

	return kind == ET_TENSOR || kind == ET_LIST;
}

/* How many results are named twice at the end of the arguments? */
static size_t repeated(const struct tn_et *r)
{
	size_t n = r->args.v.count;
	const int64_t *args = r->args.v.items;

	for (size_t k = n / 2 < RESULTS_MAX ? n / 2 : RESULTS_MAX; k > 0; k--) {
		bool same = true;

		for (size_t i = 0; i < k && same; i++)
			same = args[n - k + i] == args[n - 2 * k + i] &&
			       holds_tensors(r, n - k + i);
		if (same)
			return k;
	}
	return 0;
}

/* The integer of a list's item, which is a boxed value; false when it is none. */
static bool unbox(const struct tn_et *r, int64_t index, int64_t *out)
{
	const struct tn_et_value *v;

	if (index < 0 || (uint64_t)index >= r->values.count)
		return false;
	v = &r->values.items[index];
	if (v->kind != ET_NUMBER || !(fabs(v->number) <= INTEGER_MAX))
		return false;
	*out = (int64_t)v->number;
	return true;
}

static const struct tn_et_value *argument(const struct tn_et *r, size_t place)
{
	return place < r->args.v.count ? &r->values.items[r->args.v.items[place]] : NULL;
}

static bool number_at(
	const struct tn_aten_call *call, const char *name, size_t place, double *out)
{
	const struct tn_et_value *v = argument(call->reader, place);

	(void)name;
	if (!v || v->kind != ET_NUMBER)
		return false;
	*out = v->number;
	return true;
}

static size_t ints_at(const struct tn_aten_call *call, const char *name, size_t place,
	int64_t *out, size_t max)
{
	const struct tn_et *r = call->reader;
	const struct tn_et_value *v = argument(r, place);
	double number;

	if (!v || v->kind == ET_OTHER)
		return 0;
	if (number_at(call, name, place, &number) && number >= 0 && number <= INT32_MAX) {
		out[0] = (int64_t)number;
		return 1;
	}
	if (v->kind != ET_INTS)
		return SIZE_MAX;
	for (size_t i = 0; i < v->items.v.count && i < max; i++)
		if (!unbox(r, v->items.v.items[i], &out[i]))
			return SIZE_MAX;
	return v->items.v.count;
}

static const char *text_at(
	const struct tn_aten_call *call, const char *name, size_t place)
{
	const struct tn_et_value *v = argument(call->reader, place);

	(void)name;
	return v ? v->text : NULL;
}

static bool tensor_at(const struct tn_aten_call *call, const char *name, size_t place)
{
	const struct tn_et *r = call->reader;
	const struct tn_et_value *v = argument(r, place);

	(void)name;
	/* the results are at the end, and no arguments of this kind */
	return v && place + 2 * repeated(r) < r->args.v.count && v->kind == ET_TENSOR;
}

/* Of smaller sizes than planned for, the kernel's steps are others: a proof that rests on
 * them holds for the upper bound only. What does not move its elements needs none. */
static bool is_bound(const struct tn_et *r, const struct tn_op *op)
{
	bool bound = false;

	for (uint32_t i = 0; i < op->n_inputs + op->n_outputs; i++) {
		uint32_t t = i < op->n_inputs ? op->inputs[i].i
					      : op->outputs[i - op->n_inputs].i;

		bound = bound || (t < r->bound.count && r->bound.items[t]);
	}
	return bound && tn_op_info(op->kind)->access != ACCESS_VIEW;
}

static void add_call(
	struct tn_et *r, const struct tn_at *at, const char *name, const char *overload)
{
	const char *bare = strrchr(name, ':');
	struct tn_aten a = tn_aten_of(bare ? bare + 1 : name);
	size_t n = r->args.v.count, results = repeated(r), operands = n - 2 * results;
	const struct tn_aten_norm *norm = tn_aten_norm_of(&a);
	char *type = overload[0]
			     ? tn_arena_printf(&r->tree.scratch, "%s.%s", name, overload)
			     : tn_arena_strdup(&r->tree.scratch, name);
	enum tn_dtype dtype = DTYPE_F32;

	if (!type || !tn_foreign_op(&r->f, at, a.kind, type, "")) {
		r->tree.nomem = true;
		return;
	}
	if (!results && n && holds_tensors(r, n - 1)) { /* only as the result */
		results = 1;
		operands = n - 1;
	}
	for (size_t i = 0; i < operands; i++) {
		const struct tn_et_value *v = &r->values.items[r->args.v.items[i]];

		if (v->kind == ET_TENSOR && i == 0)
			dtype = tn_foreign_at(&r->f, v->tensor)->dtype;
		if (v->kind == ET_TENSOR || v->kind == ET_LIST)
			add_argument(r, at, v, false);
		else if (norm && tn_aten_norm_takes(norm, i)) /* None */
			tn_foreign_in(&r->f, (tn_tensor_id){ TN_NONE });
		else if (v->kind == ET_NUMBER && i == 1 && a.kind != OP_UNKNOWN &&
			 tn_op_info(a.kind)->min_inputs == 2)
			tn_aten_scalar(&r->f, at, dtype, v->number);
	}
	for (size_t i = n - results; i < n; i++)
		add_argument(r, at, &r->values.items[r->args.v.items[i]], true);
	tn_foreign_close(&r->f);
	tn_aten_attributes(&r->f, &a,
		&(struct tn_aten_call){
			r, NULL, number_at, ints_at, text_at, tensor_at });
	if (is_bound(r, tn_foreign_newest_op(&r->f)))
		tn_foreign_newest_op(&r->f)->kind = OP_UNKNOWN;
}

/* A delegate's arguments do not say what is written: what is not there yet is. */
static void add_delegate(struct tn_et *r, const struct tn_at *at, const char *name)
{
	if (!tn_foreign_op(&r->f, at, OP_UNKNOWN, name, ""))
		return;
	for (size_t i = 0; i < r->args.v.count; i++) {
		struct tn_et_value *v = &r->values.items[r->args.v.items[i]];
		bool there;

		if (v->kind != ET_TENSOR)
			continue;
		there = v->written || tn_foreign_at(&r->f, v->tensor)->role != ROLE_ACT;
		if (there)
			tn_foreign_in(&r->f, v->tensor);
		else
			write_tensor(r, v);
	}
	tn_foreign_close(&r->f);
}

static bool read_args(struct tn_et *r, const struct tn_at *call)
{
	if (!tn_at_ints(&r->tree, call, "args", &r->args))
		return false;
	for (size_t i = 0; i < r->args.v.count; i++)
		if (!value_at(r, call, r->args.v.items[i]))
			return false;
	return true;
}

static void add_move(struct tn_et *r, const struct tn_at *at, const struct tn_at *move)
{
	struct tn_et_value *from =
		value_at(r, at, tn_at_int(&r->tree, move, "move_from", 0));
	struct tn_et_value *to = value_at(r, at, tn_at_int(&r->tree, move, "move_to", 0));

	if (!from || !to || from->kind != ET_TENSOR || to->kind != ET_TENSOR)
		return; /* numbers take no memory here */
	if (!tn_foreign_op(&r->f, at, OP_CAST, "MoveCall", ""))
		return;
	tn_foreign_in(&r->f, from->tensor);
	write_tensor(r, to);
	tn_foreign_close(&r->f);
}

static void read_instruction(struct tn_et *r, const struct tn_at *at)
{
	const char *type = tn_at_text(&r->tree, at, "instr_args_type", "");
	struct tn_at call, entry;
	const struct tn_at *list;
	bool kernel = strcmp(type, "KernelCall") == 0;
	int64_t index;

	if (strcmp(type, "FreeCall") == 0)
		return;
	if (strcmp(type, "JumpFalseCall") == 0) {
		tn_at_error(&r->tree, at, "executorch/control-flow",
			"jumps are not supported: export the branches apart");
		return;
	}
	if (!tn_at_object(&r->tree, at, "instr_args", &call)) {
		tn_at_error(&r->tree, at, ET_VALUE, "the instruction has no arguments");
		return;
	}
	if (strcmp(type, "MoveCall") == 0) {
		add_move(r, at, &call);
		return;
	}
	if (!kernel && strcmp(type, "DelegateCall") != 0) {
		tn_at_error(
			&r->tree, at, ET_VALUE, "there is no instruction '%.40s'", type);
		return;
	}
	index = tn_at_int(&r->tree, &call, kernel ? "op_index" : "delegate_index", 0);
	list = kernel ? &r->operators : &r->delegates;
	if (index < 0 || (uint64_t)index >= json_array_size(list->json)) {
		tn_at_error(&r->tree, at, ET_VALUE,
			"%s %" PRId64 " is out of range: there are %zu",
			kernel ? "operator" : "delegate", index,
			json_array_size(list->json));
		return;
	}
	tn_at_item(list, (size_t)index, &entry);
	if (!read_args(r, &call))
		return;
	if (kernel)
		add_call(r, at, tn_at_text(&r->tree, &entry, "name", ""),
			tn_at_text(&r->tree, &entry, "overload", ""));
	else
		add_delegate(r, at, tn_at_text(&r->tree, &entry, "id", "delegate"));
}

static void read_ends(struct tn_et *r, const char *key, bool inputs)
{
	struct tn_at list, at;
	size_t n = tn_at_list(&r->tree, &r->plan, key, &list);

	for (size_t i = 0; i < n; i++) {
		const struct tn_et_value *v;
		int64_t index;

		tn_at_item(&list, i, &at);
		if (!tn_at_as_int(&r->tree, &at, &index))
			continue;
		v = value_at(r, &at, index);
		if (!v || v->kind != ET_TENSOR)
			continue;
		if (inputs)
			tn_foreign_input(&r->f, v->tensor, v->memory != 0);
		else
			tn_foreign_output(&r->f, v->tensor);
	}
}

static void read_memories(struct tn_et *r)
{
	struct tn_at sizes, at;
	size_t n = tn_at_list(&r->tree, &r->plan, "non_const_buffer_sizes", &sizes);

	for (size_t i = 0; i < r->values.count; i++) {
		const struct tn_et_value *v = &r->values.items[i];

		if (v->kind == ET_TENSOR &&
			(v->memory < 0 || (v->memory && (uint64_t)v->memory >= n)))
			tn_at_error(&r->tree, &sizes, ET_VALUE,
				"'%s' lies in memory %" PRId64 ", there are %zu",
				tn_foreign_at(&r->f, v->tensor)->name, v->memory, n);
	}
	for (size_t m = 1; m < n && m < 64; m++) { /* entry 0 is reserved */
		struct tn_claim *plan = NULL;
		char id[32];

		tn_at_item(&sizes, m, &at);
		snprintf(id, sizeof(id), "memory %zu", m);
		for (size_t i = 0; i < r->values.count; i++) {
			const struct tn_et_value *v = &r->values.items[i];

			if (v->kind != ET_TENSOR || v->memory != (int64_t)m)
				continue;
			if (!plan)
				plan = tn_foreign_claim(&r->f, &at, "plan", id);
			tn_foreign_place(&r->f, plan, v->tensor, v->offset, -1);
		}
		if (plan)
			tn_at_as_int(&r->tree, &at, &plan->arena_bytes);
	}
}

typedef void read_item(struct tn_et *r, const struct tn_at *at);

static void read_items(
	struct tn_et *r, const struct tn_at *up, const char *key, read_item *fn)
{
	struct tn_at list, at;
	size_t n = tn_at_list(&r->tree, up, key, &list);

	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		tn_at_item(&list, i, &at);
		if (tn_at_want_object(&r->tree, &at))
			fn(r, &at);
		else if (fn == tn_et_read_value)
			return; /* indices would be wrong */
	}
}

static void read_chain(struct tn_et *r, const struct tn_at *at)
{
	read_items(r, at, "instructions", read_instruction);
}

static enum tn_status read_root(
	struct tn_et *r, const struct tn_at *root, struct tn_graph *out)
{
	struct tn_at plans;
	size_t n = tn_at_list(&r->tree, root, "execution_plan", &plans);

	if (!n) {
		tn_at_error(&r->tree, &plans, "executorch/no-graph",
			"the program has no method");
		return TN_ERR_INPUT;
	}
	tn_at_item(&plans, 0, &r->plan);
	if (!tn_at_want_object(&r->tree, &r->plan))
		return TN_ERR_INPUT;
	if (n > 1)
		tn_at_warn(&r->tree, &plans, "executorch/methods",
			"only the first of %zu methods is read", n);
	r->f.name = tn_at_text(&r->tree, &r->plan, "name", "");
	tn_at_list(&r->tree, root, "constant_buffer", &r->constants);
	tn_at_list(&r->tree, &r->plan, "operators", &r->operators);
	tn_at_list(&r->tree, &r->plan, "delegates", &r->delegates);
	read_items(r, &r->plan, "values", tn_et_read_value);
	if (r->n_bound)
		tn_at_warn(&r->tree, &r->plan, "executorch/upper-bound",
			"the sizes of %zu tensors are upper bounds (DYNAMIC_BOUND): they "
			"are planned at these, and their ops are the worst case",
			r->n_bound);
	read_ends(r, "inputs", true);
	read_items(r, &r->plan, "chains", read_chain);
	read_ends(r, "outputs", false);
	read_memories(r);
	return tn_foreign_finish(&r->f, out);
}

enum tn_status tn_import_executorch(struct tn_import *im, struct tn_graph *out)
{
	struct tn_et r = { .values.count = 0 };
	struct tn_at root;
	enum tn_status status = tn_tree_open(&r.tree, im, "executorch/type", &root);

	tn_foreign_init(&r.f, &r.tree);
	if (status == TN_OK)
		status = read_root(&r, &root, out);
	tn_tree_close(&r.tree);
	return status;
}
