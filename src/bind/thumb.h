/* The kernel set for processors without DSP instructions: a call of a portable kernel, bound,
 * becomes a call of a kernel of the set where there is one. */
#ifndef TN_BIND_THUMB_H
#define TN_BIND_THUMB_H

#include "bind/dsp.h"

/* False, reported, on lack of memory only. */
bool tn_bind_thumb(struct tn_binder *b);

/* Its kernel for convolutions; the same. */
bool tn_bind_thumb_conv(struct tn_binder *b);

#endif
