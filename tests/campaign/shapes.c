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
 * one shape in a hundred of those where data can make a difference. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fnv.h"
#include "bind/kernels.h"
#include "ir/validate.h"
#include "shape_data.h"
#include "state.h"

#define LIMIT	   300 /* elements of a tensor */
#define DATA_TRIES 100

enum count {
	SHAPES,
	ORDERS, /* variants whose order was compared */
	EQUAL, /* placements at or above the displacement */
	BELOW, /* placements just below it */
	TWIN, /* of those: one value is both operands, and any gives the same result */
	CONSTANT, /* of those: the result is the same whatever the data */
	SAME, /* of those: a byte that is read again is replaced by its own value */
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
	{ "tn_cast", "bytes of a wider element are cut" },
	{ "tn_max_pool_2d_s8", "only the greatest counts" },
	{ "tn_max_pool_2d_s16", "only the greatest counts" },
	{ "tn_max_pool_2d_f32", "only the greatest counts" },
	{ "tn_cumsum_f32", "an exclusive sum leaves the last element out" },
	{ "tn_cumsum_s8", "an exclusive sum leaves the last element out" },
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

/* Is one value all the operands? */
static bool is_twin(const struct tn_op *op)
{
	for (uint32_t k = 1; k < op->n_inputs; k++)
		if (op->inputs[k].i != op->inputs[0].i)
			return false;
	return op->n_inputs > 1;
}

static void displace(
	struct trial *t, uint32_t k, struct tn_variant v, uint64_t count[COUNTS])
{
	const struct tn_op *op = &t->g.ops[0];
	int64_t in = t->g.tensors[op->inputs[k].i].bytes;
	int64_t out = t->g.tensors[op->outputs[0].i].bytes;
	int64_t grain = record_grain(&t->op, k, v), d, more;
	bool shown = false, varies = false, same = true, free_of_order;
	struct clash clash;
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
	if (!shape_clash(t, v, k, v.descending ? -d : d, &clash))
		exit(3);
	for (uint32_t i = 0; i < DATA_TRIES && !shown; i++) {
		if (i)
			shape_fill(t, i, &clash);
		varies = varies || (i && result(t) != last);
		same = same && shape_replaced_by_itself(t, &clash);
		last = result(t);
		shown = !record_displaced(&t->op, k, v, d);
	}
	if (!shown && !varies)
		count[is_twin(op) ? TWIN : CONSTANT]++;
	else if (!shown)
		count[!clash.any ? LOOSE : same ? SAME : HIDDEN]++;
	shape_fill(t, 0, &clash);
}

static void try_variant(struct trial *t, struct tn_variant v, uint64_t count[COUNTS])
{
	const struct tn_op *op = &t->g.ops[0];
	const char *wrong;

	if (!bind(t, v))
		not_bound(t);
	shape_fill(t, 0, &(struct clash){ 0 });
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

static void print(const char *name, const uint64_t *c, const char *why)
{
	printf("%-28s", name);
	for (int k = 0; k < OPAQUE; k++)
		printf(" %9" PRIu64, c[k]);
	printf("%s%s\n", *why ? "  " : "", why);
}

static bool report(const struct shapes *s, const char *only)
{
	uint64_t sum[COUNTS] = { 0 }, shows, silent;
	bool ok = true;

	printf("%-28s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "kernel", "shapes",
		"orders", "equal", "below", "twin", "constant", "same", "hidden",
		"loose");
	for (uint32_t i = 0; i < KERNEL_COUNT; i++) {
		const uint64_t *c = s->count[i];
		const char *symbol = tn_kernels[i].symbol;

		silent = c[HIDDEN] + c[LOOSE];
		if (only && strcmp(only, symbol) != 0)
			continue;
		if (strncmp(tn_kernels[i].file, "ref/", 4) != 0)
			continue; /* may read earlier and write later than the steps */
		for (int k = 0; k < COUNTS; k++)
			sum[k] += c[k];
		if (c[SHAPES])
			print(symbol, c, silent && excuse(symbol) ? excuse(symbol) : "");
		if (!c[SHAPES] && !c[OPAQUE]) {
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
	shows = sum[BELOW] - sum[TWIN] - sum[CONSTANT] - sum[SAME];
	silent = sum[HIDDEN] + sum[LOOSE];
	printf("below the displacement %" PRIu64 " results can differ, %.2f %% do\n",
		shows, 100.0 * (double)(shows - silent) / (double)(shows ? shows : 1));
	return ok && 100 * silent <= shows;
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
