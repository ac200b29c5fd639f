#include "layout/layout.h"

#include "layout/part.h"

bool tn_layout_check(struct tn_layout *l)
{
	tn_layout_regions(l);
	tn_layout_pins(l);
	return tn_layout_places(l) && tn_layout_order(l) &&
	       (l->refusals->out->refusals || tn_layout_chains(l));
}
