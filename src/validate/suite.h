/* A test that goes with an emitted project: inputs, and what the portable kernels make of
 * them, so that a firmware's build can be held against them without the host tool. */
#ifndef TN_VALIDATE_SUITE_H
#define TN_VALIDATE_SUITE_H

#include "emit/emit.h"

/* Writes test/ into the directory that tn_emit has written the model to: main.c with the
 * bytes, what it needs on QEMU's boards, and test.mk, which the Makefile includes. The
 * input rule takes `seed`; the board is that of `cpu`, or a Cortex-M4. */
enum tn_status TN_MUST_CHECK tn_suite_write(const struct tn_graph *g,
	const struct tn_emit_summary *emitted, const char *dir, const char *cpu,
	uint32_t seed, struct tn_arena *arena, struct tn_diags *diags);

#endif
