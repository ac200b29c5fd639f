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

/* Assembly that takes nearly all registers leaves gcc none for a frame pointer, which users
 * may ask for. */
#if TN_MVE && defined(__OPTIMIZE__) && !defined(__clang__)
#pragma GCC optimize("omit-frame-pointer")
#endif

/* Of a function with such assembly: at -O0 gcc needs some itself. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#define TN_ALL_REGISTERS __attribute__((optimize("O2", "omit-frame-pointer")))
#else
#define TN_ALL_REGISTERS
#endif

#endif
