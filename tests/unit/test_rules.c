/* Names and patterns, fingerprints, facts and assertions over them. */
#include <libxml/tree.h>
#include <string.h>

#include "base/filename.h"
#include "base/glob.h"
#include "loaded.h"
#include "rules/baseline.h"
#include "rules/check.h"
#include "rules/facts.h"
#include "rules/fingerprint.h"
#include "suite.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof(*(list))))

static const struct {
	const char *pattern, *text;
	bool matches;
} globs[] = {
	{ "", "", true },
	{ "", "a", false },
	{ "*", "", true },
	{ "a*c", "abbc", true },
	{ "a*c", "abcb", false },
	{ "?", "", false },
	{ "?b*", "abcd", true },
	{ "*a*b*", "xxaxxbxx", true },
	{ "*ab", "aab", true }, /* needs a step back */
	{ "*aab", "aaaab", true },
	{ "a**b", "ab", true },
	{ "live/*", "live/dead-op", true },
	{ "live/*", "alive/dead-op", false },
};

START_TEST(patterns)
{
	ck_assert_msg(tn_glob(globs[_i].pattern, globs[_i].text) == globs[_i].matches,
		"'%s' and '%s'", globs[_i].pattern, globs[_i].text);
}
END_TEST

static const struct {
	const char *name, *folder, *relative;
} names[] = {
	{ "/a/b/c.json", "/a/b", "c.json" },
	{ "/a/b/c.json", "/a", "b/c.json" },
	{ "/a/b/c.json", "/", "a/b/c.json" },
	{ "/a/b/c.json", "/a/x", "../b/c.json" },
	{ "/a/b/c.json", "/x/y/z", "../../../a/b/c.json" },
	{ "/ab/c", "/a", "../ab/c" }, /* a prefix of the text, and no folder above */
	{ "/a//b/./../c", "/a", "c" },
	{ "/../../c", "/", "c" },
};

START_TEST(relative_names)
{
	struct tn_arena arena;
	const char *absolute;

	tn_arena_init(&arena);
	absolute = tn_filename_absolute(&arena, names[_i].name);
	ck_assert_str_eq(tn_filename_relative(&arena, absolute, names[_i].folder),
		names[_i].relative);
	tn_arena_release(&arena);
}
END_TEST

START_TEST(folders)
{
	struct tn_arena arena;

	tn_arena_init(&arena);
	ck_assert_str_eq(tn_filename_folder(&arena, "/a/b"), "/a");
	ck_assert_str_eq(tn_filename_folder(&arena, "/a"), "/");
	ck_assert_str_eq(tn_filename_join(&arena, "/a", "b"), "/a/b");
	ck_assert_str_eq(tn_filename_join(&arena, "/a", "/b"), "/b");
	ck_assert(tn_filename_matches("*.json", "a/b.json"));
	ck_assert(!tn_filename_matches("x/*.json", "a/b.json"));
	ck_assert(tn_filename_matches("a/*", "a/b.json"));
	tn_arena_release(&arena);
}
END_TEST

#define HEAD "{\"format\": \"tenure.graph/1\", \"tensors\": ["
#define TENSOR(name, role)                                                               \
	"{\"name\": \"" name "\", \"dtype\": \"f32\", \"shape\": [2, 3]" role "}"
#define IN  ", \"role\": \"input\""
#define OUT ", \"role\": \"output\""

/* Ops without names, so that readers number them. */
static const char one_dead[] = HEAD TENSOR("x", IN) "," TENSOR("d", "") "," TENSOR(
	"y", OUT) "], \"ops\": [{\"type\": \"EXP\", \"inputs\": [\"x\"], \"outputs\": "
		  "[\"d\"]},"
		  "{\"type\": \"NEG\", \"inputs\": [\"x\"], \"outputs\": [\"y\"]}]}";
static const char moved[] = HEAD TENSOR("x", IN) "," TENSOR("h", "") "," TENSOR("d",
	"") "," TENSOR("y", OUT) "], \"ops\": [{\"type\": \"ABS\", \"inputs\": [\"x\"], "
				 "\"outputs\": [\"h\"]}, {\"type\": \"EXP\", \"inputs\": "
				 "[\"x\"], \"outputs\": [\"d\"]}, {\"type\": \"NEG\", "
				 "\"inputs\": [\"h\"], \"outputs\": [\"y\"]}]}";

static uint64_t print_of(const struct tn_graph *g, const char *subject, const char *text)
{
	const struct tn_diag d = {
		.rule = "live/dead-op", .subject = subject, .message = text
	};

	return tn_fingerprint(g, &d);
}

