/* The rules of a command: those of the program and those of --rules. */
#ifndef TN_DRIVER_RULE_H
#define TN_DRIVER_RULE_H

#include "rules/rules.h"
#include "tenure/tenure.h"

/* TN_ERR_INPUT, reported, when a file is no pack. */
enum tn_status TN_MUST_CHECK tn_rules_load(const tenure_options *options,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_rule_set *out);

#endif
