/* What the campaign counts, all of it kept in its state file. */
#ifndef TN_CAMPAIGN_TALLY_H
#define TN_CAMPAIGN_TALLY_H

#include "gen_plan.h"
#include "ir/op.h"

enum outcome {
	ACCEPTED_EQUAL,
	ACCEPTED_DIFFERENT, /* must stay 0 */
	REFUSED_DIFFERENT,
	REFUSED_EQUAL, /* for these inputs and for others */
	REFUSED_LUCKY, /* equal, but different for other inputs */
	REFUSED_UNRUN, /* the executor refuses it as well */
	OUTCOMES,
};

/* Where a plan came from: a way to change one, or as it is. */
enum source {
	SOURCE_OURS = MUTANTS, /* of the planner */
	SOURCE_FIRST_FIT, /* nothing shares bytes with what lives with it */
	SOURCE_STREAMED, /* of the planner, with chains */
	SOURCE_CHAIN, /* one of those, changed */
	SOURCES,
};

enum feature { /* of graphs */
	HAS_VIEW,
	HAS_STATE,
	HAS_MUTATION,
	HAS_BRANCH, /* a value that several ops read */
	HAS_FLOW, /* choices or loops, with bodies */
	HAS_TAIL, /* ops that write past the end of what they make */
	HAS_CHAIN, /* small nets of ops that run row by row */
	FEATURES,
};

/* Why a plan that is refused runs equal all the same, whatever the inputs. */
enum reason {
	REASON_LAYOUT, /* it breaks a rule that this host does not need */
	REASON_ORDER, /* the order is wrong, and the values are right */
	REASON_OPAQUE, /* an op of which no order is known shares memory with its input */
	REASON_SAME_BYTES, /* another value of the same bytes is there */
	REASON_NO_EFFECT, /* other bytes are there, and the result does not show it */
	REASON_SHARED, /* an output is part of something else that lasts */
	REASONS,
};

#define TALLY_OPS_MAX 64
#define TALLY_RULES   24

struct tally {
	uint64_t next_seed;
	uint64_t graphs, features[FEATURES];
	uint64_t ops[TALLY_OPS_MAX]; /* graphs of so many ops */
	uint64_t kinds[OP_COUNT]; /* pairs that were executed with such an op */
	uint64_t outcome[SOURCES][OUTCOMES];
	uint64_t of_ours; /* changed plans of the planner */
	uint64_t rules[TALLY_RULES]; /* pairs that it refused, maybe among others */
	uint64_t equal_by_rule[TALLY_RULES]; /* refused first by it, and equal */
	uint64_t reasons[REASONS]; /* of those that are equal */
	uint64_t replayed; /* accepted by replaying the steps of some op */
	uint64_t overlapping; /* accepted, an input and an output of an op share bytes */
	uint64_t partly; /* of those: not at the same offset */
	uint64_t elided; /* accepted, some op does not run */
	uint64_t regions; /* accepted, two regions are used */
	uint64_t streamed; /* accepted, with chains */
	uint64_t rings; /* of those: some tensor is a ring of rows */
	uint64_t fed; /* of those with chains: rows of an input come as they are needed */
	uint64_t
		tails; /* accepted, what is written past an output's end lies in bytes that
	                   another tensor has at another time */
	uint64_t ours_refused, unplanned; /* must stay 0 */
	uint64_t unplanned_in_two; /* over two memories nothing was found */
};

uint64_t tally_pairs(const struct tally *t); /* that were executed */
uint64_t tally_unsound(const struct tally *t);
uint32_t tally_rule(const char *rule);

/* The table. False when something is wrong: an unsound pair, a plan of ours refused and,
 * once there are a hundred thousand pairs, not enough of some kind. */
bool tally_report(const struct tally *t);

#endif