START_TEST(fingerprints)
{
	struct loaded a, b;

	loaded_bytes(&a, "x.json", one_dead, sizeof(one_dead) - 1, NULL);
	loaded_bytes(&b, "x.json", moved, sizeof(moved) - 1, NULL);
	loaded_ok(&a, "one dead op");
	loaded_ok(&b, "moved");
	/* another number, another size: the same finding */
	ck_assert(print_of(&a.graph, "EXP#0", "'EXP#0' wastes 1,024 B") ==
		  print_of(&b.graph, "EXP#1", "'EXP#1' wastes 12 B"));
	/* another op of the type, another name, other words */
	ck_assert(print_of(&a.graph, "EXP#0", "'EXP#0' wastes 1 B") !=
		  print_of(&b.graph, "NEG#2", "'NEG#2' wastes 1 B"));
	ck_assert(print_of(&a.graph, "x", "'x' is kept") !=
		  print_of(&a.graph, "y", "'y' is kept"));
	ck_assert(print_of(&a.graph, "x", "'x' is kept") !=
		  print_of(&a.graph, "x", "'x' is lost"));
	/* digits of names that the file has do count */
	ck_assert(print_of(&a.graph, NULL, "'conv1' is kept") !=
		  print_of(&a.graph, NULL, "'conv2' is kept"));
	/* no graph, names that only look like made ones, an open quote */
	ck_assert(print_of(NULL, "EXP#0", "'EXP#0") != 0);
	ck_assert(print_of(&a.graph, "EXP#99999999999999999999", "") !=
		  print_of(&a.graph, "EXP#7", ""));
	loaded_release(&a);
	loaded_release(&b);
}
END_TEST

static const struct {
	const char *expression;
	const char *named, *unnamed; /* a field that is built, and one that is not */
} needs[] = {
	{ "@bytes > 3", "bytes", "name" },
	{ "op(@producer)/@position", "producer", "bytes" },
	{ "@bytes * 2", "bytes", "name" },
	{ "2 * @bytes", "bytes", "name" },
	{ "(1)*@bytes", "bytes", "name" },
	{ "@*", "name", NULL },
	{ "count(*)", "name", NULL },
	{ "3 div *", "name", NULL },
	{ "node()", "name", NULL },
	{ "matches(@name, 'bytes*')", "name", "bytes" },
	{ "@is-input", "is-input", "input" },
	{ "'open", NULL, "name" },
};

static bool has(const struct tn_facts *f, const char *name)
{
	for (xmlNodePtr n = xmlDocGetRootElement(f->doc)->children; n; n = n->next)
		if (xmlHasProp(n, (const xmlChar *)name))
			return true;
	return false;
}

/* What is not named is not there. */
START_TEST(only_what_is_named)
{
	struct tn_facts_needs want = { 0 };
	struct tn_facts facts;
	struct loaded l;

	loaded_bytes(&l, "x.json", one_dead, sizeof(one_dead) - 1, NULL);
	loaded_ok(&l, "one dead op");
	tn_facts_need(&want, "tensor | op");
	tn_facts_need(&want, needs[_i].expression);
	ck_assert_int_eq(
		tn_facts_build(&l.graph, NULL, NULL, &want, &l.arena, &facts), TN_OK);
	if (needs[_i].named && strcmp(needs[_i].named, "is-input") != 0)
		ck_assert_msg(has(&facts, needs[_i].named), "%s: no %s",
			needs[_i].expression, needs[_i].named);
	if (needs[_i].unnamed)
		ck_assert_msg(!has(&facts, needs[_i].unnamed), "%s: %s",
			needs[_i].expression, needs[_i].unnamed);
	tn_facts_release(&facts);
	loaded_release(&l);
}
END_TEST

/* Each assertion is about one graph, of which it is true. */
static const char *const truths[] = {
	"count(//op) = 2 and count(//tensor) = 3 and count(//input) = 2",
	"/model/@ops = 2 and /model/@inputs = 1 and /model/@format = 'native'",
	"/model/@float-ops = 2 and /model/@quantized-ops = 0 and not(/model/@lossy)",
	"//op[1]/@type = 'EXP' and //op[2]/@position = 1 and //op[@float]",
	"//op[1]/@access = 'pointwise' and not(//op[@elided])",
	"//tensor[1]/@shape = '2x3' and //tensor[1]/@bytes = 24 and //tensor[1]/@rank = "
	"2",
	"//tensor[1]/@readers = 2 and not(//tensor[1]/@producer)",
	"//tensor[1]/@is-input and //tensor[3]/@is-output and not(//tensor[2]/@is-input)",
	"tensor(2)/@name = 'y' and op(tensor(2)/@producer)/@type = 'NEG'",
	"not(tensor(3)) and not(tensor(-1)) and not(op(0 div 0)) and not(op(1 div 0))",
	"//op[1]/output/@name = 'd'",
	"tensor(0)/@first = 0 and tensor(0)/@last = 2 and tensor(2)/@last = 2",
	"tensor(1)/@root = 1 and tensor(1)/@offset = 0 and not(tensor(1)/@same-name)",
	"//op[1]/candidate/@verdict = 'rejected' and //candidate/@obligation",
	"count(//op | //tensor | //op) = 5 and name((//op | //tensor)[1]) = 'tensor'",
	"//op[2]/preceding-sibling::op and //op[1]/preceding::tensor[1]/@index = 2",
	"string(//tensor[1]) = '' and sum(//tensor/@bytes) = 72",
	"inputs()/@name = 'x' and count(outputs()) = 1 and not(constants() | "
	"variables())",
	"count(ops('E* NEG')) = 2 and count(tensors('f32')) = 3 and not(tensors('i8'))",
	"//op[1]/@in-place = 'O2' and //op[2]/@in-place = 'O2' and tensor(0)/@reader = 0",
	"matches('conv_1', 'conv_?') and not(matches('a', 'b'))",
};

