#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "report/ascii.h"
#include "report/boxes.h"
#include "report/cover.h"
#include "report/csv.h"
#include "report/dot.h"
#include "report/escape.h"
#include "report/findings.h"
#include "report/github.h"
#include "report/hops.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/sarif.h"
#include "report/svg.h"
#include "report/text.h"
#include "report/trace.h"
#include "report/words.h"
#include "report_sample.h"

/* What each writer must survive: markup of every format it could end up in, control and
 * direction characters, broken UTF-8. */
static const char hostile[] =
	"</script><img src=x onerror=alert(1)>]]>--> \"'`|*_[a](b) @user ${x} "
	"%0A::error::"
	"\x1b[31m\r\n\t\x01 \xff\xc0\xaf \xe2\x80\xae \xed\xa0\x80 {\\N} \\\" &amp;";

static void check_printable(const char *name, const struct tn_strbuf *out)
{
	for (size_t i = 0; i < out->len; i++) {
		unsigned char c = (unsigned char)out->text[i];

		ck_assert_msg(c == '\n' || (c >= 0x20 && c != 0x7f),
			"%s: byte %02x at %zu", name, c, i);
	}
	if (!strstr(name, ".json")) /* data, not meant to be looked at */
		ck_assert_msg(
			!strstr(out->text, "\xe2\x80\xae"), "%s: turns direction", name);
}

START_TEST(permille)
{
	ck_assert_int_eq(tn_permille(1, 3), 333);
	ck_assert_int_eq(tn_permille(7, 3), 2333);
	ck_assert_int_eq(tn_permille(5, 0), 0);
	ck_assert_int_eq(tn_permille(-5, 10), 0);
	ck_assert_int_eq(tn_permille(INT64_MAX / 2 + 1, INT64_MAX), 500);
	ck_assert_int_eq(tn_permille(INT64_MAX, 1), INT64_MAX);
}
END_TEST

/* Against the obvious way: count the bytes. */
START_TEST(cover_counts_bytes)
{
	enum { BYTES = 64, RANGES = 12 };
	uint32_t x = 2463534242u;
	struct tn_arena arena;

	tn_arena_init(&arena);
	for (int round = 0; round < 200; round++) {
		int64_t ends[2 * RANGES], begin[RANGES], end[RANGES];
		bool in[RANGES] = { false };
		struct tn_cover cover;

		for (int i = 0; i < RANGES; i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			begin[i] = x % (BYTES - 8);
			end[i] = begin[i] + 1 + x / 977 % 8;
			ends[2 * i] = begin[i];
			ends[2 * i + 1] = end[i];
		}
		ck_assert_int_eq(tn_cover_init(&cover, &arena, ends, 2 * RANGES), TN_OK);
		for (int move = 0; move < 40; move++) {
			int k = (int)((x = x * 1664525u + 1013904223u) >> 8) % RANGES;
			int64_t bytes = 0, top = 0;

			in[k] = !in[k];
			if (in[k])
				tn_cover_add(&cover, begin[k], end[k]);
			else
				tn_cover_remove(&cover, begin[k], end[k]);
			for (int64_t b = 0; b < BYTES; b++) {
				bool held = false;

				for (int i = 0; i < RANGES; i++)
					held = held ||
					       (in[i] && b >= begin[i] && b < end[i]);
				bytes += held;
				top = held ? b + 1 : top;
			}
			ck_assert_int_eq(tn_cover_bytes(&cover), bytes);
			ck_assert_int_eq(tn_cover_top(&cover), top);
		}
	}
	tn_arena_release(&arena);
}
END_TEST

