#include "contract/contract.h"

#include <stddef.h>

#include "base/arena.h"
#include "base/checked.h"
#include "contract/dsp.h"
#include "contract/mve.h"
#include "contract/thumb.h"
#include "contract/walk.h"
#include "ir/window.h"

/* Raised when a loop order in this module changes. */
#define CONTRACT_VERSION UINT64_C(4)
#define CONTRACT_NAME	 UINT64_C(0x74656e7572652e63) /* "tenure.c" */

const struct tn_tensor *tn_walk_input(const struct tn_walk *w, uint32_t k)
{
	if (k >= w->op->n_inputs || w->op->inputs[k].i >= w->g->n_tensors)
		return NULL;
	return &w->g->tensors[w->op->inputs[k].i];
}

const struct tn_tensor *tn_walk_output(const struct tn_walk *w, uint32_t k)
{
	if (k >= w->op->n_outputs || w->op->outputs[k].i >= w->g->n_tensors)
		return NULL;
	return &w->g->tensors[w->op->outputs[k].i];
}

const struct tn_tensor *tn_walk_only_output(const struct tn_walk *w)
{
	for (uint32_t k = 1; k < w->op->n_outputs; k++)
		if (!tn_walk_output(w, k) || tn_walk_output(w, k)->bytes != 0)
			return NULL;
	return tn_walk_output(w, 0);
}

bool tn_walk_shares(const struct tn_walk *w, uint32_t input)
{
	const struct tn_tensor *t = tn_walk_input(w, input);

	return t && !tn_tensor_is_constant(t);
}

int64_t tn_walk_width(const struct tn_tensor *t)
{
	int bits = tn_dtype_bits(t->dtype);

	return bits % 8 == 0 ? bits / 8 : 0;
}

bool tn_walk_ints(
	const struct tn_walk *w, uint32_t k, const char *attr, int64_t *out, int64_t n)
{
	const struct tn_tensor *t = tn_walk_input(w, k);

	for (int64_t i = 0; i < n; i++) {
		const struct tn_attr *a = tn_op_attr(w->op, attr);

		if (t) {
			if (t->elements != n || !tn_tensor_int(t, i, &out[i]))
				return false;
		} else if (!a || (int64_t)a->n != n ||
			   (a->kind != ATTR_INTS && a->kind != ATTR_INT)) {
			return false;
		} else {
			out[i] = tn_op_int_at(w->op, attr, (size_t)i, 0);
		}
	}
	return true;
}

bool tn_walk_step(struct tn_walk *w, const struct tn_access *reads, uint32_t n_reads,
	const struct tn_access *writes, uint32_t n_writes)
{
	const struct tn_step step = { reads, n_reads, writes, n_writes, 1, 0, 0 };

	if (!w->fn(w->user, &step))
		w->stopped = true;
	return !w->stopped;
}

bool tn_walk_run(struct tn_walk *w, struct tn_access *reads, uint32_t n_reads,
	struct tn_access *write, int64_t count, int64_t read_by, int64_t write_by)
{
	struct tn_step step = { reads, n_reads, write, 1, 1, read_by, write_by };
	int64_t left = w->runs ? (count > 0 ? 1 : 0) : count;

	step.count = w->runs ? count : 1;
	while (left-- > 0 && !w->stopped) {
		if (!w->fn(w->user, &step))
			w->stopped = true;
		for (uint32_t i = 0; i < n_reads && left > 0; i++) {
			reads[i].begin += read_by;
			reads[i].end += read_by;
		}
		write->begin += write_by;
		write->end += write_by;
	}
	return !w->stopped;
}

int64_t tn_walk_next(struct tn_walk *w, int64_t block, struct tn_blocks same)
{
	const bool back = w->variant.descending;
	const int64_t next = back ? block - 1 : block + 1;
	const int64_t begin = back ? same.first + 1 : next;
	const int64_t end = back ? next + 1 : same.end - 1;
	const struct tn_access write = { 0, same.origin + begin * same.bytes,
		same.origin + end * same.bytes };

	if (!w->extremes || next != (back ? same.end - 3 : same.first + 2) ||
		begin >= end)
		return next;
	tn_walk_step(w, NULL, 0, &write, 1);
	return back ? same.first : same.end - 1;
}

static bool plain_operands(const struct tn_walk *w)
{
	for (uint32_t k = 0; k < w->op->n_inputs; k++) {
		const struct tn_tensor *t = tn_walk_input(w, k);

		if (!t || !tn_walk_shares(w, k))
			continue;
		if (t->bytes < 0 || !tn_walk_width(t) || t->has_strides)
			return false;
	}
	for (uint32_t k = 0; k < w->op->n_outputs; k++) {
		const struct tn_tensor *t = tn_walk_output(w, k);

		if (!t || t->bytes < 0 || !tn_walk_width(t) || t->has_strides)
			return false;
	}
	return true;
}

