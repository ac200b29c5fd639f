/* What the target `plan` lends to the test of its mutator. */
#ifndef TN_TESTS_FUZZ_PLAN_H
#define TN_TESTS_FUZZ_PLAN_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_plan_tally {
	size_t judged; /* plans that were read, so that the verifier saw them */
	size_t refused; /* by the verifier */
};
extern struct fuzz_plan_tally fuzz_plan_tally;

/* Of libFuzzer: three of four inputs are the plan with some values changed (mutate_plan.h), the
 * fourth is what libFuzzer itself would make. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

#endif
