/* Until when each tensor's bytes are needed, seen from the executor: computed from the
 * graph and the order alone, the slow and obvious way, so that poisoning does not trust
 * what a plan says about lifetimes. Too long is harmless here, too short never is. */
#ifndef TN_EXEC_LIFE_H
#define TN_EXEC_LIFE_H

#include <stdint.h>

#include "base/arena.h"
#include "bind/program.h"

#define TN_LIFE_END INT64_MAX

struct tn_life {
	int64_t birth; /* position of the op that first writes it; -1: before the first op */
	int64_t death; /* position of the op that reads it last, or TN_LIFE_END; with death
	                  == birth nobody reads it */
};

/* By tensor id; NULL on lack of memory. Tensors outside planned memory: { 0, -1 }. */
struct tn_life *tn_life_new(const struct tn_program *p, struct tn_arena *arena);

#endif