/* A tensor without elements may be as long as it likes in other dimensions. Products of two
 * that are no longer than this cannot overflow. */
#define DIM_MAX INT32_MAX

static bool countable(const struct tn_tensor *t)
{
	for (uint32_t d = 0; t && d < t->shape.rank; d++)
		if (t->shape.dim[d] > DIM_MAX)
			return false;
	return true;
}

static bool countable_operands(const struct tn_walk *w)
{
	for (uint32_t k = 0; k < w->op->n_inputs; k++)
		if (!countable(tn_walk_input(w, k)))
			return false;
	for (uint32_t k = 0; k < w->op->n_outputs; k++)
		if (!countable(tn_walk_output(w, k)))
			return false;
	return true;
}

static bool walk_class(struct tn_walk *w)
{
	/* sub-byte elements share bytes and strided views have gaps: no kernel of ours
	 * has an order for them */
	if (!plain_operands(w))
		return false;
	/* nor for a kernel of which the graph says that it is another one */
	if (tn_op_has_own_kernel(w->op))
		return false;
	if (!tn_walk_is_uniform(w) &&
		((!w->any_length && tn_walk_is_long(w)) || !countable_operands(w)))
		return false;
	switch (tn_op_info(w->op->kind)->access) {
	case ACCESS_POINTWISE:
		return tn_walk_pointwise(w);
	case ACCESS_VIEW:
		return tn_walk_view(w);
	case ACCESS_WINDOW:
		return tn_walk_window(w);
	case ACCESS_ROWS:
		return tn_walk_rows(w);
	case ACCESS_ROW_PASSES:
		return tn_walk_row_passes(w);
	case ACCESS_REDUCE:
		return tn_walk_reduce(w);
	case ACCESS_MAP:
		return tn_walk_map(w);
	case ACCESS_MATMUL:
		return tn_walk_matmul(w);
	case ACCESS_PLACES:
		return tn_walk_places(w);
	case ACCESS_OPAQUE:
		break;
	}
	return false;
}

bool tn_contract_is_long(const struct tn_graph *g, tn_op_id op)
{
	const struct tn_walk w = { .g = g, .op = &g->ops[op.i] };

	return tn_walk_is_long(&w);
}

bool tn_contract_gives_up(const struct tn_graph *g, tn_op_id op)
{
	struct tn_walk w = { .g = g, .op = &g->ops[op.i], .any_length = true };

	return tn_walk_is_long(&w) && !tn_walk_is_uniform(&w) && walk_class(&w);
}

bool tn_contract_is_uniform(const struct tn_graph *g, tn_op_id op)
{
	struct tn_walk w = { .g = g, .op = &g->ops[op.i] };

	return tn_walk_is_uniform(&w) && walk_class(&w);
}

/* Does gathering a pixel's or a row's outputs change what a step reads? */
static bool holds_pixels(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_op_info *info = tn_op_info(op->kind);
	struct tn_window win;
	const char *why;

	if (info->access == ACCESS_ROWS || info->access == ACCESS_MATMUL)
		return true;
	return info->access == ACCESS_WINDOW && tn_window_of(g, op, &win, &why) &&
	       (!win.per_channel || win.depth_multiplier > 1);
}

const char *tn_hold_name(enum tn_hold hold)
{
	static const char *const names[] = { "none", "pixel", "ring", "channel",
		"cycle" };

	return names[hold > HOLD_CYCLE ? HOLD_NONE : hold];
}

const char *tn_hold_text(enum tn_hold hold)
{
	static const char *const texts[] = { "", ", an output pixel or row held back",
		", output pixels held back in a ring",
		", channel by channel, elements held back in a ring",
		", cycle by cycle, exactly on its input" };

	return texts[hold > HOLD_CYCLE ? HOLD_NONE : hold];
}

/* The variant with a buffer, when the shapes have one. */
static enum tn_hold buffer_of(const struct tn_walk *w)
{
	struct tn_window win;
	const char *why;

	if (w->op->kind == OP_TRANSPOSE)
		return tn_walk_shares(w, 0) && tn_walk_width(tn_walk_output(w, 0)) &&
				       tn_walk_output(w, 0)->elements > 1
			       ? HOLD_CYCLE
			       : HOLD_NONE;
	if (tn_op_info(w->op->kind)->access != ACCESS_WINDOW ||
		!tn_window_of(w->g, w->op, &win, &why) ||
		tn_walk_width(tn_walk_input(w, 0)) != tn_walk_width(tn_walk_output(w, 0)))
		return HOLD_NONE;
	return win.per_channel && win.depth_multiplier == 1 ? HOLD_CHANNEL : HOLD_RING;
}