START_TEST(boxes_of_the_sample)
{
	struct sample s;
	struct tn_boxes boxes;
	const struct tn_box *x, *m;

	sample_make(&s, NULL, NULL);
	ck_assert_int_eq(tn_boxes_find(&s.view, &s.arena, &boxes), TN_OK);
	ck_assert_uint_eq(boxes.n, 11);
	ck_assert_int_eq(boxes.steps, 17);
	x = &boxes.list[boxes.of[S_X]];
	ck_assert(x->begin == 0 && x->end == 2 && x->last == 0);
	ck_assert_int_eq(x->kind, BOX_INPUT);
	/* a view has no box of its own and lengthens its root's life */
	ck_assert_uint_eq(boxes.of[S_E], boxes.of[S_M]);
	m = &boxes.list[boxes.of[S_M]];
	ck_assert(m->begin == 9 && m->end == 14 && m->last == 12);
	ck_assert_uint_eq(boxes.of[S_W1], TN_NONE);
	ck_assert_uint_ne(boxes.scratch_of[S_FC], TN_NONE);
	ck_assert_uint_eq(boxes.n_overlaps, 6);
	ck_assert_int_eq(boxes.overlaps[0].begin, 352);
	ck_assert_int_eq(boxes.overlaps[0].end, 512);
	sample_release(&s);
}
END_TEST

START_TEST(loads_of_the_sample)
{
	static const int64_t live[] = { 512 + 256 - 160 + 512 + 8, 1024, 1536, 1536, 1024,
		1024, 1024 + 10, 522 };
	struct sample s;
	struct tn_load *loads;
	uint32_t peak;

	sample_make(&s, NULL, NULL);
	ck_assert_int_eq(tn_loads_find(&s.view, &s.arena, &loads, &peak), TN_OK);
	for (uint32_t p = 0; p < S_OPS; p++)
		ck_assert_msg(loads[p].live_bytes == live[p], "op %u: %lld", p,
			(long long)loads[p].live_bytes);
	ck_assert_uint_eq(peak, S_DW);
	s.view.plan = NULL; /* sums of what lives, without overlap */
	ck_assert_int_eq(tn_loads_find(&s.view, &s.arena, &loads, &peak), TN_OK);
	ck_assert_uint_eq(peak, S_DW + 1);
	ck_assert_int_eq(loads[S_ADD].live_bytes, 4 * 512);
	sample_release(&s);
}
END_TEST

/* Findings in a text file, in a binary one and in none; out of order; with notes. */
struct found {
	struct sample s;
	struct tn_source text, binary;
};

static const char text_file[] = "{\n  \"gr\xc3\xb6\xc3\x9f"
				"e\": 1, \"tensors\": [\n    {\"name\": \"x\"},\n"
				"    {\"name\": \"y\"}\n  ]\n}\n";

static void report_some(struct found *f)
{
	sample_make(&f->s, NULL, NULL);
	f->text = (struct tn_source){ "models/b, c:100%.json", text_file,
		sizeof(text_file) - 1, true };
	f->binary = (struct tn_source){ "models/a.tflite", "TFL3", 4, false };
	tn_diag_at(&f->s.diags, SEVERITY_WARNING, "memory/missed-reuse", &f->text,
		"/tensors/1", "y", "'y' could take the bytes of 'x'");
	tn_diag_note(&f->s.diags, "saves 1,024 bytes");
	tn_diag_note(&f->s.diags, "see docs/rules/memory-missed-reuse.md");
	tn_diag_at(&f->s.diags, SEVERITY_ERROR, "inplace/later-reader", &f->text,
		"/tensors/0/name", "x", "'x' is read after it was written over");
	tn_diag_at(&f->s.diags, SEVERITY_NOTE, "quant/scale", &f->binary,
		"/subgraphs/0/tensors/3", "z", "scale 0 of 'z'");
	tn_diag_at(&f->s.diags, SEVERITY_ERROR, "file/not-found", NULL, NULL, NULL,
		"there is no such file");
	tn_diag_at(&f->s.diags, SEVERITY_ERROR, "inplace/later-reader", &f->text,
		"/tensors", "x", "'x' is read after it was written over");
	tn_diag_at(&f->s.diags, SEVERITY_ERROR, "inplace/later-reader", &f->text,
		"/tensors/7", "x", "'x' is read after it was written over");
}

