#include "report/github.h"

#include "report/escape.h"
#include "report/findings.h"
#include "report/rules.h"

#include "base/banned.h"

/* What would end the command or the property. Other control characters are spelled out
 * before: the log is a terminal too. */
static void escaped(struct tn_strbuf *out, const char *text, bool property)
{
	struct tn_strbuf visible;

	tn_strbuf_init(&visible);
	tn_escape_visible(&visible, text);
	for (size_t i = 0; i < visible.len; i++) {
		char c = visible.text[i];

		if (c == '%')
			tn_strbuf_puts(out, "%25");
		else if (property && c == ':')
			tn_strbuf_puts(out, "%3A");
		else if (property && c == ',')
			tn_strbuf_puts(out, "%2C");
		else
			tn_strbuf_putc(out, c);
	}
	out->failed = out->failed || visible.failed;
	tn_strbuf_release(&visible);
}

static void command(const struct tn_finding *f, struct tn_strbuf *out)
{
	const struct tn_diag *d = f->diag;

	tn_strbuf_printf(out, "::%s ",
		d->severity == SEVERITY_NOTE ? "notice" : tn_severity_name(d->severity));
	if (*f->file) {
		tn_strbuf_puts(out, "file=");
		escaped(out, f->file, true);
		tn_strbuf_putc(out, ',');
	}
	if (f->line)
		tn_strbuf_printf(out, "line=%zu,col=%zu,", f->line, f->character);
	tn_strbuf_puts(out, "title=");
	escaped(out, tn_finding_rule(f), true);
	tn_strbuf_puts(out, "::");
	escaped(out, d->message, false);
	if (!f->line && d->pointer && *d->pointer) {
		tn_strbuf_puts(out, " (at ");
		escaped(out, d->pointer, false);
		tn_strbuf_putc(out, ')');
	}
	for (size_t i = 0; i < d->notes.count; i++) {
		tn_strbuf_puts(out, "%0A");
		escaped(out, d->notes.items[i], false);
	}
	tn_strbuf_putc(out, '\n');
}

enum tn_status tn_github_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	struct tn_findings all;
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_findings_collect(views, n, &scratch, &all);
	for (size_t i = 0; status == TN_OK && i < all.n; i++)
		command(&all.list[i], out);
	tn_arena_release(&scratch);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
