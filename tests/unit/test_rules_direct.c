/* Checks that are read from the graph give what the document of facts gives. */
#include <string.h>

#include "loaded.h"
#include "rules/check.h"
#include "rules/direct.h"
#include "suite.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof(*(list))))

static bool is_direct(const struct tn_rule *rule)
{
	struct tn_arena arena;
	struct tn_direct check;
	bool nomem, direct;

	tn_arena_init(&arena);
	direct = tn_direct_compile(rule, &arena, &check, &nomem);
	ck_assert(!nomem);
	tn_arena_release(&arena);
	return direct;
}

/* The same rule, spelled so that it must be asked of the document. */
static struct tn_rule by_document(const struct tn_rule *rule, struct tn_arena *arena)
{
	struct tn_rule other = *rule;

	other.assertion =
		tn_arena_printf(arena, "(%s) or count(/model) = 0", rule->assertion);
	return other;
}

/* What one rule says of a graph; its order counts. */
static const char *said(struct loaded *l, const struct tn_rule *rule)
{
	const struct tn_rule_set rules = { rule, 1 };
	const struct tn_diags before = l->diags;
	enum tn_status status;
	const char *text;

	l->diags = (struct tn_diags){ 0 };
	tn_diags_init(&l->diags, &l->arena);
	status =
		tn_rules_check(&rules, NULL, &l->graph, NULL, NULL, &l->arena, &l->diags);
	text = loaded_report(l);
	ck_assert_msg(status == TN_OK, "%s: %s", rule->assertion, text);
	l->diags = before;
	return text;
}

static void same_both_ways(struct loaded *l, const struct tn_rule *rule, const char *what)
{
	const struct tn_rule other = by_document(rule, &l->arena);
	const char *direct = said(l, rule), *document = said(l, &other);

	ck_assert_msg(is_direct(rule) && !is_direct(&other), "%s, %s", rule->id, what);
	ck_assert_msg(strcmp(direct, document) == 0,
		"%s, %s:\nfrom the graph:\n%s\nfrom the document:\n%s", rule->id, what,
		direct, document);
}

/* ---- expressions ---- */

/* Two ops, an absent operand, names that are equal, a quantised view, a variable. */
static const char sample[] =
	"{\"format\": \"tenure.graph/1\", \"name\": \"sample\", \"tensors\": ["
	"{\"name\": \"x\", \"dtype\": \"i8\", \"shape\": [4, 2, 3], \"role\": \"input\","
	" \"quantization\": {\"scale\": 0.5, \"zero_point\": 3}},"
	"{\"name\": \"same\", \"dtype\": \"i8\", \"shape\": [4, 2, 3],"
	" \"quantization\": {\"scale\": 0.5, \"zero_point\": 3}},"
	"{\"name\": \"12\", \"dtype\": \"i8\", \"shape\": [24], \"role\": \"output\"},"
	"{\"name\": \"w\", \"dtype\": \"i64\", \"shape\": [2], \"role\": \"const\","
	" \"data\": {\"values\": [1, 2]}},"
	"{\"name\": \"v\", \"dtype\": \"f32\", \"shape\": [], \"role\": \"variable\"}],"
	"\"ops\": [{\"name\": \"a\", \"type\": \"RELU\", \"inputs\": [\"x\"],"
	" \"outputs\": [\"same\"]}, {\"name\": \"b\", \"type\": \"Odd\", \"inputs\":"
	" [\"same\", null, \"w\"], \"outputs\": [\"12\"]}]}";

