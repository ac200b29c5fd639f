#include "claims/court.h"

#include "base/banned.h"
#include "claims/training.h"

static const char too_large[] =
	"the graph and its claims are too large to be replayed step by step";

enum tn_status tn_court_init(struct tn_court *c, const struct tn_graph *g,
	const struct tn_claim_options *options, struct tn_arena *arena,
	struct tn_diags *diags)
{
	enum tn_status status;

	*c = (struct tn_court){ .g = g, .arena = arena };
	if (options)
		c->options = *options;
	if (g->parallel)
		c->options.execution = EXECUTION_PARALLEL;
	status = TN_OK;
	if (c->options.profile == PROFILE_TRAINING)
		status = tn_training_graph(g, arena, &c->g);
	if (status == TN_OK)
		status = tn_model_init(&c->model, c->g, c->options.declared,
			c->g == g ? c->options.said : NULL, arena, diags);
	return status == TN_OK ? tn_meaning_init(&c->meaning, &c->model, arena) : status;
}

/* What a claim needs to say anything; NULL when it has it. */
static const char *missing(const struct tn_graph *g, const struct tn_claim *c)
{
	bool op = c->op.i < g->n_ops;

	if (tn_claim_is(c, "inplace"))
		return !op			  ? "op"
		       : c->in.i >= g->n_tensors  ? "in"
		       : c->out.i >= g->n_tensors ? "out"
						  : NULL;
	if (tn_claim_is(c, "reuse") || tn_claim_is(c, "alias") ||
		tn_claim_is(c, "donate"))
		return c->tensor.i >= g->n_tensors ? "tensor"
		       : c->of.i >= g->n_tensors   ? "of"
						   : NULL;
	if (tn_claim_is(c, "elide") || tn_claim_is(c, "drop"))
		return op ? NULL : "op";
	if (tn_claim_is(c, "const_fold"))
		return c->tensor.i < g->n_tensors ? NULL : "tensor";
	if (tn_claim_is(c, "schedule"))
		return c->n_order ? NULL : "order";
	if (tn_claim_is(c, "scratch"))
		return !op ? "op" : c->bytes < 0 ? "bytes" : NULL;
	if (tn_claim_is(c, "plan"))
		return NULL;
	return "kind";
}

/* Is the tensor an operand (inputs first) from `first` on, before `end`, of the op? */
static bool is_operand(const struct tn_court *c, uint32_t op, uint32_t first,
	uint32_t end, uint32_t tensor)
{
	for (uint32_t k = first; k < end; k++)
		if (tn_model_tensor(&c->model, op, k) == tensor)
			return true;
	return false;
}

/* A claim that names an op speaks of what that op reads and writes. NULL: it does. */
static const char *beside(
	const struct tn_court *c, const struct tn_claim *cl, struct tn_arena *arena)
{
	bool names_op = !tn_claim_is(cl, "scratch") && cl->op.i < c->g->n_ops;
	const struct tn_op *op = names_op ? &c->g->ops[cl->op.i] : NULL;
	uint32_t all = op ? op->n_inputs + op->n_outputs : 0;
	bool inplace = tn_claim_is(cl, "inplace");
	const struct {
		uint32_t tensor, first, end;
		const char *what;
	} named[] = {
		{ cl->in.i, 0, op ? op->n_inputs : 0, "input" },
		{ cl->out.i, op ? op->n_inputs : 0, all, "output" },
		{ inplace ? TN_NONE : cl->tensor.i, 0, all, "operand" },
		{ inplace ? TN_NONE : cl->of.i, 0, all, "operand" },
	};

	for (size_t i = 0; op && i < sizeof(named) / sizeof(*named); i++)
		if (named[i].tensor < c->g->n_tensors &&
			!is_operand(c, cl->op.i, named[i].first, named[i].end,
				named[i].tensor))
			return tn_arena_printf(arena,
				"'%s' cannot be judged: '%s' is no %s of '%s'", cl->id,
				c->g->tensors[named[i].tensor].name, named[i].what,
				op->name);
	return NULL;
}