START_TEST(findings_are_sorted_and_placed)
{
	static const struct {
		size_t line, column;
	} want[] = { { 0, 0 }, { 0, 0 }, { 2, 28 }, { 2, 28 }, { 3, 14 }, { 4, 5 } };
	struct found f;
	struct tn_view views[2];
	struct tn_findings all;

	report_some(&f);
	views[0] = views[1] = f.s.view; /* one sink, two views: each finding once */
	ck_assert_int_eq(tn_findings_collect(views, 2, &f.s.arena, &all), TN_OK);
	ck_assert_uint_eq(all.n, 6);
	ck_assert(all.errors == 4 && all.warnings == 1 && all.notes == 1);
	for (size_t i = 0; i < all.n; i++)
		ck_assert_msg(all.list[i].line == want[i].line &&
				      all.list[i].column == want[i].column,
			"%zu: %zu:%zu", i, all.list[i].line, all.list[i].column);
	ck_assert_uint_eq(all.list[2].character, 26); /* two letters of two bytes */
	ck_assert_uint_lt(all.list[2].reported, all.list[3].reported);
	sample_release(&f.s);
}
END_TEST

static enum tn_status text_findings(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	return tn_text_findings(views, n, false, out);
}

static enum tn_status text_color(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	return tn_text_findings(views, n, true, out);
}

static enum tn_status text_candidates(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	enum tn_status status = TN_OK;

	for (size_t i = 0; i < n && status == TN_OK; i++)
		status = tn_text_candidates(&views[i], false, out);
	return status;
}

static enum tn_status text_plan(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	enum tn_status status = TN_OK;

	for (size_t i = 0; i < n && status == TN_OK; i++)
		status = tn_text_plan(&views[i], false, out);
	return status;
}

static enum tn_status junit(const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	struct tn_view *strict = calloc(n ? n : 1, sizeof(*strict));
	enum tn_status status;

	ck_assert_ptr_ne(strict, NULL);
	for (size_t i = 0; i < n; i++) {
		strict[i] = views[i];
		strict[i].fail_on = SEVERITY_ERROR;
	}
	status = tn_junit_write(strict, n, out);
	free(strict);
	return status;
}

/* Writers of one view; an empty one has no graph, and they are not asked then. */
static enum tn_status dot(const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	return n && views->g ? tn_dot_write(views, NULL, out) : TN_OK;
}

static enum tn_status dot_focus(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	const struct tn_dot_options options = { { S_MUL }, 1 };

	return n && views->g ? tn_dot_write(views, &options, out) : TN_OK;
}

static enum tn_status csv(const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	return n && views->g ? tn_csv_write(views, out) : TN_OK;
}

static enum tn_status trace(const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	return n && views->g ? tn_trace_write(views, out) : TN_OK;
}

static enum tn_status ascii(const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	return n && views->g ? tn_ascii_write(views, TN_ASCII_COLUMNS, out) : TN_OK;
}

static enum tn_status svg(const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	return n && views->g ? tn_svg_write(views, out) : TN_OK;
}

static enum tn_status hops(const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	enum tn_status status = TN_OK;

	for (uint32_t t = 0; n && views->g && t < S_TENSORS && status == TN_OK; t++)
		status = tn_hops_write(views, (tn_tensor_id){ t }, out);
	return status;
}

static const struct {
	const char *name;
	enum tn_status (*write)(
		const struct tn_view *views, size_t n, struct tn_strbuf *out);
	bool control; /* writes control characters of its own */
} writers[] = {
	{ "findings.txt", text_findings, false },
	{ "findings-color.txt", text_color, true },
	{ "candidates.txt", text_candidates, false },
	{ "plan.txt", text_plan, false },
	{ "lint.json", tn_json_lint, false },
	{ "sarif.json", tn_sarif_write, false },
	{ "junit.xml", junit, false },
	{ "github.txt", tn_github_write, false },
	{ "findings.md", tn_markdown_write, false },
	{ "graph.dot", dot, true },
	{ "graph-focus.dot", dot_focus, true },
	{ "plan.csv", csv, false },
	{ "trace.json", trace, false },
	{ "timeline.txt", ascii, false },
	{ "hops.txt", hops, false },
	{ "timeline.svg", svg, false },
};

