#include "report/markdown.h"

#include <inttypes.h>

#include "report/escape.h"
#include "report/marks.h"
#include "report/findings.h"
#include "report/rules.h"
#include "report/words.h"

#include "base/banned.h"

void tn_markdown_code(struct tn_strbuf *out, const char *text)
{
	struct tn_strbuf visible;
	size_t run = 0, longest = 0;

	tn_strbuf_init(&visible);
	tn_escape_words(&visible, *text ? text : " ", TN_WORD_COLUMNS);
	for (size_t i = 0; i < visible.len; i++) {
		run = visible.text[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		tn_strbuf_putc(out, '`');
	if (longest)
		tn_strbuf_putc(out, ' ');
	for (size_t i = 0; i < visible.len; i++) {
		if (visible.text[i] == '|')
			tn_strbuf_puts(out, "\\x7c");
		else
			tn_strbuf_putc(out, visible.text[i]);
	}
	if (longest)
		tn_strbuf_putc(out, ' ');
	for (size_t i = 0; i <= longest; i++)
		tn_strbuf_putc(out, '`');
	out->failed = out->failed || visible.failed;
	tn_strbuf_release(&visible);
}

static void finding(const struct tn_finding *f, struct tn_strbuf *out)
{
	const struct tn_diag *d = f->diag;
	struct tn_strbuf where;

	tn_strbuf_init(&where);
	tn_strbuf_puts(&where, f->file);
	if (f->line)
		tn_strbuf_printf(&where, ":%zu:%zu", f->line, f->column);
	else if (d->pointer && *d->pointer)
		tn_strbuf_printf(&where, ":%s", d->pointer);
	tn_strbuf_printf(out, "| %s | ", tn_severity_name(d->severity));
	tn_markdown_code(out, tn_finding_rule(f));
	tn_strbuf_puts(out, " | ");
	if (where.len)
		tn_markdown_code(out, where.text);
	tn_strbuf_puts(out, " | ");
	tn_markdown_code(out, d->message);
	for (size_t i = 0; i < d->notes.count; i++) {
		tn_strbuf_puts(out, "<br>");
		tn_markdown_code(out, d->notes.items[i]);
	}
	if (f->excuse) {
		tn_strbuf_puts(out, "<br>because: ");
		tn_markdown_code(out, f->excuse->reason);
	}
	tn_strbuf_puts(out, " |\n");
	out->failed = out->failed || where.failed;
	tn_strbuf_release(&where);
}

static void bytes(struct tn_strbuf *out, const char *what, int64_t value)
{
	tn_strbuf_printf(out, "| %s | ", what);
	tn_escape_number(out, value);
	tn_strbuf_puts(out, " |\n");
}

static void plan(const struct tn_view *v, struct tn_strbuf *out)
{
	const struct tn_plan *p = v->plan;

	tn_strbuf_puts(out, "\n| | bytes |\n|---|---:|\n");
	bytes(out, "arena", p->arena_bytes);
	bytes(out, "activations", p->activation_bytes);
	bytes(out,
		tn_mark_optimal(v) && p->overlap == OVERLAP_FULL
			? "lower bound (reached: optimal)"
			: tn_mark_bound(p),
		p->bound_bytes);
	bytes(out, "without overlap at least", p->disjoint_bound_bytes);
	bytes(out, "without reuse", p->no_reuse_bytes);
	if (v->verified) {
		tn_strbuf_puts(out, "\nThe plan is verified.\n");
	} else if (v->refusal) {
		tn_strbuf_puts(out, "\n**The plan is refused**: ");
		tn_markdown_code(out, v->refusal);
		tn_strbuf_puts(out, "\n");
	} else {
		tn_strbuf_puts(out, "\n**Nobody has verified this plan.**\n");
	}
}

static void candidate(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	struct tn_strbuf text;

	tn_strbuf_printf(out, "| %s | ", tn_words_verdict(c));
	tn_markdown_code(out, v->g->ops[c->op.i].name);
	tn_strbuf_puts(out, " | ");
	tn_strbuf_init(&text);
	tn_words_tensor(v->g, c->in, &text);
	tn_strbuf_puts(&text, " > ");
	tn_words_tensor(v->g, c->out, &text);
	tn_markdown_code(out, text.text ? text.text : "");
	out->failed = out->failed || text.failed;
	tn_strbuf_release(&text);
	tn_strbuf_puts(out, " | ");
	tn_escape_number(out, c->saves_bytes);
	tn_strbuf_printf(out, " | %s | ", tn_obligation_name(c->failed));
	tn_words_reason(v, c, &text);
	tn_markdown_code(out, text.text ? text.text : "");
	out->failed = out->failed || text.failed;
	tn_strbuf_release(&text);
	tn_strbuf_puts(out, " |\n");
}

static void candidates(const struct tn_view *v, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"\n<details><summary>%zu in-place decisions</summary>\n\n"
		"| verdict | op | from > to | saves, bytes | fails | why |\n"
		"|---|---|---|---:|---|---|\n",
		v->inplace->n);
	for (size_t i = 0; i < v->inplace->n; i++)
		candidate(v, &v->inplace->list[i], out);
	tn_strbuf_puts(out, "\n</details>\n");
}

static void table(const struct tn_findings *findings, struct tn_strbuf *out)
{
	if (findings->n)
		tn_strbuf_puts(out, "\n| | rule | place | finding |\n"
				    "|---|---|---|---|\n");
	for (size_t i = 0; i < findings->n; i++)
		finding(&findings->list[i], out);
}

static void suppressed_table(const struct tn_findings *suppressed, struct tn_strbuf *out)
{
	if (!suppressed->n)
		return;
	tn_strbuf_printf(
		out, "\n<details><summary>%zu suppressed</summary>\n", suppressed->n);
	table(suppressed, out);
	tn_strbuf_puts(out, "\n</details>\n");
}

enum tn_status tn_markdown_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	struct tn_findings all, suppressed;
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_findings_collect(views, n, &scratch, &all);
	if (status == TN_OK)
		status = tn_findings_suppressed(views, n, false, &scratch, &suppressed);
	if (status == TN_OK) {
		tn_strbuf_printf(out, "## tenure: %zu error%s, %zu warning%s\n",
			all.errors, all.errors == 1 ? "" : "s", all.warnings,
			all.warnings == 1 ? "" : "s");
		table(&all, out);
		suppressed_table(&suppressed, out);
	}
	for (size_t i = 0; status == TN_OK && i < n; i++) {
		const struct tn_view *v = &views[i];

		if (!v->g || (!v->plan && !v->inplace))
			continue;
		tn_strbuf_puts(out, "\n### ");
		tn_markdown_code(out, tn_view_file(v));
		tn_strbuf_putc(out, '\n');
		if (v->plan)
			plan(v, out);
		if (v->inplace && v->inplace->n)
			candidates(v, out);
	}
	tn_arena_release(&scratch);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
