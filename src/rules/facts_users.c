/* Who makes and who reads a tensor, and who is called the same. */
#include <string.h>

#include "base/fnv.h"
#include "rules/facts_part.h"

#include "base/banned.h"

/* How many tensors have the name: equal names are equal pointers, but pointers have no
 * order that may be seen, so they are hashed. */
static enum tn_status count_names(struct tn_facts_source *s)
{
	const struct tn_graph *g = s->g;
	size_t size = 16;
	uint32_t *slot; /* a tensor of the name, or TN_NONE */
	uint32_t *count = TN_NEW_ARRAY(s->arena, uint32_t, g->n_tensors);

	while (size < 2 * (size_t)g->n_tensors)
		size *= 2;
	slot = TN_NEW_ARRAY(s->arena, uint32_t, size);
	if (!slot || !count)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < size; i++)
		slot[i] = TN_NONE;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < g->n_tensors; i++) {
			const char *name = g->tensors[i].name;
			size_t at = tn_fnv(TN_FNV_INIT, name, strlen(name)) & (size - 1);

			while (slot[at] != TN_NONE &&
				strcmp(g->tensors[slot[at]].name, name) != 0)
				at = (at + 1) & (size - 1);
			if (slot[at] == TN_NONE)
				slot[at] = i;
			if (pass == 0)
				count[slot[at]]++;
			else
				count[i] = count[slot[at]];
		}
	}
	s->users.same_name = count;
	return TN_OK;
}

static enum tn_status find_ops(struct tn_facts_source *s)
{
	const struct tn_graph *g = s->g;
	struct tn_facts_users *t = &s->users;

	t->producer = TN_NEW_ARRAY(s->arena, uint32_t, g->n_tensors);
	t->reader = TN_NEW_ARRAY(s->arena, uint32_t, g->n_tensors);
	t->readers = TN_NEW_ARRAY(s->arena, uint32_t, g->n_tensors);
	t->is_input = TN_NEW_ARRAY(s->arena, bool, g->n_tensors);
	t->is_output = TN_NEW_ARRAY(s->arena, bool, g->n_tensors);
	if (!t->producer || !t->reader || !t->readers || !t->is_input || !t->is_output)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		t->producer[i] = t->reader[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];

		for (uint32_t k = 0; k < op->n_inputs; k++) {
			const uint32_t in = op->inputs[k].i;

			if (!tn_tensor_id_ok(g, op->inputs[k]))
				continue;
			t->readers[in]++;
			if (t->reader[in] == TN_NONE)
				t->reader[in] = i;
		}
		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (tn_tensor_id_ok(g, op->outputs[k]))
				t->producer[op->outputs[k].i] = i;
	}
	for (uint32_t i = 0; i < g->n_inputs; i++)
		t->is_input[g->inputs[i].i] = true;
	for (uint32_t i = 0; i < g->n_outputs; i++)
		t->is_output[g->outputs[i].i] = true;
	return TN_OK;
}

enum tn_status tn_facts_find_users(struct tn_facts_source *s)
{
	const uint64_t ops = BIT(F_PRODUCER) | BIT(F_READERS) | BIT(F_READER) |
			     BIT(F_IS_INPUT) | BIT(F_IS_OUTPUT);
	enum tn_status status = TN_OK;

	if (s->fields & ops)
		status = find_ops(s);
	if (status == TN_OK && s->fields & BIT(F_SAME_NAME))
		status = count_names(s);
	return status;
}
