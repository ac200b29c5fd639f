/* A loss: one thing that goes wrong when the claims hold, as facts. classify.c gives it a
 * name. */
#ifndef TN_CLAIMS_LOSS_H
#define TN_CLAIMS_LOSS_H

#include "base/vec.h"
#include "claims/cells.h"
#include "claims/work.h"

enum tn_loss_kind {
	/* seen without running */
	LOSS_UNKNOWN_SIZE,
	LOSS_SIZE,
	LOSS_ARENA,
	LOSS_ALIGN, /* that a plan or a kernel asks for */
	LOSS_NATURAL_ALIGN, /* that the element type asks for */
	LOSS_SCRATCH_SIZE,
	LOSS_TWICE, /* an order runs an op twice */
	LOSS_FOLD, /* a folded tensor changes */
	LOSS_ALLOCATION, /* storage that is not there in another branch */
	/* seen before the first op */
	LOSS_GIVEN, /* an input and `victim` share bits: which is filled last? */
	LOSS_INITIAL, /* two variables or constants do */
	/* seen while running */
	LOSS_READ, /* an op reads something else */
	LOSS_UNMOVED, /* an op moves bits onto themselves that are others by then */
	LOSS_SCRATCH, /* an op's scratch is overwritten while it needs it */
	LOSS_SELF, /* an op writes bits twice */
	/* seen at the end of an invocation */
	LOSS_CONST,
	LOSS_INPUT,
	LOSS_VARIABLE,
	LOSS_INOUT, /* an input that the graph itself writes */
	LOSS_OUTPUT,
	LOSS_OBSERVED,
	LOSS_SAVED, /* for backward */
	LOSS_SHARED, /* an output shares with what it must not */
	/* seen between ops that no dependence orders */
	LOSS_UNORDERED,
};

/* How bits were written. */
enum tn_event_kind {
	EVENT_GIVEN, /* before the first op */
	EVENT_OUTPUT,
	EVENT_PREZERO,
	EVENT_SCRATCH,
	EVENT_TAIL,
	EVENT_DESTROY,
};

struct tn_event {
	enum tn_event_kind kind;
	uint32_t op; /* TN_NONE: given */
	uint32_t tensor; /* that was written; TN_NONE for garbage of no tensor */
	uint32_t run; /* invocation, from 0 */
	int64_t pass; /* of the kernel, from 0 */
};

struct tn_loss {
	enum tn_loss_kind kind;
	uint32_t victim; /* tensor; TN_NONE: scratch of no tensor */
	uint32_t reader; /* op; TN_NONE: none, or who looks at the end */
	uint32_t operand; /* of the reader; TN_NONE */
	int64_t begin,
		end; /* bits: addresses, or as the witness wants them (see static) */
	int64_t bits; /* that are lost in between */
	bool beyond; /* LOSS_SIZE, LOSS_ARENA: no memory is that large */
	bool is_static; /* begin and end are bits in the host or the arena already */
	struct tn_event last; /* what lies there; op TN_NONE: nothing was written */
	struct tn_event
		found; /* the first write that took the value, if known; or last */
	bool found_nothing; /* never written at all */
	uint32_t expected; /* op that should have written it, TN_NONE: given */
	bool expected_ran; /* ... has run by then, in the order of the claims */
	bool found_after; /* what lies there was written after it had run */
	bool same_phase; /* reader and writer are one op, in one pass over its elements */
	bool late_pass; /* the read belongs to a later pass */
	bool both_write; /* LOSS_UNORDERED: `reader` writes, too */
	bool read_before; /* somebody has read the same value there before it was lost */
	bool old_home; /* the write replaced this very value at its own place */
	uint32_t other; /* tensor: who shares; or TN_NONE */
	int64_t need, have, align; /* bytes; -1 */
	uint32_t run; /* invocation of the read, from 0 */
	uint32_t claim; /* position in the set of the claim that is to blame; TN_NONE */
	uint32_t time; /* when it was seen */
};

struct tn_losses {
	TN_VEC(struct tn_loss) list;
	bool cut; /* there were more than are looked at */
};

/* False: no memory. */
static inline bool tn_losses_add(
	struct tn_losses *losses, struct tn_arena *arena, struct tn_loss loss)
{
	losses->cut = losses->list.count >= JUDGE_LOSSES_MAX;
	return losses->cut || tn_vec_push(arena, &losses->list, loss);
}

#endif
