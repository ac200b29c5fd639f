/* The rule packs that come with the program, and the schemas, as text. */
#ifndef TN_RULES_PACKS_H
#define TN_RULES_PACKS_H

#include "emit/embedded.h"

extern const struct tn_embedded tn_rule_packs[];

#endif
