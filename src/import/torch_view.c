/* Views of torch.export: where each starts, and how it strides. */
#include <string.h>

#include "base/checked.h"
#include "import/torch.h"

#include "base/banned.h"

/* The argument of a name (or, for the first, of a place); false when it is not given. */
bool tn_torch_argument(struct tn_torch *r, const struct tn_at *node, const char *name,
	size_t place, struct tn_at frames[3], struct tn_torch_argument *out)
{
	size_t n = tn_at_list(&r->tree, node, "inputs", &frames[0]);

	for (size_t i = 0; i < n; i++) {
		tn_at_item(&frames[0], i, &frames[1]);
		if (strcmp(tn_at_text(&r->tree, &frames[1], "name", ""), name) != 0 &&
			i != place)
			continue;
		return tn_at_object(&r->tree, &frames[1], "arg", &frames[2]) &&
		       tn_torch_member(&frames[2], out);
	}
	return false;
}

int64_t tn_torch_int(
	struct tn_torch *r, const struct tn_at *node, const char *name, int64_t otherwise)
{
	struct tn_at frames[3];
	struct tn_torch_argument a;
	int64_t value = otherwise;

	if (tn_torch_argument(r, node, name, SIZE_MAX, frames, &a) &&
		strcmp(a.key, "as_int") == 0)
		tn_at_as_int(&r->tree, &a.at, &value);
	return value;
}

void tn_torch_results(
	struct tn_torch *r, const struct tn_at *node, struct tn_torch_results *out)
{
	struct tn_at list, item;
	size_t n = tn_at_list(&r->tree, node, "outputs", &list);

	out->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct tn_torch_argument a;

		tn_at_item(&list, i, &item);
		if (!tn_torch_member(&item, &a))
			continue;
		if (strcmp(a.key, "as_tensor") == 0 && out->n < TN_TORCH_RESULTS_MAX)
			out->name[out->n++] = tn_at_text(&r->tree, &a.at, "name", "");
		for (size_t k = 0;
			strcmp(a.key, "as_tensors") == 0 &&
			k < json_array_size(a.at.json) && out->n < TN_TORCH_RESULTS_MAX;
			k++) {
			struct tn_at one;

			tn_at_item(&a.at, k, &one);
			out->name[out->n++] = tn_at_text(&r->tree, &one, "name", "");
		}
	}
}

/* Where the view's first element is, in elements of its operand's storage. */
static bool view_offset(struct tn_torch *r, const struct tn_at *node,
	const struct tn_aten *a, const struct tn_tensor *in, int64_t *out)
{
	int64_t dim = tn_torch_int(r, node, "dim", 0), start, strides[TN_RANK_MAX];

	*out = 0;
	if (a->form != ATEN_SLICE || strcmp(a->name, "expand") == 0)
		return true;
	start = tn_torch_int(
		r, node, strcmp(a->name, "select") == 0 ? "index" : "start", 0);
	if (dim < 0)
		dim += in->shape.rank;
	if (dim < 0 || dim >= in->shape.rank || in->shape.dim[dim] < 0)
		return false;
	if (start < 0)
		start += in->shape.dim[dim];
	start = tn_max_i64(0, tn_min_i64(start, in->shape.dim[dim]));
	tn_shape_strides(&in->shape, strides);
	return tn_mul_i64(start, in->has_strides ? in->stride[dim] : strides[dim], out);
}

void tn_torch_become_view(
	struct tn_torch *r, tn_tensor_id view, tn_tensor_id of, int64_t offset)
{
	struct tn_tensor *t = tn_foreign_at(&r->f, view);
	int64_t dense[TN_RANK_MAX], elements;

	if (view.i == of.i || t->view_of.i != TN_NONE)
		return;
	t->view_of = of;
	t->view_offset = offset;
	if (!t->has_strides && tn_shape_elements(&t->shape, &elements)) {
		tn_shape_strides(&t->shape, dense);
		memcpy(t->stride, dense, sizeof(dense));
	}
}

/* Parts of equal size, or of given sizes, one behind the other along a dimension. */
static bool split_view(struct tn_torch *r, const struct tn_at *node, tn_tensor_id of,
	const struct tn_torch_results *results)
{
	struct tn_tensor in = *tn_foreign_at(&r->f, of);
	int64_t dim = tn_torch_int(r, node, "dim", 0), at = 0, strides[TN_RANK_MAX];

	dim += dim < 0 ? in.shape.rank : 0;
	if (dim < 0 || dim >= in.shape.rank)
		return false;
	tn_shape_strides(&in.shape, strides);
	if (in.has_strides)
		memcpy(strides, in.stride, sizeof(strides));
	for (size_t i = 0; i < results->n; i++) {
		tn_tensor_id id = tn_torch_tensor(r, node, results->name[i]);
		const struct tn_tensor *t;
		int64_t offset;

		if (id.i == TN_NONE)
			return true;
		t = tn_foreign_at(&r->f, id);
		if (!tn_mul_i64(at, strides[dim], &offset) || dim >= t->shape.rank ||
			!tn_add_i64(at, t->shape.dim[dim], &at))
			return true;
		tn_torch_become_view(r, id, of, offset);
	}
	return true;
}

/* Is the node a view, and not an op? */
bool tn_torch_read_view(
	struct tn_torch *r, const struct tn_at *node, const struct tn_aten *a)
{
	bool split = strncmp(a->name, "split", 5) == 0 || strcmp(a->name, "chunk") == 0 ||
		     strcmp(a->name, "unbind") == 0;
	struct tn_at frames[3];
	struct tn_torch_argument first;
	struct tn_torch_results results;
	tn_tensor_id of, id;
	int64_t offset;

	if (a->is_copy || (!split && a->form != ATEN_VIEW && a->form != ATEN_TRANSPOSE &&
				  a->form != ATEN_SLICE))
		return false;
	if (!tn_torch_argument(r, node, "self", 0, frames, &first) ||
		strcmp(first.key, "as_tensor") != 0)
		return false;
	of = tn_torch_tensor(r, &first.at, tn_at_text(&r->tree, &first.at, "name", ""));
	tn_torch_results(r, node, &results);
	if (of.i == TN_NONE || !results.n)
		return false;
	if (split)
		return strcmp(a->name, "unbind") != 0 &&
		       split_view(r, node, of, &results);
	/* of what does not lie dense, reshape is a copy */
	if (tn_foreign_at(&r->f, of)->has_strides &&
		(strcmp(a->name, "reshape") == 0 || strcmp(a->name, "flatten") == 0))
		return false;
	if (a->in_place) { /* unsqueeze_: the same tensor under another shape */
		tn_torch_mutate(r, of);
	}
	id = tn_torch_tensor(r, node, results.name[0]);
	if (id.i == TN_NONE ||
		!view_offset(r, node, a, tn_foreign_at(&r->f, of), &offset))
		return id.i == TN_NONE;
	tn_torch_become_view(r, id, of, offset);
	return true;
}
