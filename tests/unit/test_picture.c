#include "suite.h"

#include "report/apart.h"
#include "report/gaps.h"
#include "report/marks.h"
#include "report/stairs.h"
#include "report_sample.h"

struct picture {
	struct sample s;
	struct tn_arena arena;
	struct tn_boxes boxes;
};

static void start(struct picture *p)
{
	sample_make(&p->s, NULL, NULL);
	tn_arena_init(&p->arena);
	ck_assert_int_eq(tn_boxes_find(&p->s.view, &p->arena, &p->boxes), TN_OK);
}

static void end(struct picture *p)
{
	tn_arena_release(&p->arena);
	sample_release(&p->s);
}

/* What is written so far ends where what is still to be read begins, or before; both only
 * move on; at the end nothing is left and the output is there. */
START_TEST(stairs_never_meet)
{
	struct picture p;
	uint32_t walked = 0;

	start(&p);
	ck_assert_uint_eq(p.boxes.n_overlaps, 6);
	for (uint32_t i = 0; i < p.boxes.n_overlaps; i++) {
		const struct tn_box_overlap *o = &p.boxes.overlaps[i];
		const struct tn_box *over = &p.boxes.list[o->over];
		const struct tn_box *under = &p.boxes.list[o->under];
		struct tn_stair s;
		int64_t sign;

		ck_assert_int_eq(tn_stair_find(&p.s.view, &p.boxes, i, &s), TN_OK);
		if (s.straight)
			tn_stair_fill(o, &s);
		else
			walked++;
		ck_assert_msg(s.n > 0 && s.n <= TN_STAIRS_MAX, "overlap %u", i);
		sign = s.descending ? -1 : 1;
		for (uint32_t k = 0; k < s.n; k++) {
			ck_assert_msg(sign * s.written[k] <= sign * s.unread[k],
				"overlap %u, part %u", i, k);
			if (k == 0)
				continue;
			ck_assert(sign * s.written[k] >= sign * s.written[k - 1]);
			ck_assert(sign * s.unread[k] >= sign * s.unread[k - 1]);
		}
		ck_assert_int_eq(s.written[s.n - 1],
			s.descending ? over->offset : over->offset + over->bytes);
		ck_assert_int_eq(s.unread[s.n - 1],
			s.descending ? under->offset : under->offset + under->bytes);
	}
	ck_assert_uint_gt(walked, 0);
	end(&p);
}
END_TEST

/* An output pushed up into what its op has still to read: the stairs meet. */
START_TEST(stairs_meet_where_a_plan_is_wrong)
{
	struct picture p;
	bool met = false;

	start(&p);
	for (uint32_t i = 0; i < p.boxes.n_overlaps; i++) {
		struct tn_box_overlap *o = &p.boxes.overlaps[i];
		struct tn_stair s;

		if (o->op.i != S_CONV)
			continue;
		p.s.plan.tensors[S_A].offset += 300;
		p.boxes.list[o->over].offset += 300;
		ck_assert_int_eq(tn_stair_find(&p.s.view, &p.boxes, i, &s), TN_OK);
		for (uint32_t k = 0; k < s.n; k++)
			met = met || (s.descending ? s.written[k] < s.unread[k]
						   : s.written[k] > s.unread[k]);
	}
	ck_assert(met);
	end(&p);
}
END_TEST

static bool covered(const struct tn_boxes *boxes, int64_t step, int64_t byte)
{
	for (uint32_t i = 0; i < boxes->n; i++) {
		const struct tn_box *b = &boxes->list[i];

		if (b->begin < step + 2 && b->end > step && b->offset <= byte &&
			byte < b->offset + b->bytes)
			return true;
	}
	return false;
}

static int in_gaps(const struct tn_gaps *gaps, int64_t step, int64_t byte)
{
	int n = 0;

	for (uint32_t i = 0; i < gaps->n; i++) {
		const struct tn_gap *g = &gaps->list[i];

		n += g->begin <= step && step < g->end && g->offset <= byte &&
		     byte < g->offset + g->bytes;
	}
	return n;
}

