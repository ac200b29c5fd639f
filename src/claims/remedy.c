/* Remedies of a rejected set. Each is tried before it is told: the changed set is proved. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "claims/remedy.h"

#include "base/banned.h"

struct tn_fix *tn_remedy_add(
	struct tn_remedies *r, const char *kind, int64_t bytes, const char *text)
{
	struct tn_fix fix = {
		.say = { kind, text, bytes }, .at = r->blamed, .op = TN_NONE
	};

	if (!text || !tn_vec_push(r->scratch, &r->list, fix)) {
		r->status = TN_ERR_NOMEM;
		return NULL;
	}
	return &r->list.items[r->list.count - 1];
}

bool tn_remedy_proves(struct tn_remedies *r, const struct tn_claim *const *claims,
	uint32_t n, const struct tn_run_change *change)
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

bool tn_remedy_proves_with(struct tn_remedies *r, uint32_t at,
	const struct tn_claim *with, const struct tn_claim *more)
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
	return tn_remedy_proves(r, set, n, NULL);
}

int64_t tn_remedy_bytes(const struct tn_remedies *r, uint32_t tensor)
{
	const struct tn_form *f = &r->m->form[tensor];

	return (f->hi - f->lo + 7) / 8;
}

static const char *name(const struct tn_remedies *r, uint32_t tensor)
{
	return r->g->tensors[tensor].name;
}

/* What it costs to give up the claim, and how that is called. */
static struct tn_fix *give_up(struct tn_remedies *r, const struct tn_claim *c)
{
	uint32_t tensor = tn_claim_is(c, "inplace") ? c->out.i : c->tensor.i;
	const struct tn_op *op = c->op.i < r->g->n_ops ? &r->g->ops[c->op.i] : NULL;
	uint32_t out = op && op->n_outputs ? op->outputs[0].i : TN_NONE;

	if (tn_claim_is(c, "schedule"))
		return tn_remedy_add(r, "given_order", 0,
			tn_arena_strdup(r->arena, "keep the order of the graph"));
	if (tn_claim_is(c, "const_fold"))
		return tn_remedy_add(r, "no_fold", 0,
			tn_arena_printf(r->arena, "do not fold '%s'", name(r, tensor)));
	if (tn_claim_is(c, "drop"))
		return tn_remedy_add(r, "keep_op", 0,
			tn_arena_printf(r->arena, "run '%s'", op ? op->name : ""));
	if (tn_claim_is(c, "elide"))
		return tn_remedy_add(r, "keep_op",
			out == TN_NONE ? 0 : tn_remedy_bytes(r, out),
			tn_arena_printf(
				r->arena, "run '%s': let it copy", op ? op->name : ""));
	return tn_remedy_add(r, "out_of_place", tn_remedy_bytes(r, tensor),
		tn_arena_printf(
			r->arena, "give '%s' memory of its own", name(r, tensor)));
}

static void without(struct tn_remedies *r)
{
	const struct tn_claim *c = r->claims[r->blamed];
	struct tn_fix *fix;

	if (tn_claim_is(c, "plan") || tn_claim_is(c, "scratch") ||
		!tn_remedy_proves_with(r, r->blamed, NULL, NULL))
		return;
	fix = give_up(r, c);
	if (fix)
		fix->drops = true;
}

/* A claim that outlives this function. */
static const struct tn_claim *kept(struct tn_remedies *r, const struct tn_claim *claim)
{
	struct tn_claim *copy = TN_NEW(r->scratch, struct tn_claim);

	if (copy)
		*copy = *claim;
	else
		r->status = TN_ERR_NOMEM;
	return copy;
}

static void other_operand(struct tn_remedies *r)
{
	const struct tn_claim *c = r->claims[r->blamed];
	const struct tn_op *op;
	struct tn_fix *fix;

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
		if (!tn_remedy_proves_with(r, r->blamed, &other, NULL))
			continue;
		fix = tn_remedy_add(r, "other_operand", 0,
			tn_arena_printf(r->arena, "write '%s' over '%s' instead",
				name(r, c->out.i), name(r, other.in.i)));
		if (fix)
			fix->with = kept(r, &other);
	}
}

