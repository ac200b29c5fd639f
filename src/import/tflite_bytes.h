/* The parts of the reader of .tflite bytes; for import/tflite*.c only. */
#ifndef TN_IMPORT_TFLITE_BYTES_H
#define TN_IMPORT_TFLITE_BYTES_H

#include "base/flatbuffer.h"
#include "import/import.h"
#include "import/tflite_build.h"

#define TN_TFLB_ERRORS_MAX 100 /* of one file: then the reader gives up */

struct tn_tflb_ints {
	TN_VEC(int64_t) v;
};

struct tn_tflb {
	struct tn_import *im;
	struct tn_fb fb;
	struct tn_tfl tfl;
	struct tn_arena scratch;
	/* lists of the tensor or op at hand, reused */
	struct tn_tflb_ints shape, zero_point, inputs, outputs, intermediates;
	TN_VEC(float) scale;
	size_t errors_before;
	bool damaged; /* that was told */
	bool nomem;
};

/* Reports the damage that the last access met, if it is the first one; the reader gives up. */
void tn_tflb_damaged(struct tn_tflb *r, const struct tn_path *path, const char *key);

/* Is there no memory, or no point in going on? */
bool tn_tflb_gives_up(const struct tn_tflb *r);

/* A number, `otherwise` when absent. */
int64_t tn_tflb_number(struct tn_tflb *r, const struct tn_fb_table *table, uint32_t slot,
	uint32_t bytes, bool is_signed, int64_t otherwise, const struct tn_path *path,
	const char *key);

/* Is there a child table? */
bool tn_tflb_present(struct tn_tflb *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key);

/* A vector of 4- or 8-byte signed integers; absent is empty. */
enum tn_fb_found tn_tflb_integers(struct tn_tflb *r, const struct tn_fb_table *table,
	uint32_t slot, uint32_t bytes, struct tn_tflb_ints *out,
	const struct tn_path *path, const char *key);

/* A vector of floats, into r->scale; absent is empty. */
void tn_tflb_floats(struct tn_tflb *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key);

/* A string; absent or damaged is "". */
void tn_tflb_text(struct tn_tflb *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key, const char **out, size_t *out_len);

/* The tensors and the ops of a subgraph's table. They report and go on. */
void tn_tflb_tensors(struct tn_tflb *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_table *subgraph, uint32_t slot);
void tn_tflb_ops(struct tn_tflb *r, struct tn_build *b, const struct tn_path *path,
	const struct tn_fb_table *subgraph, uint32_t slot);

#endif
