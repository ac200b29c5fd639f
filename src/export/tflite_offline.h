/* A plan as metadata in a copy of a .tflite file, for a runtime that reads it there: the
 * metadata OfflineMemoryAllocation holds an offset for every tensor of every subgraph, in
 * little-endian words of 32 bits, -1 where the runtime decides. */
#ifndef TN_EXPORT_TFLITE_OFFLINE_H
#define TN_EXPORT_TFLITE_OFFLINE_H

#include "base/diag.h"
#include "base/strbuf.h"

/* Puts the offsets (bytes from the start of the arena; < 0: the runtime decides) of the
 * first subgraph's tensors, as many as it has, into a copy of the file. The copy starts with a new root table,
 * a multiple of 64 bytes long with all that is new, and then has every byte of the file as
 * it was: references in a FlatBuffer are relative, so they hold there, too. Metadata of
 * the same name is left out of the new root's list. TN_ERR_INPUT, reported: the file is
 * damaged, has more tensors than offsets, or refers to its own bytes by absolute position.
 * TN_ERR_REFUSED, reported: an offset does not fit 31 bits. Lack of memory is in
 * out->failed. */
enum tn_status TN_MUST_CHECK tn_export_offline(const struct tn_source *source,
	const int64_t *offsets, uint32_t n_offsets, struct tn_diags *diags,
	struct tn_strbuf *out);

#endif
