/* The verifier against real execution: random graphs, random plans of them and the plans
 * of the planner itself are judged by the verifier and executed by the kernels, and every
 * activation, output, kept input and variable is compared with a run without sharing.
 *
 *   campaign [--from SEED] [--count N] [--changes N] [--progress FILE] [--quiet]
 *            [--accepted-only]
 *
 * Nothing that is accepted may differ, and no plan of the planner may be refused: exit
 * status 1 if so, with the seed. With --progress the seeds that are done and the counts
 * are kept in the file, and the next run goes on from there. With --accepted-only no
 * refused plan is executed: a kernel whose operands are destroyed under its feet may index
 * a table anywhere, which a sanitizer rightly reports. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "exec/exec.h"
#include "gen_graph.h"
#include "gen_plan.h"
#include "ir/validate.h"
#include "own_plan.h"
#include "verify/verify.h"

enum count {
	GRAPHS,
	ACCEPTED_EQUAL,
	ACCEPTED_DIFFERENT, /* must stay 0 */
	ACCEPTED_REPLAYED, /* of the accepted: at least one op by its steps */
	REFUSED_EQUAL, /* luck, or dead bytes that a rule protects all the same */
	REFUSED_DIFFERENT,
	REFUSED_BY_EXECUTOR, /* the executor would not run it either */
	PLANNED, /* plans of the planner */
	PLANNED_REFUSED, /* must stay 0 */
	UNPLANNED, /* the planner has no answer; must stay 0 */
	COUNTS,
};

static const char *const names[COUNTS] = { "graphs", "accepted and equal",
	"accepted and different", "accepted by replay", "refused and equal",
	"refused and different", "refused by both", "planned", "planned and refused",
	"not planned" };

struct campaign {
	uint64_t count[COUNTS];
	uint32_t from, n, changes;
	const char *progress;
	bool quiet, accepted_only;
};

/* What a run shows, as digests: the output of each op right after it, and at the end what
 * lasts. Not of ops with more outputs (those that nobody reads may share bytes), nor of
 * views that the graph declares (they compute nothing, and nobody need be able to read
 * them at once). */
struct trace {
	const struct tn_graph *g;
	uint64_t *by_op;
	uint64_t last;
};

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(3);
	}
	return p;
}

static void see(void *user, const struct tn_exec_layer *layer)
{
	struct trace *t = user;

	if (layer->op.i != TN_NONE && t->g->ops[layer->op.i].n_outputs == 1 &&
		t->g->tensors[layer->tensor.i].view_of.i == TN_NONE)
		t->by_op[layer->op.i] = tn_fnv(
			tn_fnv_u64(t->by_op[layer->op.i], 1), layer->bytes, layer->size);
}

static void see_last(struct trace *t, const struct tn_exec *e)
{
	for (uint32_t i = 0; i < t->g->n_tensors; i++) {
		const struct tn_tensor *x = &t->g->tensors[i];
		const uint8_t *bytes;
		size_t size;

		if (!(x->role == ROLE_VARIABLE || x->observed || x->role == ROLE_OUTPUT ||
			    tn_graph_is_output(t->g, (tn_tensor_id){ i }) ||
			    (x->role == ROLE_INPUT && !x->clobber)))
			continue;
		bytes = tn_exec_bytes(e, (tn_tensor_id){ i }, &size);
		if (bytes)
			t->last = tn_fnv(tn_fnv_u64(t->last, i), bytes, size);
	}
}

/* Two invocations with other inputs; false when the executor refuses the plan. */
static bool execute(const struct tn_graph *g, const struct tn_plan *plan, int poison,
	struct tn_arena *arena, struct trace *out)
{
	struct tn_diags diags;
	struct tn_exec *e;

	tn_diags_init(&diags, arena);
	*out = (struct trace){ .g = g,
		.by_op = must(TN_NEW_ARRAY(arena, uint64_t, g->n_ops)),
		.last = TN_FNV_INIT };
	if (tn_exec_new(g, plan, arena, &diags, &e) != TN_OK) {
		if (!plan) {
			fprintf(stderr, "a graph does not run: %s\n",
				diags.list.count ? diags.list.items[0].message : "");
			exit(3);
		}
		return false;
	}
	tn_exec_poison(e, poison);
	for (uint32_t run = 0; run < 2; run++) {
		tn_exec_seed(e, 7 + run);
		if (tn_exec_run(e, see, out) != TN_OK)
			return false;
		see_last(out, e);
	}
	return true;
}

static bool same(const struct trace *a, const struct trace *b)
{
	return a->last == b->last &&
	       memcmp(a->by_op, b->by_op, a->g->n_ops * sizeof(*a->by_op)) == 0;
}

