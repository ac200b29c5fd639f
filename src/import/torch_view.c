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

enum view {
	VIEW_NONE,
	VIEW_START, /* the same first element */
	VIEW_PART, /* a part along a dimension, or at one index of it */
	VIEW_DIAGONAL,
	VIEW_STORAGE, /* as_strided: a place in the storage */
	VIEW_IMAG,
	VIEW_PARTS, /* several, one behind the other along a dimension */
	VIEW_DENSE, /* a copy, when the operand does not lie dense and the result does */
	VIEW_SAME, /* a copy, unless nothing changes */
	VIEW_REFUSED, /* shares bytes in a way that strides do not say */
};

/* What operators do to storage is in their schemas alone. */
static const struct {
	const char *name;
	enum view view;
} views[] = {
	{ "T", VIEW_START },
	{ "_conj", VIEW_REFUSED },
	{ "_indices", VIEW_REFUSED },
	{ "_neg_view", VIEW_REFUSED },
	{ "_nested_view_from_buffer", VIEW_REFUSED },
	{ "_reshape_alias", VIEW_START },
	{ "_unsafe_view", VIEW_START },
	{ "_values", VIEW_REFUSED },
	{ "adjoint", VIEW_START },
	{ "alias", VIEW_START },
	{ "as_strided", VIEW_STORAGE },
	{ "broadcast_to", VIEW_START },
	{ "chunk", VIEW_PARTS },
	{ "conj", VIEW_REFUSED },
	{ "contiguous", VIEW_SAME },
	{ "cpu", VIEW_SAME },
	{ "detach", VIEW_START },
	{ "diagonal", VIEW_DIAGONAL },
	{ "dropout", VIEW_SAME },
	{ "dsplit", VIEW_PARTS },
	{ "expand", VIEW_START },
	{ "expand_as", VIEW_START },
	{ "flatten", VIEW_DENSE },
	{ "hsplit", VIEW_PARTS },
	{ "imag", VIEW_IMAG },
	{ "lift_fresh", VIEW_START },
	{ "linalg_diagonal", VIEW_DIAGONAL },
	{ "mH", VIEW_START },
	{ "mT", VIEW_START },
	{ "matrix_H", VIEW_START },
	{ "moveaxis", VIEW_START },
	{ "movedim", VIEW_START },
	{ "narrow", VIEW_PART },
	{ "numpy_T", VIEW_START },
	{ "permute", VIEW_START },
	{ "positive", VIEW_SAME },
	{ "ravel", VIEW_DENSE },
	{ "real", VIEW_START },
	{ "reshape", VIEW_DENSE },
	{ "reshape_as", VIEW_DENSE },
	{ "resize", VIEW_REFUSED },
	{ "resolve_conj", VIEW_SAME },
	{ "resolve_neg", VIEW_SAME },
	{ "select", VIEW_PART },
	{ "set", VIEW_REFUSED },
	{ "slice", VIEW_PART },
	{ "split", VIEW_PARTS },
	{ "split_with_sizes", VIEW_PARTS },
	{ "squeeze", VIEW_START },
	{ "swapaxes", VIEW_START },
	{ "swapdims", VIEW_START },
	{ "t", VIEW_START },
	{ "tensor_split", VIEW_PARTS },
	{ "to", VIEW_SAME },
	{ "transpose", VIEW_START },
	{ "unbind", VIEW_PARTS },
	{ "unflatten", VIEW_START },
	{ "unfold", VIEW_START },
	{ "unsafe_chunk", VIEW_PARTS },
	{ "unsafe_split", VIEW_PARTS },
	{ "unsafe_split_with_sizes", VIEW_PARTS },
	{ "unsqueeze", VIEW_START },
	{ "values", VIEW_REFUSED },
	{ "view", VIEW_START },
	{ "view_as", VIEW_START },
	{ "view_as_complex", VIEW_START },
	{ "view_as_real", VIEW_START },
	{ "vsplit", VIEW_PARTS },
};

static enum view view_of(const struct tn_aten *a)
{
	for (size_t i = 0; !a->is_copy && i < sizeof(views) / sizeof(*views); i++)
		if (strcmp(views[i].name, a->name) == 0)
			return views[i].view;
	return VIEW_NONE;
}