static const struct {
	const char *context, *assertion, *message;
} checks[] = {
	{ "//op", "false()", "{@index} {@name} {@type} {@position} {@access}" },
	{ "//op", "@elided or @quantized or @float", "{@in-place}|{@quantized}" },
	{ "//op", "input[2]/@bytes > 0",
		"{input[1]/@name} {input[2]/@name} {input[9]/@name}" },
	{ "//op", "not(input[2]/@bytes > 0)", "{output[1]/@shape}{output[2]/@shape}" },
	{ "//op", "input[2]/@bytes != 0", "{input[3]/@constant}{input[3]/@dtype}" },
	{ "//op[@name != 'a']", "input[3]/@readers = input[1]/@readers + 1",
		"{{{@name}}" },
	{ "//op[input[1]/@role = 'input'][@position < 1]", "@index = 1", NULL },
	{ "ops('RELU O*')[output[1]/@is-output]", "@name = 'c'", "'}' {'}'}" },
	{ "//tensor", "false()",
		"{@index} {@name} {@dtype} {@rank} {@shape} {@elements}" },
	{ "//tensor", "false()", "{@bytes} {@role} {@constant} {@is-input}{@is-output}" },
	{ "//tensor", "false()", "{@scales} {@zero-points} {@channel} {@view-of}" },
	{ "//tensor", "false()", "{@producer} {@reader} {@readers} {@same-name}" },
	{ "//tensor", "false()",
		"{@first} {@last} {@root} {@offset} {@region}{@address}" },
	{ "//tensor", "@name = 12", "{@name + 1} {@name * 2 - 3} {-@name}" },
	{ "//tensor", "@name != 12",
		"{@bytes div 7} {@bytes mod 7} {1 div 0} {0 div 0}" },
	{ "//tensor", "@name < 13", "{1 div 3} {1000000 * 1000000 * 1000000} {-0.5}" },
	{ "//tensor", "not(@producer = @reader)", "{@producer = @reader}" },
	{ "//tensor", "@producer < @reader", "{@producer < @reader}" },
	{ "//tensor", "@producer != @reader", "{@producer != @reader}" },
	{ "//tensor", "@is-input = true()",
		"{true() = @is-input} {@is-input != false()}" },
	{ "//tensor", "@is-input < true()", "{@bytes < true()} {true() >= @bytes}" },
	{ "//tensor", "@bytes > '23'", "{'24' = @bytes} {'2' < '10'} {'a' = 'a'}" },
	{ "//tensor", "'' or 0 or 0 div 0",
		"{not('')} {not(0)} {not(0 div 0)} {not('0')}" },
	{ "//tensor", "op(@producer)/@name = 'b'", "{op(@reader)/@name}{op(-1)/@name}" },
	{ "//tensor", "tensor(@index + 1)/@bytes >= @bytes", "{tensor(99)/@bytes}" },
	{ "//tensor[not(@constant)]", "contains(@name, 'a') or starts-with(@name, 'x')",
		"{contains(@name, '')} {starts-with(@name, @name)}" },
	{ "//tensor", "substring-before(@shape, 'x') <= 3",
		"{substring-before(@shape, 'x')}|{substring-after(@shape, 'x')}|"
		"{substring-after(@shape, '')}|{substring-before(@shape, 'z')}" },
	{ "//tensor", "matches(@name, '?') and @rank > 0 or @dtype = 'f32'", NULL },
	{ "//tensor", "@rank = 1 or @rank = 3 and @is-input", "{1 - 2 - 3} {2 * 3 + 4}" },
	{ "//tensor", "(@rank = 1 or @rank = 3) and @is-input",
		"{8 div 2 div 2} {5 - -3}" },
	{ "tensors('i* f32')", "@elements = 24", "{@elements}" },
	{ "inputs()", "false()", "{@name}" },
	{ "outputs()[@readers = 0]", "false()", "{@name}" },
	{ "constants()", "@bytes <= 8", "{@name} of {/model/@constant-bytes}" },
	{ "variables()", "@producer", "{@name}: {@shape}" },
	{ "/model", "@lossy",
		"{@name} {@format} {@ops} {@tensors} {@inputs} {@outputs}" },
	{ "/model[@ops = 2]", "/model/@ops = 3",
		"{@float-ops} {@quantized-ops} {@arena}" },
	{ "//op", "@bytes or /model/@bytes or @name = ''", "{@bytes}{@shape}" },
};

