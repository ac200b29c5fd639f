/* A graph and a plan for it, in one text: the native graph, a line "---", the plan. Any
 * plan is read or refused with a report; what is read is accepted or refused by the
 * verifier with a report, the same way twice. A small graph runs over an accepted plan with
 * chains as it does without sharing, bit for bit. */
#include "fuzz.h"
#include "fuzz_plan.h"

#include "import/import.h"
#include "import/plan_json.h"
#include "mutate_plan.h"
#include "validate/expected.h"
#include "verify/verify.h"

#define MARK	  "\n---\n"
#define BYTES_MAX 4096 /* of a tensor, to be run */
#define OPS_MAX	  16

struct fuzz_plan_tally fuzz_plan_tally;

struct input {
	struct tn_source graph, plan;
};

static int split(const uint8_t *data, size_t size, struct input *out)
{
	const size_t mark = strlen(MARK);

	for (size_t at = 0; at + mark <= size; at++)
		if (memcmp(data + at, MARK, mark) == 0) {
			*out = (struct input){
				{ .name = "graph",
					.text = (const char *)data,
					.len = at },
				{ .name = "plan",
					.text = (const char *)data + at + mark,
					.len = size - at - mark },
			};
			return 1;
		}
	return 0;
}

static int is_small(const struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].bytes > BYTES_MAX)
			return 0;
	return g->n_ops <= OPS_MAX && g->n_subgraphs == 0 && g->invocations < 3;
}

static void execute(
	const struct tn_graph *g, const struct tn_plan *plan, struct tn_arena *arena)
{
	struct tn_validation_config config;
	struct tn_validation reference;
	struct tn_diags diags;

	tn_diags_init(&diags, arena);
	/* it may have an op without a kernel, or a constant without a value */
	if (tn_expected_run(g, plan, 1, arena, &diags, &reference) != TN_OK ||
		tn_expected_check_plan(g, plan, 1, arena, &diags, &reference, &config) ==
			TN_ERR_INPUT)
		return;
	require(diags.errors == 0);
	require(config.verdict == VALIDATION_SAME);
	require(config.compared >= reference.n_layers);
}

static void judge(
	const struct tn_graph *g, const struct tn_plan *plan, struct tn_arena *arena)
{
	struct tn_verdict first, second;
	struct tn_diags diags;
	enum tn_status status;

	tn_diags_init(&diags, arena);
	status = tn_verify(g, plan, arena, &diags, &first);
	require(status == TN_OK || status == TN_ERR_REFUSED);
	fuzz_plan_tally.judged++;
	fuzz_plan_tally.refused += status != TN_OK;
	require(first.accepted == (status == TN_OK));
	require(first.accepted == (diags.errors == 0));
	tn_diags_init(&diags, arena);
	require(tn_verify(g, plan, arena, &diags, &second) == status);
	require(first.refusals == second.refusals && first.op == second.op &&
		first.place == second.place);
	if (first.accepted && plan->n_streams && is_small(g))
		execute(g, plan, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct tn_arena run, arena;
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_graph g;
	struct tn_plan plan;
	enum tn_status status;

	if (!split(data, size, &in))
		return 0;
	tn_arena_init(&run);
	tn_arena_init(&arena);
	tn_strings_init(&strings, &run);
	tn_diags_init(&diags, &run);
	struct tn_import im = { .arena = &arena,
		.strings = &strings,
		.diags = &diags,
		.source = &in.graph,
		.from = "native" };

	if (tn_import(&im, &g) == TN_OK) {
		tn_diags_init(&diags, &run);
		status = tn_import_plan_json(
			&g, &in.plan, NULL, &arena, &strings, &diags, &plan);
		require(status == TN_OK || status == TN_ERR_INPUT);
		require((status == TN_OK) == (diags.errors == 0));
		if (status == TN_OK)
			judge(&g, &plan, &arena);
	}
	tn_arena_release(&arena);
	tn_arena_release(&run);
	return 0;
}

#ifdef FUZZ_LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
#else
static size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
	return mutate_plan(data, size, room, 0, (uint32_t)room); /* the graph, too */
}
#endif

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	struct input in;

	if (seed % 4 == 0 || !split(data, size, &in))
		return LLVMFuzzerMutate(data, size, room);
	return mutate_plan(data, size, room, size - in.plan.len, seed);
}
