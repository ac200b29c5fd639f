/* Validation: what emitted programs compute, on this machine and on emulated boards; plans
 * that are wrong; graphs whose constants are invented; and the running of programs. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/exec.h"
#include "ir/validate.h"
#include "loaded.h"
#include "net.h"
#include "planned.h"
#include "tools.h"
#include "validate/expected.h"
#include "validate/process.h"
#include "validate/program.h"
#include "validate/synthetic.h"
#include "validate/target.h"
#include "validate/validation.h"

/* ---- programs ---- */

static struct tn_process run(int seconds, struct tn_strbuf *out, const char *script)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	tn_strbuf_init(out);
	return tn_process_run(argv, "/", seconds, out);
}

static const struct {
	const char *script;
	enum tn_process_end end;
	int code;
	const char *output;
} processes[] = {
	{ "echo a; echo b >&2; pwd", PROCESS_EXITED, 0, "a\nb\n/\n" },
	{ "exit 7", PROCESS_EXITED, 7, "" },
	{ "kill -9 $$", PROCESS_SIGNALED, 9, "" },
	{ "cat; echo end", PROCESS_EXITED, 0, "end\n" }, /* standard input is empty */
	{ "sleep 30", PROCESS_TIMEOUT, 0, "" },
	/* the limit ends what the program started, too */
	{ "echo x; sleep 30 & sleep 30", PROCESS_TIMEOUT, 0, "x\n" },
	/* nobody waits for ever for a program that only closed its output */
	{ "exec >&- 2>&-; sleep 30", PROCESS_TIMEOUT, 0, "" },
};

START_TEST(programs_end)
{
	struct tn_strbuf out;
	struct tn_process p = run(1, &out, processes[_i].script);

	ck_assert_msg(
		p.end == processes[_i].end, "%s: %d", processes[_i].script, (int)p.end);
	if (p.end == PROCESS_EXITED || p.end == PROCESS_SIGNALED)
		ck_assert_int_eq(p.exit_code, processes[_i].code);
	ck_assert_str_eq(out.text ? out.text : "", processes[_i].output);
	tn_strbuf_release(&out);
}
END_TEST

START_TEST(programs_that_are_not_there)
{
	static const char *const argv[] = { "no-such-program-here", NULL };
	struct tn_strbuf out;
	struct tn_process p;

	tn_strbuf_init(&out);
	p = tn_process_run(argv, "/", 5, &out);
	ck_assert(p.end == PROCESS_EXITED && p.exit_code == 127);
	ck_assert(!tn_process_exists("no-such-program-here"));
	ck_assert(tn_process_exists("sh"));
	tn_strbuf_release(&out);
}
END_TEST

START_TEST(directories_go_and_links_stay)
{
	struct tn_strbuf out;
	struct net n;
	const char *dir, *other;
	char script[400];

	net_start(&n);
	ck_assert_int_eq(tn_tempdir_make(&n.arena, &n.diags, &dir), TN_OK);
	ck_assert_int_eq(tn_tempdir_make(&n.arena, &n.diags, &other), TN_OK);
	snprintf(script, sizeof(script),
		"mkdir -p %s/a/b && touch %s/a/b/c %s/kept && ln -s %s %s/link", dir, dir,
		other, other, dir);
	ck_assert_int_eq(run(10, &out, script).exit_code, 0);
	tn_strbuf_release(&out);
	tn_tempdir_remove(dir);
	ck_assert_int_ne(access(dir, F_OK), 0);
	snprintf(script, sizeof(script), "%s/kept", other);
	ck_assert_int_eq(access(script, F_OK), 0);
	tn_tempdir_remove(other);
	net_release(&n);
}
END_TEST

/* ---- boards ---- */

#define MB ((int64_t)1 << 20)

