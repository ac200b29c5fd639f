/* Kernels that move elements: transpose, slice, split, concat, and updates of a base. */
#include "base/checked.h"
#include "claims/steps_part.h"

/* An axis attribute, counted from the front; -1 when it is none of the tensor's. */
static int64_t axis_of(const struct tn_claim_walk *w, const struct tn_form *f)
{
	int64_t axis = tn_op_int_at(w->op, "axis", 0, 0);

	if (axis < 0)
		axis += f->rank;
	return axis >= 0 && axis < f->rank ? axis : -1;
}

static bool transpose_map(const struct tn_claim_walk *w, const struct tn_form *in,
	const struct tn_form *out, struct tn_map *map)
{
	bool seen[TN_RANK_MAX] = { false };

	*map = (struct tn_map){ .base = in->start };
	if (in->rank != out->rank)
		return false;
	for (uint32_t d = 0; d < out->rank; d++) {
		int64_t from = tn_op_int_at(w->op, "perm", d, out->rank - 1 - d);

		if (from < 0 || from >= in->rank || seen[from] ||
			in->dim[from] != out->dim[d])
			return false;
		seen[from] = true;
		map->stride[d] = in->stride[from];
	}
	return true;
}

static bool slice_map(const struct tn_claim_walk *w, const struct tn_form *in,
	const struct tn_form *out, struct tn_map *map)
{
	*map = (struct tn_map){ .base = in->start };
	if (in->rank != out->rank)
		return false;
	for (uint32_t d = 0; d < out->rank; d++) {
		int64_t start = tn_op_int_at(w->op, "start", d, 0);
		int64_t step = tn_op_int_at(w->op, "steps", d, 1), last, reach;

		if (start < 0)
			start += in->dim[d];
		if (!tn_mul_i64(out->dim[d] - 1, step, &reach) ||
			!tn_add_i64(start, reach, &last) || start < 0 ||
			start >= in->dim[d] || last < 0 || last >= in->dim[d])
			return out->n == 0;
		map->base += start * in->stride[d];
		/* what is not gone to may be too far to count */
		map->stride[d] = out->dim[d] > 1 ? step * in->stride[d] : 0;
	}
	return true;
}

/* Elements [first, first + out->n) of the flattened input. */
static bool slice_flat(
	struct tn_claim_walk *w, const struct tn_form *in, const struct tn_form *out)
{
	int64_t first = tn_op_int_at(w->op, "start", 0, 0);

	if (first < 0 || first > in->n - out->n)
		return tn_steps_opaque(w);
	for (int64_t t = 0; t < out->n; t++) {
		int64_t i = tn_steps_nth(w, t, out->n);
		int64_t from = tn_form_at(in, first + i);

		if (!tn_steps_begin_step(w) || !tn_steps_read(w, 0, from) ||
			!tn_steps_write(w, 0, tn_form_at(out, i), 0, from))
			return false;
	}
	return true;
}

bool tn_steps_affine(struct tn_claim_walk *w)
{
	const struct tn_form *in = tn_steps_in(w, 0), *out = tn_steps_out(w, 0);
	struct tn_map map;
	int64_t at[TN_RANK_MAX] = { 0 };
	bool transpose = w->kernel->kind == KERNEL_TRANSPOSE;

	if (!in || !out || w->op->n_outputs != 1)
		return tn_steps_opaque(w);
	if (transpose ? !transpose_map(w, in, out, &map) : !slice_map(w, in, out, &map))
		return transpose || in->rank == out->rank ? tn_steps_opaque(w)
							  : slice_flat(w, in, out);
	for (int64_t t = 0; t < out->n; t++) {
		int64_t i = tn_steps_nth(w, t, out->n), from;

		tn_form_coordinates(out, i, at);
		from = tn_map_at(&map, out->rank, at);
		if (!tn_steps_begin_step(w) || !tn_steps_read(w, 0, from) ||
			!tn_steps_others(w, 0) ||
			!tn_steps_write(w, 0, tn_form_at(out, i), 0, from))
			return false;
	}
	return true;
}

