/* Kernels against their contracts, at random shapes: for each kind of kernel, and each
 * variant that the contract declares for the shape, the loads and stores that it records
 * are those of the declared steps; with an input and the output in one memory, at the
 * displacement of the contract and above the result is the same, and at the next smaller
 * one it differs for some data.
 *
 *   shapes [--count N] [--state FILE] [--kind SYMBOL]
 *
 * N shapes of each kernel (else $TENURE_SHAPES, else 300); with a state file (else
 * $TENURE_SHAPES_STATE) a run goes on where the last one ended. Exit status 1: a kernel
 * broke its contract, was not reached, or is right below its displacement for more than
 * one shape in a hundred. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fnv.h"
#include "bind/kernels.h"
#include "gen_op.h"
#include "ir/seed.h"
#include "ir/validate.h"
#include "record.h"
#include "state.h"

#define LIMIT	   300 /* elements of a tensor */
#define DATA_TRIES 100

enum count {
	SHAPES,
	ORDERS, /* variants whose order was compared */
	EQUAL, /* placements at or above the displacement */
	BELOW, /* placements just below it */
	CONSTANT, /* of those: the result is the same whatever the data */
	HIDDEN, /* of those: a replaced byte is read, and no data showed it */
	LOOSE, /* of those: no replaced byte is read at all */
	OPAQUE, /* shapes without a declared order */
	COUNTS,
};

struct shapes {
	uint64_t next[256]; /* seed, by row of gen_op_kinds */
	uint64_t count[KERNEL_COUNT][COUNTS];
};

/* Kernels that may be right below their displacement for more than one shape in a hundred:
 * a byte is replaced before it is read, but that does not show in the result. */
static const struct {
	const char *symbol, *why;
} hidden[] = {
	{ "tn_cast", "the low byte of a float is cut" },
	{ "tn_quantize_f32", "the low byte of a float is rounded away" },
	{ "tn_max_pool_2d_s8", "only the greatest counts" },
	{ "tn_max_pool_2d_s16", "only the greatest counts" },
	{ "tn_max_pool_2d_f32", "only the greatest counts" },
	{ "tn_reduce_all", "one bit of result for a whole fold" },
	{ "tn_reduce_any", "one bit of result for a whole fold" },
	{ "tn_strided", "an element that is copied twice is replaced by itself" },
	{ "tn_mapped", "an element that is copied twice is replaced by itself" },
	{ "tn_fill", "the element that is copied is replaced by itself" },
	{ "tn_gather_nd", "an element that is copied twice is replaced by itself" },
	{ "tn_update_slice", "of all places that an index may name, one is read" },
	{ "tn_gather", "an element that is copied twice is replaced by itself" },
	{ "tn_cumsum_f32", "the first sum of a column is its first element" },
	{ "tn_cumsum_s8", "the first sum of a column is its first element" },
	{ "tn_resize_bilinear_s8", "the corner of least weight is rounded away" },
	{ "tn_resize_bilinear_f32", "a corner may have no weight" },
};

static const char *excuse(const char *symbol)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		if (strcmp(symbol, hidden[i].symbol) == 0)
			return hidden[i].why;
	return NULL;
}

/* One op, its operands in memory of their own. */
struct trial {
	struct tn_gen gen;
	struct tn_graph g;
	struct recorded op;
	struct tn_call call;
	const char *type;
	uint32_t seed;
};

static void broken(const struct trial *t, struct tn_variant v, const char *what)
{
	const struct tn_op *op = &t->g.ops[0];

	printf("%s, seed %u, %s, %s, hold %d: %s\n", t->call.kernel->symbol, t->seed,
		t->type, v.descending ? "descending" : "ascending", (int)v.hold, what);
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		uint32_t id =
			(k < op->n_inputs ? op->inputs[k] : op->outputs[k - op->n_inputs])
				.i;

		if (id == TN_NONE)
			continue;
		printf("  %s", k < op->n_inputs ? "in " : "out");
		for (uint32_t d = 0; d < t->g.tensors[id].shape.rank; d++)
			printf(" %" PRId64, t->g.tensors[id].shape.dim[d]);
		printf("\n");
	}
	exit(1);
}

