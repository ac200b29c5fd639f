/* What XLA says about memory: which inputs are donated to which outputs, which results
 * are written over an operand, and the buffer assignment. An allocation that holds more
 * than one array becomes a claim of kind `plan`; when there is none, all of them are one,
 * laid out one behind the other. */
#include <stdlib.h>

#include "base/checked.h"
#include "import/xla.h"

#include "base/banned.h"

struct buffer {
	int64_t allocation, offset, size; /* allocation -1: not assigned */
	uint32_t graph;
	tn_tensor_id tensor; /* TN_NONE: a tuple, or a token */
};

struct place {
	int64_t allocation, offset, size;
	uint32_t graph, tensor;
};

struct plan {
	struct tn_xla *x;
	struct tn_names ids; /* of logical buffers: decimal id -> index */
	TN_VEC(struct buffer) buffers;
	TN_VEC(struct place) places;
	struct tn_at allocations;
};

/* The array at an index path of a value. */
static tn_tensor_id array_at(struct tn_xla *x, const struct tn_xla_value *v,
	const struct tn_at *up, const char *key, bool *out_tuple)
{
	struct tn_ints path = { 0 };
	struct tn_at part = { .root = true }, list;
	const json_t *shape;
	uint32_t first;

	*out_tuple = false;
	if (!tn_at_ints(&x->tree, up, key, &path))
		return (tn_tensor_id){ TN_NONE };
	if (!tn_xla_part(x, v->shape, &path, &first, &shape) || first >= v->n + 1) {
		tn_at_error(&x->tree, up, XLA_VALUE, "the index leads out of the shape");
		return (tn_tensor_id){ TN_NONE };
	}
	part.json = shape;
	*out_tuple = tn_xla_count(x, shape) != 1 ||
		     (tn_at_key(&x->tree, &part, "tupleShapes", &list) &&
			     json_array_size(list.json));
	if (*out_tuple || first >= v->n)
		return (tn_tensor_id){ TN_NONE };
	return x->leaves.items[v->first + first];
}

/* An instruction named by id, or by name; 0 when the id is omitted. */
static const struct tn_xla_value *instruction(struct tn_xla *x, const struct tn_at *at)
{
	struct tn_at id;

	if (!tn_at_key(&x->tree, at, "instructionId", &id) &&
		!tn_at_key(&x->tree, at, "instructionName", &id)) {
		json_t *zero = json_integer(0);
		const struct tn_xla_value *v;

		tn_at_entry(at, "instructionId", zero, &id);
		v = zero ? tn_xla_find(x, &id) : NULL;
		json_decref(zero);
		return v;
	}
	return tn_xla_find(x, &id);
}

static uint32_t buffer_of(struct plan *p, const struct tn_at *up, const char *key)
{
	char text[24];
	int64_t id = tn_at_int(&p->x->tree, up, key, 0);
	uint32_t index;

	snprintf(text, sizeof(text), "%lld", (long long)id);
	index = tn_names_find(&p->ids, text);
	if (index == UINT32_MAX)
		tn_at_error(&p->x->tree, up, XLA_VALUE, "there is no logical buffer %s",
			text);
	return index;
}

static void read_buffer(struct plan *p, const struct tn_at *at)
{
	struct tn_tree *t = &p->x->tree;
	struct buffer b = { .allocation = -1, .tensor = { TN_NONE } };
	const struct tn_xla_value *v = NULL;
	struct tn_at defined;
	bool tuple;
	char *key = tn_arena_printf(
		&t->scratch, "%lld", (long long)tn_at_int(t, at, "id", 0));

	b.size = tn_at_int(t, at, "size", 0);
	/* instructions of computations that are not read are inside of kernels */
	if (tn_at_object(t, at, "definedAt", &defined)) {
		size_t errors = t->im->diags->errors;

		if (p->x->graphs.count < json_array_size(p->x->computations.json)) {
			struct tn_at id;
			char text[24];
			bool named = tn_at_key(t, &defined, "instructionName", &id);

			snprintf(text, sizeof(text), "%lld",
				(long long)tn_at_int(t, &defined, "instructionId", 0));
			if (tn_names_find(&p->x->values_by_id, text) != UINT32_MAX ||
				(named && json_is_string(id.json) &&
					tn_names_find(&p->x->values_by_name,
						json_string_value(id.json)) !=
						UINT32_MAX))
				v = instruction(p->x, &defined);
		} else {
			v = instruction(p->x, &defined);
		}
		if (v && t->im->diags->errors == errors) {
			b.graph = v->graph;
			b.tensor = array_at(p->x, v, &defined, "shapeIndex", &tuple);
		}
	}
	if (!key ||
		tn_names_add(&p->ids, key, (uint32_t)p->buffers.count) == NAME_NOMEM ||
		!tn_vec_push(&t->scratch, &p->buffers, b))
		t->nomem = true;
}

