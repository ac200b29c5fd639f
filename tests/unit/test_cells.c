/* What lies in the memory of claims, bit by bit, against arrays of bits; and that many ranges
 * cost no more each than few. */
#include "suite.h"

#include <stdio.h>
#include <time.h>

#include "claims/cells.h"
#include "gen_graph.h"

enum { N = 48 };

struct bit {
	uint32_t value, event;
	int64_t at;
};

/* One assertion for all: each costs a call of the system. */
static void check_all(struct tn_cells *m, const struct bit want[N], int step)
{
	int wrong_bit = -1;

	for (size_t k = 0; k < m->count; k++) {
		const struct tn_cell *c = tn_cells_item(m, k);

		if (c->begin >= c->end || (k && tn_cells_item(m, k - 1)->end > c->begin))
			ck_abort_msg("step %d: range %zu is empty, or not behind the one "
				     "before it",
				step, k);
	}
	for (int i = 0; i < N && wrong_bit < 0; i++) {
		const struct tn_cell c = tn_cells_at(m, i);

		if (c.begin != i || c.end <= i || c.value != want[i].value ||
			(c.value != CELL_EMPTY &&
				(c.event != want[i].event || c.at != want[i].at)))
			wrong_bit = i;
	}
	ck_assert_msg(wrong_bit < 0, "step %d: bit %d", step, wrong_bit);
}

START_TEST(cells_are_a_map_of_bits)
{
	struct tn_cells m[2] = { { 0 }, { 0 } };
	struct bit want[2][N];
	struct tn_gen gen;

	tn_gen_init(&gen, (uint32_t)_i);
	for (int k = 0; k < 2 * N; k++)
		want[k / N][k % N].value = CELL_EMPTY;
	for (int step = 0; step < 400; step++) {
		const int to = (int)tn_gen_random(&gen, 2);
		const int64_t len = 1 + tn_gen_random(&gen, N / 2);
		const int64_t a = tn_gen_random(&gen, (uint32_t)(N - len) + 1);
		const int64_t b = tn_gen_random(&gen, (uint32_t)(N - len) + 1);
		const uint32_t event = tn_gen_random(&gen, 3);
		const uint32_t value =
			tn_gen_random(&gen, 5) ? tn_gen_random(&gen, 3) : CELL_EMPTY;

		if (step % 2) {
			const bool keep = tn_gen_random(&gen, 2);

			ck_assert(tn_cells_copy(&m[to], &gen.arena, a, &m[1 - to], b, len,
				keep ? EVENT_NONE : event));
			for (int64_t i = 0; i < len; i++) {
				want[to][a + i] = want[1 - to][b + i];
				if (!keep)
					want[to][a + i].event = event;
			}
		} else {
			ck_assert(tn_cells_put(&m[to], &gen.arena,
				(struct tn_cell){ a, a + len, b, value, event }));
			for (int64_t i = 0; i < len; i++)
				want[to][a + i] = (struct bit){ value, event, b + i };
		}
		check_all(&m[to], want[to], step);
	}
	tn_gen_release(&gen);
}
END_TEST

/* As a transpose writes: elements that are ranges of their own, rising, falling, or each
 * further along by a stride, in front of as many of another tensor. */
static const struct {
	const char *how;
	int64_t by;
} ways[] = { { "rising", 1 }, { "falling", -1 }, { "by strides", 499 } };

START_TEST(many_cells)
{
	const int64_t n = 50000, by = ways[_i].by;
	struct tn_arena arena;
	struct tn_cells m = { 0 };
	clock_t start = clock();
	bool put = true;
	double seconds;

	tn_arena_init(&arena);
	for (int64_t i = 0; i < n; i++) /* falling: nothing is moved for long */
		put = put && tn_cells_put(&m, &arena,
				     (struct tn_cell){ 2 * n - 1 - i, 2 * n - i, 0,
					     (uint32_t)i & 1, 0 });
	for (int64_t i = 0; i < n; i++) {
		const int64_t at = ((i * by) % n + n) % n;

		put = put &&
		      tn_cells_put(&m, &arena,
			      (struct tn_cell){ at, at + 1, 0, (uint32_t)at & 1, 0 });
	}
	ck_assert(put);
	seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	printf("# %s: %.2f s\n", ways[_i].how, seconds);
	ck_assert_uint_eq(m.count, (size_t)(2 * n));
	tn_arena_release(&arena);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("cells");
	TCase *c = tcase_create("cells");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, cells_are_a_map_of_bits, 0, 20);
	tcase_add_loop_test(c, many_cells, 0, sizeof(ways) / sizeof(*ways));
	suite_add_tcase(s, c);
	return s;
}
