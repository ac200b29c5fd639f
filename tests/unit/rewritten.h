/* Rewritten graphs, and what must hold of them. Every failure ends the test. */
#ifndef TN_TESTS_REWRITTEN_H
#define TN_TESTS_REWRITTEN_H

#include "rewrite/rewrite.h"

struct rewritten {
	struct tn_graph graph;
	struct tn_rewrites log;
};

struct rewritten rewritten_of(const struct tn_graph *g, tn_pass_set passes,
	struct tn_arena *arena, struct tn_strings *strings);

/* How often a pass (-1: any) did something, or left something. */
int rewritten_count(const struct tn_rewrites *log, int pass, bool done);

/* Runs both graphs twice, so that state counts, and compares every output (a NaN is like
 * any other: docs/KERNELS.md). The second one
 * runs over a plan that the verifier has accepted. */
void same_results(const char *name, uint32_t seed, const struct tn_graph *a,
	const struct tn_graph *b);

/* Tensors that both graphs write have the same values, except those that lost channels;
 * the one of the name `kept` (or NULL) is written by both. */
void same_values(const char *name, const struct tn_graph *a, const struct tn_graph *b,
	const char *kept);

/* In the native format, byte for byte. */
void same_text(const char *name, const struct tn_graph *a, const struct tn_graph *b);

/* Activations of our plan. */
int64_t arena_of(const struct tn_graph *g);

#endif
