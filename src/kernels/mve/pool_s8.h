/* Pooling of int8 for processors with MVE: the taps of a window for as many channels as a
 * vector has. */
#ifndef TENURE_KERNELS_MVE_POOL_S8_H
#define TENURE_KERNELS_MVE_POOL_S8_H

/* first: how gcc is to compile is the same for all that follows */
#include "mve.h"

#include "dsp/pool_s8.h"

#if TN_MVE

/* Loads and folds the window's taps from %[base] on, with the lanes that VCTP has set. At
 * the end of the memory the row goes back to its start. */
#define TN_POOL_TAPS(load, fold)                                                         \
	"mov %[row], %[base]\n\t"                                                        \
	"ldr %[n], %[rows]\n"                                                            \
	"2:\n\t"                                                                         \
	"mov %[at], %[row]\n\t"                                                          \
	"dls lr, %[taps]\n"                                                              \
	"1:\n\t"                                                                         \
	"vpst\n\t" load " q0, [%[at]]\n\t"                                               \
	"add %[at], %[step]\n\t" fold ", q0\n\t"                                         \
	"le lr, 1b\n\t"                                                                  \
	"subs %[n], #1\n\t"                                                              \
	"beq 3f\n\t"                                                                     \
	"add %[row], %[bytes]\n\t"                                                       \
	"cmp %[n], %[wrapped]\n\t"                                                       \
	"bne 2b\n\t"                                                                     \
	"ldr %[at], %[back]\n\t"                                                         \
	"sub %[row], %[at]\n\t"                                                          \
	"b 2b\n"                                                                         \
	"3:\n\t"

#define TN_POOL_OPERANDS(w)                                                              \
	[taps] "r"((w)->taps), [step] "r"((w)->step), [bytes] "r"((w)->row_bytes),       \
		[wrapped] "r"((w)->wrapped), [rows] "m"((w)->rows),                      \
		[back] "m"((w)->back)

#endif

#endif
