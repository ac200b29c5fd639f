/* Two versions of a model: what is matched with what, and what is said about it. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/command.h"
#include "report/diff.h"
#include "report/diff_words.h"

static const struct diff_case {
	const char *name, *before, *after; /* under fixtures/diff */
	unsigned added, removed, resized;
	size_t lost, won, found, fixed;
	long long arena_before, arena_after;
} cases[] = {
	{ "the same file", "base", "base", 0, 0, 0, 0, 0, 0, 0, 2048, 2048 },
	{ "all names are new", "base", "renamed", 0, 0, 0, 0, 0, 0, 0, 2048, 2048 },
	{ "more channels", "base", "wider", 0, 0, 3, 0, 0, 0, 0, 2048, 4096 },
	{ "a second reader", "base", "skip", 1, 0, 0, 1, 0, 0, 0, 2048, 4096 },
	{ "no second reader any more", "skip", "base", 0, 1, 0, 0, 1, 0, 0, 4096, 2048 },
	{ "an op nobody knows", "base", "unknown", 1, 1, 0, 0, 0, 1, 0, 2048, 4096 },
	{ "a finding is gone", "unknown", "base", 1, 1, 0, 0, 0, 0, 1, 4096, 2048 },
	{ "renamed and longer", "renamed", "skip", 1, 0, 0, 1, 0, 0, 0, 2048, 4096 },
	{ "one of three is gone, the others have changed places", "three", "swapped", 0,
		1, 0, 1, 1, 0, 0, 6144, 4096 },
	{ "and is there again", "swapped", "three", 1, 0, 0, 1, 1, 0, 0, 4096, 6144 },
};

static const char *path_of(const char *name, char *buffer, size_t size)
{
	char relative[128];

	snprintf(relative, sizeof(relative), "fixtures/diff/%s.json", name);
	snprintf(buffer, size, "%s", tn_test_path(relative));
	return buffer;
}

static void plan(struct tn_run *run, const tenure_options *options, const char *name)
{
	char path[1024];

	tn_run_init(run, options);
	ck_assert_int_eq(
		tn_pipeline(run, path_of(name, path, sizeof(path)), STAGE_PLAN), TN_OK);
}

START_TEST(changes)
{
	const struct diff_case *c = &cases[_i];
	tenure_options options;
	struct tn_run old, new;
	struct tn_view before, after;
	struct tn_diff d;

	tenure_options_init(&options);
	plan(&old, &options, c->before);
	plan(&new, &options, c->after);
	before = tn_command_view(&old);
	after = tn_command_view(&new);
	ck_assert_int_eq(tn_diff_find(&before, &after, &new.arena, &d), TN_OK);
	ck_assert_msg(d.n_added == c->added && d.n_removed == c->removed &&
			      d.n_resized == c->resized,
		"%s: ops %u %u %u", c->name, d.n_added, d.n_removed, d.n_resized);
	ck_assert_msg(d.n_lost == c->lost && d.n_won == c->won, "%s: lost %zu, won %zu",
		c->name, d.n_lost, d.n_won);
	ck_assert_msg(d.n_new == c->found && d.n_fixed == c->fixed,
		"%s: new %zu, fixed %zu", c->name, d.n_new, d.n_fixed);
	ck_assert_msg(d.figures[DIFF_ARENA].before == c->arena_before &&
			      d.figures[DIFF_ARENA].after == c->arena_after,
		"%s: arena", c->name);
	/* every op of both versions is there once, and pairs agree */
	ck_assert_msg(
		d.n_ops == new.graph.n_ops + d.n_removed, "%s: %u ops", c->name, d.n_ops);
	for (uint32_t i = 0; i < d.n_ops; i++)
		if (d.ops[i].before.i != TN_NONE && d.ops[i].after.i != TN_NONE)
			ck_assert_msg(
				d.before.match[d.ops[i].before.i] == d.ops[i].after.i,
				"%s: pair %u", c->name, i);
	tn_run_release(&old);
	tn_run_release(&new);
}
END_TEST

