/* What a verdict rests on, what the set saves, what is wasteful but right. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "claims/court.h"
#include "claims/scope.h"
#include "claims/steps.h"

#include "base/banned.h"

struct advice {
	struct tn_court *c;
	const struct tn_model *m;
	const struct tn_setting *s;
	struct tn_arena *arena; /* of what is said */
	struct tn_arena *scratch; /* of the trial */
	TN_VEC(const char *) assumptions;
	TN_VEC(const char *) notes;
	bool *told; /* by op */
	bool nomem;
};

static void assume(struct advice *a, const char *text)
{
	if (!text || !tn_vec_push(a->arena, &a->assumptions, text))
		a->nomem = true;
}

static void note(struct advice *a, const char *text)
{
	if (!text || !tn_vec_push(a->arena, &a->notes, text))
		a->nomem = true;
}

/* What is taken to be so about the kernel of an op that works where it reads. */
static const char *kernel_fact(const struct advice *a, uint32_t op)
{
	const struct tn_kernel *k = &a->m->kernel[op];
	const char *way = k->desc ? "descending" : "ascending";

	if (k->declared)
		return tn_arena_printf(a->arena, "is as %s:%d declares (%s): %s",
			k->declared->file, k->declared->line, k->declared->runtime,
			k->declared->fact);
	if (k->said && k->kind == KERNEL_CONTRACT)
		return tn_arena_printf(a->arena,
			"is run by the kernel of the built-in set, %s%s, as the plan's "
			"file says",
			way, tn_hold_text(k->variant.hold));
	if (k->undeclared)
		return tn_op_attr(&a->c->g->ops[op], "in_place")
			       ? "has a kernel that was made to write over its operands "
				 "as the graph says"
			       : "has a kernel of which nothing is known";
	if (k->unknown_type)
		return "has a type that nothing defines: each element of its output is "
		       "taken to read all its inputs";
	if (k->buffered)
		return "reads all before it writes";
	if (k->kind == KERNEL_OPAQUE && k->any_time)
		return "may read any of its inputs until it ends";
	switch (k->kind) {
	case KERNEL_ROW:
		return k->row_buffered ? "reads a row before it writes it"
				       : "reads the whole row for each element of it";
	case KERNEL_PLANE:
		return k->channel_buffered
			       ? "reads the plane of a channel before it writes it"
			       : "reads the plane of a channel for each element of it";
	case KERNEL_OPAQUE:
		return k->tied != TN_NONE
			       ? "reads its tied operand element by element, and all "
				 "others for each element"
			       : "reads all its inputs for each element of its output";
	case KERNEL_CONTRACT:
		return tn_arena_printf(
			a->arena, "is run by the kernel of the built-in set, %s", way);
	case KERNEL_VIEW:
		return "runs no code";
	case KERNEL_FILL:
		return "reads nothing";
	case KERNEL_TRANSPOSE:
	case KERNEL_SLICE:
	case KERNEL_SPLIT:
	case KERNEL_CONCAT:
		return tn_arena_printf(
			a->arena, "moves its elements one after the other, %s", way);
	case KERNEL_UPDATE:
	case KERNEL_SHIFT:
		return tn_arena_printf(a->arena,
			k->always_copy
				? "copies its base, even onto itself, and then moves "
				  "its elements one after the other, %s"
				: "moves its elements one after the other, %s, after "
				  "its base, which stays where it lies already",
			way);
	case KERNEL_REDUCE:
		return tn_arena_printf(a->arena,
			"sums up in a register and writes each sum once, %s", way);
	default:
		return tn_arena_printf(a->arena,
			"goes over its elements once, %s, and reads what an element "
			"needs "
			"before it writes it",
			way);
	}
}

static void assume_kernel(struct advice *a, uint32_t op)
{
	if (op >= a->c->g->n_ops || a->told[op])
		return;
	a->told[op] = true;
	assume(a, tn_arena_printf(a->arena, "'%s' %s", a->c->g->ops[op].name,
			  kernel_fact(a, op)));
}

static void find_assumptions(struct advice *a)
{
	const struct tn_graph *g = a->c->g;
	struct tn_stray stray;

	struct tn_overlap overlap;

	for (uint32_t i = 0; i < g->n_ops; i++)
		if (tn_court_overlap(a->c, a->s, i, &overlap) ||
			(a->m->kernel[i].n_destroys && a->s->n_claims))
			assume_kernel(a, i);
	for (uint32_t i = 0; a->c->options.allocation == ALLOCATION_STATIC &&
			     tn_court_stray(a->c, a->s, &i, &stray);
		i++)
		assume(a, tn_arena_printf(a->arena,
				  "the storage of '%s' is allocated at or above '%s', "
				  "not in "
				  "its branch '%s'",
				  g->tensors[stray.on].name,
				  g->branches[stray.branch].choice,
				  g->branches[stray.branch].name));
	if (a->c->options.profile == PROFILE_TRAINING && !a->m->has_gradient)
		assume(a, "backward reads what the table of saved tensors says");
	if (a->c->options.execution == EXECUTION_PARALLEL)
		assume(a, "only dependences order the ops");
}