enum { WRITERS = sizeof(writers) / sizeof(*writers) };

/* A foreign plan may hold any numbers. */
START_TEST(boxes_of_a_broken_plan)
{
	static const int64_t numbers_[] = { INT64_MIN, -1, 0, 7, INT64_MAX };
	enum { N = sizeof(numbers_) / sizeof(*numbers_) };

	for (int i = 0; i < N * N * N; i++) {
		struct sample s;
		struct tn_boxes boxes;
		struct tn_load *loads;
		struct tn_strbuf out;
		uint32_t peak;

		sample_make(&s, NULL, NULL);
		if (i % 2)
			s.view.live = NULL;
		for (uint32_t t = 0; t < S_TENSORS; t++) {
			int k = i + (int)t * 31;

			s.plan.tensors[t] = (struct tn_plan_tensor){
				.region = k % 3 ? 0 : (uint32_t)k,
				.offset = numbers_[k % N],
				.bytes = numbers_[k / N % N],
				.first = numbers_[k / N / N % N],
				.last = numbers_[k % 7 % N],
			};
		}
		s.plan.ops[0].scratch_offset = numbers_[i % N];
		s.plan.ops[0].scratch_bytes = numbers_[i / N % N];
		ck_assert_int_eq(tn_boxes_find(&s.view, &s.arena, &boxes), TN_OK);
		for (uint32_t b = 0; b < boxes.n; b++) {
			ck_assert_int_lt(boxes.list[b].begin, boxes.list[b].end);
			ck_assert_int_le(boxes.list[b].end, boxes.steps);
			ck_assert_int_ge(boxes.list[b].offset, 0);
			ck_assert_int_gt(boxes.list[b].bytes, 0);
		}
		ck_assert_int_eq(tn_loads_find(&s.view, &s.arena, &loads, &peak), TN_OK);
		s.plan.activation_bytes = numbers_[i % N];
		s.plan.bound_bytes = numbers_[i / N % N];
		s.plan.disjoint_bound_bytes = numbers_[i / N / N % N];
		s.plan.no_reuse_bytes = numbers_[(i + 1) % N];
		tn_strbuf_init(&out);
		for (int w = 0; w < WRITERS; w++)
			ck_assert_int_eq(writers[w].write(&s.view, 1, &out), TN_OK);
		tn_strbuf_release(&out);
		sample_release(&s);
	}
}
END_TEST

static const struct tn_view_rule rules[] = {
	{ "inplace/later-reader", "a value is overwritten while it is still needed",
		"let the op write elsewhere", SEVERITY_ERROR },
	{ "memory/unused", "a tensor that nobody reads", NULL, SEVERITY_WARNING },
};

START_TEST(writer_matches_golden)
{
	struct found f;
	struct tn_strbuf out, again;
	char name[64];

	report_some(&f);
	f.s.view.rules = rules;
	f.s.view.n_rules = sizeof(rules) / sizeof(*rules);
	f.s.view.version = "1.2.3";
	tn_strbuf_init(&out);
	tn_strbuf_init(&again);
	ck_assert_int_eq(writers[_i].write(&f.s.view, 1, &out), TN_OK);
	snprintf(name, sizeof(name), "report/%s", writers[_i].name);
	tn_test_golden(name, &out);
	ck_assert_int_eq(writers[_i].write(&f.s.view, 1, &again), TN_OK);
	ck_assert_str_eq(out.text, again.text);
	tn_strbuf_release(&out);
	tn_strbuf_release(&again);
	sample_release(&f.s);
}
END_TEST

/* Hostile names everywhere; then the output goes through the format's own reader. */
START_TEST(writer_survives_hostile_names)
{
	struct sample s;
	struct tn_source source = { hostile, "", 0, true };
	struct tn_strbuf out;

	sample_make(&s, hostile, hostile);
	tn_diag_at(&s.diags, SEVERITY_ERROR, hostile, &source, hostile, hostile, "'%s'",
		hostile);
	tn_diag_note(&s.diags, "%s", hostile);
	s.view.file = hostile;
	s.view.verified = false;
	s.view.refusal = hostile;
	tn_strbuf_init(&out);
	ck_assert_int_eq(writers[_i].write(&s.view, 1, &out), TN_OK);
	if (!writers[_i].control)
		check_printable(writers[_i].name, &out);
	tn_strbuf_release(&out);
	sample_release(&s);
}
END_TEST

