#include "plan/sort.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
	const struct tn_sort_key *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void tn_sort(struct tn_sort_key *keys, size_t n)
{
	if (n > 1)
		qsort(keys, n, sizeof(*keys), by_key);
}
