/* Sorting ids by a key: ascending key, then ascending id, so that the order is total. */
#ifndef TN_PLAN_SORT_H
#define TN_PLAN_SORT_H

#include <stddef.h>
#include <stdint.h>

struct tn_sort_key {
	int64_t key;
	uint32_t id;
};

void tn_sort(struct tn_sort_key *keys, size_t n);

#endif