/* False: no op of this row came of the seed. */
static bool make(struct trial *t, const struct gen_op_kind *kind, uint32_t seed)
{
	struct gen_site site = { .gen = &t->gen, .first = -1, .limit = LIMIT };

	tn_gen_init(&t->gen, seed);
	t->seed = seed;
	t->type = kind->type;
	if (!gen_op(&site, kind))
		return false;
	tn_gen_finish(&t->gen, &t->g);
	if (tn_validate(&t->g, &t->gen.diags) != TN_OK) {
		fprintf(stderr, "seed %u, %s: the graph is not valid: %s\n", seed,
			kind->type, t->gen.diags.list.items[0].message);
		exit(3);
	}
	return true;
}

/* Exactly as many bytes as each value has, so that a sanitizer sees more. */
static void allocate(struct trial *t)
{
	t->op.g = &t->g;
	t->op.call = &t->call;
	t->op.bytes = TN_NEW_ARRAY(&t->gen.arena, uint8_t *, t->g.n_tensors);
	for (uint32_t i = 0; i < t->g.n_tensors; i++) {
		const struct tn_tensor *x = &t->g.tensors[i];

		t->op.bytes[i] = malloc((size_t)x->bytes + 1);
		if (!t->op.bytes[i])
			exit(3);
		memset(t->op.bytes[i], 0, (size_t)x->bytes + 1);
		if (x->data_kind == DATA_BYTES)
			memcpy(t->op.bytes[i], x->data, (size_t)x->bytes);
	}
}

static void release(struct trial *t)
{
	for (uint32_t i = 0; t->op.bytes && i < t->g.n_tensors; i++)
		free(t->op.bytes[i]);
	free(t->op.scratch);
	tn_gen_release(&t->gen);
	memset(t, 0, sizeof(*t));
}

/* Repeats the first element, whose low byte is 0 or 255 now and then, plus `more`; of truth
 * values most become alike. */
static void flatten(
	uint8_t *bytes, const struct tn_tensor *x, uint32_t seed, uint32_t more)
{
	size_t width = (size_t)tn_dtype_bits(x->dtype) / 8;
	struct tn_seed random;

	tn_seed_init(&random, seed);
	if (x->dtype != DTYPE_BOOL && tn_seed_next(&random) % 2)
		bytes[0] = tn_seed_next(&random) % 2 ? 0 : 255;
	if (x->dtype != DTYPE_BOOL)
		bytes[0] = (uint8_t)(bytes[0] + more);
	for (size_t i = width; i < (size_t)x->bytes; i++)
		if (x->dtype != DTYPE_BOOL)
			bytes[i] = bytes[i - width];
		else if (tn_seed_next(&random) % (4u << seed / 2 % 5))
			bytes[i] = seed % 2;
}

/* Near zero, so that sums do not saturate. */
static void shrink(uint8_t *bytes, const struct tn_tensor *x)
{
	if (x->dtype == DTYPE_I8)
		for (size_t i = 0; i < (size_t)x->bytes; i++)
			bytes[i] = (uint8_t)((int8_t)bytes[i] / 16);
}

/* An operand that says where: numbers from 0 to 3. */
static bool is_index(const struct tn_op *op, uint32_t id)
{
	uint32_t k = op->kind == OP_EMBEDDING_LOOKUP	   ? 0
		     : op->kind == OP_GATHER		   ? 1
		     : op->kind == OP_GATHER_ND		   ? 1
		     : op->kind == OP_DYNAMIC_UPDATE_SLICE ? 2
		     : op->kind == OP_BROADCAST_ARGS	   ? 0
							   : TN_NONE;

	return k < op->n_inputs && op->inputs[k].i == id;
}

/* Data for all inputs, and the result. Try 0 is random; later ones are random too, small,
 * the same for all inputs, or of one value, which shows in sums, relations and folds. */
static void fill(struct trial *t, uint32_t try)
{
	for (uint32_t i = 0; i < t->g.n_tensors; i++) {
		const struct tn_tensor *x = &t->g.tensors[i];
		enum tn_dtype as = x->dtype == DTYPE_F32 || x->dtype == DTYPE_BOOL
					   ? x->dtype
					   : DTYPE_I8;
		uint32_t seed = t->seed + 7919 * try;

		if (x->role != ROLE_INPUT)
			continue;
		if (try % 4 < 2)
			seed += 977 * i;
		if (is_index(&t->g.ops[0], i))
			as = DTYPE_I32;
		tn_seed_input(seed, as, t->op.bytes[i], x->bytes);
		if (try % 4 == 1)
			shrink(t->op.bytes[i], x);
		if (try % 4 == 3 && as != DTYPE_I32)
			flatten(t->op.bytes[i], x, seed, i * (try / 4 % 5 - 2));
	}
	record_run(&t->op);
}

