/* Bytes are the choices of a generator, so that every input is a valid graph: with views,
 * state, mutation, unknown ops, choices and loops. It is planned in each mode, and the
 * verifier must accept every plan; written and read again the graph is the same. */
#include "fuzz.h"

#include "export/native.h"
#include "gen_graph.h"
#include "import/import.h"
#include "own_plan.h"
#include "verify/verify.h"

#define OPS_MAX 24

static void check_plans(const struct tn_graph *g, struct tn_arena *arena)
{
	static const enum tn_overlap_mode modes[] = { OVERLAP_NONE, OVERLAP_INPLACE,
		OVERLAP_FULL };
	struct tn_verdict verdict;
	struct tn_diags diags;
	struct tn_plan plan;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		require(own_plan(g, modes[i], arena, &plan));
		require(plan.activation_bytes >= plan.bound_bytes);
		tn_diags_init(&diags, arena);
		require(tn_verify(g, &plan, arena, &diags, &verdict) == TN_OK);
	}
}

static void check_text(const struct tn_graph *g)
{
	struct tn_strbuf once, twice;
	struct tn_source source = { .name = "once" };
	struct tn_arena arena;
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_graph again;
	struct tn_import im = {
		.arena = &arena, .strings = &strings, .diags = &diags, .source = &source
	};

	tn_arena_init(&arena);
	tn_strings_init(&strings, &arena);
	tn_diags_init(&diags, &arena);
	tn_strbuf_init(&once);
	tn_strbuf_init(&twice);
	require(tn_export_native(g, NULL, NULL, &once) == TN_OK);
	source.text = once.text;
	source.len = once.len;
	require(tn_import(&im, &again) == TN_OK);
	require(tn_export_native(&again, NULL, NULL, &twice) == TN_OK);
	require(once.len == twice.len && memcmp(once.text, twice.text, once.len) == 0);
	tn_strbuf_release(&once);
	tn_strbuf_release(&twice);
	tn_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_gen_options options = { 0 };

	if (size < 2)
		return 0;
	options.ops = 1 + data[0] % OPS_MAX;
	options.types = data[1] & 1;
	options.views = data[1] & 2;
	options.state = data[1] & 4;
	options.mutation = data[1] & 8;
	options.opaque = data[1] & 16;
	options.flow = data[1] & 32;
	options.runnable = data[1] & 64;
	tn_gen_init(&gen, 1);
	gen.choices = data + 2;
	gen.n_choices = size - 2;
	tn_gen_graph(&gen, &options, &g);
	check_text(&g);
	check_plans(&g, &gen.arena);
	tn_gen_release(&gen);
	return 0;
}
