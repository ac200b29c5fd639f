/* What the parts of the random graphs share: small steps on a graph under construction.
 * Memory is taken for granted. */
#ifndef TN_TESTS_GEN_PART_H
#define TN_TESTS_GEN_PART_H

#include "gen_graph.h"

#define GEN_SCALE     0.0625f /* of int8 values, zero point -1 */
#define GEN_SCALE_I16 0.0005f /* zero point 0 */

void gen_need(bool ok);

/* A number in [lo, hi]. */
uint32_t gen_range(struct tn_gen *gen, uint32_t lo, uint32_t hi);

struct tn_tensor *gen_at(struct tn_gen *gen, int id);
int64_t gen_elements(struct tn_gen *gen, int id);

/* n scales along an axis, all a little different. */
void gen_set_quant(struct tn_gen *gen, struct tn_tensor *t, uint32_t n, uint32_t axis,
	float scale, int64_t zero_point);

/* Quantised as above when it is int8 or int16. */
int gen_add_tensor(struct tn_gen *gen, enum tn_dtype dtype, enum tn_role role,
	uint32_t rank, const int64_t *dim);

/* An activation of the same type, shape and scale. */
int gen_like(struct tn_gen *gen, int id);

/* Constants: random ones, and a list of int32. */
int gen_add_const(
	struct tn_gen *gen, enum tn_dtype dtype, uint32_t rank, const int64_t *dim);
int gen_add_ints(struct tn_gen *gen, uint32_t n, const int64_t *values);

/* A choice or a loop on a value (and another like it), with its bodies: what it makes, and
 * in *second what else; -1: the value does not suit. */
int gen_flow(struct tn_gen *gen, int in, int other, int *second);

/* Lists end with TN_GEN_END. */
#define GEN_IDS(...) ((int[]){ __VA_ARGS__, TN_GEN_END })
void gen_add_op(struct tn_gen *gen, const char *type, const int *in, const int *out);

#endif
