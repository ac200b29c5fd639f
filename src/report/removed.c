#include "report/removed.h"

#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "report/words.h"

#include "base/banned.h"

static void use(
	bool *unused, const struct tn_graph *g, const tn_tensor_id *ids, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (tn_tensor_id_ok(g, ids[k]))
			unused[ids[k].i] = false;
}

/* By the tensor's name, of equal ones as they were done. */
static int by_tensor(const void *a, const void *b)
{
	const struct tn_rewrite *x = *(const struct tn_rewrite *const *)a;
	const struct tn_rewrite *y = *(const struct tn_rewrite *const *)b;
	int order = strcmp(x->tensor, y->tensor);

	return order ? order : (x > y) - (x < y); /* they lie in one list */
}

/* The last of the sorted ones that names the tensor. */
static const struct tn_rewrite *named(
	const struct tn_rewrite *const *list, size_t n, const char *name)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(list[mid]->tensor, name) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low && strcmp(list[low - 1]->tensor, name) == 0 ? list[low - 1] : NULL;
}

enum tn_status tn_removed_find(
	const struct tn_view *v, struct tn_arena *arena, struct tn_removed *out)
{
	const struct tn_graph *g = v->g;
	const size_t most = v->rewrites ? v->rewrites->list.count : 0;
	bool *unused = TN_NEW_ARRAY(arena, bool, g->n_tensors);
	const struct tn_rewrite **list =
		TN_NEW_ARRAY(arena, const struct tn_rewrite *, most);
	size_t n = 0;

	out->unused = unused;
	out->by = TN_NEW_ARRAY(arena, const struct tn_rewrite *, g->n_tensors);
	if (!unused || !list || !out->by)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		unused[i] =
			strcmp(tn_words_role(g, (tn_tensor_id){ i }), "activation") == 0;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		use(unused, g, g->ops[i].inputs, g->ops[i].n_inputs);
		use(unused, g, g->ops[i].outputs, g->ops[i].n_outputs);
	}
	for (size_t i = 0; i < most; i++) {
		const struct tn_rewrite *r = &v->rewrites->list.items[i];

		if (r->done && r->tensor)
			list[n++] = r;
	}
	if (n)
		qsort(list, n, sizeof(*list), by_tensor);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (unused[i] && g->tensors[i].name)
			out->by[i] = named(list, n, g->tensors[i].name);
	return TN_OK;
}

const char *tn_removed_role(
	const struct tn_view *v, const struct tn_removed *removed, tn_tensor_id id)
{
	if (!removed->unused[id.i])
		return tn_words_role(v->g, id);
	return removed->by[id.i] ? "removed" : "unused";
}

static void op(
	const char *before, const char *name, const char *after, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, before);
	tn_escape_short(out, name, TN_WORDS_NAME);
	tn_strbuf_puts(out, after);
}

void tn_removed_words(
	const struct tn_removed *removed, tn_tensor_id id, struct tn_strbuf *out)
{
	const struct tn_rewrite *r = removed->by[id.i];
	const char *gone = r ? r->gone : NULL, *stays = r ? r->op : NULL;

	if (!r) {
		tn_strbuf_puts(out, "no op reads or writes it");
		return;
	}
	if (gone && stays && strcmp(gone, stays) == 0)
		gone = NULL; /* it is another op now */
	tn_strbuf_printf(out, "removed by the rewrite %s (%s)", tn_pass_name(r->pass),
		tn_pass_what(r->pass));
	if (gone)
		op(": '", gone, "' is no more", out);
	if (stays)
		op(gone ? ", '" : ": '", stays, "' stays", out);
}
