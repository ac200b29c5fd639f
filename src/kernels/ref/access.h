/* Loads and stores for operands that may overlap: types that may alias anything, so that
 * the compiler assumes nothing about two pointers of different types. */
#ifndef TENURE_KERNELS_ACCESS_H
#define TENURE_KERNELS_ACCESS_H

#include <stdint.h>

typedef float __attribute__((may_alias)) tn_f32;
typedef int16_t __attribute__((may_alias)) tn_s16;
typedef int32_t __attribute__((may_alias)) tn_s32;
typedef int64_t __attribute__((may_alias)) tn_s64;
typedef int8_t tn_s8;   /* character types alias anything already */
typedef uint8_t tn_u8;

#endif