/* Does op b need something that op a writes, or write what it touches? */
static bool tied_together(const struct tn_remedies *r, uint32_t a, uint32_t b)
{
	const struct tn_op *x = &r->g->ops[a], *y = &r->g->ops[b];

	if (!tn_work_take(
		    r->m->work, 1 + ((int64_t)x->n_inputs + x->n_outputs) *
						((int64_t)y->n_inputs + y->n_outputs)))
		return true; /* and no trial will prove it */
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
static tn_op_id *delayed(struct tn_remedies *r, uint32_t writer, uint32_t reader)
{
	const uint32_t *order = r->trial->setting.order;
	uint32_t n = r->g->n_ops, from = n, to = n, out = 0;
	tn_op_id *list = TN_NEW_ARRAY(r->scratch, tn_op_id, n);
	bool *late = TN_NEW_ARRAY(r->scratch, bool, n);

	if (!list || !late) {
		r->status = TN_ERR_NOMEM;
		return NULL;
	}
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

static void another_order(struct tn_remedies *r)
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
	bool has = r->trial->setting.has_order;
	uint32_t at = r->trial->setting.order_claim;
	struct tn_fix *fix;

	if (!between_ops(w))
		return;
	order.order = delayed(r, w->writer.op.i, w->reader.op.i);
	if (!order.order || !(has ? tn_remedy_proves_with(r, at, &order, NULL)
				  : tn_remedy_proves_with(r, TN_NONE, NULL, &order)))
		return;
	fix = tn_remedy_add(r, "another_order", 0,
		tn_arena_printf(r->arena, "run '%s' before '%s'", w->reader.name,
			w->writer.name));
	if (!fix)
		return;
	if (has) {
		fix->at = at;
		fix->with = kept(r, &order);
	} else {
		fix->more = kept(r, &order);
	}
}

/* Does an op that the copy would have to come after write the tensor, by the graph's own
 * word, before it is read? */
static bool written_between(const struct tn_remedies *r, const struct tn_claim_copy *copy)
{
	const uint32_t *order = r->trial->setting.order;
	uint32_t root = r->m->form[copy->tensor].root, i = 0;

	while (order[i] != copy->before)
		i++;
	for (; order[i] != copy->reader; i++) {
		const struct tn_op *op = &r->g->ops[order[i]];

		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (op->outputs[k].i != TN_NONE &&
				r->m->form[op->outputs[k].i].root == root)
				return true;
	}
	return false;
}

#define COPIES_MAX 8

/* A copy for each reader that misses what is overwritten. In parallel execution no edge
 * would put it before the writer. */
static void inserted_copy(struct tn_remedies *r)
{
	struct tn_claim_copy *copies =
		TN_NEW_ARRAY(r->scratch, struct tn_claim_copy, COPIES_MAX);
	struct tn_run_change change = { .op = TN_NONE, .copies = copies };
	struct tn_trial again = *r->trial;
	struct tn_arena own;
	const char *text = "copy";
	int64_t bytes = 0;
	bool proved = false;
	struct tn_fix *fix;

	if (r->c->options.execution == EXECUTION_PARALLEL)
		return;
	tn_arena_init(&own);
	while (copies && !proved && change.n_copies < COPIES_MAX) {
		const struct tn_claim_witness *w = &again.worst.witness;
		struct tn_claim_copy *copy = &copies[change.n_copies];

		if (again.result != CLAIM_REJECTED || !between_ops(w) ||
			again.worst.loss->kind != LOSS_READ || w->victim.i == TN_NONE ||
			!again.worst.loss->expected_ran)
			break;
		*copy = (struct tn_claim_copy){ w->victim.i, w->writer.op.i,
			w->reader.op.i };
		if (written_between(r, copy) ||
			!tn_add_i64(bytes, tn_remedy_bytes(r, copy->tensor), &bytes))
			break;
		text = tn_arena_printf(r->arena, "%s%s '%s' for '%s' before '%s' runs",
			text, change.n_copies ? "," : "", name(r, copy->tensor),
			w->reader.name, w->writer.name);
		change.n_copies++;
		r->status =
			text ? tn_court_try(r->c, r->claims, r->n, &change, &own, &again)
			     : TN_ERR_NOMEM;
		if (r->status != TN_OK)
			break;
		proved = again.result == CLAIM_PROVED && !again.why;
	}
	tn_arena_release(&own);
	if (!copies)
		r->status = TN_ERR_NOMEM;
	if (!proved)
		return;
	fix = tn_remedy_add(r, "inserted_copy", bytes, text);
	if (!fix)
		return;
	fix->changes = true;
	fix->copies = copies;
	fix->n_copies = change.n_copies;
}

/* None of these: claim after claim, what can hold together. */
static void fewer_claims(struct tn_remedies *r)
{
	const struct tn_claim **kept =
		TN_NEW_ARRAY(r->scratch, const struct tn_claim *, r->n);
	const char *gone = "";
	uint32_t n = 0;

	if (!kept)
		r->status = TN_ERR_NOMEM;
	if (r->n < 2 || r->list.count || !kept)
		return;
	for (uint32_t i = 0; i < r->n && gone; i++) {
		kept[n] = r->claims[i];
		if (tn_remedy_proves(r, kept, n + 1, NULL))
			n++;
		else
			gone = tn_arena_printf(r->arena, "%s%s'%s'", gone,
				gone[0] ? ", " : "", r->claims[i]->id);
	}
	if (!gone)
		r->status = TN_ERR_NOMEM;
	else if (n)
		tn_remedy_add(r, "fewer_claims", 0,
			tn_arena_printf(
				r->arena, "give up %s: the others hold together", gone));
}

/* Where nothing above can be tried, because the graph itself is what is wrong. */
static void last_resort(struct tn_remedies *r)
{
	const struct tn_claim_witness *w = &r->trial->worst.witness;
	const char *victim = w->victim.i == TN_NONE ? NULL : name(r, w->victim.i);
	const struct tn_form *f = victim ? &r->m->form[w->victim.i] : NULL;
	int64_t lack = tn_max_i64(w->need - tn_max_i64(w->have, 0), 0);
	struct tn_fix *fix = NULL;

	if (r->list.count)
		return;
	if (r->trial->worst.loss->beyond) {
		tn_remedy_add(r, "no_claims", 0,
			tn_arena_strdup(r->arena, "give up the claims of this set"));
		return;
	}
	switch (r->trial->worst.peril) {
	case PERIL_UNKNOWN_SIZE:
		if (victim)
			tn_remedy_add(r, "fixed_size", 0,
				tn_arena_printf(r->arena,
					"give every dimension of '%s' a size", victim));
		return;
	case PERIL_SELF_OVERLAP_WAW:
		if (victim)
			fix = tn_remedy_add(r, "dense_tensor", f->n * f->width / 8,
				tn_arena_printf(r->arena,
					"write to a tensor whose elements do not share "
					"bytes, and not to '%s'",
					victim));
		break;
	case PERIL_SIZE:
	case PERIL_SCRATCH_SIZE:
		fix = tn_remedy_add(r, "larger_size", lack,
			tn_arena_printf(r->arena, "%" PRId64 " B more for '%s'", lack,
				victim ? victim : "scratch"));
		break;
	case PERIL_STALE_ALIAS:
		if (victim)
			tn_remedy_add(r, "same_place", 0,
				tn_arena_printf(r->arena,
					"place '%s' where its root lies, or let an op "
					"copy it there",
					victim));
		return;
	case PERIL_DESTRUCTIVE_INPUT:
		if (victim)
			fix = tn_remedy_add(r, "inserted_copy",
				tn_remedy_bytes(r, w->victim.i),
				tn_arena_printf(r->arena,
					"let '%s' work on a copy of '%s'",
					w->writer.name ? w->writer.name : "it", victim));
		break;
	default:
		tn_remedy_add(r, "no_claims", 0,
			tn_arena_strdup(r->arena, "give up the claims of this set"));
		return;
	}
	if (fix)
		fix->changes = true;
}

/* There are no claims: an order or a copy by which nothing is lost, or what has to change in
 * the graph. */
static void of_the_graph(struct tn_remedies *r)
{
	const struct tn_claim_witness *w = &r->trial->worst.witness;
	const char *victim = w->victim.i == TN_NONE ? NULL : name(r, w->victim.i);
	const char *writer = w->writer.name ? w->writer.name : "it";

	another_order(r);
	tn_remedy_kernel(r);
	if (r->trial->worst.peril != PERIL_DESTRUCTIVE_INPUT)
		inserted_copy(r);
	if (r->list.count || !victim)
		return;
	switch (r->trial->worst.peril) {
	case PERIL_INPUT_WRITE:
		tn_remedy_add(r, "given_input", 0,
			tn_arena_printf(r->arena,
				"mark '%s' as clobber, or let '%s' write elsewhere",
				victim, writer));
		break;
	case PERIL_DESTRUCTIVE_INPUT:
	case PERIL_CONST_WRITE:
		tn_remedy_add(r, "inserted_copy", tn_remedy_bytes(r, w->victim.i),
			tn_arena_printf(r->arena, "let '%s' work on a copy of '%s'",
				writer, victim));
		break;
	default:
		tn_remedy_add(r, "out_of_place", tn_remedy_bytes(r, w->victim.i),
			tn_arena_printf(r->arena,
				"let '%s' write to a tensor of its own, which shares no "
				"bytes with '%s'",
				writer, victim));
		break;
	}
}

/* The cheapest first; of equals, the order in which they were tried. */
static void sort_by_cost(struct tn_remedies *r)
{
	for (size_t i = 1; i < r->list.count; i++) {
		struct tn_fix fix = r->list.items[i];
		size_t k = i;

		for (; k > 0 && r->list.items[k - 1].say.bytes > fix.say.bytes; k--)
			r->list.items[k] = r->list.items[k - 1];
		r->list.items[k] = fix;
	}
}

enum tn_status tn_remedies_find(struct tn_remedies *r, struct tn_court *c,
	const struct tn_claim *const *claims, uint32_t n, const struct tn_trial *trial,
	struct tn_arena *scratch, struct tn_arena *arena)
{
	*r = (struct tn_remedies){ .c = c,
		.g = c->g,
		.m = &c->model,
		.claims = claims,
		.n = n,
		.trial = trial,
		.blamed = trial->worst.claim,
		.scratch = scratch,
		.arena = arena,
		.status = TN_OK };
	if (!n && !c->told)
		return TN_OK;
	if (!n) {
		of_the_graph(r);
		return r->status;
	}
	if (r->blamed >= n)
		r->blamed = n - 1;
	another_order(r);
	other_operand(r);
	tn_remedy_kernel(r);
	tn_remedy_offset(r);
	tn_remedy_base(r);
	tn_remedy_scratch(r);
	without(r); /* of equal bytes, what costs no time first */
	inserted_copy(r);
	fewer_claims(r);
	last_resort(r);
	sort_by_cost(r);
	return r->status;
}

enum tn_status tn_court_remedies(struct tn_court *c, const struct tn_claim *const *claims,
	uint32_t n, struct tn_trial *trial, struct tn_arena *scratch,
	struct tn_arena *arena, struct tn_claim_verdict *out)
{
	struct tn_remedies r;
	struct tn_claim_remedy *list;
	enum tn_status status = tn_remedies_find(&r, c, claims, n, trial, scratch, arena);

	if (status != TN_OK)
		return status;
	list = TN_NEW_ARRAY(arena, struct tn_claim_remedy, r.list.count);
	if (!list)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < r.list.count; i++)
		list[i] = r.list.items[i].say;
	out->remedies = list;
	out->n_remedies = r.list.count;
	return TN_OK;
}
