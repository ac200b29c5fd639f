/* A diff for people: figures side by side, then what changed. */
#include <string.h>

#include "report/diff.h"
#include "report/diff_words.h"
#include "report/escape.h"
#include "report/ink.h"
#include "report/table.h"
#include "report/words.h"

#include "base/banned.h"

#define OPS_SHOWN 40 /* of those that changed */

static void number(struct tn_table *table, int64_t value)
{
	if (value < 0)
		tn_table_text(table, "-", 4);
	else
		tn_table_number(table, value);
}

static void figure(const struct tn_diff_figure *f, bool color, struct tn_table *table)
{
	const bool known = f->before >= 0 && f->after >= 0;
	struct tn_strbuf change, cell;

	tn_table_text(table, f->title, strlen(f->title) + 4);
	number(table, f->before);
	number(table, f->after);
	tn_strbuf_init(&change);
	tn_strbuf_init(&cell);
	if (known && f->before != f->after) {
		tn_diff_words_change(f, &change);
		tn_ink(&cell, color && f->is_bytes,
			f->after > f->before ? INK_BAD : INK_GOOD,
			change.text ? change.text : "");
		cell.failed = cell.failed || change.failed;
	}
	tn_strbuf_release(&change);
	tn_table_taken(table, &cell);
}

static void figures(const struct tn_diff *d, bool color, struct tn_strbuf *out)
{
	static const struct tn_table_column columns[] = {
		{ "", 2, 26, false },
		{ "old", 2, 12, true },
		{ "new", 2, 12, true },
		{ "change", 2, 0, false },
	};
	struct tn_arena arena;
	struct tn_table table;

	tn_arena_init(&arena);
	tn_table_init(&table, &arena, columns, sizeof(columns) / sizeof(*columns));
	for (int i = 0; i < DIFF_FIGURES; i++)
		if (d->figures[i].before >= 0 || d->figures[i].after >= 0)
			figure(&d->figures[i], color, &table);
	tn_table_print(&table, out);
	tn_arena_release(&arena);
}

static void peak(const char *title, const struct tn_diff_side *s, struct tn_strbuf *out)
{
	struct tn_strbuf text;

	if (s->peak == TN_NONE)
		return;
	tn_strbuf_init(&text);
	tn_diff_words_peak(s, &text);
	tn_strbuf_printf(out, "  %-11s ", title);
	tn_escape_visible(out, text.text ? text.text : "");
	tn_strbuf_putc(out, '\n');
	out->failed = out->failed || text.failed;
	tn_strbuf_release(&text);
}

static void ops(const struct tn_diff *d, struct tn_strbuf *out)
{
	uint32_t shown = 0, changed = d->n_added + d->n_removed + d->n_resized;

	tn_strbuf_printf(out, "ops: %u added, %u removed, %u of another size\n",
		d->n_added, d->n_removed, d->n_resized);
	for (uint32_t i = 0; i < d->n_ops && shown < OPS_SHOWN; i++) {
		struct tn_strbuf text;

		if (d->ops[i].change == DIFF_SAME)
			continue;
		shown++;
		tn_strbuf_init(&text);
		tn_diff_words_op(d, &d->ops[i], &text);
		tn_strbuf_printf(out, "  %-8s ", tn_diff_change_name(d->ops[i].change));
		tn_escape_visible(out, text.text ? text.text : "");
		tn_strbuf_putc(out, '\n');
		out->failed = out->failed || text.failed;
		tn_strbuf_release(&text);
	}
	if (changed > shown)
		tn_strbuf_printf(out, "  and %u more\n", changed - shown);
}

static void decision(const struct tn_diff *d, const struct tn_diff_decision *x,
	bool color, struct tn_strbuf *out)
{
	const bool bad = x->change == DIFF_LOST || x->change == DIFF_REMOVED;
	const char *name = tn_diff_change_name(x->change);
	struct tn_strbuf text;

	tn_strbuf_puts(out, "  ");
	tn_ink(out, color, bad ? INK_BAD : INK_GOOD, name);
	tn_strbuf_printf(out, "%*s", 9 - (int)strlen(name), "");
	tn_strbuf_init(&text);
	tn_diff_words_decision(d, x, &text);
	tn_escape_visible(out, text.text ? text.text : "");
	tn_strbuf_puts(out, "\n           ");
	tn_strbuf_release(&text);
	tn_diff_words_why(d, x, &text);
	tn_escape_visible(out, text.text ? text.text : "");
	tn_strbuf_putc(out, '\n');
	out->failed = out->failed || text.failed;
	tn_strbuf_release(&text);
}

static void finding(const struct tn_diff_finding *x, bool color, struct tn_strbuf *out)
{
	const struct tn_finding *f = x->finding;

	tn_strbuf_puts(out, x->fixed ? "  fixed    " : "  new      ");
	tn_escape_visible(out, f->file);
	if (f->line)
		tn_strbuf_printf(out, ":%zu:%zu", f->line, f->column);
	tn_strbuf_puts(out, *f->file ? ": " : "");
	tn_ink(out, color, x->fixed ? INK_GOOD : tn_ink_of(f->diag->severity),
		tn_severity_name(f->diag->severity));
	tn_strbuf_puts(out, ": ");
	tn_escape_visible(out, f->diag->message);
	if (f->diag->rule && *f->diag->rule) {
		tn_strbuf_puts(out, " [");
		tn_escape_visible(out, f->diag->rule);
		tn_strbuf_putc(out, ']');
	}
	tn_strbuf_putc(out, '\n');
}

enum tn_status tn_diff_text(const struct tn_diff *d, bool color, struct tn_strbuf *out)
{
	tn_escape_visible(out, tn_view_file(d->before.v));
	tn_strbuf_puts(out, " -> ");
	tn_escape_visible(out, tn_view_file(d->after.v));
	tn_strbuf_putc(out, '\n');
	figures(d, color, out);
	tn_strbuf_puts(out, "peak\n");
	peak("old", &d->before, out);
	peak("new", &d->after, out);
	ops(d, out);
	tn_strbuf_printf(out, "decisions: %zu lost, %zu won\n", d->n_lost, d->n_won);
	for (size_t i = 0; i < d->n_decisions; i++)
		decision(d, &d->decisions[i], color, out);
	tn_strbuf_printf(out, "findings: %zu new, %zu fixed, %zu as before\n", d->n_new,
		d->n_fixed, d->n_kept);
	for (size_t i = 0; i < d->n_findings; i++)
		finding(&d->findings[i], color, out);
	if (d->growth.exceeded) {
		tn_strbuf_puts(out, "growth: ");
		tn_diff_words_growth(d, out);
		tn_strbuf_putc(out, '\n');
	}
	return out->failed ? TN_ERR_NOMEM : TN_OK;
}
