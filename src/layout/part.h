/* Inside layout/: the parts of tn_layout_check. */
#ifndef TN_LAYOUT_PART_H
#define TN_LAYOUT_PART_H

#include "layout/layout.h"

/* Those that return a value: false when memory ran out. */
void tn_layout_regions(const struct tn_layout *l);
void tn_layout_pins(const struct tn_layout *l);
bool TN_MUST_CHECK tn_layout_places(const struct tn_layout *l);
bool TN_MUST_CHECK tn_layout_order(struct tn_layout *l);
bool TN_MUST_CHECK tn_layout_chains(const struct tn_layout *l);

#endif