static void judge(struct campaign *c, uint32_t seed, const struct tn_graph *g,
	const struct tn_plan *plan, const struct trace *right, bool planned)
{
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_verdict verdict;
	struct trace t;
	enum tn_status status;
	bool equal = true, ran = true;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	status = tn_verify(g, plan, &arena, &diags, &verdict);
	if (status != TN_OK && c->accepted_only)
		ran = false;
	for (int i = 0; i < 2 && ran; i++) {
		ran = execute(g, plan, i ? 0x55 : 0xaa, &arena, &t);
		equal = equal && ran && same(&t, right);
	}
	if (status == TN_OK)
		c->count[equal ? ACCEPTED_EQUAL : ACCEPTED_DIFFERENT]++;
	else if (!ran)
		c->count[REFUSED_BY_EXECUTOR]++;
	else
		c->count[equal ? REFUSED_EQUAL : REFUSED_DIFFERENT]++;
	c->count[ACCEPTED_REPLAYED] += status == TN_OK && verdict.replayed > 0;
	c->count[PLANNED] += planned;
	c->count[PLANNED_REFUSED] += planned && status != TN_OK;
	if (status == TN_OK && !equal && !c->quiet)
		printf("seed %u: accepted and different\n", seed);
	if (planned && status != TN_OK && !c->quiet)
		printf("seed %u: a plan of the planner is refused: %s, %s\n", seed,
			verdict.rule ? verdict.rule : "",
			diags.list.count ? diags.list.items[0].message : "");
	tn_arena_release(&arena);
}

static void run_seed(struct campaign *c, uint32_t seed)
{
	const struct tn_gen_options options = { .ops = 4 + seed % 13,
		.runnable = true,
		.views = seed % 3 == 1,
		.state = seed % 3 == 2 };
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_plan plan, changed;
	struct trace right;

	tn_gen_init(&gen, seed);
	tn_gen_graph(&gen, &options, &g);
	if (tn_validate(&g, &gen.diags) != TN_OK) {
		fprintf(stderr, "seed %u: the graph is not valid\n", seed);
		exit(3);
	}
	(void)execute(&g, NULL, TN_POISON_NONE, &gen.arena, &right);
	c->count[GRAPHS]++;
	for (int mode = OVERLAP_NONE; mode <= OVERLAP_FULL; mode++) {
		if (!own_plan(&g, (enum tn_overlap_mode)mode, &gen.arena, &plan)) {
			c->count[UNPLANNED]++;
			if (!c->quiet)
				printf("seed %u: the planner has no plan\n", seed);
			gen_plan(&gen, &g, &plan);
			continue;
		}
		judge(c, seed, &g, &plan, &right, true);
	}
	for (uint32_t i = 0; i < c->changes; i++) {
		if (i % 2)
			gen_plan(&gen, &g, &plan); /* else the planner's densest one */
		gen_plan_copy(&gen, &plan, &changed);
		for (uint32_t k = 0; k <= i % 3; k++)
			gen_plan_change(&gen, &g, &changed);
		judge(c, seed, &g, &changed, &right, false);
	}
	tn_gen_release(&gen);
}

static void load(struct campaign *c)
{
	FILE *f = c->progress ? fopen(c->progress, "r") : NULL;

	if (!f)
		return;
	if (fscanf(f, "%" SCNu32, &c->from) != 1)
		exit(2);
	for (int i = 0; i < COUNTS; i++)
		if (fscanf(f, "%" SCNu64, &c->count[i]) != 1)
			exit(2);
	fclose(f);
}

static void save(const struct campaign *c, uint32_t next)
{
	FILE *f = c->progress ? fopen(c->progress, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "%" PRIu32, next);
	for (int i = 0; i < COUNTS; i++)
		fprintf(f, " %" PRIu64, c->count[i]);
	fprintf(f, "\n");
	fclose(f);
}

static uint32_t number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || value > UINT32_MAX) {
		fprintf(stderr, "'%s' is not a number\n", text);
		exit(2);
	}
	return (uint32_t)value;
}

int main(int argc, char **argv)
{
	struct campaign c = { .n = 100, .changes = 12 };

	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;

		if (strcmp(argv[i], "--quiet") == 0) {
			c.quiet = true;
		} else if (strcmp(argv[i], "--accepted-only") == 0) {
			c.accepted_only = true;
		} else if (more && strcmp(argv[i], "--from") == 0) {
			c.from = number(argv[++i]);
		} else if (more && strcmp(argv[i], "--count") == 0) {
			c.n = number(argv[++i]);
		} else if (more && strcmp(argv[i], "--changes") == 0) {
			c.changes = number(argv[++i]);
		} else if (more && strcmp(argv[i], "--progress") == 0) {
			c.progress = argv[++i];
		} else {
			fprintf(stderr, "usage: campaign [--from SEED] [--count N] "
					"[--changes N] [--progress FILE] [--quiet] "
					"[--accepted-only]\n");
			return 2;
		}
	}
	load(&c);
	for (uint32_t i = 0; i < c.n; i++) {
		run_seed(&c, c.from + i);
		if (i % 100 == 99 || i + 1 == c.n)
			save(&c, c.from + i + 1);
	}
	for (int i = 0; i < COUNTS; i++)
		printf("%-24s %" PRIu64 "\n", names[i], c.count[i]);
	return c.count[ACCEPTED_DIFFERENT] || c.count[PLANNED_REFUSED] ||
			       c.count[UNPLANNED]
		       ? 1
		       : 0;
}
