#include "ir/validate.h"

enum tn_status tn_validate(const struct tn_graph *g, struct tn_diags *diags)
{
	(void)g;
	(void)diags;
	return TN_OK;
}
