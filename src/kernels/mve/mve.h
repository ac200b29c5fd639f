/* Is there the vector extension of Armv8.1-M (MVE, integers)? Functions in assembly are
 * written a second time in portable C, so that kernels run and are tested everywhere. */
#ifndef TENURE_KERNELS_MVE_MVE_H
#define TENURE_KERNELS_MVE_MVE_H

#include "ref/access.h"

#if defined(__ARM_FEATURE_MVE) && !defined(TN_RECORD)
#define TN_MVE (__ARM_FEATURE_MVE & 1)
#else
#define TN_MVE 0
#endif

#endif