bool tn_variant_is_buffered(struct tn_variant v)
{
	return v.hold == HOLD_RING || v.hold == HOLD_CHANNEL || v.hold == HOLD_CYCLE;
}

int64_t tn_contract_ring(const struct tn_graph *g, tn_op_id op, struct tn_variant v)
{
	struct tn_window win;
	const char *why;

	if (!tn_variant_is_buffered(v) || !tn_window_of(g, &g->ops[op.i], &win, &why))
		return 1;
	return tn_window_ring(&win, v.descending);
}

int64_t tn_contract_grain(const struct tn_graph *g, tn_op_id op, struct tn_variant v)
{
	struct tn_walk w = { .g = g, .op = &g->ops[op.i] };
	const struct tn_tensor *out = tn_walk_output(&w, 0);

	if (v.hold == HOLD_CYCLE && out)
		return tn_max_i64(out->bytes, 1);
	if (v.hold != HOLD_CHANNEL || !out || !out->shape.rank)
		return 1;
	return out->shape.dim[out->shape.rank - 1] * tn_walk_width(out);
}

uint32_t tn_contract_variants(
	const struct tn_graph *g, tn_op_id op, struct tn_variant out[TN_VARIANTS_MAX])
{
	struct tn_walk w = { .g = g, .op = &g->ops[op.i] };
	enum tn_hold buffer;
	uint32_t n = 0;

	if (!walk_class(&w))
		return 0;
	if (tn_op_order(w.op) != OP_ORDER_DESCENDING)
		out[n++] = (struct tn_variant){ false, HOLD_NONE };
	if (tn_op_order(w.op) != OP_ORDER_ASCENDING)
		out[n++] = (struct tn_variant){ true, HOLD_NONE };
	if (n < 2) /* the graph says that there is no other kernel */
		return n;
	if (holds_pixels(g, w.op)) {
		out[n++] = (struct tn_variant){ false, HOLD_PIXEL };
		out[n++] = (struct tn_variant){ true, HOLD_PIXEL };
	}
	buffer = buffer_of(&w);
	if (buffer == HOLD_CYCLE)
		out[n++] = (struct tn_variant){ false, HOLD_CYCLE };
	for (int back = 0; buffer != HOLD_NONE && buffer != HOLD_CYCLE && back < 2;
		back++) {
		out[n] = (struct tn_variant){ back, buffer };
		n += tn_contract_ring(g, op, out[n]) > 1;
	}
	return n;
}

static int64_t portable_scratch(
	const struct tn_graph *g, tn_op_id op, struct tn_variant v)
{
	struct tn_walk w = { .g = g, .op = &g->ops[op.i] };
	const struct tn_tensor *out = tn_walk_output(&w, 0);
	int64_t width;

	if (v.hold == HOLD_NONE || !out || !out->shape.rank)
		return 0;
	if (v.hold == HOLD_CYCLE)
		return out->elements / 8 + (out->elements % 8 != 0);
	width = tn_walk_width(out) * tn_contract_ring(g, op, v);
	return v.hold == HOLD_CHANNEL ? width
				      : out->shape.dim[out->shape.rank - 1] * width;
}

/* Whether a packed kernel runs shows only when its constants are bound; if not, the
 * portable one does, in the same scratch. */
int64_t tn_contract_scratch(const struct tn_graph *g, tn_op_id op, struct tn_variant v)
{
	const bool whole = v.descending || v.hold != HOLD_NONE;
	int64_t bytes = tn_max_i64(
		portable_scratch(g, op, v), tn_op_scratch_missing(g, &g->ops[op.i]));

	if (g->kernels == KERNELS_THUMB && !tn_variant_is_buffered(v))
		bytes = tn_max_i64(
			bytes, tn_thumb_scratch(g, &g->ops[op.i], v.hold != HOLD_NONE));
	if (g->kernels == KERNELS_DSP && !tn_variant_is_buffered(v))
		bytes = tn_max_i64(bytes, tn_dsp_scratch(g, &g->ops[op.i], whole));
	if (g->kernels == KERNELS_MVE && !tn_variant_is_buffered(v))
		bytes = tn_max_i64(bytes, tn_mve_scratch(g, &g->ops[op.i], whole));
	return bytes;
}

static enum tn_status walk_opaque(struct tn_walk *w)
{
	struct tn_arena arena;
	struct tn_access *reads, *writes;
	uint32_t n_reads = 0, n_writes = 0;
	enum tn_status status = TN_ERR_NOMEM;

