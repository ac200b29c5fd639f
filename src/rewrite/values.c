#include "rewrite/values.h"

#include <string.h>

#include "base/fnv.h"
#include "base/strbuf.h"
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

/* What is known of an op, by a key of all that decides what it makes of its operand. */
struct entry {
	uint64_t hash; /* of the key; 0: free */
	char *key;
	size_t len;
	bool tried, runs;
	const uint8_t *results; /* for every value of its operand; NULL: not looked for */
};

/* Open addressing. */
struct tn_values_memo {
	struct entry *entries;
	size_t size, used;
	bool failures; /* an op was found that does not run */
	const uint8_t *values[DTYPE_COUNT]; /* of a chain's operand, by type */
};

static void key_u64(struct tn_strbuf *key, uint64_t value)
{
	tn_strbuf_add(key, (const char *)&value, sizeof(value));
}

static void key_text(struct tn_strbuf *key, const char *text)
{
	tn_strbuf_add(key, text, strlen(text) + 1);
}

static void key_tensor(struct tn_strbuf *key, const struct tn_tensor *t)
{
	const bool constant = t && tn_edit_is_constant(t);

	key_u64(key, !t ? 0 : constant ? 1 : 2 + (uint64_t)t->role);
	if (!t)
		return;
	key_u64(key, (uint64_t)t->dtype << 2 | (uint64_t)t->quant.damaged << 1 |
			     (uint64_t)t->has_strides);
	key_u64(key, (uint64_t)t->quant.n << 32 | t->quant.axis);
	for (uint32_t i = 0; i < t->quant.n; i++) {
		tn_strbuf_add(
			key, (const char *)&t->quant.scale[i], sizeof(t->quant.scale[i]));
		key_u64(key, (uint64_t)t->quant.zero_point[i]);
	}
	if (!constant)
		return;
	key_u64(key, t->shape.rank);
	key_u64(key, (uint64_t)t->data_bytes);
	tn_strbuf_add(key, (const char *)t->data, (size_t)t->data_bytes);
}

static void key_attr(struct tn_strbuf *key, const struct tn_attr *a)
{
	key_text(key, a->name);
	key_u64(key, (uint64_t)a->kind);
	key_u64(key, a->n);
	switch (a->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		key_u64(key, (uint64_t)a->v.i);
		return;
	case ATTR_FLOAT:
		tn_strbuf_add(key, (const char *)&a->v.f, sizeof(a->v.f));
		return;
	case ATTR_STRING:
		key_text(key, a->v.s);
		return;
	case ATTR_INTS:
		tn_strbuf_add(key, (const char *)a->v.ints, a->n * sizeof(*a->v.ints));
		return;
	case ATTR_FLOATS:
		tn_strbuf_add(
			key, (const char *)a->v.floats, a->n * sizeof(*a->v.floats));
		return;
	case ATTR_STRINGS:
		for (size_t i = 0; i < a->n; i++)
			key_text(key, a->v.strings[i]);
		return;
	}
}

static void make_key(struct tn_edit *e, const struct tn_op *op, struct tn_strbuf *key)
{
	key_u64(key, (uint64_t)op->kind);
	key_u64(key, op->n_attrs);
	for (uint32_t i = 0; i < op->n_attrs; i++)
		key_attr(key, &op->attrs[i]);
	for (uint32_t k = 0; k < op->n_inputs; k++)
		key_tensor(key, tn_edit_in(e, op, k));
	key_tensor(key, tn_edit_out(e, op, 0));
}

static bool grow(struct tn_edit *e, struct tn_values_memo *m)
{
	const struct tn_values_memo old = *m;

	m->size = old.size ? 2 * old.size : 64;
	m->entries = TN_NEW_ARRAY(e->scratch, struct entry, m->size);
	for (size_t i = 0; m->entries && i < old.size; i++) {
		size_t at = old.entries[i].hash & (m->size - 1);

		if (!old.entries[i].hash)
			continue;
		while (m->entries[at].hash)
			at = (at + 1) & (m->size - 1);
		m->entries[at] = old.entries[i];
	}
	return m->entries;
}

static struct tn_values_memo *memo_of(struct tn_edit *e)
{
	if (!e->values)
		e->values = TN_NEW(e->scratch, struct tn_values_memo);
	e->failed = e->failed || !e->values;
	return e->values;
}

static struct entry *find(
	struct tn_edit *e, struct tn_values_memo *m, const char *key, size_t len)
{
	const uint64_t hash = tn_fnv(TN_FNV_INIT, key, len) | 1;
	size_t at = hash & (m->size - 1);
	struct entry *entry;

	for (; m->entries[at].hash; at = (at + 1) & (m->size - 1))
		if (m->entries[at].hash == hash && m->entries[at].len == len &&
			memcmp(m->entries[at].key, key, len) == 0)
			return &m->entries[at];
	entry = &m->entries[at];
	entry->key = tn_arena_alloc(e->scratch, len);
	if (!entry->key)
		return NULL;
	memcpy(entry->key, key, len);
	entry->len = len;
	entry->hash = hash;
	m->used++;
	return entry;
}

/* The op's entry, made if there is none; valid until the next is asked for. NULL: no
 * memory. */
static struct entry *entry_of(struct tn_edit *e, const struct tn_op *op)
{
	struct tn_values_memo *m = memo_of(e);
	struct entry *entry = NULL;
	struct tn_strbuf key;

	tn_strbuf_init(&key);
	make_key(e, op, &key);
	if (m && !key.failed && (2 * m->used < m->size || grow(e, m)))
		entry = find(e, m, key.text, key.len);
	tn_strbuf_release(&key);
	e->failed = e->failed || !entry;
	return entry;
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
	struct lines l; /* large: what is not in use is not set */

	l.n = 0;
	l.full = false;
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
	const struct entry *entry;

	if (!e->values || !e->values->failures)
		return false; /* as in most graphs: no key is needed to know it */
	entry = entry_of(e, op);
	return entry && entry->tried && !entry->runs;
}

/* Runs the op alone, unless one like it was. */
static void learn(struct tn_edit *e, tn_op_id id)
{
	struct entry *entry = entry_of(e, &e->g.ops[id.i]);

	if (!entry || entry->tried)
		return;
	entry->tried = true;
	entry->runs = run(e, &id, 1, NULL, 0, 1) != NULL;
	e->values->failures = e->values->failures || !entry->runs;
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
	struct entry *known;
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
	known = n == 1 ? entry_of(e, &e->g.ops[ids[0].i]) : NULL;
	if (known && known->results)
		return known->results;
	results = given.bytes ? run(e, ids, n, &given, 1, tn_values_count(t)) : NULL;
	if (known)
		known->results = results;
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
