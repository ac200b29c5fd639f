/* A node as an op: its operands, and the bodies that it runs. */
#include <string.h>

#include "import/onnx_spell.h"

#include "base/banned.h"

struct bodies {
	struct tn_ids captures;
	struct tn_onnx_graph *graph[2];
	int64_t number[2]; /* -1: there is none */
};

static int64_t read_body(struct tn_onnx *x, const struct tn_onnx_node *n,
	const char *attr, const struct tn_tensor *hints, size_t n_hints,
	struct tn_onnx_graph **out, struct bodies *b)
{
	struct tn_at frames, at, graph;

	if (!tn_onnx_attr(x, n, attr, &frames, &at) ||
		!tn_at_object(&x->tree, &at, "g", &graph)) {
		tn_at_error(&x->tree, n->at, ONNX_VALUE, "%s has no graph '%s'", n->type,
			attr);
		return -1;
	}
	return tn_onnx_body(x, n->scope, &graph, hints, n_hints, out, &b->captures);
}

/* How many of a scan's operands are taken apart; 0 when the file says nonsense. */
static int64_t scanned(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	int64_t count = tn_onnx_attr_int(x, n, "num_scan_inputs", 0);

	return count < 0 || count > n->n_in ? 0 : count;
}

/* What a loop's body is given: the count and the condition, or the slices of a scan. */
static struct tn_tensor *make_hints(
	struct tn_onnx *x, const struct tn_onnx_node *n, bool scan, size_t *out_n)
{
	int64_t slices = scan ? scanned(x, n) : 0;
	struct tn_tensor *hints =
		TN_NEW_ARRAY(&x->tree.scratch, struct tn_tensor, n->n_in + 2);

	*out_n = 0;
	if (!hints) {
		x->tree.nomem = true;
		return NULL;
	}
	for (uint32_t k = 0; k < n->n_in; k++) {
		const struct tn_shape *shape = tn_infer_shape(n, k);
		struct tn_tensor *h = &hints[k];

		h->dtype = tn_infer_dtype(n, k);
		h->shape =
			shape ? *shape
			      : (struct tn_shape){ .rank = 1, .dim = { TN_DIM_UNKNOWN } };
		if (!scan && k < 2) {
			h->dtype = k ? DTYPE_BOOL : DTYPE_I64;
			h->shape = (struct tn_shape){ .rank = 0 };
		} else if (scan && k + slices >= n->n_in && shape && shape->rank) {
			h->shape.rank--;
			memmove(h->shape.dim, h->shape.dim + 1,
				h->shape.rank * sizeof(*h->shape.dim));
		}
	}
	*out_n = n->n_in;
	return hints;
}

/* An output of a body; NULL when there is none, or its shape is not known. */
static const struct tn_tensor *result(const struct tn_onnx_graph *g, size_t k)
{
	const struct tn_tensor *t;
	int64_t elements;

	if (!g || k >= g->f.b.outputs.count)
		return NULL;
	t = &g->f.b.tensors.items[g->f.b.outputs.items[k].i];
	return tn_shape_elements(&t->shape, &elements) ? t : NULL;
}

static void read_choice(struct tn_onnx *x, const struct tn_onnx_node *n, struct bodies *b)
{
	b->number[0] = read_body(x, n, "then_branch", NULL, 0, &b->graph[0], b);
	b->number[1] = read_body(x, n, "else_branch", NULL, 0, &b->graph[1], b);
	for (uint32_t k = 0; k < n->n_out; k++) {
		const struct tn_tensor *t = result(b->graph[0], k);
		const struct tn_tensor *e = result(b->graph[1], k);

		/* of two shapes the larger is what must be there */
		if (t && e && e->shape.rank == t->shape.rank) {
			struct tn_shape s = t->shape;

			for (uint32_t i = 0; i < s.rank; i++)
				if (e->shape.dim[i] > s.dim[i])
					s.dim[i] = e->shape.dim[i];
			tn_infer_set(x, n, k, t->dtype, &s);
		} else if (t) {
			tn_infer_set(x, n, k, t->dtype, NULL);
		}
	}
}

