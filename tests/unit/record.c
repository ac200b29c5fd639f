#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "kernels/ref/access.h"

#define RANGE_MAX 8192 /* bytes that a step reads in one range */
#define READS_MAX 512
#define CALL_MAX  16
#define MARGIN	  64

static void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "record: %s\n", what);
		exit(EXIT_FAILURE);
	}
}

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
		must(record.events, "out of memory");
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

/* Operand addresses of a call. */
struct operands {
	const void *in[CALL_MAX];
	void *out[CALL_MAX];
};

static const struct tn_op *op_of(const struct recorded *r)
{
	return &r->g->ops[r->id.i];
}

static void *address(const struct recorded *r, const struct tn_operand *o)
{
	if (tn_tensor_id_ok(r->g, o->tensor))
		return r->bytes[o->tensor.i];
	return (void *)(uintptr_t)o->data;
}

static void gather(const struct recorded *r, struct operands *o)
{
	const struct tn_call *call = r->call;

	must(call->n_in <= CALL_MAX && call->n_out <= CALL_MAX, "too many operands");
	for (uint32_t k = 0; k < call->n_in; k++)
		o->in[k] = address(r, &call->in[k]);
	for (uint32_t k = 0; k < call->n_out; k++)
		o->out[k] = address(r, &call->out[k]);
}

void record_run(const struct recorded *r)
{
	struct operands o;

	gather(r, &o);
	r->call->kernel->run(r->call->params, o.in, o.out, r->scratch);
}

/* Do loads from here count? Not from constants, which never share memory. */
static bool is_shared(const struct recorded *r, const uint8_t *at)
{
	const struct tn_op *op = op_of(r);

	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t;
		const uint8_t *base;

		if (!tn_tensor_id_ok(r->g, op->inputs[k]))
			continue;
		t = &r->g->tensors[op->inputs[k].i];
		base = r->bytes[op->inputs[k].i];
		if (!tn_tensor_is_constant(t) && at >= base && at < base + t->bytes)
			return true;
	}
	return false;
}

/* ---- the order ---- */

struct comparison {
	const struct recorded *r;
	size_t next; /* event */
	size_t step;
	struct tn_access ahead[READS_MAX]; /* of steps without a write */
	uint32_t n_ahead;
	char *wrong;
};

static bool wrong(struct comparison *c, const char *what, const struct event *e)
{
	static char text[256];

	if (e)
		snprintf(text, sizeof(text), "step %zu: %s (event %zu, %u bytes)",
			c->step, what, c->next, e->bytes);
	else
		snprintf(text, sizeof(text), "step %zu: %s", c->step, what);
	c->wrong = text;
	return false;
}

/* Which of the step's accesses holds the event? -1: none. */
static int holder(const struct comparison *c, const struct tn_access *list, uint32_t n,
	bool output, const struct event *e)
{
	const struct tn_op *op = op_of(c->r);

	for (uint32_t i = 0; i < n; i++) {
		tn_tensor_id id = output ? op->outputs[list[i].operand]
					 : op->inputs[list[i].operand];
		const uint8_t *base = c->r->bytes[id.i];

		if (e->at >= base + list[i].begin &&
			e->at + e->bytes <= base + list[i].end)
			return (int)i;
	}
	return -1;
}

