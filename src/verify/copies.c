/* What an op hands on unchanged. Learnt from the steps that the op's contract declares: a
 * step of an op that only copies writes what it has read, so the value of an output byte is
 * the value of the input byte that was read for it. */
#include "verify/reference.h"

/* A copy in more pieces than this is a value of its own: nobody can do without the op. */
#define PIECES_MAX 4096

struct copying {
	struct tn_deed *deed;
	struct tn_arena *arena;
	uint32_t n_inputs;
	bool copies; /* so far */
	bool failed;
};

static bool copy_run(void *user, const struct tn_step *s)
{
	struct copying *c = user;
	const struct tn_access *r = s->reads, *w = s->writes;
	struct tn_memory *from, *to;
	int64_t len = w->end - w->begin, n = s->count;

	c->copies = s->n_writes == 1 && s->n_reads < 2 &&
		    (!s->n_reads || r->end - r->begin == len);
	if (!c->copies || !s->n_reads) /* no read: a fill, or a constant */
		return c->copies;
	from = &c->deed->touches[r->operand].before;
	to = &c->deed->touches[c->n_inputs + w->operand].made;
	if (s->read_by == len && s->write_by == len) { /* side by side */
		len *= n;
		n = 1;
	}
	for (int64_t j = 0; j < n && c->copies; j++) {
		c->failed = !tn_memory_copy(to, c->arena, w->begin + j * s->write_by,
			from, r->begin + j * s->read_by, len);
		c->copies = !c->failed && to->count <= PIECES_MAX;
	}
	return c->copies;
}

bool tn_reference_copies(struct tn_reference *ref, uint32_t op, struct tn_arena *arena)
{
	const struct tn_graph *g = ref->storage.g;
	const struct tn_variant plain = { false, HOLD_NONE };
	struct tn_deed *deed = &ref->deeds[op];
	struct copying c = { deed, arena, g->ops[op].n_inputs, true, false };

	if (ref->operands[op].opaque || !tn_op_moves_elements(g, &g->ops[op]))
		return true;
	if (tn_contract_runs(g, (tn_op_id){ op }, plain, copy_run, &c) == TN_ERR_NOMEM ||
		c.failed)
		return false;
	for (uint32_t k = c.n_inputs; k < deed->n && !c.copies; k++) /* as it was */
		if (!tn_reference_fresh(deed, k, arena))
			return false;
	return true;
}