static uint64_t result(const struct trial *t)
{
	uint32_t out = t->g.ops[0].outputs[0].i;

	return tn_fnv(TN_FNV_INIT, t->op.bytes[out], (size_t)t->g.tensors[out].bytes);
}

static void not_bound(const struct trial *t)
{
	size_t n = t->gen.diags.list.count;

	printf("seed %u, %s: not bound: %s\n", t->seed, t->type,
		n ? t->gen.diags.list.items[n - 1].message : "");
	exit(1);
}

static bool bind(struct trial *t, struct tn_variant v)
{
	int64_t scratch = tn_contract_scratch(&t->g, t->op.id, v);

	if (tn_bind(&t->g, t->op.id, v, &t->gen.arena, &t->gen.diags, &t->call) != TN_OK)
		return false;
	free(t->op.scratch);
	t->op.scratch = malloc((size_t)scratch + 1);
	if (!t->op.scratch)
		exit(3);
	return true;
}

/* Does any step read a byte of input k that the output has replaced? */
struct replay {
	uint32_t k;
	int64_t distance; /* input minus output */
	bool hit;
	uint8_t written[8 * LIMIT]; /* by byte of the output */
};

static bool replay_step(void *user, const struct tn_step *s)
{
	struct replay *r = user;

	for (uint32_t i = 0; i < s->n_reads; i++)
		for (int64_t b = s->reads[i].begin;
			s->reads[i].operand == r->k && b < s->reads[i].end; b++) {
			int64_t at = b + r->distance;

			r->hit = r->hit || (at >= 0 && at < (int64_t)sizeof(r->written) &&
						   r->written[at]);
		}
	for (uint32_t i = 0; i < s->n_writes; i++)
		memset(r->written + s->writes[i].begin, 1,
			(size_t)(s->writes[i].end - s->writes[i].begin));
	return true;
}

static bool reads_replaced(
	const struct trial *t, uint32_t k, struct tn_variant v, int64_t d)
{
	struct replay r = { .k = k, .distance = v.descending ? -d : d };

	return tn_contract_walk(&t->g, t->op.id, v, replay_step, &r) == TN_OK && r.hit;
}

static void displace(
	struct trial *t, uint32_t k, struct tn_variant v, uint64_t count[COUNTS])
{
	const struct tn_op *op = &t->g.ops[0];
	int64_t in = t->g.tensors[op->inputs[k].i].bytes;
	int64_t out = t->g.tensors[op->outputs[0].i].bytes;
	int64_t grain = record_grain(&t->op, k, v), d, more;
	bool shown = false, varies = false, free_of_order;
	uint64_t last = 0;

	if (tn_contract_displacement(&t->g, t->op.id, v, k, 0, &d) != TN_OK)
		exit(3);
	free_of_order = d == TN_DISPLACEMENT_FREE;
	if (free_of_order)
		d = -in;
	if (!tn_align_up_i64(d, grain, &d))
		exit(3);
	more = d + grain * (int64_t)tn_gen_random(
				   &t->gen, (uint32_t)((in + out) / grain) + 1);
	count[EQUAL] += 2;
	if (!record_displaced(&t->op, k, v, d))
		broken(t, v, "the result differs at the displacement");
	if (!record_displaced(&t->op, k, v, more))
		broken(t, v, "the result differs above the displacement");
	d -= grain;
	if (free_of_order || d <= -in)
		return;
	count[BELOW]++;
	for (uint32_t i = 0; i < DATA_TRIES && !shown; i++) {
		if (i)
			fill(t, i);
		varies = varies || (i && result(t) != last);
		last = result(t);
		shown = !record_displaced(&t->op, k, v, d);
	}
	if (!shown)
		count[!varies ? CONSTANT : reads_replaced(t, k, v, d) ? HIDDEN : LOOSE]++;
	fill(t, 0);
}

static void try_variant(struct trial *t, struct tn_variant v, uint64_t count[COUNTS])
{
	const struct tn_op *op = &t->g.ops[0];
	const char *wrong;

	if (!bind(t, v))
		not_bound(t);
	fill(t, 0);
	wrong = record_compare(&t->op, v);
	if (wrong)
		broken(t, v, wrong);
	if (!record_copies(&t->op, v))
		broken(t, v, "a step writes other bytes than it has read");
	count[ORDERS]++;
	for (uint32_t k = 0; k < op->n_inputs && op->n_outputs == 1; k++)
		if (op->inputs[k].i != TN_NONE &&
			t->g.tensors[op->inputs[k].i].data_kind == DATA_NONE)
			displace(t, k, v, count);
}

