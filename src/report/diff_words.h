/* A diff in words; names are cut, but not yet made safe to see. */
#ifndef TN_REPORT_DIFF_WORDS_H
#define TN_REPORT_DIFF_WORDS_H

#include "report/diff.h"

/* "+16,384 B  +49.1 %" */
void tn_diff_words_change(const struct tn_diff_figure *f, struct tn_strbuf *out);

/* "'conv' (op 3), 33,296 B live: 'a' 16,384 B, ... and 2 more" */
void tn_diff_words_peak(const struct tn_diff_side *s, struct tn_strbuf *out);

/* "'conv' CONV_2D -> 1x16x16x32, 8,192 B; 12,288 B live" */
void tn_diff_words_op(
	const struct tn_diff *d, const struct tn_diff_op *op, struct tn_strbuf *out);

/* "'add': 'a' -> 'b', 4,096 B" */
void tn_diff_words_decision(
	const struct tn_diff *d, const struct tn_diff_decision *x, struct tn_strbuf *out);

/* The sentence why it is as it is now; for one that is gone, that its op is. */
void tn_diff_words_why(
	const struct tn_diff *d, const struct tn_diff_decision *x, struct tn_strbuf *out);

/* "the arena grows by 16,384 B (49.1 %), more than the 4,096 B of --fail-on-growth" */
void tn_diff_words_growth(const struct tn_diff *d, struct tn_strbuf *out);

#endif