/* How often the loop runs at most; -1: not known. */
static int64_t trips(struct tn_onnx *x, const struct tn_onnx_node *n, bool scan)
{
	int64_t slices = scanned(x, n);
	struct tn_onnx_known known;

	if (scan) {
		const struct tn_shape *s = slices > 0 && slices <= n->n_in
						   ? tn_infer_shape(n, n->n_in - 1)
						   : NULL;

		return s && s->rank ? s->dim[0] : -1;
	}
	if (n->n_in && n->in[0].i != TN_NONE &&
		tn_onnx_known(n->scope->graph, x, n->in[0], &known) && known.n == 1)
		return known.v[0];
	return -1;
}

/* An input of a body; NULL when there is none. */
static const struct tn_tensor *parameter(const struct tn_onnx_graph *g, size_t k)
{
	return k < g->f.b.inputs.count ? &g->f.b.tensors.items[g->f.b.inputs.items[k].i]
				       : NULL;
}

/* What a turn gives to the next one, and the last one to the graph. */
static void carry(struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t k,
	const struct tn_tensor *result, const struct tn_tensor *parameter)
{
	if (parameter && !tn_shape_equal(&parameter->shape, &result->shape))
		tn_at_error(&x->tree, n->at, "graph/dynamic",
			"%s gives '%.80s' another shape than '%.80s' has: what changes "
			"its size from turn to turn has no static plan",
			n->type, result->name, parameter->name);
	else
		tn_infer_set(x, n, k, result->dtype, &result->shape);
}

static void read_loop(struct tn_onnx *x, const struct tn_onnx_node *n, struct bodies *b)
{
	bool scan = strcmp(n->type, "Scan") == 0;
	int64_t slices = scan ? scanned(x, n) : 2;
	int64_t carried = (int64_t)n->n_in - slices, count = trips(x, n, scan);
	size_t n_hints;
	struct tn_tensor *hints = make_hints(x, n, scan, &n_hints);

	if (!hints)
		return;
	b->number[0] = read_body(x, n, "body", hints, n_hints, &b->graph[0], b);
	for (uint32_t k = 0; k < n->n_out; k++) {
		const struct tn_tensor *t = result(b->graph[0], scan ? k : k + 1);
		struct tn_shape s;

		if (!t)
			continue;
		if (k < carried) {
			carry(x, n, k, t, parameter(b->graph[0], k + (scan ? 0 : 2)));
		} else if (count >= 0 && t->shape.rank < TN_RANK_MAX) {
			s.rank = t->shape.rank + 1;
			s.dim[0] = count;
			memcpy(s.dim + 1, t->shape.dim, t->shape.rank * sizeof(*s.dim));
			tn_infer_set(x, n, k, t->dtype, &s);
		} else {
			tn_infer_set(x, n, k, t->dtype, NULL);
		}
	}
}

/* An If that does not fit its op is unknown, and has two bodies all the same. */
static void add_numbers(struct tn_onnx *x, struct tn_build *b, enum tn_op_kind kind,
	const struct bodies *bodies)
{
	static const char *const choice[] = { "then_subgraph", "else_subgraph" };
	const bool chooses = kind == OP_IF || bodies->number[1] >= 0;

	for (int i = 0; i < 2; i++)
		if (bodies->number[i] >= 0 &&
			!tn_build_attr_int(b, chooses ? choice[i] : "body_subgraph",
				bodies->number[i]))
			x->tree.nomem = true;
}

/* How many operands the op of the table has of those of the node: the others became
 * attributes or say nothing. */
static uint32_t kept(
	struct tn_onnx *x, enum tn_op_kind kind, const struct tn_onnx_node *n)
{
	uint32_t count = n->n_in;

	if (tn_op_info(kind)->access == ACCESS_REDUCE && tn_onnx_reduces_all(x, n))
		return count < 1 ? count : 1;
	if (kind == OP_QUANTIZE || kind == OP_DEQUANTIZE ||
		strcmp(n->type, "Dropout") == 0)
		return count < 1 ? count : 1;
	while (count && n->in[count - 1].i == TN_NONE)
		count--;
	return count;
}

/* Is an output left out that the op of the table has? */
static bool lacks_output(const struct tn_onnx_node *n, enum tn_op_kind kind)
{
	for (uint32_t k = 0; k < n->n_out; k++)
		if (n->out[k].i == TN_NONE &&
			(kind == OP_SPLIT_V || kind == OP_LAYER_NORM || k == 0))
			return true;
	return false;
}

static bool has_dim(const struct tn_tensor *t, int64_t dim)
{
	for (uint32_t i = 0; i < t->shape.rank; i++)
		if (t->shape.dim[i] == dim)
			return true;
	return false;
}