/* One shape of a row; false when the row's kernel has had enough of them. */
static bool step(struct shapes *s, uint32_t row, uint64_t enough, const char *only)
{
	struct tn_variant v[TN_VARIANTS_MAX];
	struct trial t = { 0 };
	uint64_t *count;
	bool wanted = true;
	uint32_t n;

	while (!make(&t, &gen_op_kinds[row], 1000003 * row + (uint32_t)s->next[row]++))
		release(&t);
	allocate(&t);
	n = tn_contract_variants(&t.g, t.op.id, v);
	if (!bind(&t, n ? v[0] : (struct tn_variant){ false, HOLD_NONE }))
		not_bound(&t);
	count = s->count[t.call.kernel - tn_kernels];
	if (only)
		wanted = strcmp(t.call.kernel->symbol, only) == 0;
	wanted = wanted && count[SHAPES] + count[OPAQUE] < enough;
	if (wanted) {
		count[n ? SHAPES : OPAQUE]++;
		for (uint32_t i = 0; i < n; i++)
			try_variant(&t, v[i], count);
	}
	release(&t);
	return wanted;
}

/* Kernels of recurrent ops have no order. */
static bool is_unreached(const char *symbol)
{
	return strncmp(symbol, "tn_svdf_", 8) == 0 || strncmp(symbol, "tn_lstm_", 8) == 0;
}

static void print(const char *name, const uint64_t *c, const char *why)
{
	printf("%-28s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %8" PRIu64
	       " %7" PRIu64 " %6" PRIu64 "%s%s\n",
		name, c[SHAPES], c[ORDERS], c[EQUAL], c[BELOW], c[CONSTANT], c[HIDDEN],
		c[LOOSE], *why ? "  " : "", why);
}

static bool report(const struct shapes *s, const char *only)
{
	bool ok = true;

	uint64_t sum[COUNTS] = { 0 };

	printf("%-28s %9s %9s %9s %9s %8s %7s %6s\n", "kernel", "shapes", "orders",
		"equal", "below", "constant", "hidden", "loose");
	for (uint32_t i = 0; i < KERNEL_COUNT; i++) {
		const uint64_t *c = s->count[i];
		const char *symbol = tn_kernels[i].symbol;
		uint64_t silent = c[HIDDEN] + c[LOOSE];

		if (only && strcmp(only, symbol) != 0)
			continue;
		for (int k = 0; k < COUNTS; k++)
			sum[k] += c[k];
		if (c[SHAPES])
			print(symbol, c, silent && excuse(symbol) ? excuse(symbol) : "");
		if (!c[SHAPES] && !c[OPAQUE] && !is_unreached(symbol)) {
			printf("%-28s has no row in gen_op.c\n", symbol);
			ok = false;
		}
		if (100 * silent > c[BELOW] + 99 && !excuse(symbol)) {
			printf("%-28s is right below its displacement too often\n",
				symbol);
			ok = false;
		}
		if (c[LOOSE]) {
			printf("%-28s has a displacement that is too large\n", symbol);
			ok = false;
		}
	}
	print("all", sum, "");
	return ok;
}

int main(int argc, char **argv)
{
	static struct shapes s;
	const size_t n = sizeof(s) / sizeof(uint64_t);
	uint64_t enough = state_variable("TENURE_SHAPES", 300), rounds = 0;
	const char *state = getenv("TENURE_SHAPES_STATE"), *only = NULL;
	bool more = true;

	for (int i = 1; i < argc; i += 2) {
		bool value = i + 1 < argc;

		if (value && strcmp(argv[i], "--count") == 0)
			enough = state_number(argv[i + 1]);
		else if (value && strcmp(argv[i], "--state") == 0)
			state = argv[i + 1];
		else if (value && strcmp(argv[i], "--kind") == 0)
			only = argv[i + 1];
		else
			return fprintf(stderr, "usage: shapes [--count N] [--state FILE] "
					       "[--kind SYMBOL]\n"),
			       2;
	}
	(void)state_load(state, "shapes", (uint64_t *)&s, n);
	while (more) {
		more = false;
		for (uint32_t row = 0; row < gen_n_op_kinds; row++)
			for (int i = 0; i < 10; i++)
				more = step(&s, row, enough, only) || more;
		if (++rounds % 100 == 0)
			state_save(state, "shapes", (uint64_t *)&s, n);
	}
	state_save(state, "shapes", (uint64_t *)&s, n);
	return report(&s, only) ? 0 : 1;
}