/* Do the parts, laid side by side along the axis, make the whole? */
static bool parts_fit(const struct tn_claim_walk *w, const struct tn_form *whole,
	int64_t axis, bool inputs)
{
	uint32_t n = inputs ? w->op->n_inputs : w->op->n_outputs;
	int64_t sum = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct tn_form *part =
			inputs ? tn_steps_in(w, k) : tn_steps_out(w, k);

		if (!part || part->rank != whole->rank)
			return false;
		for (uint32_t d = 0; d < whole->rank; d++)
			if (d != axis && part->dim[d] != whole->dim[d])
				return false;
		if (!tn_add_i64(sum, part->dim[axis], &sum))
			return false;
	}
	return sum == whole->dim[axis];
}

/* The part's coordinates in the whole. */
static struct tn_map part_map(const struct tn_form *whole, int64_t axis, int64_t offset)
{
	struct tn_map map = { .base = whole->start };

	for (uint32_t d = 0; d < whole->rank; d++)
		map.stride[d] = whole->stride[d];
	/* a stride of one element is kept as 0, and then the offset is 0, too */
	map.base += offset * whole->stride[axis];
	return map;
}

static bool split_part(struct tn_claim_walk *w, uint32_t output, const struct tn_map *map)
{
	const struct tn_form *out = tn_steps_out(w, output);
	int64_t at[TN_RANK_MAX] = { 0 };

	for (int64_t t = 0; t < out->n; t++) {
		int64_t i = tn_steps_nth(w, t, out->n), from;

		tn_form_coordinates(out, i, at);
		from = tn_map_at(map, out->rank, at);
		if (!tn_steps_begin_step(w) || !tn_steps_read(w, 0, from) ||
			!tn_steps_write(w, output, tn_form_at(out, i), 0, from))
			return false;
	}
	return true;
}

/* Every output is the whole input: what some frameworks call split. */
static bool split_copies(const struct tn_claim_walk *w, const struct tn_form *in)
{
	for (uint32_t k = 0; k < w->op->n_outputs; k++) {
		const struct tn_form *out = tn_steps_out(w, k);

		if (!out || out->rank != in->rank)
			return false;
		for (uint32_t d = 0; d < in->rank; d++)
			if (out->dim[d] != in->dim[d])
				return false;
	}
	return true;
}

bool tn_steps_split(struct tn_claim_walk *w)
{
	const struct tn_form *in = tn_steps_in(w, 0);
	int64_t axis = in ? axis_of(w, in) : -1, offset = 0;
	bool copies = in && split_copies(w, in);

	if (!in || (!copies && (axis < 0 || !parts_fit(w, in, axis, false))))
		return tn_steps_opaque(w);
	for (uint32_t k = 0; k < w->op->n_outputs; k++) {
		const struct tn_form *out = tn_steps_out(w, k);
		struct tn_map map;

		if (copies)
			tn_map_broadcast(in, out, &map);
		else
			map = part_map(in, axis, offset);
		if (!tn_steps_begin_phase(w) || !split_part(w, k, &map))
			return false;
		offset += copies ? 0 : out->dim[axis];
	}
	return true;
}

static bool concat_part(struct tn_claim_walk *w, uint32_t input, const struct tn_map *map)
{
	const struct tn_form *in = tn_steps_in(w, input);
	int64_t at[TN_RANK_MAX] = { 0 };

	for (int64_t t = 0; t < in->n; t++) {
		int64_t i = tn_steps_nth(w, t, in->n), from = tn_form_at(in, i);

		tn_form_coordinates(in, i, at);
		if (!tn_steps_begin_step(w) || !tn_steps_read(w, input, from) ||
			!tn_steps_write(w, 0, tn_map_at(map, in->rank, at), input, from))
			return false;
	}
	return true;
}

bool tn_steps_concat(struct tn_claim_walk *w)
{
	const struct tn_form *out = tn_steps_out(w, 0);
	int64_t axis = out ? axis_of(w, out) : -1, offset = 0;

	if (axis < 0 || !parts_fit(w, out, axis, true))
		return tn_steps_opaque(w);
	if (w->kernel->desc)
		offset = out->dim[axis];
	for (uint32_t k = 0; k < w->op->n_inputs; k++) {
		uint32_t input = w->kernel->desc ? w->op->n_inputs - 1 - k : k;
		int64_t size = tn_steps_in(w, input)->dim[axis];
		struct tn_map map;

		if (w->kernel->desc)
			offset -= size;
		map = part_map(out, axis, offset);
		if (!w->kernel->desc)
			offset += size;
		if (!tn_steps_begin_phase(w) || !concat_part(w, input, &map))
			return false;
	}
	return true;
}