static void read_allocation(struct plan *p, const struct tn_at *at, size_t index)
{
	struct tn_tree *t = &p->x->tree;
	struct tn_at list, one;
	size_t n = tn_at_list(t, at, "assigned", &list);

	for (size_t i = 0; i < n; i++) {
		uint32_t b;

		tn_at_item(&list, i, &one);
		b = buffer_of(p, &one, "logicalBufferId");
		if (b == UINT32_MAX)
			continue;
		p->buffers.items[b].allocation = (int64_t)index;
		p->buffers.items[b].offset = tn_at_int(t, &one, "offset", 0);
		p->buffers.items[b].size = tn_at_int(t, &one, "size", 0);
		if (p->buffers.items[b].offset < 0 || p->buffers.items[b].size < 0)
			tn_at_error(
				t, &one, XLA_VALUE, "an offset or a size is negative");
	}
}

static void add_place(
	struct plan *p, const struct buffer *b, uint32_t graph, tn_tensor_id tensor)
{
	if (tensor.i == TN_NONE || b->allocation < 0)
		return;
	if (!tn_vec_push(&p->x->tree.scratch, &p->places,
		    ((struct place){
			    b->allocation, b->offset, b->size, graph, tensor.i })))
		p->x->tree.nomem = true;
}

/* A place of a value that shares the buffer of another. */
static void read_alias(struct plan *p, const struct tn_at *at)
{
	struct tn_tree *t = &p->x->tree;
	const struct tn_xla_value *v;
	struct tn_at location;
	uint32_t b = buffer_of(p, at, "sourceBufferId");
	tn_tensor_id tensor;
	bool tuple;

	if (b == UINT32_MAX || !tn_at_object(t, at, "location", &location))
		return;
	v = instruction(p->x, &location);
	if (!v)
		return;
	tensor = array_at(p->x, v, &location, "shapeIndex", &tuple);
	if (!tuple)
		add_place(p, &p->buffers.items[b], v->graph, tensor);
}

static int by_allocation(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->allocation != y->allocation)
		return x->allocation < y->allocation ? -1 : 1;
	if (x->graph != y->graph)
		return x->graph < y->graph ? -1 : 1;
	if (x->tensor != y->tensor)
		return x->tensor < y->tensor ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Does the allocation hold one array alone? Its places are [begin, end). */
static bool is_alone(const struct plan *p, size_t begin, size_t end)
{
	return p->places.items[begin].tensor == p->places.items[end - 1].tensor;
}

/* Where the places of one allocation in one graph end. */
static size_t end_of(const struct plan *p, size_t begin)
{
	const struct place *list = p->places.items;
	size_t end = begin;

	while (end < p->places.count && list[end].allocation == list[begin].allocation &&
		list[end].graph == list[begin].graph)
		end++;
	return end;
}

/* Nothing of the entry computation shares an allocation. */
static void add_singles(struct plan *p, const struct tn_at *assignment)
{
	struct tn_foreign *f = &p->x->graphs.items[0]->f;
	struct tn_claim *plan = NULL;
	int64_t base = 0;

	for (size_t i = 0; i < p->places.count; i = end_of(p, i)) {
		const struct place *place = &p->places.items[i];
		struct tn_at at;
		int64_t offset;

		if (place->graph)
			continue;
		if (!plan)
			plan = tn_foreign_claim(f, assignment, "plan", "allocations");
		if (!plan || !tn_align_up_i64(base, 64, &base) ||
			!tn_add_i64(base, place->offset, &offset))
			return;
		tn_foreign_place(
			f, plan, (tn_tensor_id){ place->tensor }, offset, place->size);
		tn_at_item(&p->allocations, (size_t)place->allocation, &at);
		if (!tn_add_i64(base, tn_at_int(&p->x->tree, &at, "size", 0), &base))
			return;
		plan->arena_bytes = base;
	}
}

