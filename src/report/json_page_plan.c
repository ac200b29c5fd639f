#include "report/json_page_plan.h"

#include "base/checked.h"
#include "report/columns.h"
#include "report/gaps.h"
#include "report/json_page_graph.h"
#include "report/marks.h"
#include "report/stairs.h"

#include "base/banned.h"

#define N(list) (sizeof(list) / sizeof(*(list)))

static int64_t id_of(uint32_t id)
{
	return id == TN_NONE ? -1 : (int64_t)id;
}

/* The box of the first plan that lives like this one, or TN_NONE. */
static uint32_t alike(const struct tn_page_plan *first, const struct tn_box *b)
{
	uint32_t i = b->tensor.i != TN_NONE ? first->boxes->of[b->tensor.i]
					    : first->boxes->scratch_of[b->op.i];
	const struct tn_box *f = i == TN_NONE ? NULL : &first->boxes->list[i];

	return f && f->kind == b->kind && f->tensor.i == b->tensor.i &&
			       f->op.i == b->op.i && f->region == b->region &&
			       f->begin == b->begin && f->end == b->end &&
			       f->last == b->last && f->bytes == b->bytes &&
			       f->ring_of == b->ring_of
		       ? i
		       : TN_NONE;
}

/* Offsets by box of the first plan, -1 where the other has none; NULL when they differ in
 * more than that. */
static enum tn_status find_like(const struct tn_page_plan *p,
	const struct tn_page_plan *first, struct tn_arena *arena, int64_t **out)
{
	int64_t *offsets;

	*out = NULL;
	if (p == first || p->boxes->n_overlaps || p->boxes->n > first->boxes->n)
		return TN_OK;
	offsets = TN_NEW_ARRAY(arena, int64_t, first->boxes->n);
	if (!offsets)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < first->boxes->n; i++)
		offsets[i] = -1;
	for (uint32_t i = 0; i < p->boxes->n; i++) {
		uint32_t k = alike(first, &p->boxes->list[i]);

		if (k == TN_NONE)
			return TN_OK;
		offsets[k] = p->boxes->list[i].offset;
	}
	*out = offsets;
	return TN_OK;
}

/* A list of numbers: one column. */
static void list_init(struct tn_columns *c, struct tn_arena *arena, size_t n)
{
	tn_columns_init(c, arena, NULL, 1, n);
}

static void put_boxes(
	struct tn_json_stream *out, const struct tn_page_plan *p, struct tn_arena *arena)
{
	static const char *const names[] = { "kind", "tensor", "op", "region", "begin",
		"end", "last", "offset", "bytes", "chain", "ringOf" };
	uint32_t n_of =
		p->v->aliases ? p->v->g->n_tensors : 0; /* else each has its own */
	struct tn_columns boxes, of;

	tn_columns_init(&boxes, arena, names, N(names), p->boxes->n);
	for (uint32_t i = 0; i < p->boxes->n; i++) {
		const struct tn_box *b = &p->boxes->list[i];

		TN_COLUMNS_ADD(&boxes, b->kind, id_of(b->tensor.i),
			b->op.i == TN_NONE ? -1 : (int64_t)tn_view_position(p->v, b->op),
			b->region, b->begin, b->end, b->last, b->offset, b->bytes,
			id_of(b->chain), b->ring_of);
	}
	tn_columns_put(&boxes, "boxes", out);
	list_init(&of, arena, n_of);
	for (uint32_t i = 0; i < n_of; i++)
		TN_COLUMNS_ADD(&of, id_of(p->boxes->of[i]));
	if (n_of)
		tn_columns_list(&of, "of", out);
}

static int64_t add_stair(struct tn_columns *list, const struct tn_stair *s)
{
	if (s->straight)
		TN_COLUMNS_ADD(list, 0);
	for (uint32_t k = 0; k < s->n; k++) {
		TN_COLUMNS_ADD(list, s->written[k]);
		TN_COLUMNS_ADD(list, s->unread[k]);
	}
	return s->straight + 2 * (int64_t)s->n;
}

/* "stairs": of each overlap one number where it is straight, else two for each part. */
static enum tn_status put_overlaps(
	struct tn_json_stream *out, const struct tn_page_plan *p, struct tn_arena *arena)
{
	static const char *const names[] = { "under", "over", "op", "region", "begin",
		"end", "from", "to", "descending", "parts" };
	struct tn_columns overlaps, stairs;

	tn_columns_init(&overlaps, arena, names, N(names), p->boxes->n_overlaps);
	list_init(&stairs, arena, 0);
	for (uint32_t i = 0; i < p->boxes->n_overlaps; i++) {
		const struct tn_box_overlap *o = &p->boxes->overlaps[i];
		struct tn_stair s;
		enum tn_status status = tn_stair_find(p->v, p->boxes, i, &s);

		if (status != TN_OK)
			return status;
		TN_COLUMNS_ADD(&overlaps, o->under, o->over,
			tn_view_position(p->v, o->op), o->region, o->begin, o->end,
			o->from, o->to, s.descending, add_stair(&stairs, &s));
	}
	tn_columns_put(&overlaps, "overlaps", out);
	tn_columns_list(&stairs, "stairs", out);
	return TN_OK;
}

