/* A diff as a comment on a pull request. */
#include <inttypes.h>

#include "report/diff.h"
#include "report/diff_words.h"
#include "report/escape.h"
#include "report/markdown.h"
#include "report/rules.h"

#include "base/banned.h"

static void number(struct tn_strbuf *out, int64_t value)
{
	if (value < 0)
		tn_strbuf_putc(out, '-');
	else
		tn_escape_number(out, value);
}

/* What a builder of text has written, as code; the buffer is released. */
static void taken(struct tn_strbuf *text, struct tn_strbuf *out)
{
	tn_markdown_code(out, text->text ? text->text : "");
	out->failed = out->failed || text->failed;
	tn_strbuf_release(text);
}

static void figures(const struct tn_diff *d, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "\n| | old | new | change |\n|---|---:|---:|---:|\n");
	for (int i = 0; i < DIFF_FIGURES; i++) {
		const struct tn_diff_figure *f = &d->figures[i];

		if (f->before < 0 && f->after < 0)
			continue;
		tn_strbuf_printf(out, "| %s | ", f->title);
		number(out, f->before);
		tn_strbuf_puts(out, " | ");
		number(out, f->after);
		tn_strbuf_puts(out, " | ");
		if (f->before >= 0 && f->after >= 0 && f->before != f->after)
			tn_diff_words_change(f, out);
		tn_strbuf_puts(out, " |\n");
	}
}

static void peak(const char *title, const struct tn_diff_side *s, struct tn_strbuf *out)
{
	struct tn_strbuf text;

	if (s->peak == TN_NONE)
		return;
	tn_strbuf_init(&text);
	tn_diff_words_peak(s, &text);
	tn_strbuf_printf(out, "- %s peak: ", title);
	taken(&text, out);
	tn_strbuf_putc(out, '\n');
}

static void ops(const struct tn_diff *d, struct tn_strbuf *out)
{
	const uint32_t changed = d->n_added + d->n_removed + d->n_resized;

	if (!changed)
		return;
	tn_strbuf_printf(out,
		"\n<details><summary>%u ops added, %u removed, %u of another "
		"size</summary>\n\n| | op |\n|---|---|\n",
		d->n_added, d->n_removed, d->n_resized);
	for (uint32_t i = 0; i < d->n_ops; i++) {
		struct tn_strbuf text;

		if (d->ops[i].change == DIFF_SAME)
			continue;
		tn_strbuf_init(&text);
		tn_diff_words_op(d, &d->ops[i], &text);
		tn_strbuf_printf(out, "| %s | ", tn_diff_change_name(d->ops[i].change));
		taken(&text, out);
		tn_strbuf_puts(out, " |\n");
	}
	tn_strbuf_puts(out, "\n</details>\n");
}

static void decisions(const struct tn_diff *d, struct tn_strbuf *out)
{
	if (!d->n_decisions)
		return;
	tn_strbuf_printf(out,
		"\n**In place and overlap**: %zu lost, %zu won\n\n"
		"| | decision | why |\n|---|---|---|\n",
		d->n_lost, d->n_won);
	for (size_t i = 0; i < d->n_decisions; i++) {
		const struct tn_diff_decision *x = &d->decisions[i];
		struct tn_strbuf text;

		tn_strbuf_printf(out, "| %s | ", tn_diff_change_name(x->change));
		tn_strbuf_init(&text);
		tn_diff_words_decision(d, x, &text);
		taken(&text, out);
		tn_strbuf_puts(out, " | ");
		tn_diff_words_why(d, x, &text);
		taken(&text, out);
		tn_strbuf_puts(out, " |\n");
	}
}

static void findings(const struct tn_diff *d, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "\n**Findings**: %zu new, %zu fixed, %zu as before\n",
		d->n_new, d->n_fixed, d->n_kept);
	if (d->n_findings)
		tn_strbuf_puts(out, "\n| | | rule | finding |\n|---|---|---|---|\n");
	for (size_t i = 0; i < d->n_findings; i++) {
		const struct tn_finding *f = d->findings[i].finding;

		tn_strbuf_printf(out, "| %s | %s | ",
			d->findings[i].fixed ? "fixed" : "new",
			tn_severity_name(f->diag->severity));
		tn_markdown_code(out, tn_finding_rule(f));
		tn_strbuf_puts(out, " | ");
		tn_markdown_code(out, f->diag->message);
		tn_strbuf_puts(out, " |\n");
	}
}

enum tn_status tn_diff_markdown(const struct tn_diff *d, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "## tenure: ");
	tn_markdown_code(out, tn_view_file(d->before.v));
	tn_strbuf_puts(out, " to ");
	tn_markdown_code(out, tn_view_file(d->after.v));
	tn_strbuf_putc(out, '\n');
	if (d->growth.exceeded) {
		tn_strbuf_puts(out, "\n**Too much growth**: ");
		tn_diff_words_growth(d, out);
		tn_strbuf_putc(out, '\n');
	}
	figures(d, out);
	tn_strbuf_putc(out, '\n');
	peak("old", &d->before, out);
	peak("new", &d->after, out);
	ops(d, out);
	decisions(d, out);
	findings(d, out);
	return out->failed ? TN_ERR_NOMEM : TN_OK;
}
