#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "export/minimalloc.h"
#include "import/minimalloc.h"

static enum tn_status read_text(const char *text, size_t len, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_minimalloc *out)
{
	struct tn_source *source = TN_NEW(arena, struct tn_source);

	*source = (struct tn_source){ .name = "t.csv", .text = text, .len = len };
	tn_diags_init(diags, arena);
	return tn_import_minimalloc(source, arena, diags, out);
}

static const struct {
	const char *name, *text, *message;
	size_t line, column;
} wrongs[] = {
	{ "empty", "", "'t.csv' is empty", 0, 0 },
	{ "blank", "\n \n", "'t.csv' is empty", 2, 0 },
	{ "header only", "id,lower,upper,size\n", "there are no buffers in 't.csv'", 1,
		0 },
	{ "no size", "id,lower,upper\na,0,1\n", "there is no column 'size'", 1, 1 },
	{ "unknown", "id,lower,upper,size,colour\n", "unknown column 'colour'", 1, 21 },
	{ "twice", "id,lower,upper,size,buffer\n", "a second column for 'buffer'", 1,
		21 },
	{ "short line", "id,lower,upper,size\na,0,1\n",
		"the line has 3 fields, the header 4", 2, 1 },
	{ "nan", "id,lower,upper,size\na,0,1,NaN\n", "size 'NaN' is not a whole number",
		2, 7 },
	{ "fraction", "id,lower,upper,size\na,0,1.5,2\n",
		"upper '1.5' is not a whole number", 2, 5 },
	{ "missing", "id,lower,upper,size\na,0,1,\n", "size is missing", 2, 7 },
	{ "sign only", "id,lower,upper,size\na,-,1,1\n", "lower is missing", 2, 3 },
	{ "negative", "id,lower,upper,size\na,0,1,4\nb,0,1, -4\n",
		"size -4 is less than 0", 3, 8 },
	{ "overflow", "id,lower,upper,size\na,0,1,9223372036854775808\n",
		"size '9223372036854775808' is out of range", 2, 7 },
	{ "sum", "id,lower,upper,size\na,0,1,9\nb,0,1,9223372036854775807\n",
		"buffers are too large together", 3, 1 },
	{ "reversed", "id,lower,upper,size\na,3,1,4\n",
		"the lifetime from 3 to 1 is reversed", 2, 5 },
	{ "no life", "id,lower,upper,size\na,3,3,4\n",
		"the lifetime from 3 to 3 is empty", 2, 5 },
	{ "last end", "id,start,end,size\na,3,9223372036854775807,4\n",
		"end is out of range", 2, 5 },
	{ "alignment", "id,lower,upper,size,alignment\na,0,1,4,0\n",
		"alignment 0 is less than 1", 2, 9 },
	{ "unaligned", "id,lower,upper,size,alignment,offset\na,0,1,4,8,4\n",
		"buffer's given offset is not a multiple of its alignment", 2, 1 },
	{ "gaps", "id,lower,upper,size,gaps\na,0,9,4,2-3\n",
		"gaps in a lifetime are not supported", 2, 9 },
	{ "same id", "id,lower,upper,size\na,0,1,4\na,0,1,4\n",
		"the id 'a' is used a second time", 3, 1 },
	{ "open quote", "id,lower,upper,size\na,0,1,4\n\"b,0,1,4\n",
		"a quote is not closed", 3, 1 },
	{ "behind a quote", "id,lower,upper,size\n\"a\nb\"c,0,1,4\n",
		"there is more behind the closing quote", 3, 1 },
	{ "doubled", "id,lower,upper,size\n\"a\"\"\",0,1,4\n\"a\"\"\" ,0,1,4\n",
		"the id 'a\"' is used a second time", 3, 1 },
	{ "no id", "id,lower,upper,size\n,0,1,4\n",
		"the id is missing or holds a zero byte", 2, 1 },
};

START_TEST(refused)
{
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_minimalloc m;
	const struct tn_diag *d;

	tn_arena_init(&arena);
	ck_assert_msg(read_text(wrongs[_i].text, strlen(wrongs[_i].text), &arena, &diags,
			      &m) == TN_ERR_INPUT,
		"%s: accepted", wrongs[_i].name);
	ck_assert_msg(diags.list.count == 1, "%s: %zu messages", wrongs[_i].name,
		diags.list.count);
	d = &diags.list.items[0];
	ck_assert_msg(strcmp(d->message, wrongs[_i].message) == 0, "%s: '%s'",
		wrongs[_i].name, d->message);
	ck_assert_msg(d->line == wrongs[_i].line && d->column == wrongs[_i].column,
		"%s: at %zu:%zu", wrongs[_i].name, d->line, d->column);
	tn_arena_release(&arena);
}
END_TEST

