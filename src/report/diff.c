#include "report/diff.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "base/size.h"
#include "ir/constants.h"
#include "report/diff_match.h"

#include "base/banned.h"

const char *tn_diff_change_name(enum tn_diff_change change)
{
	static const char *const names[] = {
		[DIFF_SAME] = "same",
		[DIFF_ADDED] = "added",
		[DIFF_REMOVED] = "removed",
		[DIFF_RESIZED] = "resized",
		[DIFF_WON] = "won",
		[DIFF_LOST] = "lost",
	};

	return names[change];
}

static enum tn_status look(
	struct tn_diff_side *s, const struct tn_view *v, struct tn_arena *arena)
{
	enum tn_status status;

	s->v = v;
	s->peak = TN_NONE;
	status = tn_findings_collect(v, 1, arena, &s->findings);
	if (status == TN_OK && v->plan)
		status = tn_boxes_find(v, arena, &s->boxes);
	if (status == TN_OK && v->g && (v->plan || v->live))
		status = tn_loads_find(v, arena, &s->loads, &s->peak);
	return status;
}

/* ---- figures ---- */

static int64_t constant_bytes(const struct tn_graph *g)
{
	struct tn_constants constants;
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_constants_find(g, &scratch, &constants);
	tn_arena_release(&scratch);
	return status == TN_OK ? constants.bytes : -1;
}

static void figures_of(const struct tn_diff_side *s, int64_t *out)
{
	const struct tn_plan *p = s->v->plan;
	const struct tn_graph *g = s->v->g;

	for (int i = 0; i < DIFF_FIGURES; i++)
		out[i] = -1;
	if (p) {
		out[DIFF_ARENA] = p->arena_bytes;
		out[DIFF_ACTIVATIONS] = p->activation_bytes;
		out[DIFF_SCRATCH] = p->scratch_bytes;
		out[DIFF_BOUND] = p->bound_bytes;
		out[DIFF_DISJOINT] = p->disjoint_bound_bytes;
		out[DIFF_NO_REUSE] = p->no_reuse_bytes;
	}
	if (s->peak != TN_NONE)
		out[DIFF_PEAK_LIVE] = s->loads[s->peak].live_bytes;
	if (g) {
		out[DIFF_CONSTANTS] = constant_bytes(g);
		out[DIFF_OPS] = g->n_ops;
		out[DIFF_TENSORS] = g->n_tensors;
	}
}

static void find_figures(struct tn_diff *d)
{
	static const struct tn_diff_figure figures[DIFF_FIGURES] = {
		[DIFF_ARENA] = { "arena_bytes", "arena", true, 0, 0 },
		[DIFF_ACTIVATIONS] = { "activation_bytes", "activations", true, 0, 0 },
		[DIFF_SCRATCH] = { "scratch_bytes", "scratch", true, 0, 0 },
		[DIFF_BOUND] = { "bound_bytes", "lower bound", true, 0, 0 },
		[DIFF_DISJOINT] = { "disjoint_bound_bytes", "without overlap at least",
			true, 0, 0 },
		[DIFF_NO_REUSE] = { "no_reuse_bytes", "without reuse", true, 0, 0 },
		[DIFF_CONSTANTS] = { "constant_bytes", "constants", true, 0, 0 },
		[DIFF_PEAK_LIVE] = { "peak_live_bytes", "live at the peak", true, 0, 0 },
		[DIFF_OPS] = { "ops", "ops", false, 0, 0 },
		[DIFF_TENSORS] = { "tensors", "tensors", false, 0, 0 },
	};
	int64_t before[DIFF_FIGURES], after[DIFF_FIGURES];

	figures_of(&d->before, before);
	figures_of(&d->after, after);
	for (int i = 0; i < DIFF_FIGURES; i++) {
		d->figures[i] = figures[i];
		d->figures[i].before = before[i];
		d->figures[i].after = after[i];
	}
}

/* ---- ops ---- */

static int64_t out_bytes(const struct tn_graph *g, uint32_t op)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < g->ops[op].n_outputs; i++) {
		const uint32_t t = g->ops[op].outputs[i].i;

		if (t != TN_NONE && !tn_add_i64(sum, g->tensors[t].bytes, &sum))
			return -1;
	}
	return sum;
}

static int64_t live_at(const struct tn_diff_side *s, uint32_t position)
{
	return s->loads ? s->loads[position].live_bytes : -1;
}

static void add_op(struct tn_diff *d, struct tn_diff_op op)
{
	d->n_added += op.change == DIFF_ADDED;
	d->n_removed += op.change == DIFF_REMOVED;
	d->n_resized += op.change == DIFF_RESIZED;
	d->ops[d->n_ops++] = op;
}

