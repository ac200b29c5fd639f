/* A chain of ops on single elements from one byte to another: one op. What it gives is
 * computed for all 256 values, so that floats in between and their rounding are kept
 * exactly. A known op of the chain that gives the same is taken, else a TABLE. */
#include <string.h>

#include "rewrite/synonym.h"
#include "rewrite/values.h"

#include "base/banned.h"

struct chain {
	tn_op_id ids[TN_VALUES_OPS_MAX]; /* from the first to the last */
	uint32_t n;
	tn_tensor_id in;
};

static bool is_byte(const struct tn_tensor *t)
{
	return tn_values_count(t) == 256 && !t->quant.damaged;
}

/* Who writes operand k, when the chain may go on there. Past a DEQUANTIZE that others
 * read, too, it ends: they still need it. */
static struct tn_op *step_back(
	struct tn_edit *e, const struct tn_op *op, uint32_t k, bool *out_shared)
{
	struct tn_op *before = tn_edit_producer(e, op, k);

	*out_shared = !tn_edit_private(e, op->inputs[k]);
	return before && (!*out_shared || before->kind == OP_DEQUANTIZE) ? before : NULL;
}

/* The longest chain that ends with `last`: false when it is not at least two ops. */
static bool find(struct tn_edit *e, struct tn_op *last, struct chain *c)
{
	tn_op_id back[TN_VALUES_OPS_MAX];
	struct tn_op *op = last;
	uint32_t n = 0, k;
	bool shared = false;

	*c = (struct chain){ .n = 0 };
	while (op && n < TN_VALUES_OPS_MAX && tn_values_operand(e, op, &k)) {
		back[n++] = tn_edit_id(e, op);
		if (n > 1 && is_byte(tn_edit_in(e, op, k)) &&
			tn_edit_stable(e, op->inputs[k])) {
			c->n = n;
			c->in = op->inputs[k];
		}
		op = shared ? NULL : step_back(e, op, k, &shared);
	}
	for (uint32_t i = 0; i < c->n; i++)
		c->ids[i] = back[c->n - 1 - i];
	return c->n > 1;
}

static bool is_identity(
	const struct tn_tensor *in, const struct tn_tensor *out, const uint8_t *results)
{
	const int least = in->dtype == DTYPE_U8 ? 0 : -128;

	for (int i = 0; i < 256; i++)
		if (results[i] != (uint8_t)(least + i))
			return false;
	return tn_edit_same_type(in, out);
}

/* Does the last op, made this one, give the results? Left so when it does. */
static bool become(struct tn_edit *e, const struct chain *c, enum tn_op_kind kind,
	const struct tn_op *attrs_of, const uint8_t *results)
{
	const tn_op_id id = c->ids[c->n - 1];
	struct tn_op *op = &e->g.ops[id.i];
	const struct tn_op saved = *op;
	tn_tensor_id in = c->in;
	const uint8_t *others;

	op->kind = kind;
	op->attrs = attrs_of ? attrs_of->attrs : NULL;
	op->n_attrs = attrs_of ? attrs_of->n_attrs : 0;
	op->inputs = &in;
	op->n_inputs = 1;
	others = tn_values_of_chain(e, &id, 1);
	op->inputs = saved.inputs;
	op->n_inputs = saved.n_inputs;
	if (others && memcmp(others, results, 256) == 0) {
		tn_synonym_rename(e, op, kind);
		return true;
	}
	*op = saved;
	return false;
}

/* Would an earlier op of the chain make the same op of it? */
static bool was_tried(const struct tn_edit *e, const struct chain *c, uint32_t i)
{
	const struct tn_op *op = &e->g.ops[c->ids[i].i];

	for (uint32_t k = 0; k < i; k++) {
		const struct tn_op *other = &e->g.ops[c->ids[k].i];

		if (other->kind == op->kind && other->n_inputs == 1 && !other->n_attrs &&
			!op->n_attrs)
			return true;
	}
	return false;
}

static bool become_known(struct tn_edit *e, const struct chain *c, const uint8_t *results)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct tn_op *op = &e->g.ops[c->ids[i].i];

		if (op->n_inputs == 1 && op->kind != OP_DEQUANTIZE &&
			op->kind != OP_FAKE_QUANT && !was_tried(e, c, i) &&
			become(e, c, op->kind, op, results))
			return true;
	}
	return become(e, c, OP_QUANTIZE, NULL, results);
}

static void become_table(struct tn_edit *e, struct tn_op *op, const uint8_t *results)
{
	const bool is_signed = tn_edit_out(e, op, 0)->dtype == DTYPE_I8;
	int64_t values[256];

	for (int i = 0; i < 256; i++)
		values[i] = is_signed ? (int8_t)results[i] : results[i];
	tn_synonym_rename(e, op, OP_TABLE);
	tn_edit_drop_attrs(op);
	tn_edit_attr_ints(e, op, "table", values, 256);
}

static void join(struct tn_edit *e, const struct chain *c, const uint8_t *results)
{
	struct tn_op *last = &e->g.ops[c->ids[c->n - 1].i];

	if (is_identity(&e->g.tensors[c->in.i], tn_edit_out(e, last, 0), results)) {
		tn_synonym_rename(e, last, OP_RESHAPE); /* which is no op then */
		tn_edit_drop_attrs(last);
	} else if (!become_known(e, c, results)) {
		become_table(e, last, results);
	}
	tn_edit_set_inputs(e, last, &c->in, 1);
	for (uint32_t i = c->n - 1; i-- > 0;) {
		struct tn_op *op = &e->g.ops[c->ids[i].i];
		const tn_tensor_id out = op->outputs[0];
		struct tn_rewrite *done;

		if (e->pinned[out.i] || e->reads[out.i])
			break; /* others read what it gives */
		done = tn_edit_done(e, last, op);
		done->tensor = e->g.tensors[out.i].name;
		done->ram_bytes = e->g.tensors[out.i].bytes;
		tn_edit_kill(e, op);
	}
}

void tn_rewrite_chains(struct tn_edit *e)
{
	for (uint32_t i = e->g.n_ops; i-- > 0;) {
		struct tn_op *op = tn_edit_op(e, i);
		const uint8_t *results;
		struct chain c;
		uint32_t k;

		if (!op || op->n_outputs != 1 || !tn_edit_out(e, op, 0) ||
			!is_byte(tn_edit_out(e, op, 0)) ||
			!tn_values_operand(e, op, &k) || tn_values_fail(e, op) ||
			!find(e, op, &c))
			continue;
		results = tn_values_of_chain(e, c.ids, c.n);
		if (results)
			join(e, &c, results);
	}
}
