/* SVDF of int8 with a state of int16. */
#include "svdf_int.h"

void tn_svdf_s8_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_svdf_int(params, in, out, 2);
}
