/* Graphs for tests: by hand, tensor by tensor, or random ones that are valid by
 * construction. The same seed gives the same graph everywhere. */
#ifndef TN_TESTS_GEN_GRAPH_H
#define TN_TESTS_GEN_GRAPH_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "ir/build.h"
#include "ir/graph.h"

struct tn_gen {
	struct tn_arena arena;
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_build build;
	uint32_t state; /* of the random numbers */
	const uint8_t *choices; /* these are taken first; NULL: none */
	size_t n_choices;
};

void tn_gen_init(struct tn_gen *gen, uint32_t seed);
void tn_gen_release(struct tn_gen *gen);

/* A number in [0, n); n > 0. */
uint32_t tn_gen_random(struct tn_gen *gen, uint32_t n);

/* By hand. Tensors and ops get the ids 0, 1, 2, ...; lists end with TN_GEN_END, -1 is an
 * absent operand. Memory is taken for granted. The tensor and the op that these return
 * are valid until the next call. */
#define TN_GEN_END (-2)
struct tn_tensor *tn_gen_tensor(struct tn_gen *gen, const char *name, enum tn_dtype dtype,
	enum tn_role role, uint32_t rank, const int64_t *dim);
struct tn_op *tn_gen_op(struct tn_gen *gen, const char *name, const char *type,
	const int *inputs, const int *outputs);
void tn_gen_ints(struct tn_gen *gen, const char *attr, size_t n, const int64_t *values);
void tn_gen_finish(struct tn_gen *gen, struct tn_graph *out);

struct tn_gen_options {
	uint32_t ops; /* about so many */
	bool runnable; /* only what the kernels run */
	bool types; /* elements of all types, else int8 alone */
	bool views; /* true views, strided ones as well unless it must run */
	bool state; /* variables */
	bool mutation; /* ops that write what they read, also through views */
	bool unchanged; /* with mutation: also ops that write what lies there already */
	bool opaque; /* ops that nobody knows */
	bool flow; /* choices and loops */
	bool scratch; /* ops that name working memory, or ask for it, in attributes alone */
	bool orders; /* ops whose kernel exists in one order only */
	bool tails; /* ops that write past the end of what they make */
	bool copies; /* an output that is a copy of something else that lasts */
};

/* Few bytes for each tensor, so that a test can look at every one. Chains, branches,
 * residual additions, copies, concatenations; inputs that may be overwritten and others
 * that may not, several outputs, tensors that must last, values that nobody reads. */
void tn_gen_graph(
	struct tn_gen *gen, const struct tn_gen_options *options, struct tn_graph *out);

#endif
