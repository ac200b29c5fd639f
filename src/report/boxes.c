#include "report/boxes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/vec.h"
#include "report/words.h"

#include "base/banned.h"

const char *tn_box_kind_name(enum tn_box_kind kind)
{
	static const char *const names[] = {
		[BOX_ACTIVATION] = "activation",
		[BOX_INPUT] = "input",
		[BOX_OUTPUT] = "output",
		[BOX_VARIABLE] = "variable",
		[BOX_SCRATCH] = "scratch",
	};

	return names[kind];
}

void tn_box_name(const struct tn_view *v, const struct tn_box *box, struct tn_strbuf *out)
{
	if (box->kind == BOX_SCRATCH)
		tn_strbuf_printf(out, "scratch of %s", v->g->ops[box->op.i].name);
	else
		tn_words_tensor(v->g, box->tensor, out);
}

struct find {
	const struct tn_view *v;
	struct tn_boxes *out;
	struct tn_arena *arena;
	TN_VEC(struct tn_box_overlap) overlaps;
};

/* The tensor's place, if it is one that can be drawn. */
static bool placed(const struct tn_plan *plan, uint32_t tensor, int64_t *out_end)
{
	const struct tn_plan_tensor *t = &plan->tensors[tensor];

	return t->region < plan->n_regions && t->offset >= 0 &&
	       tn_plan_tensor_room(t) > 0 &&
	       tn_add_i64(t->offset, tn_plan_tensor_room(t), out_end);
}

/* Does the plan put the tensor inside its root, where the alias says it is? A foreign
 * plan may give a view memory of its own. */
static bool inside_root(const struct tn_view *v, uint32_t tensor, tn_tensor_id *out_root)
{
	struct tn_alias a = tn_view_alias(v, (tn_tensor_id){ tensor });
	const struct tn_plan_tensor *t = &v->plan->tensors[tensor],
				    *r = &v->plan->tensors[a.root.i];
	int64_t end, root_end, want;

	*out_root = a.root;
	return a.root.i != tensor && placed(v->plan, a.root.i, &root_end) &&
	       placed(v->plan, tensor, &end) && r->region == t->region &&
	       tn_add_i64(r->offset, a.offset, &want) && want == t->offset &&
	       end <= root_end;
}

static enum tn_box_kind kind_of(const struct tn_graph *g, tn_tensor_id id)
{
	if (g->tensors[id.i].role == ROLE_VARIABLE)
		return BOX_VARIABLE;
	if (g->tensors[id.i].role == ROLE_SCRATCH)
		return BOX_SCRATCH;
	if (g->tensors[id.i].role == ROLE_INPUT || tn_graph_is_input(g, id))
		return BOX_INPUT;
	if (g->tensors[id.i].role == ROLE_OUTPUT || tn_graph_is_output(g, id))
		return BOX_OUTPUT;
	return BOX_ACTIVATION;
}

/* A life as it is written (closed) to the half-steps that the bytes are taken. */
static void extend(struct tn_box *box, int64_t first, int64_t last, int64_t steps)
{
	int64_t begin, end;

	if (first > last)
		return;
	begin = tn_min_i64(tn_max_i64(first, 0), steps - 1);
	last = tn_min_i64(tn_max_i64(last, begin), steps - 1);
	end = tn_min_i64(last % 2 == 0 ? last + 2 : last + 1, steps);
	if (box->begin == box->end) {
		box->begin = begin;
		box->end = end;
		box->last = last;
		return;
	}
	box->begin = tn_min_i64(box->begin, begin);
	box->end = tn_max_i64(box->end, end);
	box->last = tn_max_i64(box->last, last);
}

static void tensor_life(const struct find *f, uint32_t tensor, struct tn_box *box)
{
	const struct tn_view *v = f->v;

	/* chains make lives longer, which the plan knows */
	if (v->live && !v->plan->n_streams) {
		const struct tn_span *span = &v->live->tensor[tensor];

		extend(box, span->first, span->last, f->out->steps);
	} else {
		const struct tn_plan_tensor *t = &v->plan->tensors[tensor];

		extend(box, t->first, t->last, f->out->steps);
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct tn_box *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->tensor.i != y->tensor.i)
		return x->tensor.i < y->tensor.i ? -1 : 1;
	return (x->op.i > y->op.i) - (x->op.i < y->op.i);
}

