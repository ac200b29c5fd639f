/* Replaying the steps of an op in bulk: reads that follow each other are looked up
 * together, writes that follow each other are made together, as long as no read of the
 * bulk meets a write of it. It says yes exactly when the steps one by one would, and where
 * it says no the caller replays them one by one to name the byte. Steps that are all alike
 * (tn_contract_is_uniform) need not be walked when each reads ahead of all writes. */
#ifndef TN_VERIFY_REPLAY_H
#define TN_VERIFY_REPLAY_H

#include "contract/contract.h"
#include "verify/check.h"

/* Does every step of op `id` read what the reference read? `regions` is what planned memory
 * holds, afterwards with the op's writes in it; after a no, with some of them. Needs
 * every operand intact before the op. TN_ERR_INTERNAL in *out_status when a step speaks
 * of bytes that its operand does not have. */
bool tn_replay_in_bulk(const struct tn_check *c, struct tn_memory *regions, tn_op_id id,
	struct tn_variant variant, enum tn_status *out_status);

#endif
