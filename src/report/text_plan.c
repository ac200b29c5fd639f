/* The summary of a plan: a line for each buffer, then what it all adds up to. */
#include <inttypes.h>
#include <string.h>

#include "report/boxes.h"
#include "report/escape.h"
#include "report/ink.h"
#include "report/marks.h"
#include "report/table.h"
#include "report/text.h"
#include "report/words.h"

#include "base/banned.h"

enum { COLUMN_OP = 24, COLUMN_TENSOR = 32 };

static void cell_of_box(
	const struct tn_view *v, const struct tn_box *b, struct tn_table *table)
{
	struct tn_strbuf name;

	tn_strbuf_init(&name);
	if (b->kind == BOX_SCRATCH)
		tn_strbuf_puts(&name, "(scratch)");
	else
		tn_box_name(v, b, &name);
	table->failed = table->failed || name.failed;
	tn_table_text(table, name.text ? name.text : "", COLUMN_TENSOR);
	tn_strbuf_release(&name);
}

static const char *origin(const struct tn_view *v, const struct tn_box *b)
{
	if (b->op.i != TN_NONE)
		return v->g->ops[b->op.i].name;
	return b->kind == BOX_VARIABLE ? "(state)" : "(before the run)";
}

/* Which boxes does this one lie over when it is written? */
static void remarks(const struct tn_view *v, const struct tn_boxes *boxes, uint32_t i,
	uint32_t *next, struct tn_strbuf *out)
{
	while (*next < boxes->n_overlaps && boxes->overlaps[*next].over == i) {
		const struct tn_box_overlap *o = &boxes->overlaps[(*next)++];
		const struct tn_box *under = &boxes->list[o->under];
		bool same = under->offset == boxes->list[i].offset;
		struct tn_strbuf name;

		tn_strbuf_init(&name);
		tn_box_name(v, under, &name);
		tn_strbuf_puts(out, same ? "  in place of " : "  over ");
		tn_strbuf_putc(out, '\'');
		tn_escape_short(out, name.text ? name.text : "", COLUMN_TENSOR);
		tn_strbuf_puts(out, "', ");
		tn_escape_number(out, o->end - o->begin);
		tn_strbuf_puts(out, " B shared");
		out->failed = out->failed || name.failed;
		tn_strbuf_release(&name);
	}
}

static void plain(struct tn_table *table, int64_t value)
{
	struct tn_strbuf cell;

	tn_strbuf_init(&cell);
	tn_strbuf_printf(&cell, "%" PRId64, value);
	tn_table_taken(table, &cell);
}

static void row(const struct tn_view *v, const struct tn_boxes *boxes, uint32_t i,
	uint32_t *next, struct tn_table *table)
{
	const struct tn_box *b = &boxes->list[i];
	struct tn_strbuf more;

	tn_table_text(table, origin(v, b), COLUMN_OP);
	cell_of_box(v, b, table);
	tn_table_number(table, b->bytes);
	tn_table_number(table, b->offset);
	plain(table, b->begin);
	plain(table, b->last);
	tn_strbuf_init(&more);
	if (v->plan->n_regions > 1) {
		tn_strbuf_puts(&more, "  ");
		tn_escape_short(&more, v->plan->regions[b->region].name, 16);
	}
	if (b->ring_of) {
		tn_strbuf_puts(&more, "  in a ring of ");
		tn_escape_number(&more, b->bytes);
		tn_strbuf_puts(&more, " B, ");
		tn_escape_number(&more, b->ring_of);
		tn_strbuf_puts(&more, " B in all");
	}
	remarks(v, boxes, i, next, &more);
	tn_table_taken(table, &more);
}

static void rows(const struct tn_view *v, const struct tn_boxes *boxes,
	struct tn_arena *arena, struct tn_strbuf *out)
{
	static const struct tn_table_column columns[] = {
		{ "op", 2, COLUMN_OP, false },
		{ "tensor", 2, COLUMN_TENSOR, false },
		{ "bytes", 2, 10, true },
		{ "offset", 2, 10, true },
		{ "first", 2, 5, true },
		{ "last", 1, 5, true },
		{ "", 0, 0, false },
	};
	struct tn_table table;
	uint32_t next = 0;

	tn_table_init(&table, arena, columns, sizeof(columns) / sizeof(*columns));
	for (uint32_t i = 0; i < boxes->n; i++)
		row(v, boxes, i, &next, &table);
	tn_table_print(&table, out);
}

static void percent(struct tn_strbuf *out, int64_t part, int64_t whole)
{
	int64_t permille = tn_permille(part, whole);

	tn_strbuf_printf(out, "%" PRId64 ".%" PRId64 " %%", permille / 10, permille % 10);
}

