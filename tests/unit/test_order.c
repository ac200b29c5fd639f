/* The contract against the kernels. The kernels of this program are built with recording
 * loads and stores: each variant of each op must touch its operands in exactly the steps
 * that the contract declares. And with input and output in one memory, at the least
 * displacement that the contract allows, the result must not change. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "interpret.h"
#include "ir/seed.h"
#include "kernels/ref/access.h"

#define RANGE_MAX 8192 /* bytes that a step reads in one range */

/* ---- recording ---- */

struct event {
	const uint8_t *at;
	uint32_t bytes;
	bool store;
};

static struct {
	struct event *events;
	size_t n, capacity;
	bool on;
} record;

static void add_event(const void *at, uint32_t bytes, bool store)
{
	if (!record.on)
		return;
	if (record.n == record.capacity) {
		record.capacity = record.capacity ? 2 * record.capacity : 4096;
		record.events =
			realloc(record.events, record.capacity * sizeof(*record.events));
		ck_assert(record.events);
	}
	record.events[record.n++] = (struct event){ at, bytes, store };
}

void tn_record_load(const void *at, uint32_t bytes)
{
	add_event(at, bytes, false);
}

void tn_record_store(const void *at, uint32_t bytes)
{
	add_event(at, bytes, true);
}

/* ---- one op ---- */

/* Operand addresses of a call; at most 16 of each. */
struct operands {
	const void *in[16];
	void *out[16];
};

static void *address(const struct interpreter *it, const struct tn_operand *o)
{
	if (tn_tensor_id_ok(&it->file.graph, o->tensor))
		return it->bytes[o->tensor.i];
	return (void *)(uintptr_t)o->data;
}

static void gather_operands(
	const struct interpreter *it, const struct tn_call *call, struct operands *o)
{
	ck_assert(call->n_in <= 16 && call->n_out <= 16);
	for (uint32_t k = 0; k < call->n_in; k++)
		o->in[k] = address(it, &call->in[k]);
	for (uint32_t k = 0; k < call->n_out; k++)
		o->out[k] = address(it, &call->out[k]);
}

/* Do loads from here count? Not from constants, which never share memory. */
static bool is_shared(
	const struct interpreter *it, const struct tn_op *op, const uint8_t *at)
{
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t;
		const uint8_t *base;

		if (!tn_tensor_id_ok(&it->file.graph, op->inputs[k]))
			continue;
		t = &it->file.graph.tensors[op->inputs[k].i];
		base = it->bytes[op->inputs[k].i];
		if (t->data_kind == DATA_NONE && at >= base && at < base + t->bytes)
			return true;
	}
	return false;
}

/* ---- the order ---- */

struct comparison {
	const struct interpreter *it;
	const struct tn_op *op;
	size_t next; /* event */
	size_t step;
	char wrong[256];
};

static bool wrong(struct comparison *c, const char *what, const struct event *e)
{
	if (e)
		snprintf(c->wrong, sizeof(c->wrong), "step %zu: %s (event %zu, %u bytes)",
			c->step, what, c->next, e->bytes);
	else
		snprintf(c->wrong, sizeof(c->wrong), "step %zu: %s", c->step, what);
	return false;
}

/* Which of the step's accesses holds the event? -1: none. */
static int holder(const struct comparison *c, const struct tn_access *list, uint32_t n,
	bool output, const struct event *e)
{
	for (uint32_t i = 0; i < n; i++) {
		tn_tensor_id id = output ? c->op->outputs[list[i].operand]
					 : c->op->inputs[list[i].operand];
		const uint8_t *base = c->it->bytes[id.i];

		if (e->at >= base + list[i].begin &&
			e->at + e->bytes <= base + list[i].end)
			return (int)i;
	}
	return -1;
}

static const uint8_t *read_start(const struct comparison *c, const struct tn_access *r)
{
	return c->it->bytes[c->op->inputs[r->operand].i] + r->begin;
}

/* Bytes that the ranges hold, each once: two operands may be one tensor. */
static int64_t distinct_bytes(
	const struct comparison *c, const struct tn_access *reads, uint32_t n)
{
	int64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *start = read_start(c, &reads[i]);

		for (int64_t k = 0; k < reads[i].end - reads[i].begin; k++) {
			struct event e = { start + k, 1, false };

			bytes += holder(c, reads, i, false, &e) < 0;
		}
	}
	return bytes;
}

/* The step's loads: in any order and any number of times, but each byte declared, and
 * each declared byte. */
