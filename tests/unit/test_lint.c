/* Lint of many files: which ones, in which order, and the same whatever -j is. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/files.h"
#include "tenure/tenure.h"

static char folder[] = "/tmp/tenure-lint-XXXXXX";

static const char graph[] =
	"{\"format\": \"tenure.graph/1\", \"tensors\": ["
	"{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [4], \"role\": \"input\"}, "
	"{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [4], \"role\": \"output\"}], "
	"\"ops\": [{\"name\": \"op\", \"type\": \"RELU\", \"inputs\": [\"x\"], "
	"\"outputs\": [\"y\"]}]}";

static const char unknown[] =
	"{\"format\": \"tenure.graph/1\", \"tensors\": ["
	"{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [4], \"role\": \"input\"}, "
	"{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [4], \"role\": \"output\"}], "
	"\"ops\": [{\"name\": \"op\", \"type\": \"CompanyOp\", \"inputs\": [\"x\"], "
	"\"outputs\": [\"y\"]}]}";

static const char broken[] =
	"{\"format\": \"tenure.graph/1\", \"tensors\": [{\"name\": \"x\"}], \"ops\": []}";

static const struct {
	const char *name; /* ending with a slash: a folder */
	const char *text;
} tree[] = {
	{ "b.json", graph },
	{ "a.json", unknown },
	{ "sub/", NULL },
	{ "sub/c.json", graph },
	{ "sub/deep/", NULL },
	{ "sub/deep/d.json", unknown },
	{ "sub/config.json", "{\"compilerOptions\": {\"strict\": true}}" },
	{ "sub/list.json", "[1, 2, 3]" },
	{ "sub/broken.json.txt", "not looked at" },
	{ ".hidden/", NULL },
	{ ".hidden/e.json", graph },
	{ "bad/", NULL },
	{ "bad/f.json", broken },
	{ "plain/", NULL },
	{ "plain/package.json", "{\"name\": \"x\"}" },
};

#define TREE (sizeof(tree) / sizeof(*tree))

static void path_of(const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s/%s", folder, name);
}

static void make_tree(void)
{
	char path[512];

	ck_assert(mkdtemp(folder) != NULL);
	for (size_t i = 0; i < TREE; i++) {
		FILE *file;

		path_of(tree[i].name, path, sizeof(path));
		if (!tree[i].text) {
			ck_assert_int_eq(mkdir(path, 0777), 0);
			continue;
		}
		file = fopen(path, "w");
		ck_assert(file && fputs(tree[i].text, file) >= 0 && fclose(file) == 0);
	}
	path_of("sub/loop", path, sizeof(path));
	ck_assert_int_eq(symlink("..", path), 0);
}

static void remove_tree(void)
{
	char path[512];

	path_of("sub/loop", path, sizeof(path));
	unlink(path);
	for (size_t i = TREE; i-- > 0;) {
		path_of(tree[i].name, path, sizeof(path));
		if (tree[i].text)
			unlink(path);
		else
			rmdir(path);
	}
	rmdir(folder);
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
}

/* ---- which files ---- */

static const struct find_case {
	const char *name;
	const char *operands[4]; /* below the folder */
	const char *files[8]; /* in order; "?" in front: found */
	enum tn_status status;
} finds[] = {
	{ "a folder, sorted", { "" },
		{ "?a.json", "?b.json", "?bad/f.json", "?plain/package.json",
			"?sub/c.json", "?sub/config.json", "?sub/deep/d.json",
			"?sub/list.json" },
		TN_OK },
	{ "files as named", { "b.json", "a.json" }, { "b.json", "a.json" }, TN_OK },
	{ "each once", { "b.json", "sub", "sub/c.json", "b.json" },
		{ "b.json", "sub/c.json", "?sub/config.json", "?sub/deep/d.json",
			"?sub/list.json" },
		TN_OK },
	{ "a pattern", { "*.json" }, { "?a.json", "?b.json" }, TN_OK },
	{ "a pattern of folders", { "s*" },
		{ "?sub/c.json", "?sub/config.json", "?sub/deep/d.json",
			"?sub/list.json" },
		TN_OK },
	{ "hidden when named", { ".hidden" }, { "?.hidden/e.json" }, TN_OK },
	{ "nothing matches", { "*.tflite" }, { NULL }, TN_ERR_INPUT },
	{ "not there", { "none.json" }, { "none.json" }, TN_OK },
};

