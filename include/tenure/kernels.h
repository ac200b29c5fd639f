/* The freestanding runtime: what an emitted model calls. C99, no heap, no libc beyond
 * memcpy and memset, no writable static data.
 *
 * Every kernel has one signature. `params` points to the kernel's parameter struct below,
 * `in` and `out` list the operands in the order that the kernel's comment names (a NULL
 * is an optional operand that is absent), `scratch` is memory that is the kernel's while
 * it runs (NULL when it needs none; 16-byte aligned).
 *
 * Operands may overlap where the plan proved it. So no kernel uses restrict, and loads
 * and stores of wider types go through the may_alias types of src/kernels/ref/access.h.
 *
 * Every parameter struct starts with `struct tn_order`: which variant of the loop runs.
 * The order of loads and stores that each variant keeps is a contract
 * (src/contract/contract.h); changing it means changing the contract. */
#ifndef TENURE_KERNELS_H
#define TENURE_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void tn_kernel_fn(const void *params, const void *const *in, void *const *out,
	void *scratch);

struct tn_order {
	uint8_t descending; /* last step first */
	uint8_t hold;       /* 0: write each element at once; 1: gather the channels of a
	                       pixel (or a row) in scratch, then write them together */
};

#ifdef __cplusplus
}
#endif

#endif
