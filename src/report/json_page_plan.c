#include "report/json_page_plan.h"

#include "base/checked.h"
#include "report/gaps.h"
#include "report/json_parts.h"
#include "report/marks.h"
#include "report/stairs.h"

#include "base/banned.h"

/* Numbers one after the other: the script knows how many make a record. */
static bool push_all(json_t *list, const int64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!tn_json_push(list, json_integer(values[i])))
			return false;
	return true;
}

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
			       f->last == b->last && f->bytes == b->bytes
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

static bool put_boxes(json_t *root, const struct tn_page_plan *p)
{
	json_t *list = json_array(), *of = json_array();
	bool ok = true;

	for (uint32_t i = 0; i < p->boxes->n && ok; i++) {
		const struct tn_box *b = &p->boxes->list[i];
		const int64_t row[] = { b->kind, id_of(b->tensor.i),
			b->op.i == TN_NONE ? -1 : (int64_t)tn_view_position(p->v, b->op),
			b->region, b->begin, b->end, b->last, b->offset, b->bytes,
			id_of(b->chain) };

		ok = push_all(list, row, sizeof(row) / sizeof(*row));
	}
	for (uint32_t i = 0; i < p->v->g->n_tensors && ok && p->v->aliases; i++)
		ok = tn_json_push(of, json_integer(id_of(p->boxes->of[i])));
	ok = tn_json_put(root, "boxes", list) && ok;
	/* without aliases every tensor has its own */
	if (!p->v->aliases) {
		json_decref(of);
		of = json_array();
	}
	return tn_json_put(root, "of", of) && ok;
}

static json_t *stair(const struct tn_stair *s)
{
	json_t *list = json_array();
	bool ok = tn_json_push(list, json_integer(s->descending));

	if (s->straight)
		ok = tn_json_push(list, json_integer(0)) && ok;
	for (uint32_t k = 0; k < s->n && ok; k++)
		ok = push_all(list, (int64_t[]){ s->written[k], s->unread[k] }, 2);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static enum tn_status put_overlaps(json_t *root, const struct tn_page_plan *p)
{
	json_t *list = json_array();
	enum tn_status status = TN_OK;

	for (uint32_t i = 0; i < p->boxes->n_overlaps && status == TN_OK; i++) {
		const struct tn_box_overlap *o = &p->boxes->overlaps[i];
		const int64_t numbers[] = { o->under, o->over,
			tn_view_position(p->v, o->op), o->region, o->begin, o->end };
		json_t *row = json_array();
		struct tn_stair s;
		bool ok;

		status = tn_stair_find(p->v, p->boxes, i, &s);
		ok = push_all(row, numbers, sizeof(numbers) / sizeof(*numbers)) &&
		     (status != TN_OK || tn_json_push(row, stair(&s)));
		if (!(tn_json_push(list, row) && ok) && status == TN_OK)
			status = TN_ERR_NOMEM;
	}
	if (!tn_json_put(root, "overlaps", list) && status == TN_OK)
		status = TN_ERR_NOMEM;
	return status;
}

static enum tn_status put_gaps(
	json_t *root, const struct tn_page_plan *p, struct tn_arena *arena)
{
	json_t *list = json_array();
	struct tn_gaps gaps;
	enum tn_status status = TN_OK;

	/* where nothing is reused all is lost */
	gaps.n = 0;
	if (p->v->aliases)
		status = tn_gaps_find(p->v, p->boxes, arena, &gaps);

	for (uint32_t i = 0; status == TN_OK && i < gaps.n; i++) {
		const struct tn_gap *g = &gaps.list[i];
		const int64_t row[] = { g->region, g->begin, g->end, g->offset,
			g->bytes };

		if (!push_all(list, row, sizeof(row) / sizeof(*row)))
			status = TN_ERR_NOMEM;
	}
	if (!tn_json_put(root, "gaps", list) && status == TN_OK)
		status = TN_ERR_NOMEM;
	return status;
}

static bool put_views(json_t *root, const struct tn_page_plan *p)
{
	json_t *list = json_array();
	bool ok = true;

	for (uint32_t i = 0; i < p->v->g->n_tensors && ok; i++) {
		const struct tn_plan_tensor *t = &p->v->plan->tensors[i];
		const struct tn_box *b;
		int64_t begin, end;

		if (p->boxes->of[i] == TN_NONE)
			continue;
		b = &p->boxes->list[p->boxes->of[i]];
		begin = tn_max_i64(t->first, b->begin);
		end = tn_min_i64(t->last, b->last) + 1;
		if (b->tensor.i == i || begin >= end || t->bytes <= 0)
			continue;
		ok = push_all(list,
			(int64_t[]){ i, b->region, begin, end, t->offset, t->bytes }, 6);
	}
	return tn_json_put(root, "views", list) && ok;
}

static bool put_marks(json_t *root, const struct tn_page_plan *p)
{
	json_t *list = json_array();
	bool ok = true;

	for (uint32_t r = 0; r < p->v->plan->n_regions && ok; r++) {
		struct tn_mark marks[TN_MARKS_MAX];
		size_t n = tn_marks_of(p->v, r, marks);

		for (size_t i = 0; i < n && ok; i++) {
			json_t *row = json_array();

			ok = tn_json_push(row, json_integer(r)) &&
			     tn_json_push(row, json_string(marks[i].kind)) &&
			     tn_json_push(row, json_string(marks[i].name)) &&
			     tn_json_push(row, json_integer(marks[i].bytes));
			ok = tn_json_push(list, row) && ok;
		}
	}
	return tn_json_put(root, "marks", list) && ok;
}

static bool put_like(
	json_t *root, const struct tn_page_plan *first, const int64_t *offsets)
{
	json_t *list = json_array();
	bool ok = push_all(list, offsets, first->boxes->n);

	return tn_json_put(root, "like", list) && ok;
}

enum tn_status tn_json_page_plan(const struct tn_page_plan *p,
	const struct tn_page_plan *first, struct tn_arena *arena, json_t **out)
{
	json_t *root = json_object();
	int64_t *offsets;
	enum tn_status status = find_like(p, first, arena, &offsets);
	bool ok =
		tn_json_put(root, "id", json_string(p->id)) &&
		tn_json_put(root, "name", json_string(p->name)) &&
		tn_json_put(root, "verified", json_boolean(p->v->verified)) &&
		tn_json_put(root, "bytes", json_integer(p->v->plan->activation_bytes)) &&
		(offsets ? put_like(root, first, offsets) : put_boxes(root, p)) &&
		put_views(root, p) && put_marks(root, p);

	if (status == TN_OK)
		status = ok ? put_overlaps(root, p) : TN_ERR_NOMEM;
	if (status == TN_OK)
		status = put_gaps(root, p, arena);
	if (status != TN_OK) {
		json_decref(root);
		return status;
	}
	*out = root;
	return TN_OK;
}