static bool copy_base(struct tn_claim_walk *w)
{
	const struct tn_form *base = tn_steps_in(w, 0), *out = tn_steps_out(w, 0);

	for (int64_t t = 0; t < out->n; t++) {
		int64_t i = tn_steps_nth(w, t, out->n), from = tn_form_at(base, i);

		if (!tn_steps_begin_step(w) || !tn_steps_read(w, 0, from) ||
			!tn_steps_write(w, 0, tn_form_at(out, i), 0, from))
			return false;
	}
	return true;
}

/* Where the update's coordinates are in the output; false: flat, from *out_first. */
static bool update_map(const struct tn_claim_walk *w, const struct tn_form *update,
	const struct tn_form *out, struct tn_map *map, int64_t *out_first)
{
	int64_t first = 0, size = 1;
	bool window = update->rank == out->rank;

	*map = (struct tn_map){ .base = out->start };
	for (uint32_t d = 0; d < out->rank; d++) {
		int64_t start = tn_op_int_at(w->op, "start", d, 0);

		window = window && start >= 0 && start <= out->dim[d] - update->dim[d];
		if (window)
			map->base += start * out->stride[d];
		map->stride[d] = out->stride[d];
	}
	if (window)
		return true;
	for (uint32_t d = out->rank; d-- > 0;) {
		int64_t start = tn_op_int_at(w->op, "start", d, 0), step;

		if (update->rank == out->rank || !tn_mul_i64(start, size, &step) ||
			!tn_add_i64(first, step, &first))
			first = -1;
		if (first < 0)
			break;
		size *= out->dim[d];
	}
	*out_first = first >= 0 && first <= out->n - update->n ? first : -1;
	return false;
}

bool tn_steps_update(struct tn_claim_walk *w)
{
	const struct tn_form *base = tn_steps_in(w, 0), *update = tn_steps_in(w, 1);
	const struct tn_form *out = tn_steps_out(w, 0);
	struct tn_map map;
	int64_t first = 0, at[TN_RANK_MAX] = { 0 };
	bool window;

	if (!base || !update || !out || base->n != out->n)
		return tn_steps_opaque(w);
	window = update_map(w, update, out, &map, &first);
	if (first < 0)
		return tn_steps_opaque(w);
	for (uint32_t k = 2; k < w->op->n_inputs; k++) /* indices */
		if (!tn_steps_whole(w, k))
			return false;
	if (!copy_base(w) || !tn_steps_begin_phase(w))
		return false;
	for (int64_t t = 0; t < update->n; t++) {
		int64_t i = tn_steps_nth(w, t, update->n), from = tn_form_at(update, i);

		tn_form_coordinates(update, i, at);
		if (!tn_steps_begin_step(w) || !tn_steps_read(w, 1, from) ||
			!tn_steps_write(w, 0,
				window ? tn_map_at(&map, out->rank, at)
				       : tn_form_at(out, first + i),
				1, from))
			return false;
	}
	return true;
}

bool tn_steps_shift(struct tn_claim_walk *w)
{
	const struct tn_form *base = tn_steps_in(w, 0), *out = tn_steps_out(w, 0);
	int64_t dst = tn_op_int(w->op, "dst", 0), src = tn_op_int(w->op, "src", 0);
	int64_t len = tn_op_int(w->op, "len", 0);

	if (!base || !out || base->n != out->n || len < 0 || len > out->n || dst < 0 ||
		src < 0 || dst > out->n - len || src > out->n - len)
		return tn_steps_opaque(w);
	if (!copy_base(w) || !tn_steps_begin_phase(w))
		return false;
	for (int64_t t = 0; t < len; t++) {
		int64_t i = tn_steps_nth(w, t, len), from = tn_form_at(base, src + i);

		if (!tn_steps_begin_step(w) || !tn_steps_read(w, 0, from) ||
			!tn_steps_write(w, 0, tn_form_at(out, dst + i), 0, from))
			return false;
	}
	return true;
}
