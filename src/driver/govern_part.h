/* What the parts of govern share: govern_open.c makes the rulers, govern.c judges by them,
 * govern_config.c judges the configurations themselves. */
#ifndef TN_DRIVER_GOVERN_PART_H
#define TN_DRIVER_GOVERN_PART_H

#include "driver/govern.h"

/* Is the file one that the pattern of its configuration means? NULL means all. */
bool tn_govern_matches(
	const struct tn_govern *g, const struct tn_ward *w, const char *pattern);

/* The last row that matches; NULL: the rule is as it is. */
const struct tn_config_rule *tn_govern_row(const struct tn_regime *r, const char *id);

#endif
