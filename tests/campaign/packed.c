/* Packed kernels against their contracts, at random shapes, on emulated boards: for each
 * kernel that the set of a processor can run, and each of its variants for the shape, the
 * output is what the executor computes with the operands apart, with an operand at the
 * displacement of the contract, and at a random distance above; and for some shape it is not
 * with the operand one grain nearer. These kernels read earlier and write later than the
 * steps of the contract say, so that nearer is often right as well: it is counted.
 *
 *   packed [--count N] [--target PROCESSOR] [--seed S] [--kind SYMBOL]
 *
 * N shapes of each kernel (else $TENURE_PACKED, else 2), on one processor or on the first of
 * each set; from seed S on (else 0). Exit status 1: an output differs, or a kernel was not
 * reached often enough, or never differs one grain nearer; 77: no compiler or emulator. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/kernels.h"
#include "displaced.h"
#include "gen_op.h"
#include "ir/validate.h"
#include "state.h"
#include "validate/process.h"
#include "validate/program.h"

#define LIMIT	 4096 /* elements of a tensor */
#define BATCH	 40 /* shapes of a program */
#define IDLE	 2000 /* seeds of a row, one after the other, that made nothing new */
#define ROWS	 256
#define ROUNDS	 4000 /* seeds of each row, for each shape that is wanted */
#define NEAR_FEW 100 /* placements one grain nearer of which none need be wrong */

struct target {
	const char *name;
	enum tn_kernel_set set;
	const char *file; /* kernels in this folder, and these: */
	const char *others[6];
};

/* What each set falls back to where it has no kernel of its own (docs/KERNELS.md). */
static const struct target targets[] = {
	{ "cortex-m3", KERNELS_THUMB, "thumb/", { "tn_dsp_add_s8" } },
	{ "cortex-m4", KERNELS_DSP, "dsp/",
		{ "tn_thumb_conv_2d_s8", "tn_thumb_lut_s8",
			"tn_thumb_average_pool_2d_s8" } },
	{ "cortex-m55", KERNELS_MVE, "mve/",
		{ "tn_dsp_depthwise_conv_2d_s8", "tn_dsp_depthwise_any_s8",
			"tn_thumb_conv_2d_s8", "tn_thumb_average_pool_2d_s8" } },
	{ "cortex-m0plus", KERNELS_THUMB, "thumb/", { "tn_dsp_add_s8" } },
	{ "cortex-m7", KERNELS_DSP, "dsp/",
		{ "tn_thumb_conv_2d_s8", "tn_thumb_lut_s8",
			"tn_thumb_average_pool_2d_s8" } },
	{ "cortex-m33", KERNELS_DSP, "dsp/",
		{ "tn_thumb_conv_2d_s8", "tn_thumb_lut_s8",
			"tn_thumb_average_pool_2d_s8" } },
};
#define TARGETS (sizeof(targets) / sizeof(*targets))
#define USUAL	3 /* that run when none is named */

enum count { SHAPES, VARIANTS, EQUAL, NEARER, DIFFER, COUNTS };

struct shape {
	struct tn_gen gen;
	struct tn_graph g;
	uint32_t row, seed;
	enum tn_kernel_id kernel;
};

struct work {
	const struct target *target;
	const char *only; /* kernel, or NULL: all */
	const char *dir;
	uint64_t enough;
	uint64_t count[KERNEL_COUNT][COUNTS];
	uint32_t idle[ROWS]; /* seeds since its last shape, by row of gen_op_kinds */
	struct shape shapes[BATCH];
	uint32_t n;
	bool ok;
};

static bool is_wanted(const struct target *t, const struct tn_kernel_info *k)
{
	if (strncmp(k->file, t->file, strlen(t->file)) == 0)
		return true;
	for (uint32_t i = 0; i < sizeof(t->others) / sizeof(*t->others); i++)
		if (t->others[i] && strcmp(t->others[i], k->symbol) == 0)
			return true;
	return false;
}

/* ---- a shape ---- */

/* False: no op came of the seed. */
static bool make(struct shape *s, enum tn_kernel_set set)
{
	const struct gen_op_kind *kind = &gen_op_kinds[s->row];
	struct gen_site site = {
		.gen = &s->gen, .first = -1, .limit = LIMIT, .wide = true
	};

	tn_gen_init(&s->gen, 1000003 * s->row + s->seed);
	if (!gen_op(&site, kind))
		return false;
	tn_gen_finish(&s->gen, &s->g);
	s->g.kernels = set;
	if (tn_validate(&s->g, &s->gen.diags) == TN_OK)
		return true;
	fprintf(stderr, "seed %u, %s: the graph is not valid: %s\n", s->seed, kind->type,
		s->gen.diags.list.items[0].message);
	exit(3);
}

