/* From the graph's tables to the schedule problem: what must stay in order, and what each
 * order costs. */
#ifndef TN_LOWER_SCHEDULE_H
#define TN_LOWER_SCHEDULE_H

#include "analysis/hazards.h"
#include "lower/lower.h"
#include "plan/schedule.h"

/* The tables are those of the given order; inplace is not used. Kept in order: values and
 * their readers, writes to bytes that others read or write (through any view), variables,
 * ops with effects that no tensor shows, ops of which nothing is known, control flow. */
enum tn_status TN_MUST_CHECK tn_lower_schedule(const struct tn_tables *tables,
	const struct tn_hazards *hazards, const struct tn_lower_options *options,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_schedule_problem *out);

#endif
