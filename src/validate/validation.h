/* Does sharing memory change a bit anywhere? The graph is run by the host executor, then
 * emitted, built and run on this machine and on emulated boards, each time with every
 * tensor in memory of its own and over the plan, and every activation is compared. */
#ifndef TN_VALIDATE_VALIDATION_H
#define TN_VALIDATE_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/graph.h"
#include "plan/plan.h"

struct tn_validation_options {
	const char *const *targets; /* "host", "cortex-m4", "m4" */
	uint32_t n_targets;
	uint32_t seed; /* of the input rule */
	int seconds; /* limit for each program; 0: 600 */
	bool keep; /* leave the directory with the emitted program there */
	bool synthetic; /* the graph's constants were invented: only the plan is judged */
	/* called before each of the steps, which may take long; NULL: nobody waits */
	void (*watch)(void *user, const char *step);
	void *user;
};

/* An activation, in the order in which they appear. */
struct tn_layer {
	uint32_t given; /* its place among the layers in the graph's order of the ops */
	uint32_t run; /* invocation, from 0 */
	tn_op_id op; /* TN_NONE: a graph input */
	tn_tensor_id tensor;
	uint64_t digest; /* of the reference: the executor without sharing */
};

enum tn_validation_verdict {
	VALIDATION_SAME,
	VALIDATION_DIFFERS, /* see the difference */
	VALIDATION_NO_BUILD, /* the compiler refused; see detail */
	VALIDATION_NO_RUN, /* it failed, hung, or said too little; see detail */
	VALIDATION_NO_ROOM, /* the board's memory is too small: nothing was run */
};

/* The first activation that is not the reference's. */
struct tn_validation_difference {
	uint32_t layer; /* index in layers */
	int pattern; /* what the memory was filled with; -1: nothing */
	uint64_t digest; /* found */
	bool byte_known;
	int64_t byte; /* first byte that differs, in the tensor */
	uint8_t expected, found;
};

/* One way to run the graph. */
struct tn_validation_config {
	const char *target; /* "executor", "host", "cortex-m4" */
	const char *options; /* "-O2"; "" for the executor */
	bool shared; /* over the plan */
	enum tn_validation_verdict verdict;
	const char *detail; /* of a failure, or "" */
	struct tn_validation_difference difference;
	uint32_t compared; /* activations, over all fill patterns */
};

struct tn_validation {
	bool same; /* nothing differs and nothing failed */
	struct tn_layer *layers;
	uint32_t n_layers; /* over all invocations */
	uint32_t runs; /* invocations: 2 for a graph with state */
	TN_VEC(struct tn_validation_config) configs;
	const char *directory; /* with keep; else NULL */
	bool synthetic;
};

/* TN_OK: all the same. TN_ERR_REFUSED: something differs, or a program failed. TN_ERR_INPUT
 * when the graph cannot be executed, a target is unknown or a tool for it is missing
 * (reported, with the package to install). The result lives in the arena. The plan must be
 * the graph's. */
enum tn_status TN_MUST_CHECK tn_validation_run(const struct tn_graph *g,
	const struct tn_plan *plan, const struct tn_validation_options *options,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_validation *out);

/* What came of one configuration, in words: "same, 13 activations". */
void tn_validation_verdict(const struct tn_graph *g, const struct tn_validation *v,
	const struct tn_validation_config *c, struct tn_strbuf *out);

/* One line for each configuration, and a last one with the answer. */
void tn_validation_print(
	const struct tn_graph *g, const struct tn_validation *v, struct tn_strbuf *out);

#endif
