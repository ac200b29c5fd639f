/* Names as they are shown: what of them is spelled out, cut or left out. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "report/escape.h"

static const struct escape_case {
	const char *name, *in, *visible;
	size_t width;
} escapes[] = {
	{ "plain", "conv1/out", "conv1/out", 9 },
	{ "empty", "", "", 0 },
	{ "escape sequence", "\x1b[31m", "\\x1b[31m", 8 },
	{ "line break", "a\nb", "a\\x0ab", 6 },
	{ "umlaut",
		"gr\xc3\xb6\xc3\x9f"
		"e",
		"gr\xc3\xb6\xc3\x9f"
		"e",
		5 },
	{ "wide",
		"\xe5\xb1\xa4"
		"1",
		"\xe5\xb1\xa4"
		"1",
		3 },
	{ "combining", "e\xcc\x81", "e\xcc\x81", 1 },
	{ "Devanagari: a mark of no width and one of its own",
		"\xe0\xa4\xa8\xe0\xa5\x8d\xe0\xa4\xbe",
		"\xe0\xa4\xa8\xe0\xa5\x8d\xe0\xa4\xbe", 2 },
	{ "Thai vowel above", "\xe0\xb8\x81\xe0\xb8\xb5", "\xe0\xb8\x81\xe0\xb8\xb5", 1 },
	{ "Hangul in parts", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab",
		"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2 },
	{ "full width", "\xef\xbc\xa1", "\xef\xbc\xa1", 2 },
	{ "half width", "\xef\xbd\xb1", "\xef\xbd\xb1", 1 },
	{ "ideograph beyond the basic plane", "\xf0\xa0\x80\x80", "\xf0\xa0\x80\x80", 2 },
	{ "picture", "\xf0\x9f\x9a\x80", "\xf0\x9f\x9a\x80", 2 },
	{ "Hangul filler", "\xe3\x85\xa4", "\\u{3164}", 8 },
	{ "joiner of marks", "\xcd\x8f", "\\u{034f}", 8 },
	{ "direction mark",
		"a\xe2\x80\xae"
		"b",
		"a\\u{202e}b", 10 },
	{ "tag above the basic plane", "\xf3\xa0\x80\xa0", "\\u{e0020}", 9 },
	{ "lone continuation", "\x80", "\xef\xbf\xbd", 1 },
	{ "overlong", "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd", 2 },
	{ "surrogate", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 3 },
	{ "cut short", "\xe5\xb1", "\xef\xbf\xbd\xef\xbf\xbd", 2 },
};

START_TEST(escape_visible)
{
	const struct escape_case *c = &escapes[_i];
	struct tn_strbuf out;

	tn_strbuf_init(&out);
	tn_escape_visible(&out, c->in);
	ck_assert_msg(strcmp(out.text ? out.text : "", c->visible) == 0, "%s: %s",
		c->name, out.text);
	ck_assert_msg(tn_escape_width(c->in) == c->width, "%s: %zu", c->name,
		tn_escape_width(c->in));
	tn_strbuf_release(&out);
}
END_TEST

/* Of several lines each is shown as it is alone. */
START_TEST(escape_lines)
{
	struct tn_strbuf in, out, want;

	tn_strbuf_init(&in);
	tn_strbuf_init(&out);
	tn_strbuf_init(&want);
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		const struct escape_case *c = &escapes[i];

		if (strchr(c->in, '\n'))
			continue;
		tn_strbuf_printf(&in, "%s\n\t%s\r\n\n", c->in, c->in);
		tn_strbuf_printf(&want, "%s\n\t%s\\x0d\n\n", c->visible, c->visible);
	}
	tn_escape_lines(&out, in.text);
	ck_assert_str_eq(out.text, want.text);
	out.len = 0;
	tn_escape_lines(&out, "");
	ck_assert_uint_eq(out.len, 0);
	tn_strbuf_release(&in);
	tn_strbuf_release(&out);
	tn_strbuf_release(&want);
}
END_TEST

START_TEST(escape_short_keeps_to_its_columns)
{
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		for (size_t columns = 4; columns < 12; columns++) {
			struct tn_strbuf out;

			tn_strbuf_init(&out);
			tn_escape_short(&out, escapes[i].in, columns);
			ck_assert_msg(
				tn_escape_width(out.text ? out.text : "") <= columns,
				"%s in %zu columns: '%s'", escapes[i].name, columns,
				out.text);
			tn_strbuf_release(&out);
		}
	}
}
END_TEST

/* Names that a converter has joined: what is left says which tensor it is. */
static const struct {
	const char *in;
	size_t columns;
	const char *out;
} joined[] = {
	{ "a/Relu;b/Bias", 13, "a/Relu;b/Bias" },
	{ "a/Relu;b/Bias", 12, "a/Relu.." },
	{ "a/Relu;b/Bias", 8, "a/Relu.." },
	{ "a/Relu;b/Bias", 7, "a..Relu" },
	{ "block/a/Relu;b/Bias", 11, "blo..a/Relu" },
	{ ";b/Bias/of/it", 8, ";b..f/it" },
	{ "\xe5\xb1\xa4\xe5\xb1\xa4;\xe5\xb1\xa4", 6, "\xe5\xb1\xa4\xe5\xb1\xa4.." },
	{ "a\nb;c;d;e;f", 8, "a\\x0ab.." },
};

