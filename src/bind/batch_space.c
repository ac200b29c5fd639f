/* SPACE_TO_BATCH_ND and back: blocks of pixels to and from the batch. Tensors of three
 * dimensions have no width. */
#include <string.h>

#include "base/checked.h"
#include "bind/binder.h"
#include "bind/dims.h"

#include "base/banned.h"

/* The tensor as NHWC. */
struct pixels {
	int64_t n, h, w, c;
};

static bool pixels_of(struct tn_binder *b, const struct tn_tensor *t, struct pixels *p)
{
	const int64_t *d = t->shape.dim;

	if (t->shape.rank == 4)
		*p = (struct pixels){ d[0], d[1], d[2], d[3] };
	else if (t->shape.rank == 3)
		*p = (struct pixels){ d[0], d[1], 1, d[2] };
	else
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel for three or four dimensions");
	return true;
}

/* Block sizes, and what is added before and after (or cut off). */
struct block {
	int64_t h, w, top, bottom, left, right;
};

static bool block_of(struct tn_binder *b, const char *edges, struct block *out)
{
	uint32_t spatial = tn_binder_in(b, 0)->shape.rank - 2, n;
	int64_t block[2] = { 1, 1 }, edge[4] = { 0 };

	if (!tn_binder_ints(b, 1, "block_shape", block, 2, &n) || n != spatial ||
		!tn_binder_ints(b, 2, edges, edge, 4, &n) || n != 2 * spatial)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs a block size and two edges for each of %u dimensions",
			spatial);
	for (int i = 0; i < 4; i++)
		if (edge[i] < 0 || edge[i] > INT32_MAX || block[i / 2] < 1 ||
			block[i / 2] > INT32_MAX)
			return tn_binder_refuse(
				b, TN_RULE_NO_KERNEL, "cannot run: a negative size");
	*out = (struct block){ block[0], block[1], edge[0], edge[1], edge[2], edge[3] };
	return true;
}

/* What both directions check: `space` is the side whose pixels are together. */
static bool operands(struct tn_binder *b, const char *edges, bool to_batch,
	struct pixels *space, struct pixels *batch, struct block *k)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	int64_t grow = to_batch ? 1 : -1, h, w, batches;

	*space = *batch = (struct pixels){ 0 }; /* also where an operand is refused */
	*k = (struct block){ 0 };
	if (!in || in->dtype != out->dtype || in->shape.rank != out->shape.rank)
		return tn_binder_no_types(b);
	if (!pixels_of(b, to_batch ? in : out, space) ||
		!pixels_of(b, to_batch ? out : in, batch) || !block_of(b, edges, k))
		return false;
	h = to_batch ? space->h + k->top + k->bottom : batch->h * k->h;
	w = to_batch ? space->w + k->left + k->right : batch->w * k->w;
	if (grow < 0) {
		h -= k->top + k->bottom;
		w -= k->left + k->right;
	}
	if (!tn_mul_i64(k->h * k->w, space->n, &batches) || space->c != batch->c ||
		batch->n != batches || h != (to_batch ? batch->h * k->h : space->h) ||
		w != (to_batch ? batch->w * k->w : space->w))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: its output's shape is not what its operands give");
	return true;
}

bool tn_bind_space_to_batch(struct tn_binder *b)
{
	const struct tn_tensor *out = tn_binder_out(b, 0);
	struct tn_space_to_batch_params *p;
	struct pixels space, batch;
	struct tn_scale scale;
	struct block k;

	if (!operands(b, "paddings", true, &space, &batch, &k))
		return false;
	p = tn_binder_simple(b, KERNEL_SPACE_TO_BATCH, 1);
	if (!p)
		return false;
	p->in_batches = (int32_t)space.n;
	p->in_h = (int32_t)space.h;
	p->in_w = (int32_t)space.w;
	p->out_h = (int32_t)batch.h;
	p->out_w = (int32_t)batch.w;
	p->depth = (int32_t)space.c;
	p->block_h = (int32_t)k.h;
	p->block_w = (int32_t)k.w;
	p->pad_top = (int32_t)k.top;
	p->pad_left = (int32_t)k.left;
	if (out->quant.n > 0 && out->dtype != DTYPE_F32) {
		if (!tn_binder_scale(b, out, &scale))
			return false;
		p->fill = (uint32_t)scale.zero_point;
	}
	return tn_binder_element_size(b, out, &p->size);
}

/* Elements to add for each coordinate of one dimension: which block, which pixel. */
static int32_t *coordinates(int32_t *table, int64_t size, int64_t block, int64_t cut,
	int64_t block_stride, int64_t pixel_stride)
{
	for (int64_t i = 0; i < size; i++)
		*table++ = (int32_t)((i + cut) % block * block_stride +
				     (i + cut) / block * pixel_stride);
	return table;
}

bool tn_bind_batch_to_space(struct tn_binder *b)
{
	struct tn_mapped_params *p;
	struct pixels space, batch;
	struct block k;
	int32_t *table;
	int64_t image;

	if (!operands(b, "crops", false, &space, &batch, &k))
		return false;
	p = tn_binder_simple(b, KERNEL_MAPPED, 1);
	table = tn_binder_array(b, (size_t)(space.n + space.h + space.w), sizeof(*table));
	if (!p || !table)
		return false;
	image = batch.h * batch.w * batch.c;
	p->rank = 3;
	p->dim[0] = (int32_t)space.n;
	p->dim[1] = (int32_t)space.h;
	p->dim[2] = (int32_t)space.w;
	p->run = (int32_t)space.c;
	p->n_table = (uint32_t)(space.n + space.h + space.w);
	p->table = table;
	table = coordinates(table, space.n, 1, 0, 0, image);
	table = coordinates(
		table, space.h, k.h, k.top, k.w * space.n * image, batch.w * batch.c);
	coordinates(table, space.w, k.w, k.left, space.n * image, batch.c);
	return tn_binder_element_size(b, tn_binder_in(b, 0), &p->size);
}