static void strides_of(const struct tn_tensor *t, int64_t out[TN_RANK_MAX])
{
	tn_shape_strides(&t->shape, out);
	if (t->has_strides)
		memcpy(out, t->stride, sizeof(t->stride));
}

/* The dimension that the argument names; false when there is none. */
static bool dimension(struct tn_torch *r, const struct tn_at *node, const char *name,
	int64_t otherwise, const struct tn_tensor *t, int64_t *out)
{
	*out = tn_torch_int(r, node, name, otherwise);
	*out += *out < 0 ? t->shape.rank : 0;
	return *out >= 0 && *out < t->shape.rank && t->shape.dim[*out] >= 0;
}

static bool part_offset(struct tn_torch *r, const struct tn_at *node,
	const struct tn_aten *a, const struct tn_tensor *in, int64_t *out)
{
	int64_t dim, start, strides[TN_RANK_MAX];

	start = tn_torch_int(
		r, node, strcmp(a->name, "select") == 0 ? "index" : "start", 0);
	if (!dimension(r, node, "dim", 0, in, &dim))
		return false;
	if (start < 0)
		start += in->shape.dim[dim];
	start = tn_max_i64(0, tn_min_i64(start, in->shape.dim[dim]));
	strides_of(in, strides);
	return tn_mul_i64(start, strides[dim], out);
}

/* Above the diagonal it starts further along the second dimension, below it along the
 * first. */
static bool diagonal_offset(struct tn_torch *r, const struct tn_at *node,
	const struct tn_aten *a, const struct tn_tensor *in, int64_t *out)
{
	bool last = strcmp(a->name, "linalg_diagonal") == 0;
	int64_t offset = tn_torch_int(r, node, "offset", 0), first, second;
	int64_t strides[TN_RANK_MAX];

	if (!dimension(r, node, "dim1", last ? -2 : 0, in, &first) ||
		!dimension(r, node, "dim2", last ? -1 : 1, in, &second) ||
		offset == INT64_MIN)
		return false;
	strides_of(in, strides);
	return offset >= 0 ? tn_mul_i64(offset, strides[second], out)
			   : tn_mul_i64(-offset, strides[first], out);
}

/* The tensor that owns the storage, and where in it the view starts. */
static bool storage_of(
	struct tn_torch *r, tn_tensor_id id, tn_tensor_id *root, int64_t *offset)
{
	*offset = 0;
	for (int depth = 0; depth < TN_TORCH_VIEWS_MAX; depth++) {
		const struct tn_tensor *t = tn_foreign_at(&r->f, id);

		*root = id;
		if (t->view_of.i == TN_NONE)
			return true;
		/* elements of another size are another unit */
		if (t->dtype != tn_foreign_at(&r->f, t->view_of)->dtype ||
			!tn_add_i64(*offset, t->view_offset, offset))
			return false;
		id = t->view_of;
	}
	return false;
}

/* Where the view's first element is, in elements of its own, from the first byte of `of`,
 * which may become another tensor of the same storage. */
