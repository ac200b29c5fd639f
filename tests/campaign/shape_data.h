/* Data for the operands of one op, such that a byte that is replaced too early shows. */
#ifndef TN_TESTS_SHAPE_DATA_H
#define TN_TESTS_SHAPE_DATA_H

#include "gen_op.h"
#include "record.h"

/* One op, its operands in memory of their own. */
struct trial {
	struct tn_gen gen;
	struct tn_graph g;
	struct recorded op;
	struct tn_call call;
	const char *type;
	uint32_t seed;
};

/* The bytes of one input that steps read although the output has replaced them. */
struct clash {
	uint32_t k;
	int64_t distance; /* input minus output: byte b is replaced by b + distance */
	bool any;
	uint8_t *written; /* by byte of the output */
	uint8_t *read; /* by byte of the input: read when it was replaced */
	int64_t in, out; /* bytes of the two */
};

/* Of input k; false: no order, or no memory. */
bool shape_clash(struct trial *t, struct tn_variant v, uint32_t k, int64_t distance,
	struct clash *c);

/* Is each of them replaced by what it is? Then the whole run is the same. */
bool shape_replaced_by_itself(const struct trial *t, const struct clash *c);

/* Data for all inputs, and the result. Try 0 is random; later ones are random too, small
 * or large, the same for all inputs, of one value, which shows in sums, relations and
 * folds, rising or falling, or such that what clashes stands out. */
void shape_fill(struct trial *t, uint32_t try, const struct clash *c);

#endif