/* A reason why the set cannot be judged, before it is tried. */
static const char *unjudgeable(struct tn_court *c, const struct tn_claim *const *claims,
	uint32_t n, struct tn_arena *arena)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_claim *cl = claims[i];
		const char *what = missing(c->g, cl);

		if (what)
			return tn_arena_printf(arena,
				"'%s' cannot be judged: its '%s' says nothing about this "
				"graph",
				cl->id, what);
		if (cl->unread)
			return tn_arena_printf(
				arena, "'%s' cannot be judged: %s", cl->id, cl->unread);
		if (cl->tensor.i < c->g->n_tensors && cl->tensor.i == cl->of.i &&
			cl->byte_offset <= 0)
			return tn_arena_printf(arena,
				"'%s' says nothing: it places '%s' where it lies", cl->id,
				c->g->tensors[cl->of.i].name);
		what = beside(c, cl, arena);
		if (what)
			return what;
		if (tn_claim_is(cl, "scratch") &&
			c->model.kernel[cl->op.i].scratch_required < 0)
			return tn_arena_printf(arena,
				"nothing says how much scratch '%s' needs",
				c->g->ops[cl->op.i].name);
	}
	return NULL;
}

static bool uses(
	const struct tn_court *c, const struct tn_setting *s, uint32_t op, uint32_t site)
{
	const uint32_t n = c->g->ops[op].n_inputs + c->g->ops[op].n_outputs;

	for (uint32_t k = 0; k < n && tn_work_take(c->model.work, 1); k++) {
		uint32_t t = tn_model_tensor(&c->model, op, k);

		if (t != TN_NONE && s->site_of[t] == site)
			return true;
	}
	return false;
}

static bool strays(const struct tn_court *c, const struct tn_setting *s, uint32_t site,
	struct tn_stray *out)
{
	const struct tn_graph *g = c->g;
	uint32_t made = tn_model_producer(&c->model, s->site[site].on);

	*out = (struct tn_stray){ site, s->site[site].on, TN_NONE, TN_NONE };
	if (made != TN_NONE)
		out->branch = c->model.branch[made];
	if (out->branch == TN_NONE)
		return false;
	for (uint32_t i = 0; i < g->n_ops && tn_work_take(c->model.work, 1); i++) {
		out->reader = g->schedule[i].i;
		if (c->model.branch[out->reader] != out->branch &&
			uses(c, s, out->reader, site))
			return true;
	}
	return false;
}

bool tn_court_stray(const struct tn_court *c, const struct tn_setting *s, uint32_t *claim,
	struct tn_stray *out)
{
	for (; c->g->n_branches && *claim < s->n_claims &&
		tn_work_take(c->model.work, c->g->n_tensors);
		++*claim)
		for (uint32_t t = 0; t < c->g->n_tensors; t++)
			if (s->site_of[t] == t && s->site[t].claim == *claim &&
				s->site[t].on != TN_NONE && strays(c, s, t, out))
				return true;
	return false;
}

static bool check_allocation(const struct tn_court *c, const struct tn_setting *s,
	struct tn_arena *arena, struct tn_losses *losses)
{
	struct tn_stray stray;

	for (uint32_t i = 0; tn_court_stray(c, s, &i, &stray); i++) {
		struct tn_loss loss = { .kind = LOSS_ALLOCATION,
			.victim = stray.tensor,
			.reader = stray.reader,
			.operand = TN_NONE,
			.begin = -8,
			.end = -8,
			.is_static = true,
			.found = { .op = TN_NONE, .tensor = TN_NONE },
			.expected = TN_NONE,
			.other = stray.branch,
			.need = -1,
			.have = -1,
			.align = -1,
			.claim = i };

		if (!tn_losses_add(losses, arena, loss))
			return false;
	}
	return true;
}

static bool is_static_failure(const struct tn_losses *losses)
{
	for (size_t i = 0; i < losses->list.count; i++)
		switch (losses->list.items[i].kind) {
		case LOSS_UNKNOWN_SIZE:
		case LOSS_SIZE:
		case LOSS_ARENA:
			return true; /* there is no memory to run in */
		default:
			break;
		}
	return false;
}