static void assume_left_out(struct advice *a)
{
	const struct tn_setting *s = a->s;

	for (uint32_t op = 0; op < a->c->g->n_ops; op++)
		if (s->fate[op] == FATE_DROPPED &&
			tn_claim_is(s->claims[s->fate_claim[op]], "schedule"))
			assume(a, tn_arena_printf(a->arena,
					  "'%s' does not run: '%s' leaves it out",
					  a->c->g->ops[op].name,
					  s->claims[s->fate_claim[op]]->id));
}

/* Storage that ops touch beside the plans: nothing proves that it is not in an arena. */
static void assume_elsewhere(struct advice *a)
{
	const struct tn_graph *g = a->c->g;
	const char *who = NULL;
	uint32_t first = TN_NONE, n = 0;
	bool *seen;

	for (uint32_t i = 0; i < a->s->n_claims; i++)
		if (tn_claim_is(a->s->claims[i], "plan"))
			who = who ? "" : a->s->claims[i]->id;
	seen = who ? TN_NEW_ARRAY(a->scratch, bool, g->n_tensors) : NULL;
	if (!seen) {
		a->nomem = a->nomem || who;
		return;
	}
	for (uint32_t op = 0; op < g->n_ops; op++)
		for (uint32_t k = 0; k < g->ops[op].n_inputs + g->ops[op].n_outputs;
			k++) {
			uint32_t t = tn_model_tensor(a->m, op, k);
			uint32_t root = t == TN_NONE ? t : a->m->form[t].root;

			if (root == TN_NONE || seen[root] ||
				a->s->fate[op] != FATE_RUNS ||
				a->m->role[root] == ROLE_CONST ||
				tn_setting_space(a->s, t)->kind != SPACE_STORAGE)
				continue;
			seen[root] = true;
			if (!n++)
				first = root;
		}
	if (!n)
		return;
	who = who[0] ? tn_arena_printf(a->arena, "'%s' does not place", who)
		     : "no plan places";
	if (!who)
		a->nomem = true;
	else if (n == 1)
		assume(a, tn_arena_printf(a->arena, "'%s' lies elsewhere: %s it",
				  g->tensors[first].name, who));
	else
		assume(a, tn_arena_printf(a->arena,
				  "'%s' and %u more lie elsewhere: %s them",
				  g->tensors[first].name, n - 1, who));
}

/* Bytes of all that lies in the arena, counted once; and the most that is needed at a
 * time. */
struct load {
	int64_t covered, peak;
};

static int64_t bytes_of(const struct advice *a, uint32_t root)
{
	const struct tn_form *f = &a->m->form[root];

	return (f->hi - f->lo + 7) / 8;
}

/* By root: the positions of the order between which it is needed, written by then and touched
 * later; none when the first is behind the last. */
static void find_lifetimes(const struct advice *a, uint32_t *first, int64_t *last)
{
	const struct tn_graph *g = a->c->g;

	for (uint32_t t = 0; t < g->n_tensors; t++) {
		first[t] = a->m->given[t] ? 0 : g->n_ops;
		last[t] = a->m->given[t] ? (int64_t)g->n_ops - 1 : -1;
	}
	for (uint32_t t = 0; t < g->n_tensors; t++)
		if (a->m->output[t] || g->tensors[t].observed)
			last[a->m->form[t].root] = (int64_t)g->n_ops - 1;
	for (uint32_t p = 0; p < g->n_ops; p++) {
		uint32_t op = a->s->order[p];
		const struct tn_op *o = &g->ops[op];

		for (uint32_t k = 0; k < o->n_inputs + o->n_outputs; k++) {
			const struct tn_form *f = tn_model_operand(a->m, op, k);

			if (!f)
				continue;
			if (k >= o->n_inputs && first[f->root] > p)
				first[f->root] = p;
			last[f->root] = tn_max_i64(last[f->root], p);
		}
	}
}