static const struct {
	const char *target;
	int64_t constants, memory;
	bool fits, weights_in_large, memory_in_large;
} fits[] = {
	{ "host", 1 << 30, 1 << 30, true, false, false },
	{ "m4", 3 * MB, 3 * MB, true, false, false },
	{ "cortex-m4", 4 * MB, 4 * MB, true, true, true },
	{ "m4", 4 * MB, 12 * MB, false, true, true },
	{ "m4", 0, 15 * MB, true, false, true },
	{ "m4", 0, 17 * MB, false, false, true },
	{ "m55", 1 * MB, 100 * MB, true, true, true },
	{ "m3", INT64_MAX, 0, false, false, false },
};

START_TEST(boards_have_limits)
{
	const struct tn_target *t = tn_target_find(fits[_i].target);
	struct tn_target_layout layout;

	ck_assert_ptr_nonnull(t);
	ck_assert_msg(tn_target_fit(t, fits[_i].constants, fits[_i].memory, &layout) ==
			      fits[_i].fits,
		"case %d", _i);
	ck_assert_int_eq(layout.weights_in_large, fits[_i].weights_in_large);
	ck_assert_int_eq(layout.memory_in_large, fits[_i].memory_in_large);
}
END_TEST

/* ---- validation ---- */

static enum tn_status validate(struct net *n, const char *const *targets,
	uint32_t n_targets, struct tn_validation *out)
{
	const struct tn_validation_options options = {
		.targets = targets, .n_targets = n_targets, .seed = 1, .seconds = 60
	};

	return tn_validation_run(
		&n->graph, &n->plan, &options, &n->arena, &n->diags, out);
}

static const char *print(struct net *n, const struct tn_validation *v)
{
	struct tn_strbuf text;
	const char *copy;

	tn_strbuf_init(&text);
	tn_validation_print(&n->graph, v, &text);
	copy = tn_arena_strdup(&n->arena, text.text);
	tn_strbuf_release(&text);
	return copy;
}

static const struct {
	const char *name;
	void (*make)(struct net *);
	const char *target;
	const char *text;
} same[] = {
	{ "state", net_state, "host",
		"executor            unshared  reference, 6 activations\n"
		"executor            shared    same, 18 activations\n"
		"host           -O0  unshared  same, 6 activations\n"
		"host           -O0  shared    same, 12 activations\n"
		"host           -O2  unshared  same, 6 activations\n"
		"host           -O2  shared    same, 12 activations\n"
		"host           -Os  unshared  same, 6 activations\n"
		"host           -Os  shared    same, 12 activations\n"
		"validated: every activation is the same bit for bit\n" },
	{ "residual", net_residual, "cortex-m4",
		"executor            unshared  reference, 8 activations\n"
		"executor            shared    same, 24 activations\n"
		"cortex-m4      -O2  unshared  same, 8 activations\n"
		"cortex-m4      -O2  shared    same, 16 activations\n"
		"validated: every activation is the same bit for bit\n" },
	{ "views", net_views, "m0plus",
		"executor            unshared  reference, 3 activations\n"
		"executor            shared    same, 9 activations\n"
		"cortex-m0plus  -O2  unshared  same, 3 activations\n"
		"cortex-m0plus  -O2  shared    same, 6 activations\n"
		"validated: every activation is the same bit for bit\n" },
	{ "empty", net_empty, "m4",
		"executor            unshared  reference, 2 activations\n"
		"executor            shared    same, 6 activations\n"
		"cortex-m4      -O2  unshared  same, 2 activations\n"
		"cortex-m4      -O2  shared    same, 4 activations\n"
		"validated: every activation is the same bit for bit\n" },
	{ "state", net_state, "m55",
		"executor            unshared  reference, 6 activations\n"
		"executor            shared    same, 18 activations\n"
		"cortex-m55     -O2  unshared  same, 6 activations\n"
		"cortex-m55     -O2  shared    same, 12 activations\n"
		"validated: every activation is the same bit for bit\n" },
};