/* Old ops that are gone, from position *at on: all before `end`, then those up to the first
 * one that is still there. */
static void add_removed(struct tn_diff *d, uint32_t *at, uint32_t end)
{
	const struct tn_view *old = d->before.v;

	for (; old->g && *at < old->g->n_ops; (*at)++) {
		const uint32_t op = tn_view_op_at(old, *at).i;

		if (d->before.match[op] == TN_NONE)
			add_op(d, (struct tn_diff_op){ DIFF_REMOVED, { op }, { TN_NONE },
					  live_at(&d->before, *at), -1 });
		else if (*at >= end)
			return;
	}
}

static enum tn_status find_ops(struct tn_diff *d, struct tn_arena *arena)
{
	const struct tn_graph *a = d->before.v->g, *b = d->after.v->g;
	const uint32_t na = a ? a->n_ops : 0, nb = b ? b->n_ops : 0;
	uint32_t *where = TN_NEW_ARRAY(arena, uint32_t, na);
	uint32_t at = 0;

	d->ops = TN_NEW_ARRAY(arena, struct tn_diff_op, (size_t)na + nb);
	if (!d->ops || !where)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < na; p++)
		where[tn_view_op_at(d->before.v, p).i] = p;
	add_removed(d, &at, 0);
	for (uint32_t p = 0; p < nb; p++) {
		const uint32_t op = tn_view_op_at(d->after.v, p).i,
			       old = d->after.match[op];
		struct tn_diff_op one = { DIFF_ADDED, { old }, { op }, -1,
			live_at(&d->after, p) };

		if (old != TN_NONE) {
			assert(a);
			one.live_before = live_at(&d->before, where[old]);
			one.change = out_bytes(a, old) == out_bytes(b, op) ? DIFF_SAME
									   : DIFF_RESIZED;
		}
		/* ops may have changed places: what is gone between them is told once */
		if (old == TN_NONE || where[old] < at) {
			add_op(d, one);
			continue;
		}
		add_removed(d, &at, where[old]);
		add_op(d, one);
		at++;
		add_removed(d, &at, at);
	}
	return TN_OK;
}

enum tn_status tn_diff_find(const struct tn_view *before, const struct tn_view *after,
	struct tn_arena *arena, struct tn_diff *out)
{
	enum tn_status status;

	*out = (struct tn_diff){ 0 };
	out->growth = (struct tn_diff_growth){ false, -1, -1, false };
	status = look(&out->before, before, arena);
	if (status == TN_OK)
		status = look(&out->after, after, arena);
	if (status == TN_OK)
		status = tn_diff_match(&out->before, &out->after, arena);
	if (status != TN_OK)
		return status;
	find_figures(out);
	status = find_ops(out, arena);
	if (status == TN_OK)
		status = tn_diff_decisions(out, arena);
	return status == TN_OK ? tn_diff_findings(out, arena) : status;
}

/* ---- growth ---- */

bool tn_diff_growth_parse(const char *text, struct tn_diff_growth *out)
{
	int64_t value = 0;
	int decimals = -1; /* no point yet */

	*out = (struct tn_diff_growth){ true, -1, -1, false };
	if (*text < '0' || *text > '9')
		return false;
	if (tn_size_parse(text, &out->bytes))
		return true;
	for (; (*text >= '0' && *text <= '9') || (*text == '.' && decimals < 0); text++) {
		if (*text == '.') {
			decimals = 0;
			continue;
		}
		if (decimals >= 0 && ++decimals > 3)
			return false;
		if (!tn_mul_i64(value, 10, &value) ||
			!tn_add_i64(value, *text - '0', &value))
			return false;
	}
	if (strcmp(text, "%") == 0) {
		for (int i = decimals < 0 ? 0 : decimals; i < 3; i++)
			if (!tn_mul_i64(value, 10, &value))
				return false;
		out->milli = value;
		return decimals != 0;
	}
	return false;
}

bool tn_diff_grown(const struct tn_diff *d, const struct tn_diff_growth *limit)
{
	const struct tn_diff_figure *arena = &d->figures[DIFF_ARENA];
	int64_t growth, part, may;

	if (arena->before < 0 || arena->after < 0 ||
		!tn_sub_i64(arena->after, arena->before, &growth) || growth <= 0)
		return false;
	if (limit->bytes >= 0)
		return growth > limit->bytes;
	/* growth / before > milli / 100,000; so large a product is an arena of terabytes */
	if (!tn_mul_i64(growth, 100000, &part))
		return true;
	return tn_mul_i64(arena->before, limit->milli, &may) && part > may;
}
