/* The steps of a kernel: what it reads and writes, element by element, in its order. Bits
 * are those of the storage of an operand's root. */
#ifndef TN_CLAIMS_STEPS_H
#define TN_CLAIMS_STEPS_H

#include "claims/model.h"

/* Operands are numbered inputs first, then outputs (as far as their old contents are
 * read). A function that returns false ends the walk. */
struct tn_walker {
	void *user;
	bool (*phase)(void *user); /* what was written so far was written before */
	bool (*step)(void *user); /* reads of a step come before its writes */
	bool (*read)(void *user, uint32_t operand, int64_t begin, int64_t end);
	bool (*whole)(void *user, uint32_t operand); /* reads all of it */
	/* source TN_NONE: computed; else the operand whose bits from `from` move here */
	bool (*write)(void *user, uint32_t output, int64_t begin, int64_t end,
		uint32_t source, int64_t from);
};

/* One pass of the kernel. False when the walker ended it. What the attributes prezero,
 * passes and buffered say is the caller's to do. */
bool tn_steps_walk(const struct tn_model *m, uint32_t op, const struct tn_kernel *kernel,
	const struct tn_walker *walker);

/* Does output element i need just element i of this operand? Then in place is right where
 * both coincide. */
bool tn_steps_aligned(const struct tn_model *m, uint32_t op,
	const struct tn_kernel *kernel, uint32_t operand);

/* Is the operand repeated along a dimension of the output? */
bool tn_steps_broadcast(const struct tn_model *m, uint32_t op, uint32_t operand);

#endif
