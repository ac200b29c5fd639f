/* tenure explain RULE: what a rule is for, and what to do about it. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "driver/command.h"
#include "driver/rule.h"
#include "rules/page.h"

enum tn_status tn_rules_load(const tenure_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_rule_set *out)
{
	enum tn_status status = tn_rules_shipped(arena, diags, out);

	for (size_t i = 0; i < options->rules.n && status == TN_OK; i++)
		status = tn_rules_read(options->rules.items[i], arena, diags, out);
	return status;
}

/* A rule that was mistyped, or a graph without its tensor. */
static void suggest(struct tn_run *run, const struct tn_rule_set *rules, const char *id)
{
	struct tn_nearest nearest;

	tn_nearest_init(&nearest, id);
	for (size_t i = 0; i < rules->n; i++)
		tn_nearest_offer(&nearest, rules->items[i].id);
	if (access(id, F_OK) == 0)
		tn_diag_note(&run->diags,
			"of a graph it is a tensor that is explained: 'tenure explain %s "
			"TENSOR'; 'tenure plan %s' lists them",
			tn_diag_file(&run->diags, id), tn_diag_file(&run->diags, id));
	else if (nearest.best)
		tn_diag_note(&run->diags, "did you mean '%s'?", nearest.best);
	else
		tn_diag_note(&run->diags, "'tenure explain \"*\"' lists all");
}

static enum tn_status explain(struct tn_run *run, const struct tn_rule_set *rules,
	const char *id, struct tn_strbuf *out)
{
	const struct tn_rule *rule = tn_rule_find(rules, id);

	if (rule) {
		tn_rule_page(rule, out);
	} else if (!strpbrk(id, "*?") || !tn_rule_index(rules, id, out)) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/unknown-rule", NULL,
			NULL, NULL, "there is no rule '%s'", id);
		suggest(run, rules, id);
		return TN_ERR_INPUT;
	}
	return TN_OK;
}

int tenure_explain_rule(const tenure_options *options, const char *rule)
{
	struct tn_run run;
	struct tn_rule_set rules;
	struct tn_strbuf out;
	enum tn_status status;

	tn_run_init(&run, options);
	tn_strbuf_init(&out);
	status = tn_rules_load(options, &run.arena, &run.diags, &rules);
	if (status == TN_OK)
		status = explain(&run, &rules, rule, &out);
	if (status == TN_OK)
		status = tn_command_deliver(&run, &out);
	tn_strbuf_release(&out);
	return tn_command_end(&run, status);
}