static const uint8_t *read_start(const struct comparison *c, const struct tn_access *a)
{
	return c->r->bytes[op_of(c->r)->inputs[a->operand].i] + a->begin;
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

/* Selection leaves out the operand that it does not choose, and of all places that a
 * computed index may name, one is read. */
static bool chooses(enum tn_op_kind kind)
{
	return kind == OP_SELECT_V2 || kind == OP_GATHER || kind == OP_GATHER_ND ||
	       kind == OP_EMBEDDING_LOOKUP || kind == OP_DYNAMIC_UPDATE_SLICE;
}

/* The step's loads: in any order and any number of times, but each byte declared, and
 * each declared byte. */
static bool compare_loads(struct comparison *c, const struct tn_step *step)
{
	static uint8_t seen[READS_MAX][RANGE_MAX];
	int64_t read = 0;

	must(step->n_reads <= READS_MAX, "a step reads too many ranges");
	for (uint32_t i = 0; i < step->n_reads; i++) {
		int64_t n = step->reads[i].end - step->reads[i].begin;

		must(n <= RANGE_MAX, "a step reads too many bytes");
		memset(seen[i], 0, (size_t)n);
	}
	for (; c->next < record.n && !record.events[c->next].store; c->next++) {
		const struct event *e = &record.events[c->next];
		int i;

		if (!is_shared(c->r, e->at))
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
	return chooses(op_of(c->r)->kind) ||
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

/* Steps that write nothing and the one that follows are one: no store parts their loads. */
static bool compare_step(void *user, const struct tn_step *step)
{
	struct comparison *c = user;
	struct tn_step whole = *step;

	must(c->n_ahead + step->n_reads <= READS_MAX, "a step reads too many ranges");
	memcpy(&c->ahead[c->n_ahead], step->reads, step->n_reads * sizeof(*step->reads));
	c->n_ahead += step->n_reads;
	if (!step->n_writes)
		return true;
	whole.reads = c->ahead;
	whole.n_reads = c->n_ahead;
	c->n_ahead = 0;
	if (!compare_loads(c, &whole) || !compare_stores(c, &whole))
		return false;
	c->step++;
	return true;
}

const char *record_compare(const struct recorded *r, struct tn_variant v)
{
	struct comparison c = { .r = r };

	record.n = 0;
	record.on = true;
	record_run(r);
	record.on = false;
	if (tn_contract_walk(r->g, r->id, v, compare_step, &c) != TN_OK)
		return "no order";
	if (!c.wrong && c.next != record.n)
		return "accesses after the last step";
	return c.wrong;
}

/* ---- copies ---- */

struct copies {
	const struct recorded *r;
	const uint8_t *held; /* along a cycle: the element that waits, or NULL */
	int64_t held_bytes;
	bool wrong;
};

static const uint8_t *operand_bytes(
	const struct copies *c, const struct tn_access *a, bool output)
{
	const struct tn_op *op = op_of(c->r);

	return c->r->bytes[(output ? op->outputs : op->inputs)[a->operand].i] + a->begin;
}

/* Does `to` hold these bytes? */
static bool holds(const struct copies *c, const struct tn_access *to, const uint8_t *from,
	int64_t bytes)
{
	return to->end - to->begin == bytes &&
	       memcmp(from, operand_bytes(c, to, true), (size_t)bytes) == 0;
}

/* A step writes what it has read, range by range; without a read: a fill. */
static bool copy_step(void *user, const struct tn_step *step)
{
	struct copies *c = user;

	for (uint32_t i = 0; i < step->n_reads && !c->wrong; i++) {
		const struct tn_access *a = &step->reads[i];

		c->wrong = i >= step->n_writes ||
			   !holds(c, &step->writes[i], operand_bytes(c, a, false),
				   a->end - a->begin);
	}
	return !c->wrong;
}

/* The same along a cycle, where one element waits: the first step of a cycle reads it and
 * the one that it writes, the last one reads nothing and writes the one that waits. */
static bool cycle_step(void *user, const struct tn_step *step)
{
	struct copies *c = user;
	const struct tn_access *a = step->reads;

	c->wrong = true;
	if (step->n_writes != 1 || step->n_reads > 2)
		return false;
	if (step->n_reads == 2) {
		if (c->held)
			return false;
		c->held = operand_bytes(c, a, false);
		c->held_bytes = a->end - a->begin;
		a++;
	}
	if (step->n_reads) {
		c->wrong = !holds(
			c, step->writes, operand_bytes(c, a, false), a->end - a->begin);
	} else if (c->held) {
		c->wrong = !holds(c, step->writes, c->held, c->held_bytes);
		c->held = NULL;
	}
	return !c->wrong;
}

bool record_copies(const struct recorded *r, struct tn_variant v)
{
	struct copies c = { .r = r };
	enum tn_access_class access = tn_op_info(op_of(r)->kind)->access;

	if (access != ACCESS_MAP && access != ACCESS_VIEW)
		return true;
	return tn_contract_walk(r->g, r->id, v,
		       v.hold == HOLD_CYCLE ? cycle_step : copy_step, &c) == TN_OK &&
	       !c.wrong && !c.held;
}

/* ---- the displacement ---- */

static int64_t width_of(const struct tn_tensor *t)
{
	return tn_dtype_bits(t->dtype) / 8;
}

int64_t record_grain(const struct recorded *r, uint32_t k, struct tn_variant v)
{
	int64_t grain = tn_min_i64(width_of(&r->g->tensors[op_of(r)->inputs[k].i]),
		width_of(&r->g->tensors[op_of(r)->outputs[0].i]));

	return tn_max_i64(grain, tn_contract_grain(r->g, r->id, v));
}

bool record_displaced(
	const struct recorded *r, uint32_t k, struct tn_variant v, int64_t d)
{
	const struct tn_op *op = op_of(r);
	const struct tn_tensor *in = &r->g->tensors[op->inputs[k].i];
	const struct tn_tensor *out = &r->g->tensors[op->outputs[0].i];
	const uint8_t *home = r->bytes[op->inputs[k].i];
	int64_t distance = v.descending ? -d : d; /* input minus output */
	size_t out_at = distance < 0 ? (size_t)-distance : 0;
	size_t in_at = distance < 0 ? 0 : (size_t)distance;
	size_t size = out_at + in_at + (size_t)in->bytes + (size_t)out->bytes + MARGIN;
	uint8_t *memory = malloc(size), *start = memory;
	struct operands o;
	bool equal;

	must(memory, "out of memory");
	/* the wider elements are aligned; so are the others, whose distance is */
	while ((uintptr_t)(start + (width_of(in) > width_of(out) ? in_at : out_at)) % 16)
		start++;
	memset(memory, 0x5a, size);
	memcpy(start + in_at, home, (size_t)in->bytes);
	gather(r, &o);
	for (uint32_t i = 0; i < r->call->n_in; i++)
		if (o.in[i] == home)
			o.in[i] = start + in_at;
	o.out[0] = start + out_at;
	r->call->kernel->run(r->call->params, o.in, o.out, r->scratch);
	equal = memcmp(start + out_at, r->bytes[op->outputs[0].i], (size_t)out->bytes) ==
		0;
	free(memory);
	return equal;
}
