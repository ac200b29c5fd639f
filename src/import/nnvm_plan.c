/* What TVM's graph executor plans: entries of one storage id share one allocation, as
 * large as the largest of them needs. The allocations are laid one behind the other here,
 * so that one claim shows the whole. */
#include <stdlib.h>

#include "base/checked.h"
#include "import/nnvm.h"

#include "base/banned.h"

#define POOL_ALIGN 16
#define SIZE_UNIT  4 /* the executor rounds sizes up to it */

struct entry {
	int64_t storage;
	uint32_t tensor;
};

static int by_storage(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->storage != y->storage)
		return x->storage < y->storage ? -1 : 1;
	return x->tensor < y->tensor ? -1 : 1;
}

/* Whole bytes for each element, even where ours are packed; -1: not known. */
static int64_t size_of(const struct tn_tensor *t)
{
	int64_t elements, bytes;

	if (!tn_shape_elements(&t->shape, &elements) ||
		!tn_mul_i64(elements, (tn_dtype_bits(t->dtype) + 7) / 8, &bytes) ||
		!tn_align_up_i64(bytes, SIZE_UNIT, &bytes))
		return -1;
	return bytes;
}

/* Lays the entries [begin, end) of one id at *at, and moves it on. */
static bool lay(struct tn_nnvm *r, struct tn_claim *plan, const struct entry *list,
	size_t begin, size_t end, int64_t *at)
{
	int64_t size = 0;

	for (size_t i = begin; i < end; i++) {
		int64_t one = size_of(&r->f.b.tensors.items[list[i].tensor]);

		if (one < 0)
			return false;
		size = tn_max_i64(size, one);
		tn_foreign_place(&r->f, plan, (tn_tensor_id){ list[i].tensor }, *at, -1);
	}
	return tn_add_i64(*at, size, at) && tn_align_up_i64(*at, POOL_ALIGN, at);
}

void tn_nnvm_plan(struct tn_nnvm *r)
{
	struct entry *list =
		TN_NEW_ARRAY(&r->tree.scratch, struct entry, r->storage.count);
	struct tn_at at;
	struct tn_claim *plan;
	int64_t offset = 0;
	size_t n = 0;

	if (!list) {
		r->tree.nomem = true;
		return;
	}
	for (uint32_t i = 0; i < r->storage.count && i < r->f.b.tensors.count; i++)
		if (r->storage.items[i] >= 0)
			list[n++] = (struct entry){ r->storage.items[i], i };
	if (!n)
		return;
	qsort(list, n, sizeof(*list), by_storage);
	tn_at_key(&r->tree, &r->attrs, "storage_id", &at);
	plan = tn_foreign_claim(&r->f, &at, "plan", "storage_id");
	for (size_t i = 0, k; i < n && plan; i = k) {
		for (k = i; k < n && list[k].storage == list[i].storage; k++)
			;
		if (!lay(r, plan, list, i, k, &offset))
			return; /* a size overflows, and is reported */
	}
	if (plan)
		plan->arena_bytes = offset;
}