static const struct tn_kernel_info *kernel_of(struct shape *s, struct tn_variant v)
{
	struct tn_call call;

	if (tn_bind(&s->g, (tn_op_id){ 0 }, v, &s->gen.arena, &s->gen.diags, &call) ==
		TN_OK)
		return call.kernel;
	fprintf(stderr, "seed %u, %s: not bound\n", s->seed, gen_op_kinds[s->row].type);
	exit(3);
}

/* Takes the shape into the batch when it is one of a kernel that has not had enough. */
static bool take(struct work *w, struct shape *s)
{
	struct tn_variant v[TN_VARIANTS_MAX];
	const struct tn_kernel_info *k;

	if (!tn_contract_variants(&s->g, (tn_op_id){ 0 }, v))
		return false;
	k = kernel_of(s, v[0]);
	s->kernel = (enum tn_kernel_id)(k - tn_kernels);
	if (!is_wanted(w->target, k) || (w->only && strcmp(w->only, k->symbol) != 0) ||
		w->count[s->kernel][SHAPES] >= w->enough)
		return false;
	w->count[s->kernel][SHAPES]++;
	w->shapes[w->n++] = *s;
	return true;
}

static void print_shape(const struct shape *s)
{
	const struct tn_op *op = &s->g.ops[0];

	printf("  %s, seed %u\n", gen_op_kinds[s->row].type, s->seed);
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		uint32_t id =
			(k < op->n_inputs ? op->inputs[k] : op->outputs[k - op->n_inputs])
				.i;

		printf("  %s", k < op->n_inputs ? "in " : "out");
		for (uint32_t d = 0; id != TN_NONE && d < s->g.tensors[id].shape.rank;
			d++)
			printf(" %" PRId64, s->g.tensors[id].shape.dim[d]);
		printf("\n");
	}
}

/* ---- a program of many shapes ---- */

/* A random distance above the displacement, so that they may still share bytes, or apart. */
static int64_t farther(struct shape *s, uint32_t input)
{
	const struct tn_op *op = &s->g.ops[0];
	int64_t bytes = s->g.tensors[op->inputs[input].i].bytes +
			s->g.tensors[op->outputs[0].i].bytes;
	int64_t most = tn_gen_random(&s->gen, 2) ? 20 : bytes;

	if (!tn_gen_random(&s->gen, 2))
		return DISPLACED_APART;
	return 1 + tn_gen_random(&s->gen, (uint32_t)most);
}

static void add_variant(
	struct displaced *p, struct work *w, struct shape *s, struct tn_variant v)
{
	const tn_op_id op = { 0 };
	uint64_t *count = w->count[s->kernel];

	for (uint32_t k = 0; k < s->g.ops[0].n_inputs; k++) {
		if (!displaced_shares(&s->g, op, k))
			continue;
		(void)displaced_add(p, &s->g, op, v, k, 0);
		(void)displaced_add(p, &s->g, op, v, k, farther(s, k));
		(void)displaced_add(p, &s->g, op, v, k, -1);
	}
	count[VARIANTS]++;
}