START_TEST(sharing_changes_nothing)
{
	struct tn_validation v;
	enum tn_status status;
	struct net n;
	const char *dir;

	if (!tn_test_has_tools(same[_i].target))
		return;
	same[_i].make(&n);
	planned(&n.graph, OVERLAP_FULL, 16, &n.arena, &n.diags, &n.plan);
	/* what is temporary must be gone afterwards */
	ck_assert_int_eq(tn_tempdir_make(&n.arena, &n.diags, &dir), TN_OK);
	setenv("TMPDIR", dir, 1);
	status = validate(&n, &same[_i].target, 1, &v);
	ck_assert_msg(status == TN_OK, "%s\n%s", print(&n, &v), net_report(&n));
	ck_assert_str_eq(print(&n, &v), same[_i].text);
	ck_assert_int_eq(rmdir(dir), 0);
	net_release(&n);
}
END_TEST

/* The sum one element behind its first operand: each element that it writes is the next
 * one that it reads. */
START_TEST(wrong_plan_is_named)
{
	const char *target = _i ? "m4" : "host";
	const struct tn_validation_difference *d;
	struct tn_validation v;
	struct net n;
	uint32_t c;

	if (!tn_test_has_tools(target))
		return;
	net_arithmetic(&n);
	net_plan(&n);
	c = net_find_tensor(&n, "c");
	n.plan.tensors[c].offset = n.plan.tensors[net_find_tensor(&n, "a")].offset + 4;
	ck_assert_int_eq(validate(&n, &target, 1, &v), TN_ERR_REFUSED);
	ck_assert(!v.same);
	ck_assert_uint_eq(v.configs.count, _i ? 3 : 7);
	for (size_t i = 0; i < v.configs.count; i++) {
		const struct tn_validation_config *config = &v.configs.items[i];

		ck_assert_msg(config->verdict == (config->shared ? VALIDATION_DIFFERS
								 : VALIDATION_SAME),
			"%s", print(&n, &v));
		if (!config->shared)
			continue;
		d = &config->difference;
		ck_assert_uint_eq(v.layers[d->layer].tensor.i, c);
		ck_assert_str_eq(n.graph.ops[v.layers[d->layer].op.i].name, "sum");
		/* the first element is right; of the second, floats share no byte */
		ck_assert_msg(d->byte_known && d->byte >= 4 && d->byte < 8, "%s",
			print(&n, &v));
		ck_assert_uint_eq(d->expected, v.configs.items[0].difference.expected);
		ck_assert_uint_eq(d->found, v.configs.items[0].difference.found);
	}
	ck_assert(strstr(print(&n, &v), "DIFFERS at op 'sum', tensor 2 'c', byte "));
	ck_assert(strstr(print(&n, &v), "\nnot the same\n"));
	net_release(&n);
}
END_TEST

/* Of two programs from one folder each shows its own layer: the first differs from what the
 * first layer is said to be, the second by its plan. */
START_TEST(differences_are_told_apart)
{
	const struct tn_emit_options how = { .debug = true };
	struct tn_validation v = { .same = true };
	struct tn_validation_config apart, over;
	struct tn_emit_summary emitted;
	struct tn_program_run r = { .emitted = &emitted, .seed = 1, .seconds = 60 };
	struct net n;
	uint32_t c;

	if (!tn_test_has_tools("host"))
		return;
	net_arithmetic(&n);
	net_plan(&n);
	c = net_find_tensor(&n, "c");
	n.plan.tensors[c].offset = n.plan.tensors[net_find_tensor(&n, "a")].offset + 4;
	r.graph = &n.graph;
	r.arena = &n.arena;
	r.diags = &n.diags;
	r.reference = &v;
	ck_assert_int_eq(tn_tempdir_make(&n.arena, &n.diags, &r.dir), TN_OK);
	ck_assert_int_eq(
		tn_expected_run(&n.graph, &n.plan, 1, &n.arena, &n.diags, &v), TN_OK);
	ck_assert_int_eq(tn_emit(&(struct tn_emit_model){ &n.graph, &n.plan, NULL }, 1,
				 &how, r.dir, &n.arena, &n.diags, &emitted),
		TN_OK);
	ck_assert_int_eq(tn_program_harness(&r), TN_OK);
	v.layers[0].digest ^= 1;
	ck_assert_int_eq(
		tn_program_check(&r, tn_target_find("host"), "-O0", false, &apart),
		TN_OK);
	v.layers[0].digest ^= 1;
	ck_assert_int_eq(
		tn_program_check(&r, tn_target_find("host"), "-O0", true, &over), TN_OK);
	tn_tempdir_remove(r.dir);
	ck_assert(apart.verdict == VALIDATION_DIFFERS && apart.difference.layer == 0);
	ck_assert(!apart.difference.byte_known); /* the bytes are right */
	ck_assert_int_eq(over.verdict, VALIDATION_DIFFERS);
	ck_assert_uint_eq(v.layers[over.difference.layer].tensor.i, c);
	ck_assert(over.difference.byte_known && over.difference.byte >= 4 &&
		  over.difference.byte < 8);
	net_release(&n);
}
END_TEST