START_TEST(writer_needs_nothing)
{
	struct tn_diags diags;
	struct tn_arena arena;
	struct tn_view view = { .diags = &diags, .file = "missing.json" };
	struct tn_strbuf out;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	tn_strbuf_init(&out);
	ck_assert_int_eq(writers[_i].write(&view, 1, &out), TN_OK);
	ck_assert_int_eq(writers[_i].write(&view, 0, &out), TN_OK);
	view.diags = NULL;
	ck_assert_int_eq(writers[_i].write(&view, 1, &out), TN_OK);
	tn_strbuf_release(&out);
	tn_arena_release(&arena);
}
END_TEST

/* A view of the file that no op makes: dashed, from whoever makes its root. */
START_TEST(dot_draws_views)
{
	struct sample s;
	struct tn_strbuf out;

	sample_make(&s, NULL, NULL);
	s.g.ops[S_RESHAPE].n_outputs = 0;
	tn_strbuf_init(&out);
	ck_assert_int_eq(tn_dot_write(&s.view, NULL, &out), TN_OK);
	ck_assert_ptr_nonnull(
		strstr(out.text, "n4 -> t9\t[label=view,\n\t\tstyle=dashed]"));
	ck_assert_ptr_nonnull(strstr(out.text, "t9 -> n6"));
	tn_strbuf_release(&out);
	sample_release(&s);
}
END_TEST

static void check_width(const char *text, size_t columns)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = strndup(text, len);

		ck_assert_msg(tn_escape_width(line) <= columns, "%zu columns: '%s'",
			tn_escape_width(line), line);
		free(line);
		text += len + (text[len] == '\n');
	}
}

START_TEST(ascii_keeps_to_its_columns)
{
	static const char *const names[] = { NULL, hostile,
		"\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4 a very long name of a "
		"tensor/with/parts" };
	static const size_t columns[] = { 0, 60, 61, 79, 80, 120, 1000 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (size_t k = 0; k < sizeof(columns) / sizeof(*columns); k++) {
			struct sample s;
			struct tn_strbuf out;

			sample_make(&s, names[i], names[i]);
			tn_strbuf_init(&out);
			ck_assert_int_eq(
				tn_ascii_write(&s.view, columns[k], &out), TN_OK);
			check_width(out.text, columns[k] < 60 ? 60 : columns[k]);
			tn_strbuf_release(&out);
			sample_release(&s);
		}
	}
}
END_TEST

/* As wide as "abcd" on a terminal, in whatever bytes. */
static const char *const four_wide[] = {
	"\xe5\xb1\xa4\xe5\xb1\xa4", /* two wide letters */
	"z\xc3\xa9\xc3\xa9z",
	"ze\xcc\x81z\xcc\x88\xcc\x88z", /* marks on letters */
	"z\xf0\x9f\x98\x80z", /* a picture */
	"\xe5\xb1\xa4\xcc\x81zz",
};

/* A name in a box moves nothing that stands beside it. */
START_TEST(ascii_names_take_their_columns)
{
	static const size_t columns[] = { 60, 80, 100, 203 };
	const char *name = four_wide[_i];

	for (size_t k = 0; k < sizeof(columns) / sizeof(*columns); k++) {
		struct tn_strbuf plain, out, same;
		struct sample s;
		int names = 0;

		tn_strbuf_init(&plain);
		tn_strbuf_init(&out);
		tn_strbuf_init(&same);
		sample_make(&s, "abcd", NULL);
		ck_assert_int_eq(tn_ascii_write(&s.view, columns[k], &plain), TN_OK);
		sample_release(&s);
		sample_make(&s, name, NULL);
		ck_assert_int_eq(tn_ascii_write(&s.view, columns[k], &out), TN_OK);
		sample_release(&s);
		for (const char *at = out.text; *at;) {
			if (strncmp(at, name, strlen(name)) != 0) {
				tn_strbuf_putc(&same, *at++);
				continue;
			}
			tn_strbuf_puts(&same, "abcd");
			at += strlen(name);
			names++;
		}
		ck_assert_str_eq(same.text, plain.text);
		ck_assert_int_gt(names, 10); /* ten in the legend, and some in boxes */
		tn_strbuf_release(&plain);
		tn_strbuf_release(&out);
		tn_strbuf_release(&same);
	}
}
END_TEST

