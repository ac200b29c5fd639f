/* Remedies of a rejected set. Each is tried before it is told: the changed set is proved. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "claims/court.h"

#include "base/banned.h"

struct remedies {
	struct tn_court *c;
	const struct tn_graph *g;
	const struct tn_model *m;
	const struct tn_claim *const *claims;
	uint32_t n;
	const struct tn_trial *trial;
	uint32_t blamed; /* position in the set */
	struct tn_arena *scratch; /* of the trial */
	struct tn_arena *arena; /* of the verdict */
	TN_VEC(struct tn_claim_remedy) list;
	enum tn_status status;
};

static void add(struct remedies *r, const char *kind, int64_t bytes, const char *text)
{
	struct tn_claim_remedy remedy = { kind, text, bytes };

	if (!text || !tn_vec_push(r->arena, &r->list, remedy))
		r->status = TN_ERR_NOMEM;
}

static bool proves(struct remedies *r, const struct tn_claim *const *claims, uint32_t n,
	const struct tn_run_change *change)
{
	struct tn_arena own;
	struct tn_trial trial;
	enum tn_status status;

	if (r->status != TN_OK)
		return false;
	tn_arena_init(&own);
	status = tn_court_try(r->c, claims, n, change, &own, &trial);
	tn_arena_release(&own);
	if (status != TN_OK)
		r->status = status;
	/* what the graph itself does wrong is no way out */
	return status == TN_OK && trial.result == CLAIM_PROVED && !trial.why;
}

/* The set with one claim replaced (or, when `with` is NULL, left out), and perhaps one
 * more. */
static bool proves_with(struct remedies *r, uint32_t at, const struct tn_claim *with,
	const struct tn_claim *more)
{
	const struct tn_claim **set =
		TN_NEW_ARRAY(r->scratch, const struct tn_claim *, (size_t)r->n + 1);
	uint32_t n = 0;

	if (!set) {
		r->status = TN_ERR_NOMEM;
		return false;
	}
	for (uint32_t i = 0; i < r->n; i++)
		if (i != at || with)
			set[n++] = i == at ? with : r->claims[i];
	if (more)
		set[n++] = more;
	return proves(r, set, n, NULL);
}

static int64_t bytes_of(const struct remedies *r, uint32_t tensor)
{
	const struct tn_form *f = &r->m->form[tensor];

	return (f->hi - f->lo + 7) / 8;
}

static const char *name(const struct remedies *r, uint32_t tensor)
{
	return r->g->tensors[tensor].name;
}

/* Give up the claim. */
static void without(struct remedies *r)
{
	const struct tn_claim *c = r->claims[r->blamed];
	uint32_t tensor = tn_claim_is(c, "inplace") ? c->out.i : c->tensor.i;
	const char *op = c->op.i < r->g->n_ops ? r->g->ops[c->op.i].name : "";

	if (tn_claim_is(c, "plan") || tn_claim_is(c, "scratch") ||
		!proves_with(r, r->blamed, NULL, NULL))
		return;
	if (tn_claim_is(c, "schedule"))
		add(r, "given_order", 0,
			tn_arena_strdup(r->arena, "keep the order of the graph"));
	else if (tn_claim_is(c, "const_fold"))
		add(r, "no_fold", 0,
			tn_arena_printf(r->arena, "do not fold '%s'", name(r, tensor)));
	else if (tn_claim_is(c, "drop"))
		add(r, "keep_op", 0, tn_arena_printf(r->arena, "run '%s'", op));
	else if (tn_claim_is(c, "elide"))
		add(r, "keep_op",
			r->g->ops[c->op.i].n_outputs &&
					r->g->ops[c->op.i].outputs[0].i != TN_NONE
				? bytes_of(r, r->g->ops[c->op.i].outputs[0].i)
				: 0,
			tn_arena_printf(r->arena, "run '%s': let it copy", op));
	else
		add(r, "out_of_place", bytes_of(r, tensor),
			tn_arena_printf(r->arena, "give '%s' memory of its own",
				name(r, tensor)));
}

static void other_operand(struct remedies *r)
{
	const struct tn_claim *c = r->claims[r->blamed];
	const struct tn_op *op;

	if (!tn_claim_is(c, "inplace"))
		return;
	op = &r->g->ops[c->op.i];
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		struct tn_claim other = *c;
		bool seen = op->inputs[k].i == TN_NONE || op->inputs[k].i == c->in.i;

		for (uint32_t i = 0; i < k && !seen; i++)
			seen = op->inputs[i].i == op->inputs[k].i;
		if (seen)
			continue;
		other.in = op->inputs[k];
		if (proves_with(r, r->blamed, &other, NULL))
			add(r, "other_operand", 0,
				tn_arena_printf(r->arena, "write '%s' over '%s' instead",
					name(r, c->out.i), name(r, other.in.i)));
	}
}