/* Roots first, then every member adds its life to its root's box. */
static void tensor_boxes(struct find *f)
{
	const struct tn_view *v = f->v;
	struct tn_boxes *out = f->out;
	tn_tensor_id root;
	int64_t end;

	for (uint32_t i = 0; i < v->g->n_tensors; i++) {
		const struct tn_plan_tensor *t = &v->plan->tensors[i];

		out->of[i] = TN_NONE;
		if (!placed(v->plan, i, &end) || inside_root(v, i, &root))
			continue;
		out->of[i] = out->n;
		out->list[out->n++] =
			(struct tn_box){ .kind = kind_of(v->g, (tn_tensor_id){ i }),
				.tensor = { i },
				.op = f->out->producer[i],
				.region = t->region,
				.offset = t->offset,
				.bytes = tn_plan_tensor_room(t),
				.ring_of = t->ring_bytes ? t->bytes : 0 };
		tensor_life(f, i, &out->list[out->of[i]]);
	}
	for (uint32_t i = 0; i < v->g->n_tensors; i++) {
		struct tn_box *box;

		if (out->of[i] != TN_NONE || !inside_root(v, i, &root) ||
			out->of[root.i] == TN_NONE)
			continue;
		box = &out->list[out->of[root.i]];
		tensor_life(f, i, box);
		if (box->kind == BOX_ACTIVATION)
			box->kind = kind_of(v->g, (tn_tensor_id){ i });
	}
}

/* The positions that are one moment with this one: those of its chain. */
struct moment {
	int64_t first, last;
};

static struct moment moment_of(const struct tn_view *v, uint32_t position)
{
	const struct tn_plan_stream *s = tn_plan_stream_at(v->plan, position);

	if (!s)
		return (struct moment){ position, position };
	return (struct moment){ s->first, (int64_t)s->first + s->n - 1 };
}

static void scratch_boxes(struct find *f)
{
	const struct tn_view *v = f->v;
	struct tn_boxes *out = f->out;

	for (uint32_t p = 0; p < v->g->n_ops; p++) {
		tn_op_id op = tn_view_op_at(v, p);
		const struct tn_plan_op *s = &v->plan->ops[op.i];
		const struct moment m = moment_of(v, p);
		int64_t end;

		if (s->scratch_bytes <= 0 || s->scratch_region >= v->plan->n_regions ||
			s->scratch_offset < 0 ||
			!tn_add_i64(s->scratch_offset, s->scratch_bytes, &end))
			continue;
		out->list[out->n++] = (struct tn_box){ .kind = BOX_SCRATCH,
			.tensor = { TN_NONE },
			.op = op,
			.region = s->scratch_region,
			.begin = 2 * m.first,
			.end = 2 * m.last + 2,
			.last = 2 * m.last + 1,
			.offset = s->scratch_offset,
			.bytes = s->scratch_bytes };
	}
}

/* Drops what never lives, sorts, and fills the tables that lead here. */
static void settle(struct find *f)
{
	struct tn_boxes *out = f->out;
	const struct tn_view *v = f->v;
	tn_tensor_id root;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < out->n; i++)
		if (out->list[i].begin < out->list[i].end)
			out->list[kept++] = out->list[i];
	out->n = kept;
	if (kept)
		qsort(out->list, kept, sizeof(*out->list), by_begin);
	for (uint32_t i = 0; i < v->g->n_tensors; i++)
		out->of[i] = TN_NONE;
	for (uint32_t i = 0; i < v->g->n_ops; i++)
		out->scratch_of[i] = TN_NONE;
	for (uint32_t i = 0; i < out->n; i++) {
		if (out->list[i].tensor.i != TN_NONE)
			out->of[out->list[i].tensor.i] = i;
		else
			out->scratch_of[out->list[i].op.i] = i;
	}
	for (uint32_t i = 0; i < v->g->n_tensors; i++)
		if (out->of[i] == TN_NONE && inside_root(v, i, &root))
			out->of[i] = out->of[root.i];
}

/* Input and output boxes of one op, or chain, that meet when it writes and share bytes. */
static bool overlap(
	struct find *f, struct moment m, tn_op_id op, uint32_t in, uint32_t out)
{
	const struct tn_box *x, *y;
	int64_t begin, end;

	if (in == TN_NONE || out == TN_NONE || in == out)
		return true;
	x = &f->out->list[in];
	y = &f->out->list[out];
	begin = tn_max_i64(x->offset, y->offset);
	end = tn_min_i64(x->offset + x->bytes, y->offset + y->bytes);
	if (x->region != y->region || x->end != 2 * m.last + 2 ||
		y->begin != 2 * m.first + 1 || begin >= end)
		return true;
	for (size_t i = f->overlaps.count; i > 0; i--) {
		const struct tn_box_overlap *seen = &f->overlaps.items[i - 1];

		if (seen->op.i != op.i)
			break;
		if (seen->under == in && seen->over == out)
			return true; /* the same tensor twice among the inputs */
	}
	return tn_vec_push(f->arena, &f->overlaps,
		((struct tn_box_overlap){
			in, out, op, x->region, begin, end, y->begin, x->end }));
}

