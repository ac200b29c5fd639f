/* Max pooling of int16. */
#include "pool_int.h"

void tn_max_pool_2d_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_pool_int(params, in[0], out[0], scratch, 2, tn_greatest_int);
}
