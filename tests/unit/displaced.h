/* One program for many cases: an op, alone, of any graph, in one of its variants, with its
 * output at a distance from one of its inputs. The program is emitted, built and run on an
 * emulated board, and the outputs are compared with the executor's. Every failure that is no
 * other output ends the test. */
#ifndef TN_TESTS_DISPLACED_H
#define TN_TESTS_DISPLACED_H

#include "contract/contract.h"
#include "emit/emit.h"
#include "plan/plan.h"
#include "validate/target.h"
#include "validate/validation.h"

struct placed {
	const struct tn_graph *from;
	tn_op_id op;
	struct tn_variant v;
	uint32_t input; /* the one that shares memory with the output */
	int64_t farther; /* grains than the contract demands; below 0: too near */
	int64_t distance; /* its start minus the output's */
};

struct displaced {
	struct tn_arena *arena;
	struct tn_diags *diags;
	TN_VEC(struct placed) cases; /* by op of the graph */
	struct tn_graph graph;
	struct tn_plan plan;
};

#define DISPLACED_APART INT64_MAX

/* Adds a case: the operand as many grains farther away than the contract demands, or with
 * DISPLACED_APART without a common byte. False when that is no case: below the displacement
 * of an op whose output may lie anywhere, or without a common byte. */
bool displaced_add(struct displaced *p, const struct tn_graph *from, tn_op_id op,
	struct tn_variant v, uint32_t input, int64_t farther);

/* Does the operand take part? */
bool displaced_shares(const struct tn_graph *g, tn_op_id op, uint32_t input);

/* Graph and plan of all cases. */
void displaced_make(struct displaced *p, enum tn_kernel_set set);

struct displaced_run {
	const struct tn_target *target;
	struct tn_emit_summary emitted;
	struct tn_validation reference;
	struct tn_validation_config result;
	uint32_t *seen; /* how often an output was looked at, by case */
	bool *differs; /* by case: is it another one than the executor's, at any time? */
};

/* `dir` is kept from one program to the next: kernels are compiled once. */
void displaced_run(struct displaced *p, struct displaced_run *r, const char *target,
	const char *dir);

/* The kernel that runs, and the case in words (static buffer). */
const char *displaced_kernel(struct displaced *p, uint32_t i);
const char *displaced_words(const struct displaced *p, uint32_t i);

#endif