START_TEST(hops_find_names)
{
	struct sample s;
	tn_tensor_id id;

	sample_make(&s, NULL, NULL);
	ck_assert(tn_hops_find(&s.g, "mul4/out", &id) == 1 && id.i == S_M);
	ck_assert(tn_hops_find(&s.g, "t3", &id) == 1 && id.i == 3);
	ck_assert(tn_hops_find(&s.g, "12", &id) == 1 && id.i == 12);
	ck_assert_uint_eq(tn_hops_find(&s.g, "13", &id), 0);
	ck_assert_uint_eq(tn_hops_find(&s.g, "", &id), 0);
	ck_assert_uint_eq(tn_hops_find(&s.g, "t", &id), 0);
	ck_assert_uint_eq(tn_hops_find(&s.g, "t99999999999999999999", &id), 0);
	sample_release(&s);
	sample_make(&s, "same", NULL);
	ck_assert(tn_hops_find(&s.g, "same", &id) == S_TENSORS && id.i == 0);
	sample_release(&s);
}
END_TEST

/* An unverified plan never reads as a good one. */
START_TEST(text_says_what_the_verifier_says)
{
	struct sample s;
	struct tn_strbuf out;

	sample_make(&s, NULL, NULL);
	s.view.verified = false;
	tn_strbuf_init(&out);
	ck_assert_int_eq(tn_text_plan(&s.view, true, &out), TN_OK);
	ck_assert_ptr_nonnull(strstr(out.text, "not verified"));
	tn_strbuf_release(&out);
	s.view.refusal = "'add3' reads bytes that 'dw2' has lost";
	ck_assert_int_eq(tn_text_plan(&s.view, false, &out), TN_OK);
	ck_assert_ptr_nonnull(
		strstr(out.text, "refused: 'add3' reads bytes that 'dw2' has lost"));
	tn_strbuf_release(&out);
	sample_release(&s);
}
END_TEST

/* Equal findings keep their fingerprint when lines move and others come before them. */
static const char *fingerprint_of(const struct tn_strbuf *sarif, const char *rule)
{
	static char text[32];
	char key[96];
	const char *at;

	snprintf(key, sizeof(key), "\"ruleId\": \"%s\"", rule);
	at = strstr(sarif->text, key);
	ck_assert_ptr_nonnull(at);
	at = strstr(at, "primaryLocationLineHash\": \"");
	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.16s",
		at + strlen("primaryLocationLineHash\": \""));
	return text;
}

/* Of one message three places are shown, and how many more there are; another severity, rule,
 * file or a note of its own is another message. The order stays. */