/* A row of the totals; `more` is what is said about it, released. */
static void total(
	struct tn_table *table, const char *what, int64_t bytes, struct tn_strbuf *more)
{
	struct tn_strbuf rest;

	tn_table_text(table, what, 16);
	tn_table_number(table, bytes);
	tn_strbuf_init(&rest);
	tn_strbuf_puts(&rest, " B");
	tn_strbuf_puts(&rest, more->len ? "   " : "");
	tn_strbuf_add(&rest, more->text, more->len);
	rest.failed = rest.failed || more->failed;
	tn_strbuf_release(more);
	tn_table_taken(table, &rest);
}

/* What is not a number of bytes. */
static void no_total(struct tn_table *table, const char *what, const char *why)
{
	struct tn_strbuf rest;

	tn_table_text(table, what, 16);
	tn_table_text(table, "", 4);
	tn_strbuf_init(&rest);
	tn_strbuf_puts(&rest, why);
	tn_table_taken(table, &rest);
}

/* What the order of the ops has saved, and whether another one can save more. */
static void schedule(const struct tn_plan *p, bool said, struct tn_table *table)
{
	const struct tn_plan_schedule *s = &p->schedule;
	const int64_t bytes = p->activation_bytes;
	struct tn_strbuf more;

	tn_strbuf_init(&more);
	if (s->given_bytes < 0) {
		no_total(table, "given order", "   does not fit");
	} else {
		if (bytes < s->given_bytes) {
			tn_strbuf_puts(&more, "this order saves ");
			percent(&more, tn_difference(s->given_bytes, bytes),
				s->given_bytes);
		} else {
			tn_strbuf_puts(&more, "no smaller order was found");
		}
		total(table, "given order", s->given_bytes, &more);
	}
	if (!s->bound_bytes && bytes) {
		no_total(table, "any order",
			p->n_streams ? "   not known: some order may have other chains"
				     : "   not known: what a copy or a buffer costs "
				       "depends on the choice of others");
		return;
	}
	tn_strbuf_puts(&more, said			? "at least, the plan file says"
			      : bytes == s->bound_bytes ? "no order needs less"
							: "at least; some order may need "
							  "less");
	total(table, "any order", s->bound_bytes, &more);
}

static void bound(const struct tn_view *v, struct tn_table *table)
{
	const struct tn_plan *p = v->plan;
	const int64_t gap = tn_difference(p->activation_bytes, p->bound_bytes);
	struct tn_strbuf more;

	tn_strbuf_init(&more);
	if (tn_mark_optimal(v)) {
		tn_strbuf_puts(&more, "optimal");
	} else if (!v->verified && p->optimal && !gap) {
		tn_strbuf_puts(&more, "equal");
	} else {
		tn_strbuf_puts(&more, "gap ");
		tn_escape_number(&more, gap);
		tn_strbuf_puts(&more, " B (");
		percent(&more, gap, p->bound_bytes);
		tn_strbuf_putc(&more, ')');
	}
	tn_strbuf_puts(&more, tn_mark_mode(p));
	if (p->said.bound)
		tn_strbuf_puts(&more, ", the plan file says");
	total(table, "bound", p->bound_bytes, &more);
}

static void totals(const struct tn_view *v, struct tn_arena *arena, struct tn_strbuf *out)
{
	static const struct tn_table_column columns[] = {
		{ NULL, 2, 16, false },
		{ NULL, 0, 14, true },
		{ NULL, 0, 0, false },
	};
	const struct tn_plan *p = v->plan;
	int64_t saved = tn_difference(p->no_reuse_bytes, p->activation_bytes);
	int64_t beyond = tn_difference(p->disjoint_bound_bytes, p->activation_bytes);
	struct tn_table table;
	struct tn_strbuf more;

	tn_table_init(&table, arena, columns, sizeof(columns) / sizeof(*columns));
	tn_strbuf_init(&more);
	total(&table, "no reuse", p->no_reuse_bytes, &more);
	tn_strbuf_puts(&more, "no plan without overlap is smaller");
	if (p->said.disjoint)
		tn_strbuf_puts(&more, ", the plan file says");
	total(&table, "disjoint bound", p->disjoint_bound_bytes, &more);
	tn_strbuf_puts(&more, "saves ");
	percent(&more, saved, p->no_reuse_bytes);
	if (beyond > 0) {
		tn_strbuf_puts(&more, ", ");
		percent(&more, beyond, p->disjoint_bound_bytes);
		tn_strbuf_puts(&more, " below the disjoint bound");
	}
	total(&table, "plan", p->activation_bytes, &more);
	bound(v, &table);
	if (p->schedule.searched)
		schedule(p, p->said.others, &table);
	if (p->scratch_bytes)
		total(&table, "largest scratch", p->scratch_bytes, &more);
	tn_strbuf_puts(&more, "all that the caller provides");
	total(&table, "arena", p->arena_bytes, &more);
	tn_table_print(&table, out);
}

