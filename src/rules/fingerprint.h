/* What makes a finding the same finding after the file has changed elsewhere: its rule,
 * what it is about and what it says, without numbers. Sizes and positions may change; so
 * may the numbers in names that a reader made ("CONV_2D#3"): such an op goes by its type
 * and its first output. Equal findings are told apart by how many there are. */
#ifndef TN_RULES_FINGERPRINT_H
#define TN_RULES_FINGERPRINT_H

#include <stdint.h>

#include "base/diag.h"
#include "ir/graph.h"

/* `g` may be NULL: the file could not be read. */
uint64_t tn_fingerprint(const struct tn_graph *g, const struct tn_diag *diag);

#endif
