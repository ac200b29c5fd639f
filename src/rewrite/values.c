#include "rewrite/values.h"

#include <string.h>

#include "base/fnv.h"
#include "bind/bind.h"

#include "base/banned.h"

/* Activations of the longest chain, and of the widest tree. */
#define TENSORS_MAX (TN_VALUES_OPS_MAX + 1)

bool tn_values_operand(struct tn_edit *e, const struct tn_op *op, uint32_t *out_k)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0), *data = NULL;

	if (tn_op_info(op->kind)->access != ACCESS_POINTWISE || op->n_outputs != 1 ||
		!out || out->mutated)
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tn_edit_in(e, op, k);

		if (!t)
			continue;
		if (tn_edit_is_constant(t)) {
			if (t->elements != 1)
				return false;
			continue;
		}
		if (data)
			return false;
		data = t;
		*out_k = k;
	}
	return data && data->elements == out->elements;
}

int64_t tn_values_count(const struct tn_tensor *t)
{
	switch (t->dtype) {
	case DTYPE_I8:
	case DTYPE_U8:
		return 256;
	case DTYPE_I16:
		return 65536;
	default:
		return 0;
	}
}

/* Open addressing by hashes of all that decides whether an op can be run. Two ops with
 * one hash would cost a rewrite, or a run in vain: no result comes from here. */
struct tn_values_memo {
	uint64_t *hash; /* 0: free */
	bool *runs;
	size_t size, used;
	const uint8_t *values[DTYPE_COUNT]; /* of a chain's operand, by type */
};

static uint64_t hash_tensor(struct tn_edit *e, uint64_t h, const struct tn_tensor *t)
{
	const bool constant = t && tn_edit_is_constant(t);

	h = tn_fnv_u64(h, !t ? 0 : constant ? 1 : 2 + (uint64_t)t->role);
	if (!t)
		return h;
	h = tn_fnv_u64(h, (uint64_t)t->dtype << 2 | (uint64_t)t->quant.damaged << 1 |
				  (uint64_t)t->has_strides);
	h = tn_fnv_u64(h, (uint64_t)t->quant.n << 32 | t->quant.axis);
	for (uint32_t i = 0; i < t->quant.n && !e->failed; i++) {
		h = tn_fnv(h, &t->quant.scale[i], sizeof(t->quant.scale[i]));
		h = tn_fnv_u64(h, (uint64_t)t->quant.zero_point[i]);
	}
	if (!constant)
		return h;
	h = tn_fnv_u64(h, t->shape.rank);
	return tn_fnv(h, t->data, (size_t)t->data_bytes);
}

static uint64_t hash_attr(uint64_t h, const struct tn_attr *a)
{
	h = tn_fnv(h, a->name, strlen(a->name) + 1);
	h = tn_fnv_u64(h, (uint64_t)a->kind);
	h = tn_fnv_u64(h, a->n);
	switch (a->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		return tn_fnv_u64(h, (uint64_t)a->v.i);
	case ATTR_FLOAT:
		return tn_fnv(h, &a->v.f, sizeof(a->v.f));
	case ATTR_STRING:
		return tn_fnv(h, a->v.s, strlen(a->v.s) + 1);
	case ATTR_INTS:
		return tn_fnv(h, a->v.ints, a->n * sizeof(*a->v.ints));
	case ATTR_FLOATS:
		return tn_fnv(h, a->v.floats, a->n * sizeof(*a->v.floats));
	case ATTR_STRINGS:
		for (size_t i = 0; i < a->n; i++)
			h = tn_fnv(h, a->v.strings[i], strlen(a->v.strings[i]) + 1);
		return h;
	}
	return h;
}

static uint64_t hash_op(struct tn_edit *e, const struct tn_op *op)
{
	uint64_t h = tn_fnv_u64(TN_FNV_INIT, (uint64_t)op->kind);

	for (uint32_t i = 0; i < op->n_attrs; i++)
		h = hash_attr(h, &op->attrs[i]);
	for (uint32_t k = 0; k < op->n_inputs; k++)
		h = hash_tensor(e, h, tn_edit_in(e, op, k));
	h = hash_tensor(e, h, tn_edit_out(e, op, 0));
	return h ? h : 1;
}

static size_t slot(const struct tn_values_memo *m, uint64_t hash)
{
	size_t at = hash & (m->size - 1);

	while (m->hash[at] && m->hash[at] != hash)
		at = (at + 1) & (m->size - 1);
	return at;
}

static bool grow(struct tn_edit *e, struct tn_values_memo *m)
{
	const struct tn_values_memo old = *m;

	m->size = old.size ? 2 * old.size : 64;
	m->hash = TN_NEW_ARRAY(e->scratch, uint64_t, m->size);
	m->runs = TN_NEW_ARRAY(e->scratch, bool, m->size);
	if (!m->hash || !m->runs)
		return false;
	for (size_t i = 0; i < old.size; i++) {
		const size_t at = old.hash[i] ? slot(m, old.hash[i]) : 0;

		if (!old.hash[i])
			continue;
		m->hash[at] = old.hash[i];
		m->runs[at] = old.runs[i];
	}
	return true;
}

static struct tn_values_memo *memo_of(struct tn_edit *e)
{
	struct tn_values_memo *m = e->values;

	if (!m)
		m = e->values = TN_NEW(e->scratch, struct tn_values_memo);
	if (!m || (2 * m->used >= m->size && !grow(e, m))) {
		e->failed = true;
		return NULL;
	}
	return m;
}