static bool compare_loads(struct comparison *c, const struct tn_step *step)
{
	static uint8_t seen[64][RANGE_MAX];
	int64_t read = 0;

	ck_assert_uint_lt(step->n_reads, 64);
	for (uint32_t i = 0; i < step->n_reads; i++) {
		ck_assert_int_lt(step->reads[i].end - step->reads[i].begin, RANGE_MAX);
		memset(seen[i], 0, sizeof(seen[i]));
	}
	for (; c->next < record.n && !record.events[c->next].store; c->next++) {
		const struct event *e = &record.events[c->next];
		int i;

		if (!is_shared(c->it, c->op, e->at))
			continue;
		i = holder(c, step->reads, step->n_reads, false, e);
		if (i < 0)
			return wrong(c, "a load that is not declared", e);
		for (uint32_t k = 0; k < e->bytes; k++) {
			uint8_t *mark =
				&seen[i][e->at - read_start(c, &step->reads[i]) + k];

			read += !*mark;
			*mark = 1;
		}
	}
	/* selection leaves out the operand that it does not choose */
	return c->op->kind == OP_SELECT_V2 ||
	       read == distinct_bytes(c, step->reads, step->n_reads) ||
	       wrong(c, "loads are missing", NULL);
}

/* The step's stores: each declared byte once. */
static bool compare_stores(struct comparison *c, const struct tn_step *step)
{
	int64_t written = 0, want = 0;

	for (uint32_t i = 0; i < step->n_writes; i++)
		want += step->writes[i].end - step->writes[i].begin;
	for (; written < want && c->next < record.n && record.events[c->next].store;
		c->next++) {
		const struct event *e = &record.events[c->next];

		if (holder(c, step->writes, step->n_writes, true, e) < 0)
			return wrong(c, "a store that is not declared", e);
		written += e->bytes;
	}
	return written == want || wrong(c, "stores are missing", NULL);
}

static bool compare_step(void *user, const struct tn_step *step)
{
	struct comparison *c = user;

	if (!compare_loads(c, step) || !compare_stores(c, step))
		return false;
	c->step++;
	return true;
}

struct tally {
	int variants, orders, displaced, corrupted;
	char first[512];
};

static void complain(
	struct tally *t, const struct tn_op *op, struct tn_variant v, const char *what)
{
	if (!t->first[0])
		snprintf(t->first, sizeof(t->first), "%s (%s), %s, hold %d: %s", op->name,
			op->type, v.descending ? "descending" : "ascending", (int)v.hold,
			what);
}

static void compare_order(
	struct interpreter *it, tn_op_id id, struct tn_variant v, struct tally *tally)
{
	const struct tn_op *op = &it->file.graph.ops[id.i];
	const struct tn_call *call = &it->calls[id.i];
	struct comparison c = { .it = it, .op = op };
	struct operands o;

	gather_operands(it, call, &o);
	record.n = 0;
	record.on = true;
	call->kernel->run(call->params, o.in, o.out, it->scratch);
	record.on = false;
	if (tn_contract_walk(&it->file.graph, id, v, compare_step, &c) != TN_OK)
		complain(tally, op, v, "no order");
	else if (c.wrong[0])
		complain(tally, op, v, c.wrong);
	else if (c.next != record.n)
		complain(tally, op, v, "accesses after the last step");
	else
		tally->orders++;
}

/* ---- the displacement ---- */

static int64_t width_of(const struct tn_tensor *t)
{
	return tn_dtype_bits(t->dtype) / 8;
}

/* Runs the op with input `k` at distance d from its output, in the direction of the
 * variant, and the other operands where they are. False when the result differs. */
static bool run_displaced(
	struct interpreter *it, tn_op_id id, uint32_t k, struct tn_variant v, int64_t d)
{
	const struct tn_graph *g = &it->file.graph;
	const struct tn_op *op = &g->ops[id.i];
	const struct tn_call *call = &it->calls[id.i];
	const struct tn_tensor *in = &g->tensors[op->inputs[k].i];
	const struct tn_tensor *out = &g->tensors[op->outputs[0].i];
	const uint8_t *home = it->bytes[op->inputs[k].i];
	int64_t distance = v.descending ? -d : d; /* input minus output */
	size_t out_at = distance < 0 ? (size_t)-distance : 0;
	size_t in_at = distance < 0 ? 0 : (size_t)distance;
	size_t size = out_at + in_at + (size_t)in->bytes + (size_t)out->bytes + 64;
	uint8_t *memory = malloc(size), *start = memory;
	struct operands o;
	bool equal;

