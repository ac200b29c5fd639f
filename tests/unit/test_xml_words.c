/* Words and numbers in our XML files: what a schema lets pass is what its reader takes. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "board/board.h"
#include "claims/declared.h"
#include "rules/baseline.h"
#include "rules/config.h"
#include "suite.h"

/* What a reader made of the attribute that a row is about; `at` is the row's. */
enum field {
	READS,
	HOLD,
	ORDER,
	WINDOW,
	DISPLACEMENT,
	KIND,
	CHIP,
	KIB,
	BASE,
	COST,
	MHZ,
	SEVERITY,
	GROUND,
	OFF_OR_SEVERITY,
	PROFILE,
	EXECUTION,
	FAIL_ON,
	RAM,
	COUNT,
};

struct input {
	const char *file;
	struct tn_arena arena;
	struct tn_diags diags;
	enum field field;
	int64_t value;
};

static enum tn_status read_contracts(struct input *in)
{
	struct tn_declared all = { 0 };
	enum tn_status status = tn_declared_read(in->file, &in->arena, &in->diags, &all);

	if (status == TN_OK && all.n) {
		const struct tn_declaration *d = all.items;

		in->value = in->field == READS	  ? (int64_t)d->access
			    : in->field == HOLD	  ? (int64_t)d->hold
			    : in->field == ORDER  ? (int64_t)d->descending
			    : in->field == WINDOW ? (int64_t)d->window
						  : d->displacement;
	}
	return status;
}

static enum tn_status read_boards(struct input *in)
{
	struct tn_boards all = { 0 };
	enum tn_status status = tn_boards_read(in->file, &in->arena, &in->diags, &all);

	if (status == TN_OK && all.n) {
		const struct tn_board_memory *m = &all.list[0].memories[1];

		in->value = in->field == KIND	? (int64_t)m->is_flash
			    : in->field == CHIP ? (int64_t)m->outside
			    : in->field == KIB	? m->bytes / 1024
			    : in->field == BASE ? m->base
			    : in->field == COST ? m->cost
						: all.list[0].mhz;
	}
	return status;
}

static enum tn_status read_rules(struct input *in)
{
	struct tn_rule_set all = { 0 };
	enum tn_status status = tn_rules_read(in->file, &in->arena, &in->diags, &all);

	if (status == TN_OK && all.n)
		in->value = in->field == SEVERITY ? (int64_t)all.items[0].severity
						  : (int64_t)all.items[0].grounds[0].kind;
	return status;
}

/* Texts by their first letter: those of an attribute differ in it. */
static enum tn_status read_config(struct input *in)
{
	struct tn_config c;
	enum tn_status status = tn_config_read(in->file, &in->arena, &in->diags, &c);

	if (status != TN_OK)
		return status;
	in->value = in->field == OFF_OR_SEVERITY
			    ? (c.rules[0].off ? -1 : (int64_t)c.rules[0].severity)
		    : in->field == PROFILE   ? c.profile[0]
		    : in->field == EXECUTION ? c.execution[0]
		    : in->field == FAIL_ON   ? c.fail_on[0]
					     : c.budgets[0].ram;
	return status;
}

static enum tn_status read_baseline(struct input *in)
{
	struct tn_baseline b;
	enum tn_status status = tn_baseline_read(in->file, &in->arena, &in->diags, &b);

	if (status == TN_OK && b.n)
		in->value = b.items[0].count;
	return status;
}

#define KERNEL(rest)                                                                     \
	"<contracts format='tenure.contracts/1' runtime='R'><kernel op='ADD' " rest      \
	">as its source says</kernel></contracts>"
#define BOARD(mhz, memory)                                                               \
	"<boards format='tenure.boards/1'><board id='b' title='B' cpu='cortex-m4' "      \
	"mhz='" mhz "'><memory name='a' kind='ram' kib='8'/><memory name='m' " memory    \
	"/><source>s</source></board></boards>"
#define RULE(severity, kind)                                                             \
	"<rules format='tenure.rules/1'><rule id='a/b' severity='" severity              \
	"'><title>t</title><check context='//op' assert='true()'/>"                      \
	"<ground kind='" kind "' ref='o/r#1'>g</ground></rule></rules>"
#define PLAIN_GROUND(kind)                                                               \
	"<rules format='tenure.rules/1'><rule id='a/b' severity='note'><title>t</title>" \
	"<check context='//op' assert='true()'/><ground kind='" kind                     \
	"'>g</ground></rule></rules>"
#define CONFIG(root, rest) "<tenure format='tenure.config/1' " root ">" rest "</tenure>"

