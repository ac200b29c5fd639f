/* All orders of a small schedule problem that respect its predecessors, one by one. */
#ifndef TN_TESTS_EVERY_ORDER_H
#define TN_TESTS_EVERY_ORDER_H

#include "plan/schedule.h"

#define OPS_MAX 12

/* Starts as { .p = problem }, of at most OPS_MAX ops. */
struct orders {
	const struct tn_schedule_problem *p;
	uint32_t order[OPS_MAX];
	uint32_t n; /* ops placed */
	bool placed[OPS_MAX];
	uint32_t count; /* orders so far */
};

/* The next order, in o->order; false behind the last one. */
bool next_order(struct orders *o);

#endif