	ck_assert(memory);
	/* both aligned to their elements: the distance is */
	while ((uintptr_t)(start + out_at) % 8 != 0)
		start++;
	memset(memory, 0x5a, size);
	memcpy(start + in_at, home, (size_t)in->bytes);
	gather_operands(it, call, &o);
	for (uint32_t i = 0; i < call->n_in; i++)
		if (o.in[i] == home)
			o.in[i] = start + in_at;
	o.out[0] = start + out_at;
	call->kernel->run(call->params, o.in, o.out, it->scratch);
	equal = memcmp(start + out_at, it->bytes[op->outputs[0].i], (size_t)out->bytes) ==
		0;
	free(memory);
	return equal;
}

static void compare_displaced(
	struct interpreter *it, tn_op_id id, struct tn_variant v, struct tally *tally)
{
	const struct tn_graph *g = &it->file.graph;
	const struct tn_op *op = &g->ops[id.i];

	for (uint32_t k = 0; k < op->n_inputs && op->n_outputs == 1; k++) {
		const struct tn_tensor *in = &g->tensors[op->inputs[k].i];
		const struct tn_tensor *out = &g->tensors[op->outputs[0].i];
		int64_t d, align;

		if (!tn_tensor_id_ok(g, op->inputs[k]) || in->data_kind != DATA_NONE)
			continue;
		ck_assert_int_eq(tn_contract_displacement(g, id, v, k, 0, &d), TN_OK);
		ck_assert(d != TN_DISPLACEMENT_NEVER);
		if (d == TN_DISPLACEMENT_FREE)
			d = 0;
		align = tn_max_i64(width_of(in), width_of(out));
		ck_assert(tn_align_up_i64(d, align, &d));
		if (!run_displaced(it, id, k, v, d))
			complain(tally, op, v, "the result differs at its displacement");
		tally->displaced++;
		if (d - align > -in->bytes && !run_displaced(it, id, k, v, d - align))
			tally->corrupted++;
	}
}

/* ---- all ops of a model ---- */

static void compare_model(const char *path, struct tally *tally)
{
	struct tn_variant variants[TN_VARIANTS_MAX];
	struct interpreter it;

	if (interpreter_init(&it, path)) {
		for (uint32_t v = 0; v < 4; v++) {
			ck_assert(interpreter_bind(&it, v));
			interpreter_reset(&it, 1);
			interpreter_run(&it, NULL, NULL);
			for (uint32_t i = 0; i < it.file.graph.n_ops; i++) {
				tn_op_id id = { i };
				uint32_t n = tn_contract_variants(
					&it.file.graph, id, variants);

				if (v >= n)
					continue;
				tally->variants++;
				compare_order(&it, id, variants[v], tally);
				compare_displaced(&it, id, variants[v], tally);
			}
		}
	}
	interpreter_release(&it);
}

START_TEST(fixture_ops)
{
	struct tally tally = { 0 };

	compare_model(tn_test_path("fixtures/kernels/ops.json"), &tally);
	printf("# fixture: %d variants, %d orders, %d displaced, %d corrupted one "
	       "element "
	       "below\n",
		tally.variants, tally.orders, tally.displaced, tally.corrupted);
	ck_assert_msg(!tally.first[0], "%s", tally.first);
	ck_assert_int_eq(tally.orders, tally.variants);
	ck_assert_int_gt(tally.variants, 600);
	ck_assert_int_gt(tally.corrupted, tally.displaced / 2);
}
END_TEST

static struct tally shared_tally;

static void compare_shared(const char *path)
{
	compare_model(path, &shared_tally);
}

START_TEST(shared_ops)
{
	const char *folder = tn_test_shared("ops/models");
	char path[4096];

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s", folder);
	memset(&shared_tally, 0, sizeof(shared_tally));
	ck_assert_int_gt(each_file(path, ".tflite", compare_shared), 0);
	printf("# single-op models: %d variants, %d orders, %d displaced, %d corrupted "
	       "one "
	       "element below\n",
		shared_tally.variants, shared_tally.orders, shared_tally.displaced,
		shared_tally.corrupted);
	ck_assert_msg(!shared_tally.first[0], "%s", shared_tally.first);
	ck_assert_int_eq(shared_tally.orders, shared_tally.variants);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("order");
	TCase *tc = tcase_create("order");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, fixture_ops);
	tcase_add_test(tc, shared_ops);
	suite_add_tcase(s, tc);
	return s;
}
