/* Remedies: another kernel for the op. */
#include "claims/remedy.h"

#include "base/banned.h"

static bool proves_kernel(
	struct tn_remedies *r, uint32_t op, const struct tn_kernel *kernel)
{
	struct tn_run_change change = { .op = op, .kernel = kernel };

	return tn_remedy_proves(r, r->claims, r->n, &change);
}

static void add_kernel(struct tn_remedies *r, const char *kind, int64_t bytes,
	const char *text, uint32_t op, const struct tn_kernel *kernel)
{
	struct tn_fix *fix = tn_remedy_add(r, kind, bytes, text);

	if (!fix)
		return;
	fix->op = op;
	fix->kernel = *kernel;
}

/* Bytes of one row, or of the plane of a channel, of the op's first input. */
static int64_t group_bytes(const struct tn_remedies *r, uint32_t op, bool row)
{
	const struct tn_form *f = tn_model_operand(r->m, op, 0);
	int64_t last = f && f->rank ? f->dim[f->rank - 1] : 1;

	if (!f || !last)
		return 0;
	return ((row ? last : f->n / last) * f->width + 7) / 8;
}

static int64_t out_bytes(const struct tn_remedies *r, uint32_t op)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < r->g->ops[op].n_outputs; k++)
		if (r->g->ops[op].outputs[k].i != TN_NONE)
			sum += tn_remedy_bytes(r, r->g->ops[op].outputs[k].i);
	return sum;
}

/* Kernels that would work where this one does not: those that hold less come first, and
 * the one that holds all is told only when no other works. */
void tn_remedy_kernel(struct tn_remedies *r)
{
	const struct tn_claim_witness *w = &r->trial->worst.witness;
	uint32_t op = w->writer.op.i;
	struct tn_kernel k;
	size_t before = r->list.count;
	const char *me;

	if (w->writer.kind != ACTOR_OP || w->reader.kind != ACTOR_OP ||
		w->reader.op.i != op || r->trial->worst.loss->kind != LOSS_READ)
		return;
	me = r->g->ops[op].name;
	k = r->m->kernel[op];
	k.desc = !k.desc;
	k.variant.descending = k.desc;
	if (proves_kernel(r, op, &k))
		add_kernel(r, "another_direction", 0,
			tn_arena_printf(r->arena, "run '%s' %s", me,
				k.desc ? "from its last element to its first"
				       : "from its first element to its last"),
			op, &k);
	k = r->m->kernel[op];
	k.prezero = false;
	k.passes = 1;
	if ((r->m->kernel[op].prezero || r->m->kernel[op].passes > 1) &&
		proves_kernel(r, op, &k))
		add_kernel(r, "one_pass", 0,
			tn_arena_printf(r->arena,
				"a kernel for '%s' that writes each element once, after "
				"it "
				"has read what it needs",
				me),
			op, &k);
	k = r->m->kernel[op];
	k.row_buffered = true;
	if (k.kind == KERNEL_ROW && proves_kernel(r, op, &k))
		add_kernel(r, "buffered_kernel", group_bytes(r, op, true),
			tn_arena_printf(
				r->arena, "a kernel for '%s' that holds a row back", me),
			op, &k);
	k = r->m->kernel[op];
	k.channel_buffered = true;
	if (k.kind == KERNEL_PLANE && proves_kernel(r, op, &k))
		add_kernel(r, "buffered_kernel", group_bytes(r, op, false),
			tn_arena_printf(r->arena,
				"a kernel for '%s' that holds the plane of a channel "
				"back",
				me),
			op, &k);
	k = r->m->kernel[op];
	k.variant.hold = HOLD_PIXEL;
	if (k.kind == KERNEL_CONTRACT && proves_kernel(r, op, &k))
		add_kernel(r, "buffered_kernel",
			tn_contract_scratch(r->g, (tn_op_id){ op }, k.variant),
			tn_arena_printf(r->arena,
				"a kernel for '%s' that holds a pixel back", me),
			op, &k);
	k = r->m->kernel[op];
	k.buffered = true;
	k.prezero = false;
	k.passes = 1;
	if (r->list.count == before && proves_kernel(r, op, &k))
		add_kernel(r, "buffered_kernel", out_bytes(r, op),
			tn_arena_printf(r->arena,
				"a kernel for '%s' that holds its whole output back", me),
			op, &k);
}
