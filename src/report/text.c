#include "report/text.h"

#include <inttypes.h>
#include <string.h>

#include "report/escape.h"
#include "report/findings.h"
#include "report/ink.h"
#include "report/words.h"

#include "base/qsort.h"

#include "base/banned.h"

static void place(const struct tn_finding *f, bool color, struct tn_strbuf *out)
{
	struct tn_strbuf where;

	if (!*f->file)
		return;
	tn_strbuf_init(&where);
	tn_escape_visible(&where, f->file);
	if (f->line)
		tn_strbuf_printf(&where, ":%zu:%zu", f->line, f->column);
	else if (f->diag->pointer && *f->diag->pointer) {
		tn_strbuf_putc(&where, ':');
		tn_escape_visible(&where, f->diag->pointer);
	}
	tn_strbuf_puts(&where, ": ");
	out->failed = out->failed || where.failed;
	tn_ink(out, color, INK_BOLD, where.text ? where.text : "");
	tn_strbuf_release(&where);
}

static void finding(const struct tn_finding *f, bool color, struct tn_strbuf *out)
{
	const struct tn_diag *d = f->diag;

	place(f, color, out);
	if (f->excuse)
		tn_strbuf_puts(out, "suppressed ");
	tn_ink(out, color, tn_ink_of(d->severity), tn_severity_name(d->severity));
	tn_strbuf_puts(out, ": ");
	tn_escape_visible(out, d->message);
	if (d->rule && *d->rule) {
		tn_strbuf_puts(out, " [");
		tn_escape_visible(out, d->rule);
		tn_strbuf_putc(out, ']');
	}
	tn_strbuf_putc(out, '\n');
	if (f->excuse) {
		tn_strbuf_puts(out, "    because: ");
		tn_escape_visible(out, f->excuse->reason);
		tn_strbuf_putc(out, '\n');
		return;
	}
	for (size_t i = 0; i < d->notes.count; i++) {
		tn_strbuf_puts(out, "    ");
		tn_escape_visible(out, d->notes.items[i]);
		tn_strbuf_putc(out, '\n');
	}
}

/* So many findings of one message are shown with their places; a graph of thousands of ops
 * of one unknown type would bury what else there is. */
enum { SHOWN_ALIKE = 3 };
#define HIDDEN SIZE_MAX

/* Whether another place is all that the finding may add to one with its message. */
static bool is_plain(const struct tn_finding *f)
{
	return !f->excuse && !f->diag->notes.count;
}

static int by_message(const struct tn_finding *a, const struct tn_finding *b)
{
	const char *rule_a = a->diag->rule ? a->diag->rule : "";
	const char *rule_b = b->diag->rule ? b->diag->rule : "";
	int order = a->file == b->file ? 0 : strcmp(a->file, b->file);

	if (!order)
		order = strcmp(rule_a, rule_b);
	if (!order)
		order = strcmp(a->diag->message, b->diag->message);
	return order ? order : (int)a->diag->severity - (int)b->diag->severity;
}

/* Those with one message beside each other, in the order in which they are shown. */
static int by_message_and_order(const void *a, const void *b)
{
	const struct tn_finding *const *fa = a, *const *fb = b;
	int order = by_message(*fa, *fb);

	return order ? order : (*fa > *fb) - (*fa < *fb);
}

/* alike[i]: how many after all->list[i] say the same and are not shown, or HIDDEN for each of
 * them. NULL on lack of memory. */
static size_t *count_alike(const struct tn_findings *all, struct tn_arena *arena)
{
	size_t *alike = TN_NEW_ARRAY(arena, size_t, all->n);
	const struct tn_finding **sorted =
		TN_NEW_ARRAY(arena, const struct tn_finding *, all->n);
	size_t n = 0;

	if (!alike || !sorted)
		return NULL;
	for (size_t i = 0; i < all->n; i++)
		if (is_plain(&all->list[i]))
			sorted[n++] = &all->list[i];
	tn_qsort(sorted, n, sizeof(const struct tn_finding *), by_message_and_order);
	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && !by_message(sorted[begin], sorted[end]);
			end++)
			if (end - begin >= SHOWN_ALIKE)
				alike[sorted[end] - all->list] = HIDDEN;
		if (end - begin > SHOWN_ALIKE)
			alike[sorted[begin + SHOWN_ALIKE - 1] - all->list] =
				end - begin - SHOWN_ALIKE;
	}
	return alike;
}

enum tn_status tn_text_findings(
	const struct tn_view *views, size_t n, bool color, struct tn_strbuf *out)
{
	struct tn_findings all;
	struct tn_arena scratch;
	enum tn_status status;
	const size_t *alike = NULL;

	tn_arena_init(&scratch);
	status = tn_findings_suppressed(views, n, true, &scratch, &all);
	if (status == TN_OK && !(alike = count_alike(&all, &scratch)))
		status = TN_ERR_NOMEM;
	for (size_t i = 0; i < all.n && status == TN_OK; i++) {
		if (alike[i] == HIDDEN)
			continue;
		finding(&all.list[i], color, out);
		if (alike[i])
			tn_strbuf_printf(out,
				"    and %zu more like it (lint --format json has "
				"each)\n",
				alike[i]);
	}
	tn_arena_release(&scratch);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}

