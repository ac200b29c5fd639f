/* What became of the decisions and of the findings. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/diff_match.h"
#include "report/rules.h"

#include "base/banned.h"

/* ---- decisions ---- */

/* The more the better. */
static int worth(const struct tn_candidate *c)
{
	return c->verdict == VERDICT_PROVED ? 2 : c->may_overlap ? 1 : 0;
}

static bool same_decision(const struct tn_candidate *a, const struct tn_candidate *b)
{
	return a->input == b->input && a->output == b->output && a->no_copy == b->no_copy;
}

/* By op: where its decisions start in the list; n_ops + 1 entries would need them sorted
 * by op, so the first and the count. */
struct range {
	size_t first, n;
};

static struct range *ranges(const struct tn_view *v, struct tn_arena *arena)
{
	struct range *out = TN_NEW_ARRAY(arena, struct range, v->g ? v->g->n_ops : 0);

	for (size_t i = 0; out && v->inplace && i < v->inplace->n; i++) {
		struct range *r = &out[v->inplace->list[i].op.i];

		if (!r->n++)
			r->first = i;
	}
	return out;
}

/* The decision about the matched op's same operands; NULL when there is none. */
static const struct tn_candidate *other(const struct tn_candidate *c,
	const struct tn_diff_side *own, const struct tn_view *v,
	const struct range *ranges)
{
	const uint32_t op = own->match[c->op.i];

	if (op == TN_NONE || !v->inplace)
		return NULL;
	for (size_t i = 0; i < ranges[op].n; i++) {
		const struct tn_candidate *x = &v->inplace->list[ranges[op].first + i];

		if (same_decision(c, x))
			return x;
	}
	return NULL;
}

static bool add_decision(struct tn_diff *d, struct tn_arena *arena, size_t *capacity,
	enum tn_diff_change change, const struct tn_candidate *before,
	const struct tn_candidate *after)
{
	if (!tn_vec_grow(arena, (void **)&d->decisions, d->n_decisions, capacity,
		    sizeof(*d->decisions)))
		return false;
	d->decisions[d->n_decisions++] =
		(struct tn_diff_decision){ change, before, after };
	d->n_won += change == DIFF_WON;
	d->n_lost += change == DIFF_LOST;
	return true;
}

enum tn_status tn_diff_decisions(struct tn_diff *d, struct tn_arena *arena)
{
	const struct tn_inplace *a = d->before.v->inplace, *b = d->after.v->inplace;
	const struct range *ra = ranges(d->before.v, arena),
			   *rb = ranges(d->after.v, arena);
	size_t capacity = 0;
	bool ok = ra && rb;

	for (size_t i = 0; ok && b && i < b->n; i++) {
		const struct tn_candidate *c = &b->list[i];
		const struct tn_candidate *old = other(c, &d->after, d->before.v, ra);
		const int was = old ? worth(old) : 0;
		enum tn_diff_change change = worth(c) > was   ? DIFF_WON
					     : worth(c) < was ? DIFF_LOST
							      : DIFF_SAME;

		if (d->after.match[c->op.i] == TN_NONE && change == DIFF_WON)
			change = DIFF_ADDED;
		if (change != DIFF_SAME)
			ok = add_decision(d, arena, &capacity, change, old, c);
	}
	for (size_t i = 0; ok && a && i < a->n; i++) {
		const struct tn_candidate *c = &a->list[i];

		if (worth(c) && !other(c, &d->before, d->after.v, rb))
			ok = add_decision(d, arena, &capacity,
				d->before.match[c->op.i] == TN_NONE ? DIFF_REMOVED
								    : DIFF_LOST,
				c, NULL);
	}
	return ok ? TN_OK : TN_ERR_NOMEM;
}

/* ---- findings ---- */

/* A finding as it is known in both versions: its rule, and whom it is about by the new
 * version's name. Messages have numbers in them that change. */
struct sign {
	const char *rule, *subject;
	size_t index;
};