/* What follows from a size that was reported as not known is not reported again. */
static void pass_poison(const struct tn_onnx_node *n)
{
	struct tn_foreign *f = &n->scope->graph->f;
	bool poison = false;

	for (uint32_t k = 0; k < n->n_in; k++)
		poison = poison ||
			 (n->in[k].i != TN_NONE &&
				 has_dim(tn_foreign_at(f, n->in[k]), TN_DIM_POISON));
	for (uint32_t k = 0; k < n->n_out && poison; k++) {
		struct tn_tensor *t =
			n->out[k].i == TN_NONE ? NULL : tn_foreign_at(f, n->out[k]);

		if (t && has_dim(t, TN_DIM_UNKNOWN))
			t->shape.dim[0] = TN_DIM_POISON;
	}
}

/* An op that moves bytes and does not compute keeps what they stand for. */
static void pass_scale(const struct tn_onnx_node *n, enum tn_op_kind kind)
{
	const enum tn_access_class access = tn_op_info(kind)->access;
	struct tn_foreign *f = &n->scope->graph->f;
	const struct tn_tensor *in;

	if ((access != ACCESS_VIEW && access != ACCESS_MAP && kind != OP_MAX_POOL_2D &&
		    kind != OP_REDUCE_MAX) ||
		!n->n_in || n->in[0].i == TN_NONE)
		return;
	in = tn_foreign_at(f, n->in[0]);
	for (uint32_t k = 0; k < n->n_out && in->quant.n == 1; k++) {
		struct tn_tensor *out =
			n->out[k].i == TN_NONE ? NULL : tn_foreign_at(f, n->out[k]);

		if (out && !out->quant.n && out->dtype == in->dtype)
			out->quant = in->quant;
	}
}

void tn_onnx_add(struct tn_onnx *x, struct tn_onnx_node *n, const char *domain)
{
	struct tn_foreign *f = &n->scope->graph->f;
	bool standard = !domain[0] || strcmp(domain, "ai.onnx") == 0;
	const char *name = tn_at_text(&x->tree, n->at, "name", ""), *type = n->type;
	struct bodies b = { .number = { -1, -1 } };
	enum tn_op_kind kind = OP_UNKNOWN;
	uint32_t keep;

	if (standard && tn_onnx_fold(x, n))
		return;
	if (standard && strcmp(type, "Scan") == 0 && x->opset < 9) {
		tn_at_error(&x->tree, n->at, ONNX_VALUE,
			"Scan of opset %lld is not read: convert the model to 9 or later",
			(long long)x->opset);
		return;
	}
	if (standard && strcmp(type, "If") == 0)
		read_choice(x, n, &b);
	else if (standard && (strcmp(type, "Loop") == 0 || strcmp(type, "Scan") == 0))
		read_loop(x, n, &b);
	if (x->tree.nomem)
		return;
	if (standard) {
		tn_onnx_infer(x, n);
		tn_onnx_evaluate(x, n);
	}
	if (n->scope->prefix)
		name = tn_arena_printf(&x->tree.scratch, "%s/%s", n->scope->prefix,
			name[0] ? name : n->type);
	if (!name) {
		x->tree.nomem = true;
		return;
	}
	if (tn_onnx_spell(x, n, domain, name))
		return;
	if (standard) {
		kind = tn_onnx_kind(x, n);
		if (lacks_output(n, kind))
			kind = OP_UNKNOWN;
	} else {
		type = tn_arena_printf(&x->tree.scratch, "%s:%s", domain, n->type);
	}
	if (!type || !tn_foreign_op(f, n->at, kind, type, name)) {
		x->tree.nomem = true;
		return;
	}
	pass_poison(n);
	keep = kept(x, kind, n);
	for (uint32_t k = 0; k < keep; k++)
		tn_foreign_in(f, n->in[k]);
	for (size_t k = 0; k < b.captures.v.count; k++)
		tn_foreign_in(f, b.captures.v.items[k]);
	for (uint32_t k = 0; k < n->n_out; k++)
		if (n->out[k].i != TN_NONE)
			tn_foreign_out(f, n->out[k]);
	tn_foreign_close(f);
	add_numbers(x, &f->b, kind, &b);
	tn_onnx_attributes(x, n, kind);
	pass_scale(n, kind);
}
