#include "driver/need.h"

#include <inttypes.h>

#include "base/banned.h"
#include "base/checked.h"
#include "driver/memories.h"

static int64_t state_of(const struct tn_graph *g)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_VARIABLE &&
			g->tensors[i].view_of.i == TN_NONE)
			sum += g->tensors[i].bytes; /* validated: the sum fits */
	return sum;
}

static int64_t reserve_of(const tenure_options *o)
{
	int64_t sum = 0, bytes;

	for (size_t i = 0; i < o->reserves.n; i++)
		if (tn_reserve_plain(o->reserves.items[i], &bytes) &&
			!tn_add_i64(sum, bytes, &sum))
			sum = INT64_MAX;
	return sum;
}

enum tn_status tn_need_of(const struct tn_run *run, struct tn_need *out)
{
	const struct tn_emit_model model = { &run->graph, &run->plan, NULL };
	struct tn_arena scratch;
	struct tn_diags silent;
	enum tn_status status;

	*out = (struct tn_need){ .arena = run->plan.arena_bytes,
		.state = state_of(&run->graph),
		.scratch = run->plan.scratch_bytes,
		.reserve = reserve_of(run->options) };
	tn_arena_init(&scratch);
	tn_diags_init(&silent, &scratch);
	status = tn_constants_find(&run->graph, &scratch, &out->constants);
	if (status == TN_OK) {
		status = tn_emit_measure(&model, &scratch, &silent, &out->sizes);
		out->has_code = status == TN_OK;
		out->stack = out->has_code ? out->sizes.stack_bytes : 0;
		if (status == TN_ERR_INPUT || status == TN_ERR_REFUSED)
			status = TN_OK;
	}
	tn_arena_release(&scratch);
	return status;
}

int64_t tn_need_ram(const struct tn_need *need)
{
	int64_t sum = need->arena;

	if (!tn_add_i64(sum, need->stack, &sum) || !tn_add_i64(sum, need->reserve, &sum))
		return INT64_MAX;
	return sum;
}

bool tn_need_exceeds(const struct tn_need *need, int64_t limit)
{
	int64_t room;

	return !tn_sub_i64(limit, need->reserve, &room) ||
	       !tn_sub_i64(room, need->stack, &room) || need->arena > room;
}

static int64_t weights_of(const struct tn_need *need)
{
	return need->has_code ? need->sizes.constant_bytes : need->constants.bytes;
}

int64_t tn_need_flash(const struct tn_need *need, const char *cpu)
{
	const char *known;

	return weights_of(need) +
	       (need->has_code ? need->sizes.code_bytes[tn_footprint_column(cpu, &known)]
			       : 0);
}

void tn_need_words_ram(const struct tn_need *need, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "arena %" PRId64 " B", need->arena);
	if (need->scratch && need->state)
		tn_strbuf_printf(out, " (scratch %" PRId64 " B, state %" PRId64 " B)",
			need->scratch, need->state);
	else if (need->scratch || need->state)
		tn_strbuf_printf(out, " (%s %" PRId64 " B)",
			need->state ? "state" : "scratch",
			need->state ? need->state : need->scratch);
	if (need->has_code)
		tn_strbuf_printf(out, ", stack %" PRId64 " B", need->stack);
	else
		tn_strbuf_puts(out, ", stack not known");
	tn_strbuf_printf(out, ", reserve %" PRId64 " B", need->reserve);
}

void tn_need_words_flash(
	const struct tn_need *need, const char *cpu, struct tn_strbuf *out)
{
	const char *known;
	const size_t column = tn_footprint_column(cpu, &known);

	tn_strbuf_printf(out, "weights and tables %" PRId64 " B", weights_of(need));
	if (!need->has_code) {
		tn_strbuf_puts(out, ", code not known: some op has no kernel here");
		return;
	}
	tn_strbuf_printf(
		out, ", code %" PRId64 " B (%s)", need->sizes.code_bytes[column], known);
	if (need->sizes.n_unmeasured)
		tn_strbuf_printf(out, " without %u kernels not measured",
			need->sizes.n_unmeasured);
}
