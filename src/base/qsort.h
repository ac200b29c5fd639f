/* qsort for lists that mostly are made of a few parts in order, or in the opposite one. */
#ifndef TN_BASE_QSORT_H
#define TN_BASE_QSORT_H

#include <stddef.h>

/* As qsort. `compare` must be a total order, so that there is one result only. */
void tn_qsort(
	void *items, size_t n, size_t size, int (*compare)(const void *a, const void *b));

#endif