/* Value i, the least first, `repeat` times each, all of them over and over. */
static uint8_t *all_values(
	struct tn_edit *e, const struct tn_tensor *t, int64_t n, int64_t repeat)
{
	const int64_t width = tn_dtype_bits(t->dtype) / 8;
	const int64_t count = tn_values_count(t);
	const int64_t least = t->dtype == DTYPE_U8 ? 0 : -count / 2;
	uint8_t *values = tn_arena_alloc(e->scratch, (size_t)(n * width));

	for (int64_t i = 0; values && i < n; i++) {
		const uint64_t value = (uint64_t)(least + i / repeat % count);

		for (int64_t b = 0; b < width; b++)
			values[i * width + b] = (uint8_t)(value >> (8 * b));
	}
	if (!values)
		e->failed = true;
	return values;
}

/* The activations of the ops, made a line of n elements; put back afterwards. */
struct lines {
	tn_tensor_id ids[TENSORS_MAX];
	struct tn_tensor saved[TENSORS_MAX];
	uint32_t n;
	bool full;
};

static void add_line(
	struct tn_edit *e, struct lines *l, tn_tensor_id id, const struct tn_shape *line)
{
	if (id.i == TN_NONE || tn_edit_is_constant(&e->g.tensors[id.i]))
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->ids[i].i == id.i)
			return;
	if (l->n == TENSORS_MAX) {
		l->full = true;
		return;
	}
	l->ids[l->n] = id;
	l->saved[l->n++] = e->g.tensors[id.i];
	if (!tn_edit_reshape(&e->g.tensors[id.i], line))
		l->full = true;
}

static const uint8_t *run(struct tn_edit *e, const tn_op_id *ids, uint32_t n,
	const struct tn_edit_given *given, uint32_t n_given, int64_t elements)
{
	const struct tn_shape line = { .rank = 1, .dim = { elements } };
	const uint8_t **results = NULL;
	struct lines l = { .n = 0 };

	for (uint32_t i = 0; i < n; i++) {
		const struct tn_op *op = &e->g.ops[ids[i].i];

		for (uint32_t k = 0; k < op->n_inputs; k++)
			add_line(e, &l, op->inputs[k], &line);
		add_line(e, &l, op->outputs[0], &line);
	}
	if (!l.full)
		results = tn_edit_run(e, ids, n, given, n_given);
	for (uint32_t i = 0; i < l.n; i++)
		e->g.tensors[l.ids[i].i] = l.saved[i];
	return results ? results[0] : NULL;
}

bool tn_values_fail(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_values_memo *m = memo_of(e);
	const size_t at = m ? slot(m, hash_op(e, op)) : 0;

	return m && m->hash[at] && !m->runs[at];
}

/* Runs the op alone, unless one like it was. */
static void learn(struct tn_edit *e, tn_op_id id)
{
	struct tn_values_memo *m = memo_of(e);
	const uint64_t hash = hash_op(e, &e->g.ops[id.i]);
	const size_t at = m ? slot(m, hash) : 0;

	if (!m || m->hash[at])
		return;
	m->hash[at] = hash;
	m->runs[at] = run(e, &id, 1, NULL, 0, 1) != NULL;
	m->used++;
}

/* The operands of chains, made once of each type. */
static const uint8_t *operand_values(struct tn_edit *e, const struct tn_tensor *t)
{
	struct tn_values_memo *m = memo_of(e);

	if (m && !m->values[t->dtype])
		m->values[t->dtype] = all_values(e, t, tn_values_count(t), 1);
	return m ? m->values[t->dtype] : NULL;
}

const uint8_t *tn_values_of_chain(struct tn_edit *e, const tn_op_id *ids, uint32_t n)
{
	struct tn_edit_given given;
	const struct tn_tensor *t;
	const uint8_t *results;
	uint32_t k;

	for (uint32_t i = n; i-- > 0;)
		if (tn_values_fail(e, &e->g.ops[ids[i].i]))
			return NULL;

	if (!tn_values_operand(e, &e->g.ops[ids[0].i], &k))
		return NULL;
	given.id = e->g.ops[ids[0].i].inputs[k];
	t = &e->g.tensors[given.id.i];
	if (!tn_values_count(t))
		return NULL;
	given.bytes = operand_values(e, t);
	results = given.bytes ? run(e, ids, n, &given, 1, tn_values_count(t)) : NULL;
	for (uint32_t i = 0; i < n && !results; i++)
		learn(e, ids[i]);
	return results;
}

const uint8_t *tn_values_of_pair(struct tn_edit *e, const tn_op_id *ids, uint32_t n,
	tn_tensor_id a, tn_tensor_id b)
{
	struct tn_edit_given given[2] = { { a, NULL }, { b, NULL } };

	if (tn_values_count(&e->g.tensors[a.i]) != 256 ||
		tn_values_count(&e->g.tensors[b.i]) != 256)
		return NULL;
	given[0].bytes = all_values(e, &e->g.tensors[a.i], 65536, 256);
	given[1].bytes = all_values(e, &e->g.tensors[b.i], 65536, 1);
	return e->failed ? NULL : run(e, ids, n, given, 2, 65536);
}

bool tn_values_has_kernel(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_variant plain = { false, HOLD_NONE };
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_call call;
	bool ok;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ok = tn_bind(&e->g, tn_edit_id(e, op), plain, &arena, &diags, &call) == TN_OK;
	tn_arena_release(&arena);
	return ok;
}
