/* Findings that are known (rules/baseline.rng): old ones do not fail, new ones do. */
#ifndef TN_RULES_BASELINE_H
#define TN_RULES_BASELINE_H

#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"

struct tn_known {
	const char *file; /* relative to the baseline's folder */
	const char *rule;
	uint64_t fingerprint;
	uint32_t count; /* so many equal ones */
	const char *message; /* of the first, for people */
};

/* By file and fingerprint. */
struct tn_baseline {
	struct tn_known *items;
	size_t n;
	const char *folder; /* absolute */
};

/* TN_ERR_INPUT, reported, when the file is no baseline. */
enum tn_status TN_MUST_CHECK tn_baseline_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_baseline *out);

/* NULL: it is new. Whoever finds one takes one off its count. */
struct tn_known *tn_baseline_find(
	const struct tn_baseline *baseline, const char *file, uint64_t fingerprint);

/* Sorts, and joins equal ones into one. */
void tn_baseline_sort(struct tn_baseline *baseline);

void tn_baseline_write(const struct tn_baseline *baseline, struct tn_strbuf *out);

#endif