static enum tn_status find_losses(struct tn_court *c, const struct tn_run_change *change,
	struct tn_arena *arena, struct tn_trial *t)
{
	struct tn_run run = { .m = &c->model,
		.meaning = &c->meaning,
		.s = &t->setting,
		.options = &c->options,
		.change = change,
		.arena = arena,
		.losses = &t->losses };
	enum tn_status status =
		tn_fold_check(c, &t->setting, arena, &t->losses, &run.too_large);

	run.own_word = c->told && !t->setting.n_claims;
	if (status == TN_OK && c->options.allocation == ALLOCATION_AT_OWNER &&
		!check_allocation(c, &t->setting, arena, &t->losses))
		status = TN_ERR_NOMEM;
	if (status == TN_OK && !run.too_large)
		status = tn_run_all(&run);
	if (status == TN_OK && !run.too_large &&
		c->options.execution == EXECUTION_PARALLEL)
		status = tn_run_unordered(&run);
	if (run.too_large)
		t->why = too_large;
	return status;
}

/* Is the loss about something that the claims name? */
static bool concerns(const struct tn_trial *t, const struct tn_loss *l)
{
	for (uint32_t i = 0; i < t->setting.n_claims; i++) {
		const struct tn_claim *c = t->setting.claims[i];
		const uint32_t named[] = { c->in.i, c->out.i, c->tensor.i, c->of.i };

		if (tn_claim_is(c, "plan") || tn_claim_is(c, "schedule"))
			return true; /* it vouches for the whole */
		if (c->op.i != TN_NONE &&
			(c->op.i == l->reader || c->op.i == l->found.op))
			return true;
		for (size_t k = 0; k < sizeof(named) / sizeof(*named); k++)
			if (named[k] != TN_NONE &&
				(named[k] == l->victim || named[k] == l->found.tensor))
				return true;
	}
	return false;
}

static bool same_loss(const struct tn_loss *a, const struct tn_loss *b)
{
	return a->kind == b->kind && a->victim == b->victim && a->reader == b->reader &&
	       a->found.op == b->found.op && a->found.kind == b->found.kind;
}

/* Without any claim: destructive kernels, odd views and the like may already be wrong. */
static enum tn_status find_baseline(struct tn_court *c)
{
	struct tn_trial t = { 0 };
	enum tn_status status;

	if (c->has_baseline)
		return TN_OK;
	c->has_baseline = true;
	status = tn_setting_init(&t.setting, &c->model, NULL, 0, c->arena, &t.losses);
	if (status == TN_OK)
		status = find_losses(c, NULL, c->arena, &t);
	c->baseline = t.losses;
	c->baseline.cut = c->baseline.cut || t.why;
	return status;
}

/* Nothing to tell of what the graph itself does: told already; what backward has saved (an op
 * that says that it works in place is judged by that, others write back what is new); or an
 * op of which nobody knows in which order it reads, and which the graph has write what it
 * reads, unless its attributes say that it reads again what it has begun to write over. */
static bool is_settled(const struct tn_court *c, const struct tn_loss *l)
{
	const uint32_t op = l->found.op;
	const struct tn_kernel *k;

	if (op == TN_NONE || l->kind == LOSS_SAVED)
		return true;
	k = &c->model.kernel[op];
	if (c->told[op])
		return true;
	return op == l->reader && (k->unknown_type || k->any_time) &&
	       !(l->operand < c->g->ops[op].n_inputs &&
		       tn_op_reads_again(c->g, &c->g->ops[op], l->operand));
}

static bool is_worse(const struct tn_named *a, const struct tn_named *b)
{
	uint32_t x = a->claim == TN_NONE ? 0 : a->claim + 1;
	uint32_t y = b->claim == TN_NONE ? 0 : b->claim + 1;

	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (x != y) /* what the last claims add */
		return x > y;
	if (a->loss->run != b->loss->run)
		return a->loss->run < b->loss->run;
	return a->direct && !b->direct; /* else the first seen */
}

