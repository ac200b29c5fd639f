/* What each op touches, whatever the plan: which bytes of which storage its operands are, and
 * whether it reads or writes them. */
#ifndef TN_CONTRACT_OPERAND_H
#define TN_CONTRACT_OPERAND_H

#include "contract/contract.h"
#include "ir/storage.h"

struct tn_operand {
	uint32_t tensor; /* or TN_NONE: absent */
	struct tn_extent
		at; /* empty: nothing in planned memory (absent, a constant that is
	                        read) */
	bool reads, writes;
	bool destroys; /* what it has read is garbage when the op has run */
	int64_t tail; /* writes: bytes behind its end that are garbage when the op has run */
	bool scratch; /* working memory: garbage before and after, whole while the op runs */
	bool again; /* reads: still when it has begun to write there, by the graph's word */
	bool strict; /* reads: every byte must have been written by somebody */
};

struct tn_operands {
	struct tn_operand *list; /* inputs, outputs, then scratch that it names */
	uint32_t n; /* 0: the graph itself says that no code runs, a view of its input */
	bool opaque; /* reads and writes in any order */
};

static inline int64_t tn_operand_bytes(const struct tn_operand *o)
{
	return o->at.end - o->at.begin;
}

/* By op; NULL when memory ran out. */
struct tn_operands *tn_operands_find(const struct tn_storage *s, struct tn_arena *arena);

/* Are the bytes of the op's output, all of them and in their order, those of its first
 * input? */
bool tn_op_keeps_bytes(const struct tn_graph *g, const struct tn_op *op);

/* Does the op only move elements of one type and one scale, so that each of its steps writes
 * what it has read? Else the same number may be stored as other bytes. */
bool tn_op_moves_elements(const struct tn_graph *g, const struct tn_op *op);

#endif
