#include "report/diff_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

/* ---- by name ---- */

/* An op as it is known in both versions: its type and its first output's name. */
struct known {
	const char *type, *name;
	uint32_t op;
};

static int compare(const struct known *a, const struct known *b)
{
	const int types = strcmp(a->type, b->type);

	return types ? types : strcmp(a->name, b->name);
}

static int by_name(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	const int names = compare(x, y);

	return names ? names : (x->op > y->op) - (x->op < y->op);
}

static uint32_t n_ops(const struct tn_diff_side *s)
{
	return s->v->g ? s->v->g->n_ops : 0;
}

static struct known *list(
	const struct tn_diff_side *s, struct tn_arena *arena, uint32_t *out_n)
{
	const struct tn_graph *g = s->v->g;
	struct known *out = TN_NEW_ARRAY(arena, struct known, n_ops(s));

	*out_n = 0;
	for (uint32_t i = 0; out && i < n_ops(s); i++) {
		const struct tn_op *op = &g->ops[i];

		if (op->n_outputs && op->outputs[0].i != TN_NONE &&
			*g->tensors[op->outputs[0].i].name)
			out[(*out_n)++] = (struct known){ op->type,
				g->tensors[op->outputs[0].i].name, i };
	}
	if (out && *out_n)
		qsort(out, *out_n, sizeof(*out), by_name);
	return out;
}

static void pair(struct tn_diff_side *a, uint32_t i, struct tn_diff_side *b, uint32_t k)
{
	a->match[i] = k;
	b->match[k] = i;
}

static bool match_names(
	struct tn_diff_side *a, struct tn_diff_side *b, struct tn_arena *scratch)
{
	uint32_t na, nb, i = 0, k = 0;
	const struct known *x = list(a, scratch, &na), *y = list(b, scratch, &nb);

	if (!x || !y)
		return false;
	while (i < na && k < nb) {
		const int order = compare(&x[i], &y[k]);

		if (order == 0)
			pair(a, x[i++].op, b, y[k++].op);
		else if (order < 0)
			i++;
		else
			k++;
	}
	return true;
}

/* ---- between two matched ops, by what they do ---- */

static bool same_shapes(const struct tn_diff_side *a, uint32_t i,
	const struct tn_diff_side *b, uint32_t k)
{
	const struct tn_op *x = &a->v->g->ops[i], *y = &b->v->g->ops[k];

	if (strcmp(x->type, y->type) != 0 || x->n_outputs != y->n_outputs ||
		x->n_inputs != y->n_inputs)
		return false;
	for (uint32_t o = 0; o < x->n_outputs; o++) {
		const struct tn_shape *s, *t;

		if (x->outputs[o].i == TN_NONE || y->outputs[o].i == TN_NONE)
			return false;
		s = &a->v->g->tensors[x->outputs[o].i].shape;
		t = &b->v->g->tensors[y->outputs[o].i].shape;
		if (s->rank != t->rank)
			return false;
		for (uint32_t r = 0; r < s->rank; r++)
			if (s->dim[r] != t->dim[r])
				return false;
	}
	return true;
}

/* Positions [x0, x1) and [y0, y1): nothing in them is matched yet. */
static void match_gap(struct tn_diff_side *a, uint32_t x0, uint32_t x1,
	struct tn_diff_side *b, uint32_t y0, uint32_t y1)
{
	while (x0 < x1 && y0 < y1) {
		const uint32_t i = tn_view_op_at(a->v, x0).i,
			       k = tn_view_op_at(b->v, y0).i;

		if (b->match[k] != TN_NONE || !same_shapes(a, i, b, k))
			break;
		pair(a, i, b, k);
		x0++;
		y0++;
	}
	while (x0 < x1 && y0 < y1) {
		const uint32_t i = tn_view_op_at(a->v, x1 - 1).i,
			       k = tn_view_op_at(b->v, y1 - 1).i;

		if (b->match[k] != TN_NONE || !same_shapes(a, i, b, k))
			break;
		pair(a, i, b, k);
		x1--;
		y1--;
	}
}

static void match_gaps(struct tn_diff_side *a, struct tn_diff_side *b)
{
	uint32_t x0 = 0, y0 = 0;

	for (uint32_t x = 0; x <= n_ops(a); x++) {
		uint32_t y = n_ops(b);

		if (x < n_ops(a)) {
			const uint32_t k = a->match[tn_view_op_at(a->v, x).i];

			if (k == TN_NONE)
				continue;
			y = tn_view_position(b->v, (tn_op_id){ k });
		}
		if (y >= y0) { /* else the ops have changed places */
			match_gap(a, x0, x, b, y0, y);
			y0 = y + 1;
		}
		x0 = x + 1;
	}
}

enum tn_status tn_diff_match(
	struct tn_diff_side *before, struct tn_diff_side *after, struct tn_arena *arena)
{
	struct tn_arena scratch;
	bool ok;

	before->match = TN_NEW_ARRAY(arena, uint32_t, n_ops(before));
	after->match = TN_NEW_ARRAY(arena, uint32_t, n_ops(after));
	if (!before->match || !after->match)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n_ops(before); i++)
		before->match[i] = TN_NONE;
	for (uint32_t i = 0; i < n_ops(after); i++)
		after->match[i] = TN_NONE;
	tn_arena_init(&scratch);
	ok = match_names(before, after, &scratch);
	if (ok)
		match_gaps(before, after);
	tn_arena_release(&scratch);
	return ok ? TN_OK : TN_ERR_NOMEM;
}