/* Does op b need something that op a writes, or write what it touches? */
static bool tied_together(const struct remedies *r, uint32_t a, uint32_t b)
{
	const struct tn_op *x = &r->g->ops[a], *y = &r->g->ops[b];

	for (uint32_t i = 0; i < x->n_inputs + x->n_outputs; i++)
		for (uint32_t k = 0; k < y->n_inputs + y->n_outputs; k++) {
			const struct tn_form *f = tn_model_operand(r->m, a, i);
			const struct tn_form *h = tn_model_operand(r->m, b, k);

			if (f && h && f->root == h->root &&
				(i >= x->n_inputs || k >= y->n_inputs))
				return true;
		}
	return false;
}

/* The order of the trial, with the writer, and what hangs on it, behind the reader. */
static tn_op_id *delayed(const struct remedies *r, uint32_t writer, uint32_t reader)
{
	const uint32_t *order = r->trial->setting.order;
	uint32_t n = r->g->n_ops, from = n, to = n, out = 0;
	tn_op_id *list = TN_NEW_ARRAY(r->scratch, tn_op_id, n);
	bool *late = TN_NEW_ARRAY(r->scratch, bool, n);

	if (!list || !late)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		from = order[i] == writer ? i : from;
		to = order[i] == reader ? i : to;
	}
	if (from >= to || to == n)
		return NULL;
	late[writer] = true;
	for (uint32_t i = from + 1; i <= to; i++)
		for (uint32_t k = from; k < i && !late[order[i]]; k++)
			late[order[i]] =
				late[order[k]] && tied_together(r, order[k], order[i]);
	if (late[reader])
		return NULL;
	for (uint32_t i = 0; i < from; i++)
		list[out++].i = order[i];
	for (uint32_t i = from; i <= to; i++)
		if (!late[order[i]])
			list[out++].i = order[i];
	for (uint32_t i = from; i <= to; i++)
		if (late[order[i]])
			list[out++].i = order[i];
	for (uint32_t i = to + 1; i < n; i++)
		list[out++].i = order[i];
	return list;
}

static bool between_ops(const struct tn_claim_witness *w)
{
	return w->writer.kind == ACTOR_OP && w->reader.kind == ACTOR_OP &&
	       w->writer.op.i != w->reader.op.i && w->invocation == 1;
}

static void another_order(struct remedies *r)
{
	const struct tn_claim_witness *w = &r->trial->worst.witness;
	struct tn_claim order = { .id = "order",
		.kind = "schedule",
		.op = { TN_NONE },
		.in = { TN_NONE },
		.out = { TN_NONE },
		.tensor = { TN_NONE },
		.of = { TN_NONE },
		.n_order = r->g->n_ops };

	if (!between_ops(w))
		return;
	order.order = delayed(r, w->writer.op.i, w->reader.op.i);
	if (order.order && (r->trial->setting.has_order
					   ? proves_with(r, r->trial->setting.order_claim,
						     &order, NULL)
					   : proves_with(r, TN_NONE, NULL, &order)))
		add(r, "another_order", 0,
			tn_arena_printf(r->arena, "run '%s' before '%s'", w->reader.name,
				w->writer.name));
}

static void inserted_copy(struct remedies *r)
{
	const struct tn_claim_witness *w = &r->trial->worst.witness;
	struct tn_run_change change = { .op = TN_NONE };

	if (!between_ops(w) || r->trial->worst.loss->kind != LOSS_READ ||
		w->victim.i == TN_NONE || !r->trial->worst.loss->expected_ran)
		return;
	change.reader = w->reader.op.i;
	change.victim = w->victim.i;
	if (proves(r, r->claims, r->n, &change))
		add(r, "inserted_copy", bytes_of(r, w->victim.i),
			tn_arena_printf(r->arena, "copy '%s' for '%s' before '%s' runs",
				name(r, w->victim.i), w->reader.name, w->writer.name));
}

static bool proves_kernel(struct remedies *r, uint32_t op, const struct tn_kernel *kernel)
{
	struct tn_run_change change = {
		.op = op, .kernel = kernel, .reader = TN_NONE, .victim = TN_NONE
	};

	return proves(r, r->claims, r->n, &change);
}