START_TEST(assertions)
{
	const struct tn_rule rule = { .id = "a/b",
		.title = "is so",
		.severity = SEVERITY_ERROR,
		.context = "/model",
		.assertion = truths[_i] };
	const struct tn_rule_set rules = { &rule, 1 };
	struct loaded l;

	loaded_bytes(&l, "x.json", one_dead, sizeof(one_dead) - 1, NULL);
	loaded_ok(&l, "one dead op");
	ck_assert_int_eq(
		tn_rules_check(&rules, NULL, &l.graph, NULL, NULL, &l.arena, &l.diags),
		TN_OK);
	ck_assert_msg(l.diags.list.count == 0, "%s", truths[_i]);
	loaded_release(&l);
}
END_TEST

static struct tn_known known(const char *file, uint64_t print, uint32_t count)
{
	return (struct tn_known){ file, "a/b", print, count,
		"it <is> \"so\" & \x01\xff" };
}

START_TEST(baselines)
{
	struct tn_known list[] = { known("b", 1, 1), known("a", 2, 1), known("a", 1, 1),
		known("a", 2, UINT32_MAX) };
	struct tn_baseline b = { list, 4, "/" };
	struct tn_strbuf text;

	tn_baseline_sort(&b);
	ck_assert_uint_eq(b.n, 3);
	ck_assert_uint_eq(tn_baseline_find(&b, "a", 2)->count, UINT32_MAX);
	ck_assert_ptr_null(tn_baseline_find(&b, "c", 2));
	tn_baseline_find(&b, "b", 1)->count = 0;
	ck_assert_ptr_null(tn_baseline_find(&b, "b", 1));
	tn_strbuf_init(&text);
	tn_baseline_write(&b, &text);
	ck_assert(!text.failed);
	ck_assert(strstr(text.text, "it &lt;is&gt; &quot;so&quot; &amp; ?\?</finding>"));
	tn_strbuf_release(&text);
}
END_TEST

/* XML holds all characters but few: what it can hold is not spelled out. */
START_TEST(baselines_of_any_language)
{
	static const char yen[] = "\xef\xbf\xa5", replacement[] = "\xef\xbf\xbd";
	struct tn_known k = { "\xef\xbf\xa5\xef\xbf\xbe", "a/b", 1, 1,
		"\xef\xbf\xa5\xef\xbf\xbd\xef\xbf\xbf" };
	struct tn_baseline b = { &k, 1, "/" };
	struct tn_strbuf text;
	const char *message;

	tn_strbuf_init(&text);
	tn_baseline_write(&b, &text);
	ck_assert(!text.failed);
	ck_assert(strstr(text.text, "file=\"\xef\xbf\xa5\\xef\\xbf\\xbe\""));
	message = strstr(strstr(text.text, "<finding"), ">") + 1;
	ck_assert(strncmp(message, yen, 3) == 0);
	ck_assert(strncmp(message + 3, replacement, 3) == 0);
	ck_assert(strncmp(message + 6, "?</finding>", 11) == 0);
	tn_strbuf_release(&text);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("rules");
	TCase *tc = tcase_create("rules");

	tcase_add_loop_test(tc, patterns, 0, COUNT(globs));
	tcase_add_loop_test(tc, relative_names, 0, COUNT(names));
	tcase_add_test(tc, folders);
	tcase_add_test(tc, fingerprints);
	tcase_add_loop_test(tc, only_what_is_named, 0, COUNT(needs));
	tcase_add_loop_test(tc, assertions, 0, COUNT(truths));
	tcase_add_test(tc, baselines);
	tcase_add_test(tc, baselines_of_any_language);
	suite_add_tcase(s, tc);
	return s;
}