/* The places [begin, end) are those of one allocation in one graph. */
static void add_plan(struct plan *p, size_t begin, size_t end)
{
	const struct place *list = p->places.items;
	struct tn_foreign *f = &p->x->graphs.items[list[begin].graph]->f;
	struct tn_claim *plan;
	struct tn_at at;
	char id[40];

	if (is_alone(p, begin, end))
		return;
	tn_at_item(&p->allocations, (size_t)list[begin].allocation, &at);
	snprintf(id, sizeof(id), "allocation %lld", (long long)list[begin].allocation);
	plan = tn_foreign_claim(f, &at, "plan", id);
	for (size_t i = begin; i < end; i++)
		if (i == begin || list[i].tensor != list[i - 1].tensor)
			tn_foreign_place(f, plan, (tn_tensor_id){ list[i].tensor },
				list[i].offset, list[i].size);
	if (plan)
		plan->arena_bytes = tn_at_int(&p->x->tree, &at, "size", 0);
}

void tn_xla_plan(struct tn_xla *x, const struct tn_at *root)
{
	struct plan p = { .x = x, .ids.arena = &x->tree.scratch };
	struct tn_at assignment, list, at;
	bool shares = false;
	size_t n;

	if (!tn_at_object(&x->tree, root, "bufferAssignment", &assignment))
		return;
	n = tn_at_list(&x->tree, &assignment, "logicalBuffers", &list);
	for (size_t i = 0; i < n && !x->tree.nomem; i++) {
		tn_at_item(&list, i, &at);
		read_buffer(&p, &at);
	}
	n = tn_at_list(&x->tree, &assignment, "bufferAllocations", &p.allocations);
	for (size_t i = 0; i < n; i++) {
		tn_at_item(&p.allocations, i, &at);
		read_allocation(&p, &at, i);
	}
	for (size_t i = 0; i < p.buffers.count; i++)
		add_place(&p, &p.buffers.items[i], p.buffers.items[i].graph,
			p.buffers.items[i].tensor);
	n = tn_at_list(&x->tree, &assignment, "bufferAliases", &list);
	for (size_t i = 0; i < n; i++) {
		tn_at_item(&list, i, &at);
		read_alias(&p, &at);
	}
	if (p.places.count)
		qsort(p.places.items, p.places.count, sizeof(*p.places.items),
			by_allocation);
	for (size_t i = 0; i < p.places.count && !x->tree.nomem; i = end_of(&p, i)) {
		shares = shares || !is_alone(&p, i, end_of(&p, i));
		add_plan(&p, i, end_of(&p, i));
	}
	if (!shares && !x->tree.nomem)
		add_singles(&p, &assignment);
}

static const struct tn_xla_value *parameter(struct tn_xla *x, const struct tn_at *at)
{
	int64_t number = tn_at_int(&x->tree, at, "parameterNumber", 0);

	for (size_t i = 0; i < x->values.count; i++)
		if (x->values.items[i].graph == 0 &&
			x->values.items[i].parameter == number)
			return &x->values.items[i];
	tn_at_error(
		&x->tree, at, XLA_VALUE, "there is no parameter %lld", (long long)number);
	return NULL;
}

/* The donated input's array may be overwritten. */
static tn_tensor_id donate(struct tn_xla *x, const struct tn_at *at)
{
	const struct tn_xla_value *v = parameter(x, at);
	tn_tensor_id id = { TN_NONE };
	bool tuple;

	if (v)
		id = array_at(x, v, at, "parameterShapeIndex", &tuple);
	if (id.i != TN_NONE && !x->tree.im->keep_inputs)
		tn_foreign_at(&x->graphs.items[0]->f, id)->clobber = true;
	return id;
}

void tn_xla_aliases(struct tn_xla *x)
{
	struct tn_xla_graph *entry = x->graphs.items[0];
	const struct tn_xla_value *root =
		entry->root != TN_NONE ? &x->values.items[entry->root] : NULL;
	struct tn_at aliases, list, at;
	size_t n;
	char id[40];
	bool tuple;

	if (tn_at_object(&x->tree, &x->module, "bufferDonor", &aliases)) {
		n = tn_at_list(&x->tree, &aliases, "entries", &list);
		for (size_t i = 0; i < n; i++) {
			tn_at_item(&list, i, &at);
			donate(x, &at);
		}
	}
	if (!tn_at_object(&x->tree, &x->module, "inputOutputAlias", &aliases))
		return;
	n = tn_at_list(&x->tree, &aliases, "entries", &list);
	for (size_t i = 0; i < n && root; i++) {
		struct tn_claim *claim;
		tn_tensor_id out, of;

		tn_at_item(&list, i, &at);
		out = array_at(x, root, &at, "outputShapeIndex", &tuple);
		of = donate(x, &at);
		if (out.i == TN_NONE || of.i == TN_NONE || out.i == of.i)
			continue;
		snprintf(id, sizeof(id), "alias %zu", i);
		claim = tn_foreign_claim(&entry->f, &at, "donate", id);
		if (!claim)
			return;
		claim->tensor = out;
		claim->of = of;
		claim->byte_offset = 0;
	}
}

