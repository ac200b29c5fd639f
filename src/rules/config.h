/* A team's configuration (.tenure.xml, rules/config.rng): packs of its own, severities,
 * budgets, files and findings to leave out. */
#ifndef TN_RULES_CONFIG_H
#define TN_RULES_CONFIG_H

#include <stdint.h>

#include "rules/rules.h"

#define TN_CONFIG_NAME ".tenure.xml"

/* <pack file> */
struct tn_config_pack {
	const char *file; /* absolute */
	long line;
};

/* <rule id severity>: the last that matches counts. */
struct tn_config_rule {
	const char *id; /* a pattern */
	bool off;
	enum tn_severity severity; /* unless off */
	long line;
};

/* <budget models ram flash> */
struct tn_config_budget {
	const char *models; /* a pattern; NULL: all */
	int64_t ram, flash; /* bytes; -1: not given */
	long line;
};

/* <ignore models> */
struct tn_config_ignore {
	const char *models; /* a pattern */
	long line;
};

/* <suppress rule name models>reason</suppress> */
struct tn_config_suppress {
	const char *rule; /* a pattern */
	const char *name; /* a pattern for the op or tensor; NULL: any */
	const char *models; /* a pattern; NULL: all */
	const char *reason;
	long line;
};

struct tn_config {
	struct tn_source *source;
	const char *folder; /* absolute: what files and patterns are relative to */
	const char *profile, *execution, *fail_on, *target; /* NULL: not given */
	long line; /* of these four */
	const struct tn_config_pack *packs;
	size_t n_packs;
	const struct tn_config_rule *rules;
	size_t n_rules;
	const struct tn_config_budget *budgets;
	size_t n_budgets;
	const struct tn_config_ignore *ignored;
	size_t n_ignored;
	const struct tn_config_suppress *suppressions;
	size_t n_suppressions;
};

/* TN_ERR_INPUT, reported, when the file is no configuration. */
enum tn_status TN_MUST_CHECK tn_config_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_config *out);

/* An error for each pattern that matches no rule: TN_ERR_INPUT. */
enum tn_status TN_MUST_CHECK tn_config_check(const struct tn_config *config,
	const struct tn_rule_set *rules, struct tn_diags *diags);

/* The .tenure.xml in the folder of an absolute file name or above it; NULL: none, or no
 * memory (*out_nomem). */
const char *tn_config_find(const char *absolute, struct tn_arena *arena, bool *out_nomem);

#endif