/* ---- the limit of growth ---- */

static const struct limit_case {
	const char *text;
	bool ok;
	long long bytes, milli;
	long long before, after;
	bool grown;
} limits[] = {
	{ "0", true, 0, -1, 100, 100, false },
	{ "0", true, 0, -1, 100, 101, true },
	{ "16", true, 16, -1, 100, 116, false },
	{ "16", true, 16, -1, 100, 117, true },
	{ "4K", true, 4096, -1, 0, 4097, true },
	{ "1KB", true, 1024, -1, 0, 1025, true },
	{ "1M", true, 1048576, -1, 0, 1048576, false },
	{ "0%", true, -1, 0, 100, 101, true },
	{ "10%", true, -1, 10000, 1000, 1100, false },
	{ "10%", true, -1, 10000, 1000, 1101, true },
	{ "2.5%", true, -1, 2500, 1000, 1025, false },
	{ "2.5%", true, -1, 2500, 1000, 1026, true },
	{ "0.001%", true, -1, 1, 100000, 100001, false },
	{ "0.001%", true, -1, 1, 100000, 100002, true },
	{ "100%", true, -1, 100000, 0, 1, true },
	{ "90000000000000000%", false, 0, 0, 0, 0, false },
	{ "900000000000000%", true, -1, 900000000000000000, 1000000, 9000000, false },
	{ "5%", true, -1, 5000, -1, 9000, false },
	{ "5%", true, -1, 5000, 9000, -1, false },
	{ "", false, 0, 0, 0, 0, false },
	{ "-1", false, 0, 0, 0, 0, false },
	{ "%", false, 0, 0, 0, 0, false },
	{ "1.%", false, 0, 0, 0, 0, false },
	{ "1.5", false, 0, 0, 0, 0, false },
	{ "1.5K", false, 0, 0, 0, 0, false },
	{ "1.2345%", false, 0, 0, 0, 0, false },
	{ "1..2%", false, 0, 0, 0, 0, false },
	{ "1KBs", false, 0, 0, 0, 0, false },
	{ "1%%", false, 0, 0, 0, 0, false },
	{ "99999999999999999999", false, 0, 0, 0, 0, false },
	{ "9223372036854775807K", false, 0, 0, 0, 0, false },
};

START_TEST(growth)
{
	const struct limit_case *c = &limits[_i];
	struct tn_diff_growth limit;
	struct tn_diff d = { 0 };
	const bool ok = tn_diff_growth_parse(c->text, &limit);

	ck_assert_msg(ok == c->ok, "'%s' is %s", c->text, ok ? "taken" : "refused");
	if (!ok)
		return;
	ck_assert_msg(limit.bytes == c->bytes && limit.milli == c->milli,
		"'%s': %lld %lld", c->text, (long long)limit.bytes,
		(long long)limit.milli);
	d.figures[DIFF_ARENA].before = c->before;
	d.figures[DIFF_ARENA].after = c->after;
	ck_assert_msg(tn_diff_grown(&d, &limit) == c->grown, "'%s': %lld to %lld",
		c->text, c->before, c->after);
}
END_TEST

/* What is told to be more than a limit is more, in the digits that are printed. */
START_TEST(growth_words)
{
	static const int64_t sizes[] = { 7, 100, 256, 999, 5120, 65536, 1000003 };
	struct tn_diff d = { .growth = { true, -1, 0, true } };
	int told = 0;

	d.figures[DIFF_ARENA].before = sizes[_i];
	for (d.growth.milli = 1; d.growth.milli < 3000; d.growth.milli += 13)
		for (int64_t more = 0; more < 3; more++) {
			const int64_t by = sizes[_i] * d.growth.milli / 100000 + more;
			struct tn_strbuf text;
			const char *says, *limit;

			d.figures[DIFF_ARENA].after = sizes[_i] + by;
			if (!tn_diff_grown(&d, &d.growth))
				continue;
			tn_strbuf_init(&text);
			tn_diff_words_growth(&d, &text);
			ck_assert(!text.failed);
			says = strchr(text.text, '(');
			limit = strstr(text.text, "more than the ");
			ck_assert_msg(
				says && limit &&
					strtod(says + 1, NULL) > strtod(limit + 14, NULL),
				"%s", text.text);
			tn_strbuf_release(&text);
			told++;
		}
	ck_assert_int_gt(told, 100);
}
END_TEST

