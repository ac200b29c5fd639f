/* What emitted code takes, without a compiler: figures that were measured for each kernel
 * (footprint.def, which a test compares with arm-none-eabi-size). */
#ifndef TN_EMIT_FOOTPRINT_H
#define TN_EMIT_FOOTPRINT_H

#include <stddef.h>
#include <stdint.h>

#define TN_FOOTPRINT_CPUS 6
#define TN_FOOTPRINT_M4	  2 /* the Cortex-M4's column */

struct tn_footprint {
	const char *file; /* "ref/conv_2d_s8.c" */
	int32_t text
		[TN_FOOTPRINT_CPUS]; /* bytes of code and read-only data, by processor */
	int32_t stack; /* bytes of the deepest chain of calls, on any of them */
};

/* By name of the kernel's file; NULL: it was not measured. */
const struct tn_footprint *tn_footprint_find(const char *file);

/* The processor's column; of one that was not measured, that of the Cortex-M33, a core
 * like most. *out_cpu is whose it is. */
size_t tn_footprint_column(const char *cpu, const char **out_cpu);

#endif