/* 20 MB on a board of 16: not a failure, and said. */
START_TEST(board_that_is_too_small)
{
	const int64_t dims[] = { 5 << 20 };
	const char *target = "m4";
	struct tn_validation v;
	tn_tensor_id in, out;
	struct net n;

	if (!tn_test_has_tools(target))
		return;
	net_start(&n);
	in = net_tensor(&n, "in", DTYPE_F32, ROLE_INPUT, dims, 1, 0, 0);
	out = net_tensor(&n, "out", DTYPE_F32, ROLE_OUTPUT, dims, 1, 0, 0);
	net_op(&n, OP_ADD, "twice", (tn_tensor_id[]){ in, in }, 2, out);
	net_finish(&n, "large");
	planned(&n.graph, OVERLAP_FULL, 16, &n.arena, &n.diags, &n.plan);
	ck_assert_int_eq(validate(&n, &target, 1, &v), TN_OK);
	ck_assert(
		strstr(print(&n, &v), "cortex-m4      -O2  shared    not run: 0 bytes of "
				      "constants and 20971520 of memory do not fit the "
				      "board\n"));
	net_release(&n);
}
END_TEST

START_TEST(kept_directory)
{
	const char *target = "host";
	const struct tn_validation_options options = {
		.targets = &target, .n_targets = 1, .seed = 1, .keep = true
	};
	struct tn_validation v;
	struct net n;

	if (!tn_test_has_tools(target))
		return;
	net_arithmetic(&n);
	net_plan(&n);
	ck_assert_int_eq(
		tn_validation_run(&n.graph, &n.plan, &options, &n.arena, &n.diags, &v),
		TN_OK);
	ck_assert_int_eq(
		access(tn_arena_printf(&n.arena, "%s/model.c", v.directory), R_OK), 0);
	tn_tempdir_remove(v.directory);
	net_release(&n);
}
END_TEST

START_TEST(tools_that_are_missing)
{
	static const char *const targets[] = { "host", "m4", "z80" };
	struct tn_validation v;
	struct net n;

	net_arithmetic(&n);
	net_plan(&n);
	setenv("PATH", "/nowhere", 1);
	ck_assert_int_eq(validate(&n, targets, 3, &v), TN_ERR_INPUT);
	ck_assert_str_eq(net_report(&n),
		"'gcc' is needed for host and is not installed [validate/tool]\n"
		"'arm-none-eabi-gcc' is needed for cortex-m4 and is not installed "
		"[validate/tool]\n"
		"'qemu-system-arm' is needed for cortex-m4 and is not installed "
		"[validate/tool]\n"
		"there is no target 'z80' [validate/target]\n");
	ck_assert_str_eq(n.diags.list.items[1].notes.items[0],
		"install the package gcc-arm-none-eabi");
	net_release(&n);
}
END_TEST

START_TEST(graph_that_cannot_run)
{
	struct tn_validation v;
	struct net n;

	net_residual(&n);
	net_plan(&n);
	n.graph.tensors[net_find_tensor(&n, "w0")].data_kind = DATA_MISSING;
	ck_assert_int_eq(validate(&n, NULL, 0, &v), TN_ERR_INPUT);
	ck_assert_uint_gt(n.diags.list.count, 0);
	net_release(&n);
}
END_TEST

