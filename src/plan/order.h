/* The static orders in which the greedy solvers place buffers. */
#ifndef TN_PLAN_ORDER_H
#define TN_PLAN_ORDER_H

#include "base/arena.h"
#include "base/status.h"
#include "plan/problem.h"

enum tn_order {
	ORDER_SIZE, /* largest first */
	ORDER_AREA, /* largest size * lifetime first */
	ORDER_LIFE, /* longest lifetime first, then largest */
	ORDER_TIGHT, /* alive at the fullest moment first, then largest */
	ORDER_BIRTH, /* as they are born */
	ORDER_DEATH, /* the last to die first */
	ORDER_COUNT
};

/* Writes all buffers to order, n_buffers of them. */
enum tn_status TN_MUST_CHECK tn_order_build(
	const struct tn_problem *p, enum tn_order which, uint32_t *order);

#endif
