#include "verify/reference.h"

bool tn_reference_fresh(struct tn_deed *deed, uint32_t k, struct tn_arena *arena)
{
	struct tn_touch *t = &deed->touches[k];

	return tn_memory_write(
		&t->made, arena, 0, tn_operand_bytes(t->o), deed->first_value + k, 0);
}

/* What a tensor holds now; a constant as well. */
static bool snapshot(struct tn_reference *ref, struct tn_arena *arena, uint32_t tensor,
	struct tn_memory *to)
{
	const struct tn_extent *at = &ref->storage.extent[tensor];

	return tensor == TN_NONE || tn_memory_copy(to, arena, 0, &ref->state[at->root],
					    at->begin, at->end - at->begin);
}

static bool run_op(struct tn_reference *ref, uint32_t op, struct tn_arena *arena)
{
	const struct tn_graph *g = ref->storage.g;
	struct tn_deed *deed = &ref->deeds[op];
	struct tn_touch *t = deed->touches =
		TN_NEW_ARRAY(arena, struct tn_touch, deed->n);
	const bool keeps = tn_op_keeps_bytes(g, &g->ops[op]);
	bool ok = t;

	for (uint32_t k = 0; ok && k < deed->n; k++) {
		t[k].o = &ref->operands[op].list[k];
		ok = snapshot(ref, arena, t[k].o->tensor, &t[k].before);
	}
	for (uint32_t k = 0; ok && k < deed->n; k++) {
		if (t[k].o->writes && keeps)
			t[k].made = t[0].before; /* both are only read from here on */
		else if (t[k].o->writes)
			ok = tn_reference_fresh(deed, k, arena);
	}
	ok = ok && (keeps || !deed->n || tn_reference_copies(ref, op, arena));
	for (uint32_t k = 0; ok && k < deed->n; k++)
		if (t[k].o->writes)
			ok = tn_memory_copy(&ref->state[t[k].o->at.root], arena,
				t[k].o->at.begin, &t[k].made, 0,
				tn_operand_bytes(t[k].o));
	for (uint32_t k = 0; ok && k < deed->n; k++) {
		const int64_t len = tn_operand_bytes(t[k].o);

		ok = snapshot(ref, arena, t[k].o->tensor, &t[k].after);
		if (!t[k].o->writes && tn_memory_match(&t[k].after, 0, &t[k].before, 0,
					       len, false) < len)
			deed->tangled = true;
	}
	return ok;
}

static bool number_values(struct tn_reference *ref)
{
	uint64_t n = ref->storage.g->n_tensors;

	for (uint32_t i = 0; i < ref->storage.g->n_ops && n < TN_NOTHING; i++) {
		struct tn_deed *deed = &ref->deeds[i];

		deed->n = ref->operands[i].n;
		deed->first_value = (uint32_t)n;
		deed->garbage = deed->first_value + deed->n;
		n += (uint64_t)deed->n + 1;
	}
	ref->n_values = (uint32_t)n;
	return n < TN_NOTHING;
}

/* What is there before the first op. */
static bool fill(struct tn_reference *ref, struct tn_arena *arena)
{
	bool ok = true;

	for (uint32_t i = 0; i < ref->storage.g->n_tensors && ok; i++) {
		const struct tn_extent *at = &ref->storage.extent[i];

		if (ref->storage.given[i])
			ok = tn_memory_write(
				&ref->state[at->root], arena, at->begin, at->end, i, 0);
	}
	return ok;
}

enum tn_status tn_reference_run(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_reference *out)
{
	enum tn_status status;

	*out = (struct tn_reference){ .deeds = TN_NEW_ARRAY(
					      arena, struct tn_deed, g->n_ops),
		.state = TN_NEW_ARRAY(arena, struct tn_memory, g->n_tensors) };
	if (!out->deeds || !out->state)
		return TN_ERR_NOMEM;
	status = tn_storage_find(g, arena, &out->storage);
	if (status != TN_OK)
		return status;
	out->operands = tn_operands_find(&out->storage, arena);
	if (!out->operands || !number_values(out) || !fill(out, arena))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (!run_op(out, g->schedule[i].i, arena))
			return TN_ERR_NOMEM;
	return TN_OK;
}
