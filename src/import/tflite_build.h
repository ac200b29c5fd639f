/* From what a TFLite file says to a graph: the part that the reader of bytes and the
 * reader of flatc's JSON share, so that both give the same graph. The readers fetch
 * fields and report what is malformed in their encoding; here indices are checked and
 * roles, constants, quantisation and attributes are made. */
#ifndef TN_IMPORT_TFLITE_BUILD_H
#define TN_IMPORT_TFLITE_BUILD_H

#include "import/import.h"
#include "import/tflite_schema.h"
#include "ir/build.h"

struct tn_tfl_code {
	const char *type; /* interned; NULL: the code was reported as wrong */
	enum tn_op_kind kind;
	bool custom;
};

struct tn_tfl_buffer {
	enum tn_data_kind kind; /* DATA_NONE: empty, so its tensors are no constants */
	const uint8_t *data;
	int64_t bytes;
};

struct tn_tfl {
	struct tn_import *im;
	struct tn_tfl_code *codes;
	size_t n_codes;
	struct tn_tfl_buffer *buffers;
	size_t n_buffers;
	bool lossy; /* some float of the file may not be the model's */
	bool nomem;
};

/* A tensor as the file has it; pointers are borrowed for the call. */
struct tn_tfl_tensor {
	const char *name; /* any bytes */
	size_t name_len;
	const int64_t *shape;
	size_t rank;
	int64_t type; /* number of TensorType */
	uint64_t buffer;
	bool is_variable;
	const float *scale;
	size_t n_scale;
	const int64_t *zero_point;
	size_t n_zero_point;
	int64_t axis;
	bool damaged; /* a scale lost bits on its way into the file */
	bool quant_details; /* quantised by something else than these scales */
	bool sparse, external; /* not supported: reported */
};

enum tn_tfl_found { TFL_ABSENT, TFL_FOUND, TFL_WRONG /* and reported */ };

struct tn_tfl_value {
	int64_t i;
	double f;
	const int64_t *list;
	const char *text; /* not NUL-terminated */
	size_t n; /* of list or text */
};

/* Fetches a field of the op's options table. */
typedef enum tn_tfl_found tn_tfl_get(void *user, const struct tn_tfl_field *field,
	const struct tn_path *path, struct tn_tfl_value *out);

struct tn_tfl_op {
	uint64_t code;
	const int64_t *inputs, *outputs; /* -1: absent */
	size_t n_inputs, n_outputs;
	const int64_t *intermediates;
	size_t n_intermediates;
	const uint8_t *custom; /* custom_options, or NULL */
	size_t n_custom;
	const char *table; /* which options table the op carries, or NULL */
	tn_tfl_get *get;
	void *user; /* of get; NULL: no table, all defaults */
};

/* Text fit for a name: bytes that are no UTF-8 become U+FFFD. NULL: no memory. */
const char *tn_tfl_text(struct tn_tfl *tfl, const char *text, size_t len);

/* An operator code; `deprecated` is the older, narrower field. */
void tn_tfl_add_code(struct tn_tfl *tfl, const struct tn_path *path, int64_t builtin,
	int64_t deprecated, const char *custom, size_t custom_len,
	struct tn_tfl_code *out);

/* These report what is wrong and go on; false only when memory ran out. */
bool tn_tfl_add_tensor(struct tn_tfl *tfl, struct tn_build *b, const struct tn_path *path,
	const struct tn_tfl_tensor *raw);
bool tn_tfl_add_op(struct tn_tfl *tfl, struct tn_build *b, const struct tn_path *path,
	const struct tn_tfl_op *raw);

/* The graph's own inputs and outputs, when all of its tensors and ops are there. */
bool tn_tfl_add_ends(struct tn_tfl *tfl, struct tn_build *b, const struct tn_path *path,
	const int64_t *inputs, size_t n_inputs, const int64_t *outputs, size_t n_outputs);

/* Turns resource variables into tensors, when all of them can be; of the finished graph,
 * whose tensors and ops may be others then (those of the file stay the first, in order).
 * False only when memory ran out. */
bool tn_tfl_resolve_state(struct tn_tfl *tfl, struct tn_graph *g);

/* The metadata that holds a memory plan, as a claim of the finished graph. */
#define TN_TFL_OFFLINE_PLAN "OfflineMemoryAllocation"
bool tn_tfl_add_offline_plan(struct tn_tfl *tfl, struct tn_graph *g,
	const struct tn_path *path, uint64_t buffer);

#endif