static void region_rows(
	const struct tn_plan *p, struct tn_arena *arena, struct tn_strbuf *out)
{
	static const struct tn_table_column columns[] = {
		{ NULL, 2, 23, false },
		{ NULL, 1, 0, false },
	};
	struct tn_table table;

	tn_table_init(&table, arena, columns, sizeof(columns) / sizeof(*columns));
	for (uint32_t r = 0; r < p->n_regions; r++) {
		const struct tn_plan_region *region = &p->regions[r];
		struct tn_strbuf text;

		tn_strbuf_init(&text);
		tn_strbuf_puts(&text, "region ");
		tn_escape_short(&text, region->name, 40);
		tn_table_taken(&table, &text);
		tn_escape_number(&text, region->used);
		if (region->capacity >= 0) {
			tn_strbuf_puts(&text, " of ");
			tn_escape_number(&text, region->capacity);
		}
		tn_strbuf_puts(&text, " B");
		tn_table_taken(&table, &text);
	}
	tn_table_print(&table, out);
}

static void regions(
	const struct tn_plan *p, struct tn_arena *arena, struct tn_strbuf *out)
{
	if (p->n_regions < 2)
		return;
	region_rows(p, arena, out);
	tn_strbuf_puts(out, "  cost of all accesses ");
	tn_escape_number(out, p->access_cost);
	if (p->said.others) {
		tn_strbuf_puts(out, ", the plan file says\n");
	} else if (p->access_cost == p->access_cost_bound) {
		tn_strbuf_puts(out, ", the least possible\n");
	} else {
		tn_strbuf_puts(out, ", least possible not below ");
		tn_escape_number(out, p->access_cost_bound);
		tn_strbuf_putc(out, '\n');
	}
}

static void verdict(const struct tn_view *v, bool color, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "  ");
	if (v->verified) {
		tn_ink(out, color, INK_GOOD, "verified");
		tn_strbuf_puts(out, ": every read finds the value that was written\n");
	} else if (v->refusal) {
		tn_ink(out, color, INK_BAD, "refused");
		tn_strbuf_puts(out, ": ");
		tn_escape_visible(out, v->refusal);
		tn_strbuf_putc(out, '\n');
	} else {
		tn_ink(out, color, INK_WARN, "not verified");
		tn_strbuf_puts(out, ": nobody has looked at this plan\n");
	}
}

/* "rewritten: fold-pad 18, dead-channels 2 (--rewrite none keeps the file's graph)" */
static void rewritten(const struct tn_view *v, struct tn_strbuf *out)
{
	uint32_t times[PASS_COUNT] = { 0 };
	const char *between = "  rewritten: ";

	for (size_t i = 0; v->rewrites && i < v->rewrites->list.count; i++)
		times[v->rewrites->list.items[i].pass] += v->rewrites->list.items[i].done;
	for (int i = 0; i < PASS_COUNT; i++) {
		if (!times[i])
			continue;
		tn_strbuf_printf(
			out, "%s%s %u", between, tn_pass_name((enum tn_pass)i), times[i]);
		between = ", ";
	}
	if (between[0] == ',')
		tn_strbuf_puts(out, " (--rewrite none keeps the file's graph)\n");
}

static void heading(const struct tn_view *v, bool color, struct tn_strbuf *out)
{
	tn_ink(out, color, INK_BOLD, "plan of ");
	tn_escape_visible(out, tn_view_name(v));
	tn_strbuf_printf(out, ": %u ops, %u tensors\n", v->g->n_ops, v->g->n_tensors);
	rewritten(v, out);
	tn_strbuf_putc(out, '\n');
}

enum tn_status tn_text_plan(const struct tn_view *v, bool color, struct tn_strbuf *out)
{
	struct tn_boxes boxes;
	struct tn_arena scratch;
	enum tn_status status;

	if (!v->g || !v->plan)
		return TN_OK;
	tn_arena_init(&scratch);
	status = tn_boxes_find(v, &scratch, &boxes);
	if (status == TN_OK) {
		heading(v, color, out);
		rows(v, &boxes, &scratch, out);
		tn_strbuf_putc(out, '\n');
		regions(v->plan, &scratch, out);
		totals(v, &scratch, out);
		verdict(v, color, out);
		if (v->inplace && v->inplace->n) {
			tn_strbuf_putc(out, '\n');
			status = tn_text_candidates(v, color, out);
		}
	}
	tn_arena_release(&scratch);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