START_TEST(joined_names_are_cut_to_the_first)
{
	struct tn_strbuf out;

	tn_strbuf_init(&out);
	tn_escape_short(&out, joined[_i].in, joined[_i].columns);
	ck_assert_str_eq(out.text, joined[_i].out);
	tn_strbuf_release(&out);
}
END_TEST

/* At most four marks of a letter are drawn; those of one are not those of the next. */
static const struct {
	const char *name, *letter;
} bases[] = {
	{ "one", "a" },
	{ "several in a row", "abc" },
	{ "wide", "\xe5\xb1\xa4" },
	{ "a letter and a wide one", "ab\xe5\xb1\xa4" },
	{ "spelled out", "\xe2\x80\xae" },
};

START_TEST(marks_are_counted_for_each_letter)
{
	for (int marks = 0; marks < 7; marks++) {
		struct tn_strbuf in, want, out;

		tn_strbuf_init(&in);
		tn_strbuf_init(&want);
		tn_strbuf_init(&out);
		for (int k = 0; k < 3; k++) {
			tn_strbuf_puts(&in, bases[_i].letter);
			tn_escape_visible(&want, bases[_i].letter);
			for (int m = 0; m < marks; m++) {
				tn_strbuf_puts(&in, "\xcc\x81");
				tn_strbuf_puts(&want, m < 4 ? "\xcc\x81" : "");
			}
		}
		tn_escape_short(&out, in.text, 80);
		ck_assert_msg(strcmp(out.text, want.text) == 0,
			"%s, %d marks: '%s' not '%s'", bases[_i].name, marks, out.text,
			want.text);
		tn_strbuf_release(&in);
		tn_strbuf_release(&want);
		tn_strbuf_release(&out);
	}
}
END_TEST

/* Letters of more than one code point are cut in front of, or behind. */
static const struct {
	const char *name, *letter;
} letters[] = {
	{ "accent", "e\xcc\x81" },
	{ "two accents on a wide one", "\xe5\xb1\xa4\xcc\x81\xcc\x82" },
	{ "virama and vowel", "\xe0\xa4\xa8\xe0\xa5\x8d\xe0\xa4\xbe" },
	{ "Hangul in parts", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab" },
	{ "keycap", "1\xef\xb8\x8f\xe2\x83\xa3" },
	{ "skin", "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd" },
	{ "flag", "\xf0\x9f\x87\xa8\xf0\x9f\x87\xb3" },
	{ "joined, the joiner spelled out",
		"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb" },
};

/* `text` without the letter in front, as often as it stands there. */
static const char *after_letters(const char *text, const char *letter)
{
	while (strncmp(text, letter, strlen(letter)) == 0)
		text += strlen(letter);
	return text;
}

START_TEST(letters_are_not_cut)
{
	char name[1024] = "";
	struct tn_strbuf letter, out;
	size_t width;

	tn_strbuf_init(&letter);
	tn_escape_visible(&letter, letters[_i].letter);
	width = tn_escape_width(letters[_i].letter);
	for (int k = 0; k < 16; k++) {
		const size_t len = strlen(name);

		snprintf(name + len, sizeof(name) - len, "%s", letters[_i].letter);
		for (size_t columns = 4; columns <= width * ((size_t)k + 1); columns++) {
			const char *rest;

			tn_strbuf_init(&out);
			tn_escape_short(&out, name, columns);
			ck_assert_msg(tn_escape_width(out.text) <= columns,
				"%s: '%s' in %zu", letters[_i].name, out.text, columns);
			rest = after_letters(out.text, letter.text);
			if (strncmp(rest, "..", 2) == 0)
				rest = after_letters(rest + 2, letter.text);
			ck_assert_msg(
				!*rest, "%s: cut in '%s'", letters[_i].name, out.text);
			/* as many as find room in both parts */
			ck_assert_uint_ge(strlen(out.text) / strlen(letter.text) + 2,
				(columns - 2) / width);
			tn_strbuf_release(&out);
		}
	}
	tn_strbuf_release(&letter);
}
END_TEST

static const struct {
	int64_t value;
	const char *text;
} numbers[] = {
	{ 0, "0" },
	{ 999, "999" },
	{ 1000, "1,000" },
	{ -1234567, "-1,234,567" },
	{ INT64_MAX, "9,223,372,036,854,775,807" },
	{ INT64_MIN, "-9,223,372,036,854,775,808" },
};

START_TEST(escape_number)
{
	struct tn_strbuf out;

	tn_strbuf_init(&out);
	tn_escape_number(&out, numbers[_i].value);
	ck_assert_str_eq(out.text, numbers[_i].text);
	tn_strbuf_release(&out);
}
END_TEST

#define LOOP(tc, fn, table)                                                              \
	tcase_add_loop_test((tc), (fn), 0, (int)(sizeof(table) / sizeof(*(table))))

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("escape");
	TCase *tc = tcase_create("names");

	LOOP(tc, escape_visible, escapes);
	tcase_add_test(tc, escape_lines);
	tcase_add_test(tc, escape_short_keeps_to_its_columns);
	tcase_add_loop_test(tc, joined_names_are_cut_to_the_first, 0,
		(int)(sizeof(joined) / sizeof(*joined)));
	LOOP(tc, marks_are_counted_for_each_letter, bases);
	LOOP(tc, letters_are_not_cut, letters);
	LOOP(tc, escape_number, numbers);
	suite_add_tcase(suite, tc);
	return suite;
}
