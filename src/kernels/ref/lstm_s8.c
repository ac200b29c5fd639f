/* LSTM of int8. */
#include "lstm_int.h"

void tn_lstm_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_lstm_int(params, in, out, 1);
}