/* The arrays at an index path of a value; false after a report. */
static bool arrays_at(struct tn_xla *x, const struct tn_xla_value *v,
	const struct tn_at *up, const char *key, uint32_t *out_first, uint32_t *out_n)
{
	struct tn_ints path = { 0 };
	const json_t *shape;

	if (!tn_at_ints(&x->tree, up, key, &path))
		return false;
	if (!tn_xla_part(x, v->shape, &path, out_first, &shape)) {
		tn_at_error(&x->tree, up, XLA_VALUE, "the index leads out of the shape");
		return false;
	}
	*out_n = tn_xla_count(x, shape);
	/* a value that was reported has fewer arrays than its shape */
	return *out_first <= v->n && *out_n <= v->n - *out_first;
}

static const struct tn_xla_value *aliased_operand(
	struct tn_xla *x, const struct tn_at *inst, const struct tn_at *at)
{
	struct tn_at operands, one;
	size_t n = tn_at_list(&x->tree, inst, "operandIds", &operands);
	int64_t index = tn_at_int(&x->tree, at, "operandIndex", 0);

	if (index < 0 || (uint64_t)index >= n) {
		tn_at_error(&x->tree, at, XLA_VALUE, "there is no operand %lld",
			(long long)index);
		return NULL;
	}
	tn_at_item(&operands, (size_t)index, &one);
	return tn_xla_find(x, &one);
}

static int64_t position(const tn_tensor_id *list, uint32_t n, tn_tensor_id id)
{
	uint32_t i = 0;

	while (i < n && list[i].i != id.i)
		i++;
	return i;
}

/* A claim for each array of an entry; positions among the op's operands and outputs go on
 * the list. */
static void pair_arrays(struct tn_xla *x, const struct tn_at *entry,
	const struct tn_xla_value *out, uint32_t first_out, const struct tn_xla_value *in,
	uint32_t first_in, uint32_t n, struct tn_ints *pairs)
{
	struct tn_foreign *f = &x->graphs.items[out->graph]->f;
	struct tn_arena *scratch = &x->tree.scratch;
	const struct tn_op *op = tn_foreign_newest_op(f);

	for (uint32_t k = 0; k < n; k++) {
		tn_tensor_id to = x->leaves.items[out->first + first_out + k];
		tn_tensor_id from = x->leaves.items[in->first + first_in + k];
		struct tn_claim *claim;
		const char *id;

		if (to.i == TN_NONE || from.i == TN_NONE)
			continue; /* a token */
		id = tn_arena_printf(scratch, "in place %zu", f->b.claims.count);
		claim = id ? tn_foreign_claim(f, entry, "inplace", id) : NULL;
		if (!claim ||
			!tn_vec_push(scratch, &pairs->v,
				position(op->inputs, op->n_inputs, from)) ||
			!tn_vec_push(scratch, &pairs->v,
				position(op->outputs, op->n_outputs, to))) {
			x->tree.nomem = true;
			return;
		}
		claim->op.i = out->op;
		claim->in = from;
		claim->out = to;
	}
}

void tn_xla_in_place(
	struct tn_xla *x, const struct tn_at *inst, const struct tn_xla_value *v)
{
	struct tn_ints pairs = { 0 };
	struct tn_at list, at;
	size_t n = tn_at_list(&x->tree, inst, "outputOperandAliasing", &list);

	for (size_t i = 0; i < n && !x->tree.nomem; i++) {
		uint32_t first_out, n_out, first_in, n_in;
		const struct tn_xla_value *in;

		tn_at_item(&list, i, &at);
		if (!tn_at_want_object(&x->tree, &at))
			continue;
		in = aliased_operand(x, inst, &at);
		if (!in ||
			!arrays_at(x, v, &at, "outputShapeIndex", &first_out, &n_out) ||
			!arrays_at(x, in, &at, "operandShapeIndex", &first_in, &n_in))
			continue;
		if (n_out != n_in)
			tn_at_error(&x->tree, &at, XLA_VALUE,
				"results of %u arrays are written over %u", n_out, n_in);
		else
			pair_arrays(x, &at, v, first_out, in, first_in, n_in, &pairs);
	}
	if (pairs.v.count && !x->tree.nomem &&
		!tn_build_attr_ints(&x->graphs.items[v->graph]->f.b, "in_place",
			pairs.v.items, pairs.v.count))
		x->tree.nomem = true;
}