static enum tn_status put_gaps(
	struct tn_json_stream *out, const struct tn_page_plan *p, struct tn_arena *arena)
{
	static const char *const names[] = { "region", "begin", "end", "offset",
		"bytes" };
	struct tn_columns list;
	struct tn_gaps gaps;
	enum tn_status status = TN_OK;

	/* where nothing is reused all is lost */
	gaps.n = 0;
	if (p->v->aliases)
		status = tn_gaps_find(p->v, p->boxes, arena, &gaps);
	if (status != TN_OK)
		return status;
	tn_columns_init(&list, arena, names, N(names), gaps.n);
	for (uint32_t i = 0; i < gaps.n; i++) {
		const struct tn_gap *g = &gaps.list[i];

		TN_COLUMNS_ADD(&list, g->region, g->begin, g->end, g->offset, g->bytes);
	}
	tn_columns_put(&list, "gaps", out);
	return TN_OK;
}

static void put_views(
	struct tn_json_stream *out, const struct tn_page_plan *p, struct tn_arena *arena)
{
	static const char *const names[] = { "tensor", "region", "begin", "end", "offset",
		"bytes" };
	struct tn_columns list;

	tn_columns_init(&list, arena, names, N(names), 0);
	for (uint32_t i = 0; i < p->v->g->n_tensors; i++) {
		const struct tn_plan_tensor *t = &p->v->plan->tensors[i];
		const struct tn_box *b;
		int64_t begin, end;

		if (p->boxes->of[i] == TN_NONE)
			continue;
		b = &p->boxes->list[p->boxes->of[i]];
		begin = tn_max_i64(t->first, b->begin);
		end = tn_min_i64(t->last, b->last) + 1;
		if (b->tensor.i != i && begin < end && t->bytes > 0)
			TN_COLUMNS_ADD(
				&list, i, b->region, begin, end, t->offset, t->bytes);
	}
	tn_columns_put(&list, "views", out);
}

static void put_marks(struct tn_json_stream *out, const struct tn_page_plan *p)
{
	tn_json_open(out, "marks", '[');
	for (uint32_t r = 0; r < p->v->plan->n_regions; r++) {
		struct tn_mark marks[TN_MARKS_MAX];
		size_t n = tn_marks_of(p->v, r, marks);

		for (size_t i = 0; i < n; i++) {
			tn_json_open(out, NULL, '[');
			tn_json_numbers(out, (const int64_t[]){ r }, 1);
			tn_json_element(out, json_string(marks[i].kind));
			tn_json_element(out, json_string(marks[i].name));
			tn_json_element(out, tn_json_page_digits(marks[i].bytes));
			tn_json_close(out, '[');
		}
	}
	tn_json_close(out, '[');
}

/* Chains, and their events as the plan has them (docs/STREAMING.md): [first position, ops,
 * descending, loops], a loop is [times, event ...], an event [position, row, rows, step];
 * position -1: the caller. */
static void put_streams(struct tn_json_stream *out, const struct tn_page_plan *p)
{
	tn_json_open(out, "streams", '[');
	for (uint32_t i = 0; i < p->v->plan->n_streams; i++) {
		const struct tn_plan_stream *s = &p->v->plan->streams[i];

		tn_json_open(out, NULL, '[');
		tn_json_numbers(out, (int64_t[]){ s->first, s->n, s->descending }, 3);
		for (uint32_t k = 0; k < s->n_loops; k++) {
			const struct tn_plan_loop *loop = &s->loops[k];

			tn_json_open(out, NULL, '[');
			tn_json_numbers(out, &loop->times, 1);
			for (uint32_t e = 0; e < loop->n_events; e++) {
				const struct tn_plan_event *x = &loop->events[e];

				tn_json_open(out, NULL, '[');
				tn_json_numbers(out,
					(int64_t[]){
						x->op == TN_PLAN_CALLER
							? -1
							: (int64_t)tn_view_position(p->v,
								  (tn_op_id){ x->op }),
						x->y, x->rows, x->step },
					4);
				tn_json_close(out, '[');
			}
			tn_json_close(out, '[');
		}
		tn_json_close(out, '[');
	}
	tn_json_close(out, '[');
}

enum tn_status tn_json_page_plan(const struct tn_page_plan *p,
	const struct tn_page_plan *first, struct tn_arena *arena,
	struct tn_json_stream *out)
{
	int64_t *offsets;
	enum tn_status status = find_like(p, first, arena, &offsets);

	tn_json_open(out, NULL, '{');
	tn_json_member(out, "id", json_string(p->id));
	tn_json_member(out, "name", json_string(p->name));
	tn_json_member(out, "verified", json_boolean(p->v->verified));
	tn_json_member(out, "bytes", tn_json_page_digits(p->v->plan->activation_bytes));
	if (offsets) {
		struct tn_columns like = { .width = 1, .failed = false };

		like.values.items = offsets;
		like.values.count = first->boxes->n;
		tn_columns_list(&like, "like", out);
	} else {
		put_boxes(out, p, arena);
	}
	put_views(out, p, arena);
	put_marks(out, p);
	put_streams(out, p);
	if (status == TN_OK)
		status = put_overlaps(out, p, arena);
	if (status == TN_OK)
		status = put_gaps(out, p, arena);
	tn_json_close(out, '{');
	return status;
}
