/* Any bytes give a problem or an error with a report; a problem gives a legal answer or a
 * contradiction of given offsets, and what is written reads back to the same text. */
#include "fuzz.h"

#include "base/strbuf.h"
#include "export/minimalloc.h"
#include "import/minimalloc.h"

static void check_answer(struct tn_minimalloc *m, struct tn_arena *arena)
{
	const struct tn_limits limits = { .nodes = 1000 };
	struct tn_diags diags;
	struct tn_solution s;
	enum tn_status status;
	const char *why;
	uint32_t at[2];

	tn_diags_init(&diags, arena);
	m->problem.capacity = m->problem.n_buffers % 2 ? 100 : -1;
	status = tn_solve(&m->problem, &limits, arena, &diags, &s);
	require(status == TN_OK || (status == TN_ERR_INPUT && diags.errors == 1));
	if (status == TN_OK) {
		require(tn_solution_check(&m->problem, &s, &why, at));
		require(s.optimal == (s.height == s.bound));
	}
}

static void check_round_trip(const struct tn_minimalloc *m, struct tn_arena *arena)
{
	int64_t *offset = TN_NEW_ARRAY(arena, int64_t, m->problem.n_buffers);
	struct tn_source source = { .name = "again" };
	struct tn_strbuf once, twice;
	struct tn_minimalloc again;
	struct tn_diags diags;

	require(offset != NULL);
	for (uint32_t i = 0; i < m->problem.n_buffers; i++)
		offset[i] = m->problem.buffers[i].fixed >= 0 ? m->problem.buffers[i].fixed
							     : 0;
	tn_strbuf_init(&once);
	tn_strbuf_init(&twice);
	tn_diags_init(&diags, arena);
	tn_export_minimalloc(&m->problem, m->ids, offset, &once);
	source.text = once.text;
	source.len = once.len;
	require(tn_import_minimalloc(&source, arena, &diags, &again) == TN_OK);
	tn_export_minimalloc(&again.problem, again.ids, offset, &twice);
	require(once.len == twice.len && memcmp(once.text, twice.text, once.len) == 0);
	tn_strbuf_release(&once);
	tn_strbuf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tn_source source = {
		.name = "fuzz", .text = (const char *)data, .len = size
	};
	struct tn_minimalloc m;
	struct tn_arena arena;
	struct tn_diags diags;
	enum tn_status status;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	status = tn_import_minimalloc(&source, &arena, &diags, &m);
	require(status == TN_OK || status == TN_ERR_INPUT);
	require((status == TN_OK) == (diags.errors == 0));
	if (status == TN_OK && m.problem.n_buffers <= 500) {
		check_round_trip(&m, &arena);
		check_answer(&m, &arena);
	}
	tn_arena_release(&arena);
	return 0;
}
