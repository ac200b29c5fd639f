/* Sum or mean of int8 over any axes. */
#include "sum_int.h"

void tn_sum_s8(const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_sum_int(params, in[0], out[0], 1);
}
