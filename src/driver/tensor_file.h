/* A tensor's bytes in a file: raw little-endian, or NumPy's .npy (chosen by content when
 * reading, by the name's ending when writing). */
#ifndef TN_DRIVER_TENSOR_FILE_H
#define TN_DRIVER_TENSOR_FILE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "ir/graph.h"

/* The bytes (in the arena), exactly as many as the tensor has. TN_ERR_INPUT, reported, when
 * type, shape or size are others; of a shape dimensions of 1 do not count, and an array of
 * one dimension goes by its size. */
enum tn_status TN_MUST_CHECK tn_tensor_file_read(struct tn_arena *arena,
	struct tn_diags *diags, const char *name, const struct tn_tensor *t,
	const uint8_t **out_bytes);

enum tn_status TN_MUST_CHECK tn_tensor_file_write(struct tn_diags *diags,
	const char *name, const struct tn_tensor *t, const uint8_t *bytes);

#endif