struct op_name {
	const char *name;
	uint32_t op;
};

static int by_op_name(const void *a, const void *b)
{
	const struct op_name *x = a, *y = b;
	const int names = strcmp(x->name, y->name);

	return names ? names : (x->op > y->op) - (x->op < y->op);
}

static int by_op_name_only(const void *a, const void *b)
{
	return strcmp(
		((const struct op_name *)a)->name, ((const struct op_name *)b)->name);
}

static int compare_signs(const struct sign *x, const struct sign *y)
{
	const int rules = strcmp(x->rule, y->rule);

	return rules ? rules : strcmp(x->subject, y->subject);
}

static int by_sign(const void *a, const void *b)
{
	const struct sign *x = a, *y = b;
	const int signs = compare_signs(x, y);

	return signs ? signs : (x->index > y->index) - (x->index < y->index);
}

static struct op_name *op_names(const struct tn_graph *g, struct tn_arena *arena)
{
	const uint32_t n = g ? g->n_ops : 0;
	struct op_name *out = TN_NEW_ARRAY(arena, struct op_name, n);

	for (uint32_t i = 0; out && i < n; i++)
		out[i] = (struct op_name){ g->ops[i].name, i };
	if (out && n)
		qsort(out, n, sizeof(*out), by_op_name);
	return out;
}

static struct sign *signs(const struct tn_diff *d, bool old, struct tn_arena *arena)
{
	const struct tn_diff_side *s = old ? &d->before : &d->after;
	const struct tn_graph *g = s->v->g, *to = d->after.v->g;
	const struct op_name *names = op_names(g, arena);
	struct sign *out = TN_NEW_ARRAY(arena, struct sign, s->findings.n);

	if (!names || !out)
		return NULL;
	for (size_t i = 0; i < s->findings.n; i++) {
		const struct tn_finding *f = &s->findings.list[i];
		const char *subject = f->diag->subject ? f->diag->subject : "";
		const struct op_name key = { subject, 0 }, *found = NULL;

		if (old && g && g->n_ops && *subject)
			found = bsearch(
				&key, names, g->n_ops, sizeof(*names), by_op_name_only);
		if (found && to && s->match[found->op] != TN_NONE)
			subject = to->ops[s->match[found->op]].name;
		out[i] = (struct sign){ tn_finding_rule(f), subject, i };
	}
	if (s->findings.n)
		qsort(out, s->findings.n, sizeof(*out), by_sign);
	return out;
}

enum tn_status tn_diff_findings(struct tn_diff *d, struct tn_arena *arena)
{
	const size_t na = d->before.findings.n, nb = d->after.findings.n;
	const struct sign *a = signs(d, true, arena), *b = signs(d, false, arena);
	bool *kept_a = TN_NEW_ARRAY(arena, bool, na);
	bool *kept_b = TN_NEW_ARRAY(arena, bool, nb);

	d->findings = TN_NEW_ARRAY(arena, struct tn_diff_finding, na + nb);
	if (!a || !b || !kept_a || !kept_b || !d->findings)
		return TN_ERR_NOMEM;
	for (size_t i = 0, k = 0; i < na && k < nb;) {
		const int order = compare_signs(&a[i], &b[k]);

		if (order == 0) {
			kept_a[a[i++].index] = true;
			kept_b[b[k++].index] = true;
			d->n_kept++;
		} else if (order < 0) {
			i++;
		} else {
			k++;
		}
	}
	for (size_t i = 0; i < nb; i++)
		if (!kept_b[i])
			d->findings[d->n_findings++] =
				(struct tn_diff_finding){ &d->after.findings.list[i],
					false };
	d->n_new = d->n_findings;
	for (size_t i = 0; i < na; i++)
		if (!kept_a[i])
			d->findings[d->n_findings++] =
				(struct tn_diff_finding){ &d->before.findings.list[i],
					true };
	d->n_fixed = d->n_findings - d->n_new;
	return TN_OK;
}