/* ---- the command ---- */

static const struct command_case {
	const char *name, *before, *after, *format, *limit;
	int status;
	const char *says; /* in the output */
} commands[] = {
	{ "text", "base", "skip", "text", NULL, TENURE_OK,
		"lost     'tanh': 'a' -> 'b'" },
	{ "json", "base", "skip", "json", NULL, TENURE_OK, "\"tenure.diff/1\"" },
	{ "json, null limit", "base", "skip", "json", NULL, TENURE_OK,
		"\"growth\": null" },
	{ "markdown", "base", "skip", "markdown", NULL, TENURE_OK, "| lost | `'tanh'" },
	{ "allowed growth", "base", "skip", "text", "2K", TENURE_OK, "findings: 0 new" },
	{ "growth", "base", "skip", "text", "2047", TENURE_FINDINGS,
		"growth: the arena grows by 2,048 B (100.0 %), more than the 2,047 B" },
	{ "growth in percent", "base", "wider", "markdown", "99.5%", TENURE_FINDINGS,
		"more than the 99.500 %" },
	{ "growth in JSON", "base", "wider", "json", "50%", TENURE_FINDINGS,
		"\"exceeded\": true" },
	{ "smaller", "skip", "base", "text", "0", TENURE_OK, "-2,048 B  -50.0 %" },
	{ "no such format", "base", "skip", "sarif", NULL, TENURE_BAD_INPUT, "" },
	{ "no such limit", "base", "skip", "text", "much", TENURE_BAD_INPUT, "" },
	{ "no such file", "base", "none", "text", NULL, TENURE_BAD_INPUT, "" },
	{ "no such old file", "none", "base", "json", "0", TENURE_BAD_INPUT, "" },
};

START_TEST(command)
{
	const struct command_case *c = &commands[_i];
	char old[1024], new[1024], text[32768];
	FILE *out = tmpfile(), *err = tmpfile();
	tenure_options options;
	size_t len;
	int status;

	ck_assert(out && err);
	tenure_options_init(&options);
	options.out = out;
	options.err = err;
	options.format = c->format;
	options.fail_on_growth = c->limit;
	status = tenure_diff(&options, path_of(c->before, old, sizeof(old)),
		path_of(c->after, new, sizeof(new)));
	rewind(out);
	len = fread(text, 1, sizeof(text) - 1, out);
	text[len] = '\0';
	ck_assert_msg(status == c->status, "%s: exit status %d", c->name, status);
	ck_assert_msg(strstr(text, c->says) != NULL, "%s:\n%s", c->name, text);
	/* who is told to come back has been told why */
	ck_assert_msg((status == TENURE_BAD_INPUT) == (ftell(err) > 0), "%s", c->name);
	fclose(out);
	fclose(err);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("diff");
	TCase *tc = tcase_create("diff");

	tcase_add_loop_test(tc, changes, 0, (int)(sizeof(cases) / sizeof(*cases)));
	tcase_add_loop_test(tc, growth, 0, (int)(sizeof(limits) / sizeof(*limits)));
	tcase_add_loop_test(tc, growth_words, 0, 7);
	tcase_add_loop_test(tc, command, 0, (int)(sizeof(commands) / sizeof(*commands)));
	suite_add_tcase(s, tc);
	return s;
}