START_TEST(columns_in_any_order)
{
	static const char text[] =
		"\xef\xbb\xbfsize, offset ,end,gaps,buffer_id,alignment,begin\r\n"
		"10,,4,,x,8,-1\r\n\r\n 7,16,5,,y z,,2";
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_minimalloc m;
	const struct tn_buffer *b;

	tn_arena_init(&arena);
	ck_assert_int_eq(read_text(text, sizeof(text) - 1, &arena, &diags, &m), TN_OK);
	ck_assert_uint_eq(m.problem.n_buffers, 2);
	b = m.problem.buffers;
	ck_assert(b[0].begin == -1 && b[0].end == 5 && b[0].size == 10 &&
		  b[0].align == 8 && b[0].fixed == -1);
	ck_assert(b[1].begin == 2 && b[1].end == 6 && b[1].size == 7 && b[1].align == 1 &&
		  b[1].fixed == 16);
	ck_assert_str_eq(m.ids[0], "x");
	ck_assert_str_eq(m.ids[1], "y z");
	tn_arena_release(&arena);
}
END_TEST

START_TEST(what_is_written_reads_back)
{
	static const char text[] =
		"id,lower,upper,size,alignment,offset\na,0,3,5,4,0\nb,2,4,1,1,5\n"
		"\"c,\"\"\r\nd\",4,5,1,1,0\n\" e\",4,5,1,1,1\n";
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_minimalloc m;
	struct tn_strbuf out;
	int64_t offset[4];

	tn_arena_init(&arena);
	tn_strbuf_init(&out);
	ck_assert_int_eq(read_text(text, strlen(text), &arena, &diags, &m), TN_OK);
	ck_assert_uint_eq(m.problem.n_buffers, 4);
	for (uint32_t i = 0; i < 4; i++)
		offset[i] = m.problem.buffers[i].fixed;
	tn_export_minimalloc(&m.problem, m.ids, offset, &out);
	ck_assert_str_eq(out.text, text);
	tn_strbuf_release(&out);
	tn_arena_release(&arena);
}
END_TEST

/* Solves the file; the height, or -1 when it is not there. */
static int64_t solve_file(const char *path, int64_t capacity, bool optimal)
{
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_source *source;
	struct tn_minimalloc m;
	struct tn_solution s;
	const char *why = NULL;
	uint32_t at[2];
	int64_t height;

	if (!path)
		return -1;
	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ck_assert_int_eq(tn_file_read(&arena, &diags, path, NULL, &source), TN_OK);
	ck_assert_int_eq(tn_import_minimalloc(source, &arena, &diags, &m), TN_OK);
	m.problem.capacity = capacity;
	ck_assert_int_eq(tn_solve(&m.problem, NULL, &arena, &diags, &s), TN_OK);
	ck_assert_msg(tn_solution_check(&m.problem, &s, &why, at), "%s: %s", path, why);
	ck_assert_msg(s.optimal || !optimal, "%s: %lld, bound %lld", path,
		(long long)s.height, (long long)s.bound);
	height = s.height;
	tn_arena_release(&arena);
	return height;
}

START_TEST(hard_instances)
{
	static const char letters[] = "ABCDEFGHIJK";

	for (size_t i = 0; i < sizeof(letters) - 1; i++) {
		char name[64];
		int64_t height;

		snprintf(name, sizeof(name), "planner/%c.1048576.csv", letters[i]);
		height = solve_file(tn_test_shared(name), 1048576, false);
		ck_assert_msg(height <= 1048576, "%s: %lld", name, (long long)height);
		if (letters[i] != 'J' && letters[i] != 'D')
			solve_file(tn_test_shared(name), -1, true);
	}
}
END_TEST

static const struct {
	const char *file;
	int64_t optimum;
} smalls[] = {
	{ "fixtures/problems/stack.csv", 6 },
	{ "fixtures/problems/above-load.csv", 7 },
	{ "fixtures/problems/aligned.csv", 35 },
	{ "fixtures/problems/given.csv", 13 },
};

START_TEST(own_problems)
{
	const int64_t height = solve_file(tn_test_path(smalls[_i].file), -1, true);

	ck_assert_msg(height == smalls[_i].optimum, "%s: %lld", smalls[_i].file,
		(long long)height);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("offsets");
	TCase *tc = tcase_create("csv");
	TCase *solved = tcase_create("solved");

	tcase_add_loop_test(tc, refused, 0, sizeof(wrongs) / sizeof(wrongs[0]));
	tcase_add_test(tc, columns_in_any_order);
	tcase_add_test(tc, what_is_written_reads_back);
	tcase_set_timeout(solved, 120);
	tcase_add_test(solved, hard_instances);
	tcase_add_loop_test(solved, own_problems, 0, sizeof(smalls) / sizeof(smalls[0]));
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, solved);
	return suite;
}