static bool view_offset(struct tn_torch *r, const struct tn_at *node,
	const struct tn_aten *a, tn_tensor_id *of, int64_t *out)
{
	struct tn_at frames[3];
	struct tn_torch_argument given;
	tn_tensor_id root;
	int64_t start;

	*out = 0;
	switch (view_of(a)) {
	case VIEW_PART:
		return part_offset(r, node, a, tn_foreign_at(&r->f, *of), out);
	case VIEW_DIAGONAL:
		return diagonal_offset(r, node, a, tn_foreign_at(&r->f, *of), out);
	case VIEW_STORAGE:
		if (!tn_torch_argument(
			    r, node, "storage_offset", SIZE_MAX, frames, &given) ||
			strcmp(given.key, "as_int") != 0)
			return true; /* as its operand */
		if (!storage_of(r, *of, &root, &start))
			return false;
		*of = root;
		return tn_at_as_int(&r->tree, &given.at, out) && *out >= 0;
	case VIEW_IMAG:
		*out = 1;
		return true;
	default:
		return true;
	}
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

/* Parts of equal size, or of given sizes, one behind the other along a dimension; of
 * unbind, which drops it, each one element. */
static bool part_views(struct tn_torch *r, const struct tn_at *node,
	const struct tn_aten *a, tn_tensor_id of, const struct tn_torch_results *results)
{
	const struct tn_tensor in = *tn_foreign_at(&r->f, of);
	bool unbind = strcmp(a->name, "unbind") == 0;
	int64_t dim, at = 0, otherwise = 0, strides[TN_RANK_MAX];

	if (strcmp(a->name, "hsplit") == 0)
		otherwise = in.shape.rank > 1;
	else if (strcmp(a->name, "dsplit") == 0)
		otherwise = 2;
	if (!dimension(r, node, "dim", otherwise, &in, &dim))
		return false;
	strides_of(&in, strides);
	for (size_t i = 0; i < results->n; i++) {
		tn_tensor_id id = tn_torch_tensor(r, node, results->name[i]);
		const struct tn_tensor *t;
		int64_t offset;

		if (id.i == TN_NONE)
			return true; /* reported */
		t = tn_foreign_at(&r->f, id);
		if (!tn_mul_i64(at, strides[dim], &offset) ||
			(!unbind && dim >= t->shape.rank) ||
			!tn_add_i64(at, unbind ? 1 : t->shape.dim[dim], &at))
			return false;
		tn_torch_become_view(r, id, of, offset);
	}
	return true;
}

/* Do the two lie alike in memory, element by element? */
static bool same_layout(const struct tn_tensor *a, const struct tn_tensor *b)
{
	int64_t x[TN_RANK_MAX], y[TN_RANK_MAX];

	if (a->dtype != b->dtype || a->shape.rank != b->shape.rank)
		return false;
	strides_of(a, x);
	strides_of(b, y);
	for (uint32_t i = 0; i < a->shape.rank; i++)
		if (a->shape.dim[i] != b->shape.dim[i] ||
			(a->shape.dim[i] > 1 && x[i] != y[i]))
			return false;
	return true;
}

static bool is_true(struct tn_torch *r, const struct tn_at *node, const char *name)
{
	struct tn_at frames[3];
	struct tn_torch_argument a;

	return tn_torch_argument(r, node, name, SIZE_MAX, frames, &a) &&
	       json_is_true(a.at.json);
}

/* Some operators copy only when they must. */
static bool is_copied(struct tn_torch *r, const struct tn_at *node, enum view view,
	tn_tensor_id of, tn_tensor_id id)
{
	const struct tn_tensor *in = tn_foreign_at(&r->f, of);
	const struct tn_tensor *out = tn_foreign_at(&r->f, id);

	if (view == VIEW_DENSE)
		return in->has_strides && !out->has_strides;
	return view == VIEW_SAME &&
	       (is_true(r, node, "copy") || is_true(r, node, "train") ||
		       !same_layout(in, out));
}

/* Is the node a view, and not an op? */
bool tn_torch_read_view(
	struct tn_torch *r, const struct tn_at *node, const struct tn_aten *a)
{
	enum view view = view_of(a);
	struct tn_at frames[3];
	struct tn_torch_argument first;
	struct tn_torch_results results;
	tn_tensor_id of, id;
	int64_t offset;

	if (view == VIEW_NONE || !tn_torch_argument(r, node, "self", 0, frames, &first) ||
		strcmp(first.key, "as_tensor") != 0)
		return false;
	if (view == VIEW_REFUSED) {
		tn_at_error(&r->tree, node, "torch/view",
			"'%s' shares memory in a way that is not supported: export a "
			"functional graph (run_decompositions)",
			a->name);
		return true;
	}
	of = tn_torch_tensor(r, &first.at, tn_at_text(&r->tree, &first.at, "name", ""));
	tn_torch_results(r, node, &results);
	if (of.i == TN_NONE || !results.n)
		return false;
	if (view == VIEW_PARTS) {
		if (!part_views(r, node, a, of, &results))
			tn_at_error(&r->tree, node, "torch/view",
				"the parts of '%s' do not fit it", a->name);
		return true;
	}
	id = tn_torch_tensor(r, node, results.name[0]);
	if (id.i == TN_NONE)
		return true; /* reported */
	if (is_copied(r, node, view, of, id))
		return false;
	if (a->in_place) /* unsqueeze_: the same tensor under another shape */
		tn_torch_mutate(r, of);
	if (view_offset(r, node, a, &of, &offset))
		tn_torch_become_view(r, id, of, offset);
	else
		tn_at_error(&r->tree, node, "torch/view",
			"where '%s' starts is not known: a dimension or a number is "
			"wrong",
			a->name);
	return true;
}