/* Each enumerated attribute of the schemas, with all of its words; and numbers. */
static const struct {
	const char *schema, *attribute, *text;
	const char *words[5];
	enum tn_status (*read)(struct input *in);
	enum field field;
} rows[] = {
	{ "contracts", "reads", KERNEL("reads='%s'"),
		{ "element", "loop", "all-first", "update", "any-time" }, read_contracts,
		READS },
	{ "contracts", "hold", KERNEL("reads='loop' hold='%s'"), { "none", "pixel" },
		read_contracts, HOLD },
	{ "contracts", "order", KERNEL("reads='loop' order='%s'"),
		{ "ascending", "descending" }, read_contracts, ORDER },
	{ "contracts", "window", KERNEL("reads='loop' window='%s'"),
		{ "1x1", "1xn", "kxk" }, read_contracts, WINDOW },
	{ "contracts", "displacement", KERNEL("displacement='%s'"),
		{ "-12", "0", "8", "010" }, read_contracts, DISPLACEMENT },
	{ "boards", "kind", BOARD("64", "kind='%s' kib='8'"), { "ram", "flash" },
		read_boards, KIND },
	{ "boards", "chip", BOARD("64", "kind='ram' chip='%s' kib='8'"),
		{ "inside", "outside" }, read_boards, CHIP },
	{ "boards", "kib", BOARD("64", "kind='ram' kib='%s'"), { "8", "010", "+12" },
		read_boards, KIB },
	{ "boards", "base", BOARD("64", "kind='ram' kib='8' base='%s'"),
		{ "0x10", "0x20000000" }, read_boards, BASE },
	{ "boards", "cost", BOARD("64", "kind='ram' kib='8' cost='%s'"),
		{ "8", "010", "12" }, read_boards, COST },
	{ "boards", "mhz", BOARD("%s", "kind='ram' kib='8'"), { "8", "010", "12" },
		read_boards, MHZ },
	{ "rules", "severity", RULE("%s", "bug"), { "note", "warning", "error" },
		read_rules, SEVERITY },
	{ "rules", "kind", PLAIN_GROUND("%s"), { "format", "bytes" }, read_rules,
		GROUND },
	{ "rules", "kind", RULE("note", "%s"), { "bug" }, read_rules, GROUND },
	{ "config", "severity", CONFIG("", "<rule id='a/b' severity='%s'/>"),
		{ "off", "note", "warning", "error" }, read_config, OFF_OR_SEVERITY },
	{ "config", "profile", CONFIG("profile='%s'", ""), { "inference", "training" },
		read_config, PROFILE },
	{ "config", "execution", CONFIG("execution='%s'", ""),
		{ "sequential", "parallel" }, read_config, EXECUTION },
	{ "config", "fail-on", CONFIG("fail-on='%s'", ""), { "error", "warning", "note" },
		read_config, FAIL_ON },
	{ "config", "ram", CONFIG("", "<budget ram='%s'/>"), { "8", "010", "1K", "1M" },
		read_config, RAM },
	{ "baseline", "count",
		"<baseline format='tenure.baseline/1'><finding file='f' rule='a/b' "
		"fingerprint='0123456789abcdef' count='%s'>m</finding></baseline>",
		{ "8", "010", "12" }, read_baseline, COUNT },
};
#define ROWS ((int)(sizeof(rows) / sizeof(*rows)))

static enum tn_status read_word(int row, const char *word, int64_t *out)
{
	struct input in = { .field = rows[row].field, .value = INT64_MIN };
	char name[] = "/tmp/tenure-words-XXXXXX";
	const int fd = mkstemp(name);
	const char *mark = strstr(rows[row].text, "%s");
	enum tn_status status;
	FILE *file;

	ck_assert(fd >= 0 && mark);
	file = fdopen(fd, "w");
	ck_assert_ptr_ne(file, NULL);
	fprintf(file, "%.*s%s%s", (int)(mark - rows[row].text), rows[row].text, word,
		mark + 2);
	ck_assert_int_eq(fclose(file), 0);
	in.file = name;
	tn_arena_init(&in.arena);
	tn_diags_init(&in.diags, &in.arena);
	status = rows[row].read(&in);
	ck_assert_msg((status == TN_OK) == !in.diags.errors, "%s %s='%s': %s",
		rows[row].schema, rows[row].attribute, word,
		in.diags.list.count ? in.diags.list.items[0].message : "no message");
	tn_arena_release(&in.arena);
	unlink(name);
	*out = in.value;
	return status;
}

