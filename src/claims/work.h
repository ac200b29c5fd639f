/* What a judgement may cost. Everything that a hostile graph can make long is counted, so that
 * the answer is the same on every machine: when nothing is left, all that is still open is
 * unproved. */
#ifndef TN_CLAIMS_WORK_H
#define TN_CLAIMS_WORK_H

#include <stdbool.h>
#include <stdint.h>

#define JUDGE_WORK_MAX	 (INT64_C(1) << 28) /* of all trials together */
#define JUDGE_PIECES_MAX (INT64_C(1) << 23) /* ranges that the meaning of a graph has */
#define JUDGE_LOSSES_MAX 4096 /* of a trial; more of them name nothing new */

struct tn_work {
	int64_t left; /* looks at a range or at an operand, and steps; below 0: it has run out */
};

/* False: no more is to be done. */
static inline bool tn_work_take(struct tn_work *w, int64_t n)
{
	if (w->left < 0)
		return false;
	w->left = n > w->left ? -1 : w->left - n;
	return w->left >= 0;
}

static inline bool tn_work_is_out(const struct tn_work *w)
{
	return w->left < 0;
}

#endif