static void add_shape(struct displaced *p, struct work *w, struct shape *s)
{
	struct tn_variant v[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(&s->g, (tn_op_id){ 0 }, v);

	for (uint32_t i = 0; i < n; i++)
		if (kernel_of(s, v[i]) == &tn_kernels[s->kernel])
			add_variant(p, w, s, v[i]);
}

static struct shape *shape_of(struct work *w, const struct placed *c)
{
	struct shape *s = w->shapes;

	while (&s->g != c->from)
		s++;
	return s;
}

static void count_result(struct displaced *p, struct work *w, uint32_t i, bool differs)
{
	const struct placed *c = &p->cases.items[i];
	struct shape *s = shape_of(w, c);
	uint64_t *count = w->count[s->kernel];

	if (c->farther < 0) {
		count[NEARER]++;
		count[DIFFER] += differs;
		return;
	}
	count[EQUAL]++;
	if (!differs)
		return;
	printf("%s, %s: the output differs, %s\n", w->target->name,
		displaced_kernel(p, i), displaced_words(p, i));
	print_shape(s);
	w->ok = false;
}

static void run_batch(struct work *w)
{
	struct displaced p = { 0 };
	struct displaced_run r;
	struct tn_arena arena;
	struct tn_diags diags;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	p.arena = &arena;
	p.diags = &diags;
	for (uint32_t i = 0; i < w->n; i++)
		add_shape(&p, w, &w->shapes[i]);
	displaced_make(&p, w->target->set);
	displaced_run(&p, &r, w->target->name, w->dir);
	for (uint32_t i = 0; i < p.cases.count; i++)
		count_result(&p, w, i, r.differs[i]);
	for (uint32_t i = 0; i < w->n; i++)
		tn_gen_release(&w->shapes[i].gen);
	w->n = 0;
	tn_arena_release(&arena);
	fflush(stdout);
}

/* ---- a processor ---- */

static bool is_complete(const struct work *w)
{
	for (uint32_t i = 0; i < KERNEL_COUNT; i++)
		if (is_wanted(w->target, &tn_kernels[i]) &&
			w->count[i][SHAPES] < w->enough &&
			(!w->only || strcmp(w->only, tn_kernels[i].symbol) == 0))
			return false;
	return true;
}

static void try_seed(struct work *w, uint32_t row, uint32_t seed)
{
	struct shape *s = &w->shapes[w->n];

	*s = (struct shape){ .row = row, .seed = seed };
	if (make(s, w->target->set) && take(w, s)) {
		w->idle[row] = 0;
	} else {
		w->idle[row]++;
		tn_gen_release(&s->gen);
	}
	if (w->n == BATCH)
		run_batch(w);
}

static void report(struct work *w)
{
	printf("%-11s %-32s %8s %8s %8s %8s %8s\n", w->target->name, "kernel", "shapes",
		"variants", "equal", "nearer", "differ");
	for (uint32_t i = 0; i < KERNEL_COUNT; i++) {
		const uint64_t *c = w->count[i];

		if (!is_wanted(w->target, &tn_kernels[i]) ||
			(w->only && strcmp(w->only, tn_kernels[i].symbol) != 0))
			continue;
		printf("%-11s %-32s", w->target->name, tn_kernels[i].symbol);
		for (int k = 0; k < COUNTS; k++)
			printf(" %8" PRIu64, c[k]);
		printf("\n");
		if (c[SHAPES] < w->enough) {
			printf("%s: not reached often enough\n", tn_kernels[i].symbol);
			w->ok = false;
		}
		if (c[NEARER] >= NEAR_FEW && !c[DIFFER]) {
			printf("%s: never differs one grain nearer\n",
				tn_kernels[i].symbol);
			w->ok = false;
		}
	}
}

static bool has_tools(const struct target *t)
{
	struct tn_arena arena;
	struct tn_diags diags;
	bool has;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	has = tn_program_tools(tn_target_find(t->name), &diags);
	if (!has)
		printf("%s: skipped, %s\n", t->name, diags.list.items[0].message);
	tn_arena_release(&arena);
	return has;
}

static bool run_target(
	const struct target *t, uint64_t enough, uint32_t seed, const char *only)
{
	static struct work w;
	struct tn_arena arena;
	struct tn_diags diags;
	bool ok;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	w = (struct work){ .target = t, .enough = enough, .only = only, .ok = true };
	if (tn_tempdir_make(&arena, &diags, &w.dir) != TN_OK)
		exit(3);
	printf("%s from seed %u on\n", t->name, seed);
	for (uint64_t i = 0; i < ROUNDS * enough && !is_complete(&w); i++)
		for (uint32_t row = 0; row < gen_n_op_kinds; row++)
			if (gen_op_kinds[row].in == DTYPE_I8 &&
				gen_op_kinds[row].out == DTYPE_I8 && w.idle[row] < IDLE)
				try_seed(&w, row, seed + (uint32_t)i);
	if (w.n)
		run_batch(&w);
	report(&w);
	tn_tempdir_remove(w.dir);
	ok = w.ok;
	tn_arena_release(&arena);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t enough = state_variable("TENURE_PACKED", 2), seed = 0;
	const char *target = NULL, *only = NULL;
	bool ok = true, known = false, ran = false;

	if (gen_n_op_kinds > ROWS)
		return 3;

	for (int i = 1; i < argc; i += 2) {
		bool value = i + 1 < argc;

		if (value && strcmp(argv[i], "--count") == 0)
			enough = state_number(argv[i + 1]);
		else if (value && strcmp(argv[i], "--seed") == 0)
			seed = state_number(argv[i + 1]);
		else if (value && strcmp(argv[i], "--target") == 0)
			target = argv[i + 1];
		else if (value && strcmp(argv[i], "--kind") == 0)
			only = argv[i + 1];
		else
			return fprintf(stderr, "usage: packed [--count N] [--target "
					       "PROCESSOR] [--seed S] [--kind SYMBOL]\n"),
			       2;
	}
	for (size_t i = 0; i < TARGETS; i++) {
		if (target ? strcmp(target, targets[i].name) != 0 : i >= USUAL)
			continue;
		known = true;
		if (!has_tools(&targets[i]))
			continue;
		ran = true;
		ok = run_target(&targets[i], enough, (uint32_t)seed, only) && ok;
	}
	if (!known)
		return fprintf(stderr, "no target '%s'\n", target), 2;
	return !ok ? 1 : ran ? 0 : 77;
}
