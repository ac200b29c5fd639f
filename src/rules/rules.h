/* Lint rules as data: packs in XML (rules/rules.rng) say what each rule is called, how
 * grave it is, why it is there and what to do. A rule without a check is built in: some
 * module reports it by its id. A rule with a check is an assertion over the facts of a
 * graph (rules/facts.h), so that a team writes its own without C. */
#ifndef TN_RULES_RULES_H
#define TN_RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

enum tn_ground_kind { GROUND_BUG, GROUND_FORMAT, GROUND_BYTES };

/* What a rule is grounded in. */
struct tn_rule_ground {
	enum tn_ground_kind kind;
	const char *ref; /* of a bug: "owner/repository#number" */
	const char *text; /* may be "" */
};

/* A graph for which the rule speaks, or (near miss) does not. */
struct tn_rule_sample {
	const char *command; /* NULL: lint */
	const char *options; /* of the command; NULL: none */
	const char *edit; /* of verify: what is changed in a plan of our own */
	const char *file; /* in the source tree; NULL: it is in `text` */
	const char *text; /* NULL: there is no sample */
};

struct tn_rule {
	const char *id; /* family/what */
	enum tn_severity severity;
	const char *title; /* one sentence */
	const char *message; /* of a rule with a check: a template; or NULL */
	const char *why, *fix; /* or NULL */
	const char *context, *assertion; /* XPath; NULL: built in */
	const struct tn_rule_ground *grounds;
	size_t n_grounds;
	struct tn_rule_sample example, near_miss;
	bool diagnostic; /* about a command or an unreadable file, not about a model */
	const struct tn_source *source; /* the pack, and the line there */
	long line, check_line, message_line;
};

/* By id, each id once. */
struct tn_rule_set {
	const struct tn_rule *items;
	size_t n;
};

/* The rules that come with the program. */
enum tn_status TN_MUST_CHECK tn_rules_shipped(
	struct tn_arena *arena, struct tn_diags *diags, struct tn_rule_set *out);

/* Adds those of a file. TN_ERR_INPUT, reported: it is no pack, a rule has no check, or
 * its id is taken. */
enum tn_status TN_MUST_CHECK tn_rules_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_rule_set *io);

/* NULL when there is none of that id. */
const struct tn_rule *tn_rule_find(const struct tn_rule_set *rules, const char *id);

#endif