/* ---- invented constants ---- */

/* The residual net as a topology: activations only. */
static void net_topology(struct net *n)
{
	const int64_t hwc[] = { 1, 6, 6, 4 }, c[] = { 1, 1, 1, 4 }, out[] = { 1, 10 };
	const int64_t three[] = { 3, 3 };
	tn_tensor_id t[6];

	net_start(n);
	t[0] = net_tensor(n, "in", DTYPE_I8, ROLE_INPUT, hwc, 4, 0, 0);
	t[1] = net_tensor(n, "t1", DTYPE_I8, ROLE_ACT, hwc, 4, 0, 0);
	t[2] = net_tensor(n, "t2", DTYPE_I8, ROLE_ACT, hwc, 4, 0, 0);
	t[3] = net_tensor(n, "t3", DTYPE_I8, ROLE_ACT, c, 4, 0, 0);
	t[4] = net_tensor(n, "t4", DTYPE_I8, ROLE_ACT, out, 2, 0, 0);
	t[5] = net_tensor(n, "out", DTYPE_I8, ROLE_OUTPUT, out, 2, 0, 0);
	for (int i = 0; i < 6; i++)
		n->build.tensors.items[t[i].i].quant.n = 0;
	for (int i = 0; i < 2; i++) {
		net_op(n, i ? OP_DEPTHWISE_CONV_2D : OP_CONV_2D, i ? "dw" : "conv", &t[i],
			1, t[i + 1]);
		ck_assert(tn_build_attr_ints(&n->build, "kernel", three, 2));
		ck_assert(tn_build_attr_string(&n->build, "pad", "SAME"));
	}
	net_op(n, OP_MEAN, "mean", &t[2], 1, t[3]);
	net_op(n, OP_FULLY_CONNECTED, "dense", &t[3], 1, t[4]);
	net_op(n, OP_SOFTMAX, "softmax", &t[4], 1, t[5]);
	net_finish(n, "topology");
}

/* Different values among the bytes of the tensor after a run. */
static int distinct(struct net *n, const struct tn_graph *g, tn_tensor_id id)
{
	bool seen[256] = { false };
	struct tn_exec *e;
	const uint8_t *bytes;
	size_t size;
	int count = 0;

	ck_assert_msg(tn_exec_new(g, NULL, &n->arena, &n->diags, &e) == TN_OK, "%s",
		net_report(n));
	tn_exec_seed(e, 1);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	bytes = tn_exec_bytes(e, id, &size);
	for (size_t i = 0; i < size; i++)
		seen[bytes[i]] = true;
	for (int i = 0; i < 256; i++)
		count += seen[i];
	return count;
}

START_TEST(topology_gets_constants)
{
	struct tn_graph g;
	struct net n;
	bool changed;

	net_topology(&n);
	ck_assert_int_eq(
		tn_synthetic(&n.graph, 7, &n.arena, &n.strings, &g, &changed), TN_OK);
	ck_assert(changed);
	ck_assert_msg(tn_validate(&g, &n.diags) == TN_OK, "%s", net_report(&n));
	/* filter and bias three times, axes once; all behind the others */
	ck_assert_uint_eq(g.n_tensors, n.graph.n_tensors + 7);
	ck_assert_uint_eq(n.graph.ops[0].n_inputs, 1);
	ck_assert_uint_eq(g.ops[0].n_inputs, 3);
	ck_assert_str_eq(g.tensors[g.ops[0].inputs[1].i].name, "conv/filter");
	for (uint32_t i = 0; i < n.graph.n_tensors; i++) {
		ck_assert_ptr_eq(g.tensors[i].name, n.graph.tensors[i].name);
		ck_assert_uint_eq(n.graph.tensors[i].quant.n, 0);
		ck_assert_uint_eq(g.tensors[i].quant.n, 1);
	}
	/* alive: values that neither died nor all saturated */
	ck_assert_int_gt(distinct(&n, &g, (tn_tensor_id){ 2 }), 40);
	ck_assert_int_ge(distinct(&n, &g, (tn_tensor_id){ 4 }), 5);
	net_release(&n);
}
END_TEST

