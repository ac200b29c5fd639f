/* The executor's side of a validation. */
#ifndef TN_VALIDATE_EXPECTED_H
#define TN_VALIDATE_EXPECTED_H

#include "exec/exec.h"
#include "validate/validation.h"

/* Runs without sharing, in the graph's order of the ops, and fills layers (in the plan's
 * order), n_layers and runs of `out`. */
enum tn_status TN_MUST_CHECK tn_expected_run(const struct tn_graph *g,
	const struct tn_plan *plan, uint32_t seed, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_validation *out);

/* Runs over the plan, without poison and with two patterns of it, and compares. */
enum tn_status TN_MUST_CHECK tn_expected_check_plan(const struct tn_graph *g,
	const struct tn_plan *plan, uint32_t seed, struct tn_arena *arena,
	struct tn_diags *diags, const struct tn_validation *v,
	struct tn_validation_config *out);

/* The bytes of one layer (its place in the graph's order), from a run without sharing. */
enum tn_status TN_MUST_CHECK tn_expected_bytes(const struct tn_graph *g, uint32_t seed,
	uint32_t layer, struct tn_arena *arena, struct tn_diags *diags,
	const uint8_t **out_bytes, size_t *out_size);

/* Fills byte, expected and found from the two values, if they differ. */
void tn_expected_first_byte(const uint8_t *expected, const uint8_t *found, size_t size,
	struct tn_validation_difference *out);

#endif