/* Of numbers of any sign; the end of the range that is nearest when it cannot be counted. */
static int64_t sum_of(int64_t a, int64_t b)
{
	int64_t sum;

	return tn_add_i64(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

/* The most bytes of the space that are needed at a position; false on lack of memory. */
static bool find_peak(const struct advice *a, uint32_t space, int64_t *out)
{
	const struct tn_graph *g = a->c->g;
	uint32_t *first = TN_NEW_ARRAY(a->scratch, uint32_t, g->n_tensors);
	int64_t *last = TN_NEW_ARRAY(a->scratch, int64_t, g->n_tensors);
	/* by position: what begins there, less what ended before it */
	int64_t *change = TN_NEW_ARRAY(a->scratch, int64_t, (size_t)g->n_ops + 1),
		sum = 0;

	if (!first || !last || !change)
		return false;
	find_lifetimes(a, first, last);
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		const int64_t bytes = sum_of(bytes_of(a, t), a->s->tail[t] / 8);

		if (a->s->site_of[t] != t || a->s->site[t].space != space ||
			(int64_t)first[t] > last[t])
			continue;
		change[first[t]] = sum_of(change[first[t]], bytes);
		change[last[t] + 1] = sum_of(change[last[t] + 1], -bytes);
	}
	*out = 0;
	for (uint32_t p = 0; p < g->n_ops; p++) {
		sum = sum_of(sum, change[p]);
		*out = tn_max_i64(*out, sum);
	}
	return true;
}

struct range {
	int64_t begin, end; /* bits of the space */
};

static int by_begin(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* False on lack of memory. */
static bool measure(const struct advice *a, uint32_t space, struct load *out)
{
	const struct tn_graph *g = a->c->g;
	struct range *list = TN_NEW_ARRAY(a->scratch, struct range, g->n_tensors);
	int64_t end = INT64_MIN;
	uint32_t n = 0;

	*out = (struct load){ 0, 0 };
	if (!list)
		return false;
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		const struct tn_site *at = &a->s->site[t];
		const struct tn_form *f = &a->m->form[t];

		if (a->s->site_of[t] == t && at->space == space)
			list[n++] = (struct range){ at->bit + f->lo,
				at->bit + tn_max_i64(a->m->storage_hi[t],
						  (f->hi + 7) / 8 * 8 + a->s->tail[t]) };
	}
	qsort(list, n, sizeof(*list), by_begin);
	for (uint32_t i = 0; i < n; i++) {
		const int64_t begin = tn_max_i64(list[i].begin, end);

		end = tn_max_i64(end, list[i].end);
		out->covered += tn_max_i64(list[i].end - begin, 0);
	}
	out->covered = (out->covered + 7) / 8;
	return find_peak(a, space, &out->peak);
}

static void note_plan(struct advice *a, uint32_t claim)
{
	const struct tn_claim *c = a->s->claims[claim];
	struct load load;

	if (c->arena_bytes < 0)
		return;
	for (uint32_t i = 0; i < a->s->n_spaces; i++) {
		if (a->s->spaces[i].kind != SPACE_ARENA || a->s->spaces[i].claim != claim)
			continue;
		if (!measure(a, i, &load)) {
			a->nomem = true;
			return;
		}
		if (load.covered < c->arena_bytes)
			note(a, tn_arena_printf(a->arena,
					"%" PRId64
					" B of the arena of '%s' are never used",
					c->arena_bytes - load.covered, c->id));
		if (load.peak < load.covered)
			note(a, tn_arena_printf(a->arena,
					"the arena of '%s' is %" PRId64
					" B above the most that is needed at a time, "
					"%" PRId64 " B",
					c->id, c->arena_bytes - load.peak, load.peak));
	}
}

static void find_notes(struct advice *a)
{
	for (uint32_t i = 0; i < a->s->n_claims; i++) {
		const struct tn_claim *c = a->s->claims[i];
		int64_t need;

		if (tn_claim_is(c, "plan"))
			note_plan(a, i);
		if (!tn_claim_is(c, "scratch"))
			continue;
		need = a->m->kernel[c->op.i].scratch_required;
		if (c->bytes > need)
			note(a, tn_arena_printf(a->arena,
					"'%s' claims %" PRId64 " B of scratch for '%s', "
					"which needs %" PRId64 " B",
					c->id, c->bytes,
					c->op.i < a->c->g->n_ops
						? a->c->g->ops[c->op.i].name
						: "?",
					need));
	}
}

/* Memory that is not needed because the claims hold. A root saves once. */
static int64_t saved(const struct advice *a)
{
	int64_t sum = 0;

	for (uint32_t t = 0; t < a->c->g->n_tensors; t++) {
		const struct tn_site *at = &a->s->site[t];

		if (a->s->site_of[t] == t && at->claim != TN_NONE)
			sum = sum_of(sum, bytes_of(a, t));
	}
	for (uint32_t i = 0; i < a->s->n_claims; i++)
		if (tn_claim_is(a->s->claims[i], "plan"))
			sum = sum_of(sum, -tn_max_i64(a->s->claims[i]->arena_bytes, 0));
	return tn_max_i64(sum, 0);
}

static const char *why_proved(const struct advice *a)
{
	const struct tn_claim *c = a->s->n_claims == 1 ? a->s->claims[0] : NULL;
	const struct tn_graph *g = a->c->g;

	if (c && tn_claim_is(c, "inplace"))
		return tn_arena_printf(a->arena,
			"nobody reads '%s' after '%s' has begun to write '%s' over it, "
			"and '%s' reads each element before it is written",
			g->tensors[c->in.i].name, g->ops[c->op.i].name,
			g->tensors[c->out.i].name, g->ops[c->op.i].name);
	if (c && tn_claim_is(c, "elide"))
		return tn_arena_printf(a->arena,
			"the result of '%s' is what its input holds, and nobody writes "
			"there while it is read",
			g->ops[c->op.i].name);
	if (c && (tn_claim_is(c, "reuse") || tn_claim_is(c, "alias") ||
			 tn_claim_is(c, "donate")))
		return tn_arena_printf(a->arena,
			"'%s' and what '%s' holds are never needed in the same bytes at "
			"the same time",
			g->tensors[c->tensor.i].name, g->tensors[c->of.i].name);
	if (c && tn_claim_is(c, "drop"))
		return tn_arena_printf(
			a->arena, "nobody misses what '%s' does", g->ops[c->op.i].name);
	if (c && tn_claim_is(c, "scratch"))
		return tn_arena_printf(
			a->arena, "'%s' needs no more than that", g->ops[c->op.i].name);
	if (c && tn_claim_is(c, "const_fold"))
		return tn_arena_printf(a->arena, "'%s' is the same whenever it is read",
			g->tensors[c->tensor.i].name);
	return tn_arena_printf(a->arena,
		"every read finds the value that the graph means, over %u invocation%s",
		a->c->meaning.runs, a->c->meaning.runs == 1 ? "" : "s");
}

/* Overlaps that nobody has declared, besides the first, which is the reason. */
static void find_undeclared(struct advice *a, const char *why)
{
	const char *text;
	uint32_t op = 0;

	if (!a->s->order || a->s->contradiction || !a->s->spaces)
		return;
	while ((text = tn_court_undeclared(a->c, a->s, &op, a->arena))) {
		if (strcmp(text, why) != 0)
			note(a, text);
		op++;
	}
}

enum tn_status tn_court_advise(struct tn_court *c, const struct tn_claim *const *claims,
	uint32_t n, struct tn_trial *trial, struct tn_arena *scratch,
	struct tn_arena *arena, struct tn_claim_verdict *out)
{
	struct advice a = { .c = c,
		.m = &c->model,
		.s = &trial->setting,
		.arena = arena,
		.scratch = scratch };
	const struct tn_naming naming = { &c->model, &c->meaning, &trial->setting,
		&trial->losses, arena };

	(void)claims;
	(void)n;
	out->result = trial->result;
	out->witness = (struct tn_claim_witness){ .victim = { TN_NONE },
		.other = { TN_NONE },
		.begin = -1,
		.end = -1,
		.need = -1,
		.have = -1,
		.align = -1 };
	out->witness.writer.op.i = out->witness.reader.op.i = TN_NONE;
	if (trial->result == CLAIM_UNPROVED) {
		out->why = tn_arena_strdup(arena, trial->why);
		if (out->why)
			find_undeclared(&a, out->why);
		out->notes = a.notes.items;
		out->n_notes = a.notes.count;
		return a.nomem || !out->why ? TN_ERR_NOMEM : TN_OK;
	}
	a.told = TN_NEW_ARRAY(scratch, bool, c->g->n_ops);
	if (!a.told)
		return TN_ERR_NOMEM;
	find_assumptions(&a);
	if (trial->result == CLAIM_REJECTED) {
		out->peril = trial->worst.peril;
		out->hazard = tn_peril_name(out->peril);
		out->witness = trial->worst.witness;
		out->why = tn_classify_why(&naming, &trial->worst);
		/* names of actors may live in the scratch */
		if (out->witness.writer.kind == ACTOR_ALLOCATION)
			out->witness.writer.name =
				tn_arena_strdup(arena, out->witness.writer.name);
	} else {
		out->saves_bytes = saved(&a);
		out->why = why_proved(&a);
		assume_left_out(&a);
		assume_elsewhere(&a);
		find_notes(&a);
		if (trial->why)
			note(&a, trial->why);
	}
	out->assumptions = a.assumptions.items;
	out->n_assumptions = a.assumptions.count;
	out->notes = a.notes.items;
	out->n_notes = a.notes.count;
	return a.nomem || !out->why ? TN_ERR_NOMEM : TN_OK;
}