START_TEST(expressions)
{
	const struct tn_rule rule = { .id = "a/b",
		.title = "the title",
		.severity = SEVERITY_NOTE,
		.fix = "mend it",
		.context = checks[_i].context,
		.assertion = checks[_i].assertion,
		.message = checks[_i].message };
	struct loaded l;

	loaded_bytes(&l, "x.json", sample, sizeof(sample) - 1, NULL);
	loaded_ok(&l, "the sample");
	same_both_ways(&l, &rule, checks[_i].assertion);
	loaded_release(&l);
}
END_TEST

/* What is not in this part of XPath, or in none, is left to the document. */
static const struct {
	const char *context, *assertion, *message;
} others[] = {
	{ "//op[1]", "true()", NULL }, /* a position */
	{ "//op[@index + 1]", "true()", NULL },
	{ "//op | //tensor", "true()", NULL },
	{ "//op/input", "true()", NULL },
	{ "//operand", "true()", NULL },
	{ "//tensor", "input[1]/@name", NULL }, /* a tensor has none */
	{ "//op", "input/@name = 'x'", NULL }, /* any of them */
	{ "//op", "input[last()]/@name", NULL },
	{ "//op", "input[1]/@name[. = 'x']", NULL },
	{ "//op", "@nothing", NULL },
	{ "//op", "child::input", NULL },
	{ "//op", "count(input) = 2", NULL },
	{ "//op", "--1 = 1", NULL },
	{ "//op", "1e3 = 1000", NULL },
	{ "//op", "@name = 'open", NULL },
	{ "//op", "(@name", NULL },
	{ "//op", "@name)", NULL },
	{ "//op", "not(@name, 1)", NULL },
	{ "//op", "", NULL },
	{ "//op", "true()", "{@name" },
	{ "//op", "true()", "{count(input)}" },
	{ "ops(@name)", "true()", NULL },
};

START_TEST(left_to_the_document)
{
	const struct tn_rule rule = { .id = "a/b",
		.context = others[_i].context,
		.assertion = others[_i].assertion,
		.message = others[_i].message };

	ck_assert_msg(
		!is_direct(&rule), "%s: %s", others[_i].context, others[_i].assertion);
}
END_TEST

START_TEST(nested_too_deep)
{
	static char deep[4096];
	struct tn_rule rule = { .id = "a/b", .context = "//op", .assertion = deep };

	memset(deep, '(', 2000);
	deep[2000] = '1';
	memset(deep + 2001, ')', 2000);
	ck_assert(!is_direct(&rule));
}
END_TEST

/* ---- the rules that come with the program ---- */

static const struct tn_rule_set *shipped;

static void check_file(const char *path)
{
	struct loaded l;

	loaded_file(&l, path, NULL);
	for (size_t i = 0; l.status == TN_OK && i < shipped->n; i++)
		if (shipped->items[i].context)
			same_both_ways(&l, &shipped->items[i], path);
	loaded_release(&l);
}

START_TEST(shipped_rules)
{
	static const char *const folders[] = { "fixtures/graphs", "fixtures/rules",
		"fixtures/branchy", "fixtures/rewrites", "fixtures/foreign" };
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_rule_set rules;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ck_assert_int_eq(tn_rules_shipped(&arena, &diags, &rules), TN_OK);
	shipped = &rules;
	ck_assert_int_gt(each_file(tn_test_path(folders[_i]), ".json", check_file), 0);
	tn_arena_release(&arena);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("rules_direct");
	TCase *tc = tcase_create("direct");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, expressions, 0, COUNT(checks));
	tcase_add_loop_test(tc, left_to_the_document, 0, COUNT(others));
	tcase_add_test(tc, nested_too_deep);
	tcase_add_loop_test(tc, shipped_rules, 0, 5);
	suite_add_tcase(s, tc);
	return s;
}