/* Byte by byte: below the highest one in use, each is covered or in one gap. */
START_TEST(gaps_are_what_is_left)
{
	struct picture p;
	struct tn_gaps gaps;

	start(&p);
	ck_assert_int_eq(tn_gaps_find(&p.s.view, &p.boxes, &p.arena, &gaps), TN_OK);
	ck_assert_uint_gt(gaps.n, 0);
	for (int64_t step = 0; step < 2 * S_OPS; step += 2) {
		int64_t top = 2048;

		while (top > 0 && !covered(&p.boxes, step, top - 1))
			top--;
		for (int64_t byte = 0; byte < 2048; byte++) {
			int want = byte < top && !covered(&p.boxes, step, byte);

			ck_assert_msg(in_gaps(&gaps, step, byte) == want,
				"step %d, byte %d", (int)step, (int)byte);
		}
	}
	end(&p);
}
END_TEST

START_TEST(apart_shares_nothing)
{
	struct picture p;
	struct tn_plan plan;
	struct tn_view view;
	struct tn_boxes boxes;
	int64_t sum = 0;

	start(&p);
	ck_assert_int_eq(tn_apart_make(&p.s.view, &p.arena, &plan, &view), TN_OK);
	ck_assert_int_eq(tn_boxes_find(&view, &p.arena, &boxes), TN_OK);
	ck_assert_uint_eq(boxes.n_overlaps, 0);
	ck_assert(!view.verified);
	for (uint32_t i = 0; i < boxes.n; i++) {
		const struct tn_box *b = &boxes.list[i];

		sum += (b->bytes + plan.regions[0].align - 1) / plan.regions[0].align *
		       plan.regions[0].align;
		for (uint32_t k = 0; k < i; k++)
			ck_assert(
				boxes.list[k].offset >= b->offset + b->bytes ||
				b->offset >= boxes.list[k].offset + boxes.list[k].bytes);
	}
	ck_assert_int_eq(plan.activation_bytes, sum);
	end(&p);
}
END_TEST

static const struct {
	const char *name;
	int64_t budget, capacity, reserved;
	size_t n;
	int64_t first; /* bytes of the first line */
} mark_cases[] = {
	{ "none", 0, -1, 0, 3, 0 },
	{ "a budget", 4096, -1, 0, 4, 4096 },
	{ "a region's size", 0, 2048, 0, 4, 2048 },
	{ "less what is reserved", 4096, 2048, 256, 4, 1792 },
};

START_TEST(marks_name_the_budget)
{
	struct tn_mark marks[TN_MARKS_MAX];
	struct picture p;

	start(&p);
	p.s.view.budget = mark_cases[_i].budget;
	p.s.plan.regions[0].capacity = mark_cases[_i].capacity;
	p.s.plan.regions[0].reserved = mark_cases[_i].reserved;
	ck_assert_msg(tn_marks_of(&p.s.view, 0, marks) == mark_cases[_i].n, "%s",
		mark_cases[_i].name);
	if (mark_cases[_i].first) {
		ck_assert_str_eq(marks[0].kind, "budget");
		ck_assert_int_eq(marks[0].bytes, mark_cases[_i].first);
	}
	end(&p);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("picture");
	TCase *tc = tcase_create("picture");

	tcase_add_test(tc, stairs_never_meet);
	tcase_add_test(tc, stairs_meet_where_a_plan_is_wrong);
	tcase_add_test(tc, gaps_are_what_is_left);
	tcase_add_test(tc, apart_shares_nothing);
	tcase_add_loop_test(tc, marks_name_the_budget, 0,
		(int)(sizeof(mark_cases) / sizeof(*mark_cases)));
	suite_add_tcase(suite, tc);
	return suite;
}