static int by_over(const void *a, const void *b)
{
	const struct tn_box_overlap *x = a, *y = b;

	if (x->over != y->over)
		return x->over < y->over ? -1 : 1;
	return (x->under > y->under) - (x->under < y->under);
}

static bool each_pair(struct find *f)
{
	const struct tn_graph *g = f->v->g;
	const uint32_t *of = f->out->of;

	for (uint32_t p = 0; p < g->n_ops; p++) {
		const struct moment m = moment_of(f->v, p);
		const struct tn_op *op = &g->ops[tn_view_op_at(f->v, p).i];
		const tn_op_id writer = tn_view_op_at(f->v, (uint32_t)m.last);
		const struct tn_op *last = &g->ops[writer.i];

		for (uint64_t k = 0; k < (uint64_t)op->n_inputs * last->n_outputs; k++) {
			tn_tensor_id in = op->inputs[k / last->n_outputs];
			tn_tensor_id out = last->outputs[k % last->n_outputs];

			if (in.i != TN_NONE && out.i != TN_NONE &&
				!overlap(f, m, writer, of[in.i], of[out.i]))
				return false;
		}
	}
	f->out->overlaps = f->overlaps.items;
	if (f->overlaps.count > 1)
		qsort(f->overlaps.items, f->overlaps.count, sizeof(*f->overlaps.items),
			by_over);
	return tn_u32_from_size(f->overlaps.count, &f->out->n_overlaps);
}

/* The overlaps are sorted by the upper box, which begins after the lower one. */
static void number_chains(struct tn_boxes *out)
{
	for (uint32_t i = 0; i < out->n; i++)
		out->list[i].chain = TN_NONE;
	for (uint32_t i = 0; i < out->n_overlaps; i++) {
		struct tn_box *under = &out->list[out->overlaps[i].under];
		struct tn_box *over = &out->list[out->overlaps[i].over];

		if (over->offset != under->offset || over->bytes > under->bytes)
			continue;
		if (under->chain == TN_NONE)
			under->chain = out->n_chains++;
		over->chain = under->chain;
	}
}

static bool find_producers(struct find *f)
{
	const struct tn_graph *g = f->v->g;

	f->out->producer = TN_NEW_ARRAY(f->arena, tn_op_id, g->n_tensors);
	if (!f->out->producer)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		f->out->producer[i] = (tn_op_id){ TN_NONE };
	for (uint32_t p = g->n_ops; p > 0; p--) {
		tn_op_id id = tn_view_op_at(f->v, p - 1);
		const struct tn_op *op = &g->ops[id.i];

		for (uint32_t o = 0; o < op->n_outputs; o++)
			if (op->outputs[o].i != TN_NONE)
				f->out->producer[op->outputs[o].i] = id;
	}
	return true;
}

bool tn_boxes_empty(
	const struct tn_view *v, const struct tn_boxes *boxes, tn_tensor_id id)
{
	const struct tn_plan_tensor *t = &v->plan->tensors[id.i];

	return boxes->of[id.i] == TN_NONE && t->bytes == 0 && t->ring_bytes == 0 &&
	       t->region < v->plan->n_regions && t->offset >= 0 && t->first <= t->last;
}

enum tn_status tn_boxes_find(
	const struct tn_view *v, struct tn_arena *arena, struct tn_boxes *out)
{
	struct find f = { .v = v, .out = out, .arena = arena };
	size_t most = (size_t)v->g->n_tensors + v->g->n_ops;

	*out = (struct tn_boxes){ .steps = 2 * (int64_t)v->g->n_ops + 1 };
	out->list = TN_NEW_ARRAY(arena, struct tn_box, most);
	out->of = TN_NEW_ARRAY(arena, uint32_t, v->g->n_tensors);
	out->scratch_of = TN_NEW_ARRAY(arena, uint32_t, v->g->n_ops);
	if (!out->list || !out->of || !out->scratch_of || !find_producers(&f))
		return TN_ERR_NOMEM;
	tensor_boxes(&f);
	scratch_boxes(&f);
	settle(&f);
	if (!each_pair(&f))
		return TN_ERR_NOMEM;
	number_chains(out);
	return TN_OK;
}