START_TEST(whole_graph_is_left_alone)
{
	struct tn_graph g;
	struct net n;
	bool changed;

	net_residual(&n);
	ck_assert_int_eq(
		tn_synthetic(&n.graph, 7, &n.arena, &n.strings, &g, &changed), TN_OK);
	ck_assert(!changed);
	ck_assert_uint_eq(g.n_tensors, n.graph.n_tensors);
	for (uint32_t i = 0; i < g.n_tensors; i++)
		ck_assert_int_eq(
			memcmp(&g.tensors[i], &n.graph.tensors[i], sizeof(g.tensors[i])),
			0);
	net_release(&n);
}
END_TEST

START_TEST(damaged_graph_is_repaired)
{
	struct tn_graph g;
	struct net n;
	bool changed;
	uint32_t b;

	net_residual(&n);
	b = net_find_tensor(&n, "b");
	n.graph.lossy = true;
	n.graph.tensors[b].quant.damaged = true;
	n.graph.tensors[net_find_tensor(&n, "w1")].data_kind = DATA_MISSING;
	n.graph.tensors[net_find_tensor(&n, "w1")].data = NULL;
	ck_assert_int_eq(
		tn_synthetic(&n.graph, 7, &n.arena, &n.strings, &g, &changed), TN_OK);
	ck_assert(changed && !g.lossy && !g.tensors[b].quant.damaged);
	ck_assert(n.graph.tensors[b].quant.damaged);
	ck_assert_msg(tn_validate(&g, &n.diags) == TN_OK, "%s", net_report(&n));
	ck_assert_int_gt(distinct(&n, &g, (tn_tensor_id){ b }), 40);
	net_release(&n);
}
END_TEST

/* Every topology that is at hand, through synthesis and a plan. */
static void bind_topology(const char *path)
{
	struct tn_exec *e;
	struct tn_plan plan;
	struct tn_graph g;
	struct loaded l;
	bool changed;

	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	ck_assert_int_eq(
		tn_synthetic(&l.graph, 1, &l.arena, &l.strings, &g, &changed), TN_OK);
	ck_assert_msg(changed, "%s", path);
	ck_assert_msg(
		tn_validate(&g, &l.diags) == TN_OK, "%s: %s", path, loaded_report(&l));
	planned(&g, OVERLAP_FULL, 16, &l.arena, &l.diags, &plan);
	ck_assert_msg(tn_exec_new(&g, &plan, &l.arena, &l.diags, &e) == TN_OK, "%s: %s",
		path, loaded_report(&l));
	loaded_release(&l);
}

START_TEST(topologies_at_hand)
{
	const char *folder = tn_test_shared("graphs");

	if (folder)
		ck_assert_int_gt(each_file(folder, ".json", bind_topology), 5);
}
END_TEST

#define N(array) (int)(sizeof(array) / sizeof(*(array)))

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("validate");
	TCase *tc = tcase_create("validate");

	tcase_set_timeout(tc, 240);
	tcase_add_loop_test(tc, programs_end, 0, N(processes));
	tcase_add_test(tc, programs_that_are_not_there);
	tcase_add_test(tc, directories_go_and_links_stay);
	tcase_add_loop_test(tc, boards_have_limits, 0, N(fits));
	tcase_add_loop_test(tc, sharing_changes_nothing, 0, N(same));
	tcase_add_loop_test(tc, wrong_plan_is_named, 0, 2);
	tcase_add_test(tc, differences_are_told_apart);
	tcase_add_test(tc, board_that_is_too_small);
	tcase_add_test(tc, kept_directory);
	tcase_add_test(tc, tools_that_are_missing);
	tcase_add_test(tc, graph_that_cannot_run);
	tcase_add_test(tc, topology_gets_constants);
	tcase_add_test(tc, whole_graph_is_left_alone);
	tcase_add_test(tc, damaged_graph_is_repaired);
	tcase_add_test(tc, topologies_at_hand);
	suite_add_tcase(s, tc);
	return s;
}