START_TEST(find)
{
	const struct find_case *c = &finds[_i];
	char operands[4][512], path[512];
	const char *list[4];
	struct tn_file_names names;
	struct tn_arena arena;
	struct tn_diags diags;
	size_t n = 0, want = 0;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	for (; n < 4 && c->operands[n]; n++) {
		path_of(c->operands[n], operands[n], sizeof(operands[n]));
		if (!*c->operands[n]) /* no slash at the end */
			operands[n][strlen(folder)] = '\0';
		list[n] = operands[n];
	}
	ck_assert_msg(tn_files_find(list, n, &arena, &diags, &names) == c->status, "%s",
		c->name);
	while (want < 8 && c->files[want])
		want++;
	ck_assert_msg(names.n == want, "%s: %zu files", c->name, names.n);
	for (size_t i = 0; i < want; i++) {
		const bool found = c->files[i][0] == '?';

		path_of(c->files[i] + found, path, sizeof(path));
		ck_assert_msg(strcmp(names.list[i].name, path) == 0 &&
				      names.list[i].found == found,
			"%s: %s", c->name, names.list[i].name);
	}
	tn_arena_release(&arena);
}
END_TEST

/* ---- what is said ---- */

static int lint(const tenure_options *options, const char *name, char *text, size_t size)
{
	tenure_options o = *options;
	char path[512];
	const char *operand = path;
	FILE *out = tmpfile(), *err = tmpfile();
	size_t len;
	int status;

	ck_assert(out && err);
	path_of(name, path, sizeof(path));
	o.out = out;
	o.err = err;
	status = tenure_lint(&o, &operand, 1);
	rewind(out);
	len = fread(text, 1, size - 1, out);
	text[len] = '\0';
	fclose(out);
	fclose(err);
	return status;
}

static const struct lint_case {
	const char *name, *operand;
	int hook, status;
	const char *says; /* NULL: nothing at all */
} lints[] = {
	{ "all of it", "sub", 0, TENURE_OK, "0 errors, 1 warning in 2 files" },
	{ "an error among others", "", 0, TENURE_BAD_INPUT, "in 5 files" },
	{ "no graph in it", "plain", 0, TENURE_OK, "0 errors, 0 warnings in 0 files" },
	{ "no graph, named", "plain/package.json", 0, TENURE_BAD_INPUT,
		"not like a graph" },
	{ "no graph, in a hook", "plain/package.json", 1, TENURE_OK, NULL },
	{ "no list either", "sub/list.json", 1, TENURE_OK, NULL },
	{ "a graph, in a hook", "a.json", 1, TENURE_OK, "[graph/unknown-op]" },
	{ "a broken graph, in a hook", "bad/f.json", 1, TENURE_BAD_INPUT, "error: " },
	{ "not there, in a hook", "none.json", 1, TENURE_BAD_INPUT, "cannot open" },
};

START_TEST(said)
{
	const struct lint_case *c = &lints[_i];
	static char text[1 << 16];
	tenure_options options;
	int status;

	tenure_options_init(&options);
	options.hook = c->hook;
	status = lint(&options, c->operand, text, sizeof(text));
	ck_assert_msg(status == c->status, "%s: %d\n%.3000s", c->name, status, text);
	ck_assert_msg(c->says ? strstr(text, c->says) != NULL : !*text, "%s:\n%.3000s",
		c->name, text);
}
END_TEST

START_TEST(jobs)
{
	static const char *const formats[] = { "text", "json", "sarif", "junit", "github",
		"markdown" };
	static char one[1 << 17], many[1 << 17];
	tenure_options options;

	tenure_options_init(&options);
	options.format = formats[_i];
	options.ram = 8;
	ck_assert_int_eq(lint(&options, "", one, sizeof(one)), TENURE_BAD_INPUT);
	for (options.jobs = 2; options.jobs < 20; options.jobs += 3) {
		ck_assert_int_eq(
			lint(&options, "", many, sizeof(many)), TENURE_BAD_INPUT);
		ck_assert_msg(strcmp(one, many) == 0, "%s: -j %d differs", formats[_i],
			(int)options.jobs);
	}
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("lint");
	TCase *tc = tcase_create("lint");

	tcase_add_checked_fixture(tc, make_tree, remove_tree);
	tcase_add_loop_test(tc, find, 0, (int)(sizeof(finds) / sizeof(*finds)));
	tcase_add_loop_test(tc, said, 0, (int)(sizeof(lints) / sizeof(*lints)));
	tcase_add_loop_test(tc, jobs, 0, 6);
	suite_add_tcase(s, tc);
	return s;
}
