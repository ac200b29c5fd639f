/* The summary of a plan: a line for each buffer, then what it all adds up to. */
#include <inttypes.h>
#include <string.h>

#include "report/boxes.h"
#include "report/escape.h"
#include "report/ink.h"
#include "report/text.h"
#include "report/words.h"

#include "base/banned.h"

enum { COLUMN_OP = 24, COLUMN_TENSOR = 32 };

static void number(struct tn_strbuf *out, int64_t value, size_t columns)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_escape_number(&text, value);
	out->failed = out->failed || text.failed;
	for (size_t used = text.len; used < columns; used++)
		tn_strbuf_putc(out, ' ');
	tn_strbuf_puts(out, text.text ? text.text : "");
	tn_strbuf_release(&text);
}

static void cell_of_box(
	const struct tn_view *v, const struct tn_box *b, struct tn_strbuf *out)
{
	struct tn_strbuf name;

	tn_strbuf_init(&name);
	if (b->kind == BOX_SCRATCH)
		tn_strbuf_puts(&name, "(scratch)");
	else
		tn_box_name(v, b, &name);
	out->failed = out->failed || name.failed;
	tn_escape_cell(out, name.text ? name.text : "", COLUMN_TENSOR);
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

static void row(const struct tn_view *v, const struct tn_boxes *boxes, uint32_t i,
	uint32_t *next, struct tn_strbuf *out)
{
	const struct tn_box *b = &boxes->list[i];

	tn_strbuf_puts(out, "  ");
	tn_escape_cell(out, origin(v, b), COLUMN_OP);
	tn_strbuf_puts(out, "  ");
	cell_of_box(v, b, out);
	number(out, b->bytes, 12);
	number(out, b->offset, 12);
	tn_strbuf_printf(out, "  %5" PRId64 " %5" PRId64, b->begin, b->last);
	if (v->plan->n_regions > 1) {
		tn_strbuf_puts(out, "  ");
		tn_escape_short(out, v->plan->regions[b->region].name, 16);
	}
	remarks(v, boxes, i, next, out);
	tn_strbuf_putc(out, '\n');
}

static void percent(struct tn_strbuf *out, int64_t part, int64_t whole)
{
	int64_t permille = tn_permille(part, whole);

	tn_strbuf_printf(out, "%" PRId64 ".%" PRId64 " %%", permille / 10, permille % 10);
}

static void total(struct tn_strbuf *out, const char *what, int64_t bytes)
{
	tn_strbuf_puts(out, "  ");
	tn_escape_cell(out, what, 16);
	number(out, bytes, 14);
	tn_strbuf_puts(out, " B");
}

/* What the order of the ops has saved, and whether another one can save more. */
static void schedule(
	const struct tn_plan_schedule *s, int64_t bytes, struct tn_strbuf *out)
{
	if (s->given_bytes >= 0)
		total(out, "given order", s->given_bytes);
	if (s->given_bytes < 0) {
		tn_strbuf_puts(out, "  given order       does not fit");
	} else if (bytes < s->given_bytes) {
		tn_strbuf_puts(out, "   this order saves ");
		percent(out, tn_difference(s->given_bytes, bytes), s->given_bytes);
	} else {
		tn_strbuf_puts(out, "   no smaller order was found");
	}
	tn_strbuf_puts(out, "\n");
	if (!s->bound_bytes && bytes) {
		tn_strbuf_puts(out,
			"  any order           not known: what a copy costs depends "
			"on the choice of others\n");
		return;
	}
	total(out, "any order", s->bound_bytes);
	tn_strbuf_puts(out, bytes == s->bound_bytes
				    ? "   no order needs less\n"
				    : "   at least; some order may need less\n");
}

static void totals(const struct tn_view *v, struct tn_strbuf *out)
{
	const struct tn_plan *p = v->plan;
	int64_t saved = tn_difference(p->no_reuse_bytes, p->activation_bytes);
	int64_t beyond = tn_difference(p->disjoint_bound_bytes, p->activation_bytes);

	total(out, "no reuse", p->no_reuse_bytes);
	tn_strbuf_puts(out, "\n");
	total(out, "disjoint bound", p->disjoint_bound_bytes);
	tn_strbuf_puts(out, "   no plan without overlap is smaller\n");
	total(out, "plan", p->activation_bytes);
	tn_strbuf_puts(out, "   saves ");
	percent(out, saved, p->no_reuse_bytes);
	if (beyond > 0) {
		tn_strbuf_puts(out, ", ");
		percent(out, beyond, p->disjoint_bound_bytes);
		tn_strbuf_puts(out, " below the disjoint bound");
	}
	tn_strbuf_puts(out, "\n");
	total(out, "bound", p->bound_bytes);
	if (p->optimal && p->activation_bytes == p->bound_bytes) {
		tn_strbuf_puts(out, v->verified ? "   optimal\n" : "   equal\n");
	} else {
		tn_strbuf_puts(out, "   gap ");
		tn_escape_number(out, tn_difference(p->activation_bytes, p->bound_bytes));
		tn_strbuf_puts(out, " B (");
		percent(out, tn_difference(p->activation_bytes, p->bound_bytes),
			p->bound_bytes);
		tn_strbuf_puts(out, ")\n");
	}
	if (p->schedule.searched)
		schedule(&p->schedule, p->activation_bytes, out);
	if (p->scratch_bytes) {
		total(out, "largest scratch", p->scratch_bytes);
		tn_strbuf_puts(out, "\n");
	}
	total(out, "arena", p->arena_bytes);
	tn_strbuf_puts(out, "   all that the caller provides\n");
}

static void regions(const struct tn_plan *p, struct tn_strbuf *out)
{
	for (uint32_t r = 0; r < p->n_regions && p->n_regions > 1; r++) {
		const struct tn_plan_region *region = &p->regions[r];

		tn_strbuf_puts(out, "  region ");
		tn_escape_cell(out, region->name, 16);
		tn_escape_number(out, region->used);
		if (region->capacity >= 0) {
			tn_strbuf_puts(out, " of ");
			tn_escape_number(out, region->capacity);
		}
		tn_strbuf_puts(out, " B\n");
	}
	if (p->n_regions > 1) {
		tn_strbuf_puts(out, "  cost of all accesses ");
		tn_escape_number(out, p->access_cost);
		if (p->access_cost == p->access_cost_bound) {
			tn_strbuf_puts(out, ", the least possible\n");
		} else {
			tn_strbuf_puts(out, ", least possible not below ");
			tn_escape_number(out, p->access_cost_bound);
			tn_strbuf_putc(out, '\n');
		}
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
	tn_strbuf_puts(out, "\n  ");
	tn_escape_cell(out, "op", COLUMN_OP);
	tn_strbuf_puts(out, "  ");
	tn_escape_cell(out, "tensor", COLUMN_TENSOR);
	tn_strbuf_puts(out, "       bytes      offset  first  last\n");
}

enum tn_status tn_text_plan(const struct tn_view *v, bool color, struct tn_strbuf *out)
{
	struct tn_boxes boxes;
	struct tn_arena scratch;
	enum tn_status status;
	uint32_t next = 0;

	if (!v->g || !v->plan)
		return TN_OK;
	tn_arena_init(&scratch);
	status = tn_boxes_find(v, &scratch, &boxes);
	if (status == TN_OK) {
		heading(v, color, out);
		for (uint32_t i = 0; i < boxes.n; i++)
			row(v, &boxes, i, &next, out);
		tn_strbuf_putc(out, '\n');
		regions(v->plan, out);
		totals(v, out);
		verdict(v, color, out);
		if (v->inplace && v->inplace->n) {
			tn_strbuf_putc(out, '\n');
			status = tn_text_candidates(v, color, out);
		}
	}
	tn_arena_release(&scratch);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
