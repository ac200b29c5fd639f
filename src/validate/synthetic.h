/* A graph that can be executed out of one that cannot: constants and scales that the file
 * lacks or has damaged are replaced by valid ones from a seed. What runs then says whether
 * a plan is right, and nothing about the model's values. */
#ifndef TN_VALIDATE_SYNTHETIC_H
#define TN_VALIDATE_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/status.h"
#include "ir/graph.h"

/* Makes *out: the same tensors and ops under the same ids, with
 *   - bytes for constants that have none (not for shapes and axes: nothing can be guessed),
 *   - filter and bias for CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED that name only
 *     their activation, and axes for a MEAN over height and width; added tensors follow
 *     the others,
 *   - quantisation for i8 and i16 tensors that have none; when a scale anywhere is damaged,
 *     every scale is replaced, so that they fit together.
 * *out_changed: was anything done? The new graph shares what it did not change with `g`
 * and lives in the arena. TN_OK or TN_ERR_NOMEM. */
enum tn_status TN_MUST_CHECK tn_synthetic(const struct tn_graph *g, uint32_t seed,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_graph *out,
	bool *out_changed);

#endif