static enum tn_status cut_off(struct tn_trial *t)
{
	t->result = CLAIM_UNPROVED;
	t->why = "more goes wrong than can be looked at";
	return TN_OK;
}

static enum tn_status choose(
	struct tn_court *c, struct tn_arena *arena, struct tn_trial *t)
{
	const struct tn_naming naming = { &c->model, &c->meaning, &t->setting, &t->losses,
		arena };
	enum tn_status status = find_baseline(c);
	bool any = false;

	/* what the graph itself does wrong is not known: nobody is to blame for it */
	if (status == TN_OK && t->losses.list.count && c->baseline.cut)
		return cut_off(t);
	for (size_t i = 0; i < t->losses.list.count && status == TN_OK; i++) {
		const struct tn_loss *l = &t->losses.list.items[i];
		struct tn_named named;
		bool known = false;

		if (!tn_work_take(
			    c->model.work, (int64_t)c->g->n_ops + c->g->n_tensors +
						   (int64_t)c->baseline.list.count)) {
			t->losses.cut = true;
			break;
		}
		for (size_t k = 0; k < c->baseline.list.count && !known; k++)
			known = same_loss(l, &c->baseline.list.items[k]);
		if (known && t->setting.n_claims && !concerns(t, l)) {
			t->why = "the graph itself goes wrong elsewhere, with or without "
				 "the claims";
			continue;
		}
		if (c->told && !t->setting.n_claims && is_settled(c, l))
			continue;
		if (!tn_classify(&naming, l, &named))
			return TN_ERR_NOMEM;
		if (!any || is_worse(&named, &t->worst))
			t->worst = named;
		any = true;
	}
	if (any)
		t->result = CLAIM_REJECTED;
	else if (status == TN_OK && t->losses.cut)
		return cut_off(t);
	return status;
}

enum tn_status tn_court_try(struct tn_court *c, const struct tn_claim *const *claims,
	uint32_t n, const struct tn_run_change *change, struct tn_arena *arena,
	struct tn_trial *out)
{
	enum tn_status status;

	*out = (struct tn_trial){ .result = CLAIM_UNPROVED };
	out->why = unjudgeable(c, claims, n, arena);
	if (!out->why && (c->meaning.too_large ||
				 !tn_work_take(c->model.work,
					 1 + (int64_t)n + c->g->n_ops + c->g->n_tensors)))
		out->why = too_large;
	if (out->why)
		return TN_OK;
	status =
		tn_setting_init(&out->setting, &c->model, claims, n, arena, &out->losses);
	if (status != TN_OK)
		return status;
	if (tn_work_is_out(c->model.work)) {
		out->why = too_large;
		return TN_OK;
	}
	if (out->setting.contradiction) {
		out->why = out->setting.contradiction;
		return TN_OK;
	}
	if (!is_static_failure(&out->losses)) {
		status = find_losses(c, change, arena, out);
		if (status != TN_OK || out->why)
			return status;
	}
	out->result = CLAIM_PROVED;
	status = choose(c, arena, out);
	if (status == TN_OK && out->result == CLAIM_PROVED && !c->meaning.all_worlds) {
		out->result = CLAIM_UNPROVED;
		out->why = tn_arena_printf(arena,
			"there are more than %d ways through the branches, and not all "
			"of "
			"them were tried",
			MEANING_WORLDS_MAX);
		return out->why ? TN_OK : TN_ERR_NOMEM;
	}
	if (status == TN_OK && out->result == CLAIM_PROVED) {
		uint32_t op = 0;

		out->why = tn_court_undeclared(c, &out->setting, &op, arena);
		if (out->why)
			out->result = CLAIM_UNPROVED;
		else if (op < c->g->n_ops)
			return TN_ERR_NOMEM;
	}
	if (status == TN_OK && out->result == CLAIM_PROVED &&
		tn_work_is_out(c->model.work)) {
		out->result = CLAIM_UNPROVED;
		out->why = too_large;
	}
	return status;
}
