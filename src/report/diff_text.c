/* A diff for people: figures side by side, then what changed. */
#include <inttypes.h>
#include <string.h>

#include "report/diff.h"
#include "report/diff_words.h"
#include "report/escape.h"
#include "report/ink.h"
#include "report/words.h"

#include "base/banned.h"

#define OPS_SHOWN 40 /* of those that changed */
#define COLUMN	  14

static void number(struct tn_strbuf *out, int64_t value)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	if (value < 0)
		tn_strbuf_puts(&text, "-");
	else
		tn_escape_number(&text, value);
	tn_strbuf_printf(out, "%*s", COLUMN, text.text ? text.text : "");
	out->failed = out->failed || text.failed;
	tn_strbuf_release(&text);
}

static void figure(const struct tn_diff_figure *f, bool color, struct tn_strbuf *out)
{
	const bool known = f->before >= 0 && f->after >= 0;
	struct tn_strbuf change;

	tn_strbuf_printf(out, "  %-26s", f->title);
	number(out, f->before);
	number(out, f->after);
	if (known && f->before != f->after) {
		tn_strbuf_init(&change);
		tn_diff_words_change(f, &change);
		tn_strbuf_puts(out, "  ");
		tn_ink(out, color && f->is_bytes,
			f->after > f->before ? INK_BAD : INK_GOOD,
			change.text ? change.text : "");
		out->failed = out->failed || change.failed;
		tn_strbuf_release(&change);
	}
	tn_strbuf_putc(out, '\n');
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
	tn_strbuf_printf(
		out, "\n  %-26s%*s%*s  change\n", "", COLUMN, "old", COLUMN, "new");
	for (int i = 0; i < DIFF_FIGURES; i++)
		if (d->figures[i].before >= 0 || d->figures[i].after >= 0)
			figure(&d->figures[i], color, out);
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