/* White space around a word is none of it, however it is written. */
START_TEST(white_space)
{
	static const char *const pads[][2] = { { " ", "" }, { "", " " },
		{ "\n\t", "\r\n" }, { "&#10;&#32;", "&#9;&#13;" } };
	int64_t values[5];
	char text[64];

	for (int w = 0; w < 5 && rows[_i].words[w]; w++) {
		const char *word = rows[_i].words[w];

		ck_assert_msg(read_word(_i, word, &values[w]) == TN_OK, "%s='%s'",
			rows[_i].attribute, word);
		for (int k = 0; k < w; k++)
			ck_assert_msg(values[k] != values[w], "%s='%s' is read as '%s'",
				rows[_i].attribute, word, rows[_i].words[k]);
		for (size_t p = 0; p < sizeof(pads) / sizeof(*pads); p++) {
			int64_t padded;

			snprintf(text, sizeof(text), "%s%s%s", pads[p][0], word,
				pads[p][1]);
			ck_assert_msg(read_word(_i, text, &padded) == TN_OK &&
					      padded == values[w],
				"%s %s='%s': %" PRId64 ", not %" PRId64, rows[_i].schema,
				rows[_i].attribute, text, padded, values[w]);
		}
	}
}
END_TEST

START_TEST(unknown_words)
{
	static const char *const wrong[] = { "", " ", "nosuch", "&#xa0;%s", "%s%s",
		"%s %s", "%s,", "x%s" };
	const char *word = rows[_i].words[0];
	char text[64];
	int64_t value;

	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
		char *at = text;

		for (const char *from = wrong[k]; *from; from++) {
			if (from[0] == '%') {
				at += snprintf(at, (size_t)(text + sizeof(text) - at),
					"%s", word);
				from++;
			} else {
				*at++ = *from;
			}
		}
		*at = '\0';
		/* "88" is another number */
		if (strcmp(wrong[k], "%s%s") == 0 && strchr("0123456789", *word))
			continue;
		ck_assert_msg(read_word(_i, text, &value) == TN_ERR_INPUT, "%s %s='%s'",
			rows[_i].schema, rows[_i].attribute, text);
	}
}
END_TEST

static bool has_row(const char *schema, const char *attribute, const char *word)
{
	for (int r = 0; r < ROWS; r++)
		for (int w = 0; w < 5 && rows[r].words[w]; w++)
			if (strcmp(rows[r].schema, schema) == 0 &&
				strcmp(rows[r].attribute, attribute) == 0 &&
				strcmp(rows[r].words[w], word) == 0)
				return true;
	return false;
}

/* The text between `at` and the mark, which comes before `end`; NULL: it does not. */
static const char *part(
	struct tn_arena *arena, const char *at, const char *mark, const char *end)
{
	const char *stop = strstr(at, mark);

	return stop && stop < end ? tn_arena_strndup(arena, at, (size_t)(stop - at))
				  : NULL;
}

static const char *const schemas[] = { "baseline", "boards", "config", "contracts",
	"rules" };

/* The table has every word of every enumerated attribute. */
START_TEST(all_words)
{
	const char *schema = schemas[_i], *at;
	struct tn_source *source;
	struct tn_arena arena;
	struct tn_diags diags;
	int words = 0;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ck_assert_int_eq(tn_file_read(&arena, &diags,
				 tn_arena_printf(&arena, "%s/%s.rng",
					 tn_test_path("rules"), schema),
				 NULL, &source),
		TN_OK);
	at = source->text;
	while ((at = strstr(at, "<attribute name=\"")) != NULL) {
		const char *end = strstr(at, "</attribute>");
		const char *name;

		ck_assert_ptr_ne(end, NULL);
		at += strlen("<attribute name=\"");
		name = part(&arena, at, "\"", end);
		while ((at = strstr(at, "<value>")) != NULL && at < end) {
			at += strlen("<value>");
			words++;
			ck_assert_msg(strcmp(name, "format") == 0 ||
					      has_row(schema, name,
						      part(&arena, at, "<", end + 1)),
				"%s.rng: %s='%s' has no row", schema, name,
				part(&arena, at, "<", end + 1));
		}
		at = end;
	}
	ck_assert_int_ge(words, 1);
	tn_arena_release(&arena);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("xml_words");
	TCase *tc = tcase_create("attributes");

	tcase_add_loop_test(tc, white_space, 0, ROWS);
	tcase_add_loop_test(tc, unknown_words, 0, ROWS);
	tcase_add_loop_test(tc, all_words, 0, (int)(sizeof(schemas) / sizeof(*schemas)));
	suite_add_tcase(s, tc);
	return s;
}
