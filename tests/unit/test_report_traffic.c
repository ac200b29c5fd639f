#include "suite.h"

#include <string.h>

#include "report/html.h"
#include "report/json_explorer.h"
#include "report/trace.h"
#include "report/traffic.h"
#include "report_sample.h"

static const struct {
	const char *name;
	uint32_t op;
	struct tn_traffic want;
} traffics[] = {
	{ "convolution", S_CONV, { 512 * 9 * 4, 256 + 288, 512, 288 } },
	{ "relu", S_RELU, { 0, 512, 512, 0 } },
	{ "depthwise", S_DW, { 512 * 9, 512 + 72, 512, 72 } },
	{ "fully connected", S_FC, { 10 * 512, 512 + 5120, 10, 5120 } },
};

START_TEST(traffic_of_ops)
{
	struct sample s;
	struct tn_traffic got;

	sample_make(&s, NULL, NULL);
	got = tn_traffic_of(&s.g, &s.g.ops[traffics[_i].op]);
	ck_assert_msg(memcmp(&got, &traffics[_i].want, sizeof(got)) == 0,
		"%s: %lld macs, %lld read, %lld written, %lld constant",
		traffics[_i].name, (long long)got.macs, (long long)got.bytes_read,
		(long long)got.bytes_written, (long long)got.const_bytes);
	sample_release(&s);
}
END_TEST

/* What nobody knows is no 0, in any report. */
static const struct {
	const char *name;
	enum tn_op_kind kind;
	int64_t in_bytes, out_bytes,
		out_elements; /* of the op's operands; 0: as they are */
	struct tn_traffic want;
} unknowns[] = {
	{ "branch", OP_IF, 0, 0, 0, { -1, -1, -1, -1 } },
	{ "loop", OP_WHILE, 0, 0, 0, { -1, -1, -1, -1 } },
	{ "call", OP_CALL_ONCE, 0, 0, 0, { -1, -1, -1, -1 } },
	{ "input of unknown size", OP_FULLY_CONNECTED, -1, 0, 0,
		{ 10 * 512, -1, 10, 5120 } },
	{ "output of unknown size", OP_FULLY_CONNECTED, 0, -1, -1,
		{ -1, 512 + 5120, -1, 5120 } },
	{ "more than a number holds", OP_FULLY_CONNECTED, INT64_MAX, 0, INT64_MAX,
		{ -1, -1, 10, 5120 } },
};

static void expect(const char *name, enum tn_status status, struct tn_strbuf *out,
	const char *want, int times)
{
	int n = 0;

	ck_assert_int_eq(status, TN_OK);
	for (const char *at = out->text; (at = strstr(at, want)); at++)
		n++;
	ck_assert_msg(n == times, "%s: %d times %s", name, n, want);
	tn_strbuf_release(out);
}

START_TEST(unknown_traffic_is_no_zero)
{
	const struct tn_traffic want = unknowns[_i].want;
	const int n = (want.macs < 0) + (want.bytes_read < 0) + (want.bytes_written < 0);
	struct sample s;
	struct tn_strbuf out;
	struct tn_traffic got;
	struct tn_op *op;

	sample_make(&s, NULL, NULL);
	op = &s.g.ops[S_FC];
	op->kind = unknowns[_i].kind;
	if (unknowns[_i].in_bytes)
		s.g.tensors[op->inputs[0].i].bytes = unknowns[_i].in_bytes;
	if (unknowns[_i].out_bytes)
		s.g.tensors[op->outputs[0].i].bytes = unknowns[_i].out_bytes;
	if (unknowns[_i].out_elements)
		s.g.tensors[op->outputs[0].i].elements = unknowns[_i].out_elements;
	got = tn_traffic_of(&s.g, op);
	ck_assert_msg(memcmp(&got, &want, sizeof(got)) == 0,
		"%s: %lld macs, %lld read, %lld written, %lld constant",
		unknowns[_i].name, (long long)got.macs, (long long)got.bytes_read,
		(long long)got.bytes_written, (long long)got.const_bytes);
	ck_assert(got.macs < 0 || !tn_traffic_moves_known(&got));
	if (op->kind != OP_FULLY_CONNECTED) {
		tn_strbuf_init(&out);
		expect("trace", tn_trace_write(&s.view, &out), &out, "\": null", n);
		tn_strbuf_init(&out);
		expect("explorer", tn_explorer_graph_write(&s.view, &out), &out,
			"\"not counted\"", n);
		tn_strbuf_init(&out);
		expect("page", tn_html_write(&s.view, &out), &out,
			"without 1 op that is not counted (", 1);
	}
	sample_release(&s);
}
END_TEST

#define LOOP(tc, fn, table)                                                              \
	tcase_add_loop_test((tc), (fn), 0, (int)(sizeof(table) / sizeof(*(table))))

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("report_traffic");
	TCase *tc = tcase_create("traffic");

	LOOP(tc, traffic_of_ops, traffics);
	LOOP(tc, unknown_traffic_is_no_zero, unknowns);
	suite_add_tcase(suite, tc);
	return suite;
}
