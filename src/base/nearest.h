/* Which word of a list was meant by one that is not in it. */
#ifndef TN_BASE_NEAREST_H
#define TN_BASE_NEAREST_H

#include <stddef.h>

struct tn_nearest {
	const char *word; /* what was written */
	const char *best; /* the nearest so far; NULL: none is near */
	size_t distance; /* of best: letters that are other, missing, too many, swapped */
};

void tn_nearest_init(struct tn_nearest *nearest, const char *word);

/* Near is a word with a third of its letters changed at most, and one that begins with what
 * was written, of at least three letters. The first of two that are as near stays. */
void tn_nearest_offer(struct tn_nearest *nearest, const char *candidate);

#endif