	tn_arena_init(&arena);
	reads = TN_NEW_ARRAY(&arena, struct tn_access, w->op->n_inputs);
	writes = TN_NEW_ARRAY(&arena, struct tn_access, w->op->n_outputs);
	if (reads && writes) {
		for (uint32_t k = 0; k < w->op->n_inputs; k++)
			if (tn_walk_shares(w, k))
				reads[n_reads++] = (struct tn_access){ k, 0,
					tn_walk_input(w, k)->bytes };
		for (uint32_t k = 0; k < w->op->n_outputs; k++)
			if (tn_walk_output(w, k))
				writes[n_writes++] = (struct tn_access){ k, 0,
					tn_walk_output(w, k)->bytes };
		tn_walk_step(w, reads, n_reads, writes, n_writes);
		status = TN_ERR_REFUSED;
	}
	tn_arena_release(&arena);
	return status;
}

enum tn_status tn_contract_walk(const struct tn_graph *g, tn_op_id op,
	struct tn_variant v, tn_step_fn *fn, void *user)
{
	struct tn_walk w = {
		.g = g, .op = &g->ops[op.i], .variant = v, .fn = fn, .user = user
	};

	if (walk_class(&w))
		return w.out_of_memory ? TN_ERR_NOMEM : TN_OK;
	return walk_opaque(&w);
}

enum tn_status tn_contract_runs(const struct tn_graph *g, tn_op_id op,
	struct tn_variant v, tn_step_fn *fn, void *user)
{
	struct tn_walk w = { .g = g,
		.op = &g->ops[op.i],
		.variant = v,
		.fn = fn,
		.user = user,
		.runs = true };

	if (walk_class(&w))
		return w.out_of_memory ? TN_ERR_NOMEM : TN_OK;
	return walk_opaque(&w);
}

/* One pass: d is the largest w_s - r_u over steps s < u, so the extreme write so far and
 * the next step's extreme read are all that is needed. */
struct displacement {
	uint32_t input, output;
	bool descending;
	bool written;
	int64_t write; /* ascending: end of the writes so far; descending: their start */
	int64_t d;
};

/* Step j of a run: its reads follow what has been written. */
static void displacement_read(
	struct displacement *s, const struct tn_step *run, int64_t j)
{
	for (uint32_t i = 0; s->written && i < run->n_reads; i++) {
		const struct tn_access *r = &run->reads[i];
		int64_t at = s->descending ? r->end : r->begin, d;

		at += j * run->read_by;
		d = s->descending ? at - s->write : s->write - at;
		if (r->operand == s->input && r->begin < r->end && d > s->d)
			s->d = d;
	}
}

static void displacement_write(
	struct displacement *s, const struct tn_step *run, int64_t j)
{
	for (uint32_t i = 0; i < run->n_writes; i++) {
		const struct tn_access *w = &run->writes[i];
		int64_t edge = (s->descending ? w->begin : w->end) + j * run->write_by;

		if (w->operand != s->output || w->begin >= w->end)
			continue;
		if (!s->written || (s->descending ? edge < s->write : edge > s->write))
			s->write = edge;
		s->written = true;
	}
}

/* Between the second step of a run and its last the distance grows or falls steadily, so
 * one of the two is the extreme. */
static bool displacement_run(void *user, const struct tn_step *run)
{
	struct displacement *s = user;
	const int64_t last = run->count - 1;

	displacement_read(s, run, 0);
	displacement_write(s, run, 0);
	if (last > 0)
		displacement_read(s, run, 1);
	if (last > 1) {
		displacement_write(s, run, last - 1);
		displacement_read(s, run, last);
	}
	displacement_write(s, run, last);
	return true;
}

enum tn_status tn_contract_displacement(const struct tn_graph *g, tn_op_id op,
	struct tn_variant v, uint32_t input, uint32_t output, int64_t *out_d)
{
	struct displacement s = { .input = input,
		.output = output,
		.descending = v.descending,
		.d = TN_DISPLACEMENT_FREE };
	struct tn_walk w = { .g = g,
		.op = &g->ops[op.i],
		.variant = v,
		.fn = displacement_run,
		.user = &s,
		.runs = true,
		.extremes = true };

	if (!walk_class(&w)) {
		*out_d = TN_DISPLACEMENT_NEVER;
		return TN_OK;
	}
	if (w.out_of_memory)
		return TN_ERR_NOMEM;
	/* cycles share no byte with each other: in place each is as if it were alone */
	*out_d = v.hold == HOLD_CYCLE ? 0 : s.d;
	return TN_OK;
}

uint64_t tn_contract_digest(void)
{
	return CONTRACT_NAME + CONTRACT_VERSION;
}
