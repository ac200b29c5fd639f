#include "rules/page.h"

#include <string.h>

#include "base/glob.h"

#include "base/banned.h"

static const char *severity_word(enum tn_severity severity)
{
	return severity == SEVERITY_ERROR     ? "error"
	       : severity == SEVERITY_WARNING ? "warning"
					      : "note";
}

static void paragraph(struct tn_strbuf *out, const char *what, const char *text)
{
	if (text && *text)
		tn_strbuf_printf(out, "\n%s%s\n", what, text);
}

static void ground(struct tn_strbuf *out, const struct tn_rule_ground *g)
{
	static const char *const kinds[] = { "bug", "format", "bytes" };

	tn_strbuf_printf(out, "- %s: ", kinds[g->kind]);
	if (g->ref)
		tn_strbuf_printf(out, "%s%s", g->ref, *g->text ? ", " : "");
	tn_strbuf_printf(out, "%s\n", g->text);
}

/* The sample as a block of code; its own line breaks at both ends are for the pack. */
static void sample(
	struct tn_strbuf *out, const char *what, const struct tn_rule_sample *s)
{
	const char *text = s->text;
	size_t len;

	if (!text)
		return;
	text += strspn(text, "\r\n");
	len = strlen(text);
	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	tn_strbuf_printf(out, "\n%s", what);
	if (s->command && strcmp(s->command, "test") == 0)
		tn_strbuf_puts(out, " or not in a unit test");
	else if (s->command)
		tn_strbuf_puts(out, " for `tenure verify`");
	if (s->options)
		tn_strbuf_printf(out, ", with `%s`", s->options);
	if (s->edit)
		tn_strbuf_printf(
			out, ", a plan made by `tenure plan` and changed: `%s`", s->edit);
	if (s->file) {
		tn_strbuf_printf(out, ": `%s`\n", s->file);
	} else {
		tn_strbuf_puts(out, ":\n\n```json\n");
		tn_strbuf_add(out, text, len);
		tn_strbuf_puts(out, "\n```\n");
	}
}

void tn_rule_page(const struct tn_rule *rule, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "# %s\n\n%s: %s.\n", rule->id,
		severity_word(rule->severity), rule->title);
	paragraph(out, "", rule->why);
	paragraph(out, "To fix it: ", rule->fix);
	if (rule->context)
		tn_strbuf_printf(
			out, "\nFor each `%s`: `%s`\n", rule->context, rule->assertion);
	if (rule->n_grounds)
		tn_strbuf_puts(out, "\nGrounds:\n\n");
	for (size_t i = 0; i < rule->n_grounds; i++)
		ground(out, &rule->grounds[i]);
	sample(out, "It fires", &rule->example);
	if (!rule->near_miss.command || strcmp(rule->near_miss.command, "test") != 0)
		sample(out, "It does not fire", &rule->near_miss);
}

bool tn_rule_index(
	const struct tn_rule_set *rules, const char *pattern, struct tn_strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < rules->n; i++) {
		const struct tn_rule *rule = &rules->items[i];

		if (!tn_glob(pattern, rule->id))
			continue;
		if (!any)
			tn_strbuf_puts(out, "| rule | severity | |\n|---|---|---|\n");
		any = true;
		tn_strbuf_printf(out, "| %s | %s | %s |\n", rule->id,
			severity_word(rule->severity), rule->title);
	}
	return any;
}
