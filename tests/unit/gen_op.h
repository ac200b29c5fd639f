/* Random ops of every kind that has a kernel, by type of element: one row for each, with
 * what makes an op of that row of random shape. Random graphs are made of them, and so are
 * the tests that look at one op at a time. */
#ifndef TN_TESTS_GEN_OP_H
#define TN_TESTS_GEN_OP_H

#include "gen_graph.h"

#define GEN_OUTPUTS_MAX 6

/* Where an op is made. */
struct gen_site {
	struct tn_gen *gen;
	int first; /* the value that it reads first; -1: a new graph input */
	const int *pool; /* values that it may read besides; new inputs where none fits */
	uint32_t n_pool;
	int64_t limit; /* elements of a tensor */
	int out[GEN_OUTPUTS_MAX]; /* what it writes; -1 is no value to read again */
	uint32_t n_out;
	bool wide; /* shapes and scales as packed kernels tell them apart, for one op alone */
};

struct gen_op_kind;
typedef bool gen_make_fn(struct gen_site *s, const struct gen_op_kind *k);

struct gen_op_kind {
	const char *type; /* of the op */
	enum tn_dtype in, out;
	gen_make_fn *make;
	int arg;
};

extern const struct gen_op_kind gen_op_kinds[];
extern const uint32_t gen_n_op_kinds;

/* Adds an op of the kind. False when the first value does not suit it: no op is added
 * then, though tensors that nobody uses may have been. */
bool gen_op(struct gen_site *s, const struct gen_op_kind *k);

/* For the makers: */

/* The first value, of the kind's type; an image is NHWC. -1: it does not suit. */
int gen_first(struct gen_site *s, const struct gen_op_kind *k, bool image);

/* Another value of this type and shape; with `like`, quantised like it. */
int gen_another(
	struct gen_site *s, enum tn_dtype dtype, const struct tn_shape *shape, int like);

/* An output; with `like`, quantised like it. -1: it would be too large, or empty. */
int gen_out(struct gen_site *s, enum tn_dtype dtype, uint32_t rank, const int64_t *dim,
	int like);

void gen_emit(struct gen_site *s, const struct gen_op_kind *k, const int *in);

/* For a wide site (gen_wide.c): */

#define GEN_WIDE_CHANNELS 200

/* A number in [1, most]: often small, a multiple of 4 or of 16. */
int64_t gen_wide_size(struct tn_gen *gen, uint32_t most);
void gen_wide_dims(struct gen_site *s, bool image, uint32_t rank, int64_t *dim);
/* Of a window whose height is `height` (0: this is it); with `image`, it may be as large. */
int64_t gen_wide_span(struct gen_site *s, int64_t height, int64_t image);
/* Channels of an output with so many weights each. */
int64_t gen_wide_outputs(struct gen_site *s, int64_t weights_each);
/* Of an int8 value. */
void gen_wide_quant(struct gen_site *s, int id, bool is_input);
/* Others than those of every graph, and scales that spread sums over int8. */
void gen_wide_weights(struct gen_site *s, int id, uint32_t axis);
const char *gen_wide_activation(struct gen_site *s);
/* The scale of a sum's or product's output, and its activation. */
void gen_wide_pair(struct gen_site *s);

gen_make_fn gen_make_window, gen_make_connected, gen_make_transpose_conv,
	gen_make_matmul; /* gen_window.c */
gen_make_fn gen_make_pad, gen_make_transpose, gen_make_concat, gen_make_pack,
	gen_make_split, gen_make_unpack, gen_make_slice, gen_make_strided_slice,
	gen_make_resize, gen_make_block, gen_make_broadcast,
	gen_make_reverse; /* gen_move.c */
gen_make_fn gen_make_gather, gen_make_gather_nd, gen_make_embedding, gen_make_update,
	gen_make_batch, gen_make_fill, gen_make_broadcast_args, gen_make_shape,
	gen_make_svdf, gen_make_lstm; /* gen_index.c */
gen_make_fn gen_make_batch_norm, gen_make_layer_norm; /* gen_norm.c */

#endif
