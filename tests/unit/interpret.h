/* A graph run op by op, every tensor in memory of its own: the plainest way to compare
 * kernels with goldens. */
#ifndef TN_TESTS_INTERPRET_H
#define TN_TESTS_INTERPRET_H

#include <stdbool.h>
#include <stdint.h>

#include "bind/bind.h"
#include "loaded.h"

struct interpreter {
	struct loaded file;
	struct tn_call *calls; /* by op id */
	uint8_t **bytes; /* by tensor id */
	uint8_t *scratch;
};

/* Reads the model and binds its ops. False when that fails: see interpreter_error. */
bool interpreter_init(struct interpreter *it, const char *path);
void interpreter_release(struct interpreter *it);

/* Binds again with the n-th variant of each op (modulo the number it has), in addition to
 * the plain one. False when an op has no such kernel. */
bool interpreter_bind(struct interpreter *it, uint32_t variant);

/* Variables as a fresh interpreter has them, inputs from the seed by the input rule. */
void interpreter_reset(struct interpreter *it, uint32_t seed);

/* Called after each op. */
typedef void after_op_fn(void *user, const struct interpreter *it, tn_op_id op);
void interpreter_run(struct interpreter *it, after_op_fn *after, void *user);

/* The last error's text, for a message. */
const char *interpreter_error(const struct interpreter *it);

#endif