/* Bytes of one row, or of the plane of a channel, of the op's first input. */
static int64_t group_bytes(const struct remedies *r, uint32_t op, bool row)
{
	const struct tn_form *f = tn_model_operand(r->m, op, 0);
	int64_t last = f && f->rank ? f->dim[f->rank - 1] : 1;

	if (!f || !last)
		return 0;
	return ((row ? last : f->n / last) * f->width + 7) / 8;
}

static int64_t out_bytes(const struct remedies *r, uint32_t op)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < r->g->ops[op].n_outputs; k++)
		if (r->g->ops[op].outputs[k].i != TN_NONE)
			sum += bytes_of(r, r->g->ops[op].outputs[k].i);
	return sum;
}

/* Kernels that would work where this one does not: those that hold less come first, and
 * the one that holds all is told only when no other works. */
static void other_kernel(struct remedies *r)
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
		add(r, "another_direction", 0,
			tn_arena_printf(r->arena, "run '%s' %s", me,
				k.desc ? "from its last element to its first"
				       : "from its first element to its last"));
	k = r->m->kernel[op];
	k.prezero = false;
	k.passes = 1;
	if ((r->m->kernel[op].prezero || r->m->kernel[op].passes > 1) &&
		proves_kernel(r, op, &k))
		add(r, "one_pass", 0,
			tn_arena_printf(r->arena,
				"a kernel for '%s' that writes each element once, after "
				"it "
				"has read what it needs",
				me));
	k = r->m->kernel[op];
	k.row_buffered = true;
	if (k.kind == KERNEL_ROW && proves_kernel(r, op, &k))
		add(r, "buffered_kernel", group_bytes(r, op, true),
			tn_arena_printf(
				r->arena, "a kernel for '%s' that holds a row back", me));
	k = r->m->kernel[op];
	k.channel_buffered = true;
	if (k.kind == KERNEL_PLANE && proves_kernel(r, op, &k))
		add(r, "buffered_kernel", group_bytes(r, op, false),
			tn_arena_printf(r->arena,
				"a kernel for '%s' that holds the plane of a channel "
				"back",
				me));
	k = r->m->kernel[op];
	k.variant.hold = HOLD_PIXEL;
	if (k.kind == KERNEL_CONTRACT && proves_kernel(r, op, &k))
		add(r, "buffered_kernel",
			tn_contract_scratch(r->g, (tn_op_id){ op }, k.variant),
			tn_arena_printf(r->arena,
				"a kernel for '%s' that holds a pixel back", me));
	k = r->m->kernel[op];
	k.buffered = true;
	k.prezero = false;
	k.passes = 1;
	if (r->list.count == before && proves_kernel(r, op, &k))
		add(r, "buffered_kernel", out_bytes(r, op),
			tn_arena_printf(r->arena,
				"a kernel for '%s' that holds its whole output back",
				me));
}

/* The plan with one tensor elsewhere. */
static struct tn_claim *replaced(
	struct remedies *r, const struct tn_claim *plan, uint32_t tensor, int64_t offset)
{
	struct tn_claim *copy = TN_NEW(r->scratch, struct tn_claim);
	size_t n = plan->n_places;

	if (!copy)
		return NULL;
	*copy = *plan;
	copy->places = TN_NEW_ARRAY(r->scratch, struct tn_claim_place, n);
	if (!copy->places)
		return NULL;
	memcpy(copy->places, plan->places, n * sizeof(*plan->places));
	for (size_t i = 0; i < n; i++) {
		struct tn_claim_place *p = &copy->places[i];
		int64_t bytes, end;

		if (p->tensor.i == tensor)
			p->offset = offset;
		if (p->tensor.i >= r->g->n_tensors || p->offset < 0)
			continue;
		bytes = tn_max_i64(
			(r->m->storage_hi[p->tensor.i] - r->m->form[p->tensor.i].lo) / 8,
			p->size);
		if (copy->arena_bytes >= 0 && tn_add_i64(p->offset, bytes, &end))
			copy->arena_bytes = tn_max_i64(copy->arena_bytes, end);
	}
	return copy;
}

static bool is_planned(const struct tn_claim *plan, uint32_t tensor, int64_t *out_offset)
{
	for (uint32_t i = 0; i < plan->n_places; i++)
		if (plan->places[i].tensor.i == tensor && plan->places[i].offset >= 0) {
			*out_offset = plan->places[i].offset;
			return true;
		}
	return false;
}