static void plural(struct tn_strbuf *out, size_t n, const char *what)
{
	tn_strbuf_printf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

enum tn_status tn_text_totals(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	const struct tn_findings all = tn_findings_count(views, n);
	const size_t suppressed = all.n - all.errors - all.warnings - all.notes;

	plural(out, all.errors, "error");
	tn_strbuf_puts(out, ", ");
	plural(out, all.warnings, "warning");
	if (all.notes) {
		tn_strbuf_puts(out, ", ");
		plural(out, all.notes, "note");
	}
	if (suppressed)
		tn_strbuf_printf(out, ", %zu suppressed", suppressed);
	tn_strbuf_puts(out, " in ");
	plural(out, n, "file");
	tn_strbuf_putc(out, '\n');
	return out->failed ? TN_ERR_NOMEM : TN_OK;
}

/* Appends what `words` said about a candidate, made safe. */
typedef void words_fn(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out);

static void say(words_fn *words, const struct tn_view *v, const struct tn_candidate *c,
	struct tn_strbuf *out)
{
	struct tn_strbuf raw;

	tn_strbuf_init(&raw);
	words(v, c, &raw);
	out->failed = out->failed || raw.failed;
	tn_escape_visible(out, raw.text ? raw.text : "");
	tn_strbuf_release(&raw);
}

static void who(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	tn_escape_short(out, v->g->ops[c->op.i].name, TN_WORDS_NAME);
	tn_strbuf_puts(out, ": ");
	tn_words_quoted(v, c->in, out);
	tn_strbuf_puts(out, " -> ");
	tn_words_quoted(v, c->out, out);
}

static void rule_of(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	uint32_t variant = tn_candidate_variant(v, c);

	tn_words_rule(v, c, out);
	if (variant == TN_NONE)
		return;
	tn_strbuf_puts(out, " (");
	tn_words_variant(&c->variant[variant], out);
	tn_strbuf_putc(out, ')');
}

static void candidate(const struct tn_view *v, const struct tn_candidate *c, bool color,
	struct tn_strbuf *out)
{
	bool proved = c->verdict == VERDICT_PROVED;
	int64_t shared = tn_candidate_shared(v, c);
	struct tn_strbuf chain;

	tn_strbuf_puts(out, "  ");
	tn_ink(out, color,
		proved		 ? INK_GOOD
		: c->may_overlap ? INK_WARN
				 : INK_BAD,
		proved ? "proved  " : "rejected");
	tn_strbuf_puts(out, "  ");
	say(who, v, c, out);
	if (c->saves_bytes > 0 && (proved || c->may_overlap)) {
		tn_strbuf_puts(out, proved ? ", saves " : ", an overlap saves ");
		tn_escape_number(out, c->saves_bytes);
		tn_strbuf_puts(out, " B");
	}
	tn_strbuf_puts(out, "\n            ");
	if (!proved)
		tn_strbuf_printf(out, "fails %s (%s): ", tn_obligation_name(c->failed),
			tn_obligation_text(c->failed));
	say(tn_words_reason, v, c, out);
	if (!proved && c->may_overlap) {
		tn_strbuf_puts(out, "\n            legal overlap: ");
		say(rule_of, v, c, out);
	}
	if (v->plan) {
		tn_strbuf_puts(out, "\n            in the plan: ");
		if (shared) {
			tn_strbuf_puts(out,
				tn_candidate_in_place(v, c) ? "in place, " : "overlap, ");
			tn_escape_number(out, shared);
			tn_strbuf_puts(out, " B shared");
		} else {
			tn_strbuf_puts(out, "apart");
		}
		tn_strbuf_init(&chain);
		if (tn_words_chain(v, c->op, &chain))
			tn_strbuf_printf(out, "\n            in a chain: %s",
				chain.text ? chain.text : "");
		out->failed = out->failed || chain.failed;
		tn_strbuf_release(&chain);
	}
	tn_strbuf_putc(out, '\n');
}

enum tn_status tn_text_candidates(
	const struct tn_view *v, bool color, struct tn_strbuf *out)
{
	size_t proved = 0, overlap = 0;

	if (!v->g || !v->inplace || !v->inplace->n)
		return out->failed ? TN_ERR_NOMEM : TN_OK;
	for (size_t i = 0; i < v->inplace->n; i++) {
		const struct tn_candidate *c = &v->inplace->list[i];

		proved += c->verdict == VERDICT_PROVED;
		overlap += c->verdict != VERDICT_PROVED && c->may_overlap;
	}
	tn_strbuf_puts(out, "in place, ");
	tn_escape_visible(out, tn_view_file(v));
	tn_strbuf_printf(out,
		": %zu proved, %zu rejected, of which %zu may overlap at a distance\n",
		proved, v->inplace->n - proved, overlap);
	for (size_t i = 0; i < v->inplace->n; i++)
		candidate(v, &v->inplace->list[i], color, out);
	return out->failed ? TN_ERR_NOMEM : TN_OK;
}
