/* What a planned model needs on its target: memory, stack, weights, code. */
#ifndef TN_DRIVER_NEED_H
#define TN_DRIVER_NEED_H

#include "driver/pipeline.h"
#include "emit/emit.h"
#include "ir/constants.h"

struct tn_need {
	int64_t arena; /* activations, state and scratch */
	int64_t state; /* of the arena: variables */
	int64_t scratch; /* of the arena: the largest of an op */
	int64_t stack; /* 0 unless has_code */
	int64_t reserve; /* for others, as the user says */
	struct tn_emit_sizes sizes; /* when has_code */
	struct tn_constants constants;
	bool has_code; /* every op has a kernel of ours: code and stack are known */
};

/* After STAGE_PLAN. Silent: what cannot be emitted has no code. */
enum tn_status TN_MUST_CHECK tn_need_of(const struct tn_run *run, struct tn_need *out);

/* The sum; INT64_MAX when it is larger. */
int64_t tn_need_ram(const struct tn_need *need);

/* Is more RAM needed than that? Exact, also at the top of the range. */
bool tn_need_exceeds(const struct tn_need *need, int64_t limit);

/* Weights, tables and code on that processor. */
int64_t tn_need_flash(const struct tn_need *need, const char *cpu);

/* "arena 33312 B (scratch 64 B), stack 208 B, reserve 0 B" */
void tn_need_words_ram(const struct tn_need *need, struct tn_strbuf *out);

/* "weights and tables 78752 B, code 7144 B (cortex-m4)" */
void tn_need_words_flash(
	const struct tn_need *need, const char *cpu, struct tn_strbuf *out);

#endif