START_TEST(text_tells_alike_findings_once)
{
	static const char want[] =
		"models/a.tflite:/ops/0: warning: strange [graph/op]\n"
		"models/a.tflite:/ops/1: warning: strange [graph/op]\n"
		"models/a.tflite:/alone: warning: strange [graph/other]\n"
		"models/a.tflite:/ops/2: warning: strange [graph/op]\n"
		"    and 97 more like it (lint --format json has each)\n"
		"models/a.tflite:/noted: warning: strange [graph/op]\n"
		"    but noted\n"
		"models/a.tflite:/worse: error: strange [graph/op]\n"
		"models/b.tflite:/ops/0: warning: strange [graph/op]\n";
	static const struct tn_source a = { "models/a.tflite", "TFL3", 4, false };
	static const struct tn_source b = { "models/b.tflite", "TFL3", 4, false };
	struct sample s;
	struct tn_strbuf out;

	sample_make(&s, NULL, NULL);
	tn_strbuf_init(&out);
	tn_diag_at(&s.diags, SEVERITY_WARNING, "graph/op", &b, "/ops/0", NULL, "strange");
	for (int i = 0; i < 100; i++) {
		char pointer[32];

		snprintf(pointer, sizeof(pointer), "/ops/%d", i);
		tn_diag_at(&s.diags, SEVERITY_WARNING, "graph/op", &a,
			tn_arena_strdup(&s.arena, pointer), NULL, "strange");
		if (i == 1)
			tn_diag_at(&s.diags, SEVERITY_WARNING, "graph/other", &a,
				"/alone", NULL, "strange");
	}
	tn_diag_at(&s.diags, SEVERITY_WARNING, "graph/op", &a, "/noted", NULL, "strange");
	tn_diag_note(&s.diags, "but noted");
	tn_diag_at(&s.diags, SEVERITY_ERROR, "graph/op", &a, "/worse", NULL, "strange");
	ck_assert_int_eq(tn_text_findings(&s.view, 1, false, &out), TN_OK);
	ck_assert_str_eq(out.text, want);
	tn_strbuf_release(&out);
	sample_release(&s);
}
END_TEST

START_TEST(fingerprint_survives_renumbering)
{
	static const char moved[] = "{\"more\": [],\n\n\n\"tensors\": [{}, {}, {}]}";
	struct found f;
	struct tn_source source = { "models/b.json", moved, sizeof(moved) - 1, true };
	struct sample s;
	struct tn_strbuf out;
	char before[32];

	tn_strbuf_init(&out);
	report_some(&f);
	ck_assert_int_eq(tn_sarif_write(&f.s.view, 1, &out), TN_OK);
	snprintf(before, sizeof(before), "%s",
		fingerprint_of(&out, "memory/missed-reuse"));
	tn_strbuf_release(&out);
	sample_make(&s, NULL, NULL);
	tn_diag_at(&s.diags, SEVERITY_WARNING, "memory/other", &source, "/tensors/0", "y",
		"'y' could take the bytes of 'x'");
	tn_diag_at(&s.diags, SEVERITY_WARNING, "memory/missed-reuse", &source,
		"/tensors/2", "y", "'y' could take the bytes of 'x'");
	ck_assert_int_eq(tn_sarif_write(&s.view, 1, &out), TN_OK);
	ck_assert_str_eq(before, fingerprint_of(&out, "memory/missed-reuse"));
	ck_assert_str_ne(before, fingerprint_of(&out, "memory/other"));
	tn_strbuf_release(&out);
	sample_release(&s);
	sample_release(&f.s);
}
END_TEST

#define LOOP(tc, fn, table)                                                              \
	tcase_add_loop_test((tc), (fn), 0, (int)(sizeof(table) / sizeof(*(table))))

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("report");
	TCase *tc = tcase_create("parts");

	tcase_add_test(tc, permille);
	tcase_add_test(tc, cover_counts_bytes);
	tcase_add_test(tc, boxes_of_the_sample);
	tcase_add_test(tc, boxes_of_a_broken_plan);
	tcase_add_test(tc, loads_of_the_sample);
	suite_add_tcase(suite, tc);
	tc = tcase_create("findings");
	tcase_add_test(tc, findings_are_sorted_and_placed);
	LOOP(tc, writer_matches_golden, writers);
	LOOP(tc, writer_survives_hostile_names, writers);
	LOOP(tc, writer_needs_nothing, writers);
	tcase_add_test(tc, dot_draws_views);
	tcase_add_test(tc, ascii_keeps_to_its_columns);
	LOOP(tc, ascii_names_take_their_columns, four_wide);
	tcase_add_test(tc, hops_find_names);
	tcase_add_test(tc, text_says_what_the_verifier_says);
	tcase_add_test(tc, text_tells_alike_findings_once);
	tcase_add_test(tc, fingerprint_survives_renumbering);
	suite_add_tcase(suite, tc);
	return suite;
}
