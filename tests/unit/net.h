/* Small graphs made in code, and a planner for tests: first fit, nothing overlaps. */
#ifndef TN_TESTS_NET_H
#define TN_TESTS_NET_H

#include "base/intern.h"
#include "ir/build.h"
#include "plan/plan.h"

struct net {
	struct tn_arena arena;
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_build build;
	struct tn_graph graph;
	struct tn_plan plan;
};

/* Starts a graph; the caller releases it in any case. Every failure ends the test. */
void net_start(struct net *n);
void net_release(struct net *n);

/* Quantised i8, scale and zero point; f32 ignores them. */
tn_tensor_id net_tensor(struct net *n, const char *name, enum tn_dtype dtype,
	enum tn_role role, const int64_t *dims, uint32_t rank, float scale,
	int64_t zero_point);
/* A constant from a seed (ir/seed.h), per-tensor scale. */
tn_tensor_id net_const(struct net *n, const char *name, enum tn_dtype dtype,
	const int64_t *dims, uint32_t rank, float scale, uint32_t seed);
/* Sets inputs (ids that are TN_NONE are absent) and one output of a new op. */
struct tn_op *net_op(struct net *n, enum tn_op_kind kind, const char *name,
	const tn_tensor_id *inputs, uint32_t n_inputs, tn_tensor_id output);
/* Graph inputs and outputs from the roles, then tn_build_finish and tn_validate. */
void net_finish(struct net *n, const char *name);

/* Two convolutions (the second depthwise), a residual add, pooling, a reshape, a fully
 * connected layer and a softmax, int8: every kind of operand that a model has. */
void net_residual(struct net *n);
/* f32: d = (a + b) * a, of 10 elements. */
void net_arithmetic(struct net *n);
/* int8 state: state = state + input (a variable), out = state * input. */
void net_state(struct net *n);
/* f32: |x|, of 2 x 5 elements and of none at all. */
void net_empty(struct net *n);
/* f32: views of an activation and of a constant; the latter is also an output. */
void net_views(struct net *n);

/* Fills n->plan: the graph's order, first variants, no op elided; each tensor at the
 * lowest offset that no live one has, aligned to 16; scratch behind all. */
void net_plan(struct net *n);
/* The op of that name. */
uint32_t net_find_op(const struct net *n, const char *name);
uint32_t net_find_tensor(const struct net *n, const char *name);
/* The messages of all diagnostics, one a line; static buffer. */
const char *net_report(const struct net *n);

#endif