/* A plan: a larger arena, or a tensor at another offset. */
static void another_offset(struct remedies *r)
{
	const struct tn_claim *plan = r->claims[r->blamed];
	const struct tn_claim_witness *w = &r->trial->worst.witness;
	uint32_t tensor = w->other.i != TN_NONE ? w->other.i : w->victim.i;
	int64_t align, offset, to;
	struct tn_claim *moved;

	if (!tn_claim_is(plan, "plan") || tensor == TN_NONE)
		return;
	tensor = r->m->form[tensor].root;
	align = tn_max_i64(tn_max_i64(plan->align, w->align), 16);
	if (!is_planned(plan, tensor, &offset))
		return;
	if (r->trial->worst.peril == PERIL_OUT_OF_ARENA)
		to = offset; /* and the arena grows */
	else if (!tn_align_up_i64(tn_max_i64(plan->arena_bytes, 0), align, &to))
		return;
	if (r->trial->worst.peril == PERIL_MISALIGNED &&
		tn_align_up_i64(offset, align, &offset))
		to = offset;
	moved = replaced(r, plan, tensor, to);
	if (!moved) {
		r->status = TN_ERR_NOMEM;
		return;
	}
	if (!proves_with(r, r->blamed, moved, NULL))
		return;
	if (r->trial->worst.peril == PERIL_OUT_OF_ARENA)
		add(r, "larger_arena", moved->arena_bytes - plan->arena_bytes,
			tn_arena_printf(r->arena, "an arena of %" PRId64 " B",
				moved->arena_bytes));
	else
		add(r, "another_offset",
			tn_max_i64(moved->arena_bytes - plan->arena_bytes, 0),
			tn_arena_printf(r->arena,
				"place '%s' at %" PRId64 ", in an arena of %" PRId64 " B",
				name(r, tensor), to, moved->arena_bytes));
}

static void aligned_base(struct remedies *r)
{
	struct tn_claim aligned = *r->claims[r->blamed];

	if (r->trial->worst.peril != PERIL_MISALIGNED || !tn_claim_is(&aligned, "plan") ||
		aligned.base_address <= 0)
		return;
	aligned.base_address = 0;
	if (proves_with(r, r->blamed, &aligned, NULL))
		add(r, "aligned_base", r->trial->worst.witness.align - 1,
			tn_arena_printf(r->arena,
				"align the arena itself to %" PRId64
				" B, or give it %" PRId64 " B more to do so",
				r->trial->worst.witness.align,
				r->trial->worst.witness.align - 1));
}

static void larger_scratch(struct remedies *r)
{
	struct tn_claim larger = *r->claims[r->blamed];

	if (r->trial->worst.peril != PERIL_SCRATCH_SIZE ||
		!tn_claim_is(&larger, "scratch"))
		return;
	larger.bytes = r->trial->worst.witness.need;
	if (proves_with(r, r->blamed, &larger, NULL))
		add(r, "larger_scratch", larger.bytes - r->claims[r->blamed]->bytes,
			tn_arena_printf(
				r->arena, "scratch of %" PRId64 " B", larger.bytes));
}

/* None of these: claim after claim, what can hold together. */
static void fewer_claims(struct remedies *r)
{
	const struct tn_claim **kept =
		TN_NEW_ARRAY(r->scratch, const struct tn_claim *, r->n);
	const char *gone = "";
	uint32_t n = 0;

	if (r->n < 2 || r->list.count || !kept)
		return;
	for (uint32_t i = 0; i < r->n && gone; i++) {
		kept[n] = r->claims[i];
		if (proves(r, kept, n + 1, NULL))
			n++;
		else
			gone = tn_arena_printf(r->arena, "%s%s'%s'", gone,
				gone[0] ? ", " : "", r->claims[i]->id);
	}
	if (!gone)
		r->status = TN_ERR_NOMEM;
	else if (n)
		add(r, "fewer_claims", 0,
			tn_arena_printf(
				r->arena, "give up %s: the others hold together", gone));
}

enum tn_status tn_court_remedies(struct tn_court *c, const struct tn_claim *const *claims,
	uint32_t n, struct tn_trial *trial, struct tn_arena *scratch,
	struct tn_arena *arena, struct tn_claim_verdict *out)
{
	struct remedies r = { .c = c,
		.g = c->g,
		.m = &c->model,
		.claims = claims,
		.n = n,
		.trial = trial,
		.blamed = trial->worst.claim,
		.scratch = scratch,
		.arena = arena,
		.status = TN_OK };

	if (!n)
		return TN_OK;
	if (r.blamed >= n)
		r.blamed = n - 1;
	another_order(&r);
	other_operand(&r);
	other_kernel(&r);
	another_offset(&r);
	aligned_base(&r);
	larger_scratch(&r);
	inserted_copy(&r);
	without(&r);
	fewer_claims(&r);
	out->remedies = r.list.items;
	out->n_remedies = r.list.count;
	return r.status;
}
