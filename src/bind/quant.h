/* From real scales to fixed-point multipliers, with the roundings that interpreters of
 * quantised networks use: a multiplier that differs in its last bit moves outputs. */
#ifndef TN_BIND_QUANT_H
#define TN_BIND_QUANT_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/dtype.h"

/* real = multiplier * 2^(shift - 31), multiplier in [2^30, 2^31); 0 with shift 0 when
 * the real number is 0 or so small that nothing would be left. */
struct tn_multiplier {
	int32_t multiplier;
	int32_t shift;
};

/* False when `real` is not finite or so large that the shift exceeds 30. */
bool tn_multiplier_of(double real, struct tn_multiplier *out);

/* Values that an integer type holds. */
struct tn_range {
	int32_t min, max;
};

/* False when the type is no integer of at most 32 bits. */
bool tn_range_of(enum tn_dtype dtype, struct tn_range *out);

/* A fused activation by name: real bounds, and whether it exists for integers. */
struct tn_activation {
	const char *name;
	bool has_min, has_max;
	float min, max;
};

/* NULL when the name is none of those that a kernel can fuse. */
const struct tn_activation *tn_activation_find(const char *name);

/* The activation's bounds in the quantised range; false when they do not fit 32 bits. */
bool tn_activation_range(const struct tn_activation *act, enum tn_dtype dtype,
	float scale, int32_t zero_point, struct tn_range *out);

/* The activation's bounds for floats; without a bound, the largest finite float. */
void tn_activation_range_f32(
	const struct tn_activation *act, float *out_min, float *out_max);

#endif
