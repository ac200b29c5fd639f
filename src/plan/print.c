#include "plan/print.h"

#include <inttypes.h>

/* As contract/contract.h numbers them. */
static const char *const held[] = { "", ", pixel held", ", ring of pixels held",
	", by channel", ", along cycles" };

static void print_stream(const struct tn_plan_stream *s, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "  chain: %u ops from position %u, %s\n", s->n, s->first,
		s->descending ? "descending" : "ascending");
	for (uint32_t i = 0; i < s->n_loops; i++) {
		const struct tn_plan_loop *l = &s->loops[i];

		tn_strbuf_printf(out, "    %" PRId64 " times:", l->times);
		for (uint32_t k = 0; k < l->n_events; k++) {
			const struct tn_plan_event *e = &l->events[k];

			if (e->op == TN_PLAN_CALLER)
				tn_strbuf_puts(out, " caller");
			else
				tn_strbuf_printf(out, " op%u", e->op);
			tn_strbuf_printf(
				out, " %" PRId64 "..%" PRId64, e->y, e->y + e->rows);
			if (e->step)
				tn_strbuf_printf(out, "%+" PRId64, e->step);
		}
		tn_strbuf_putc(out, '\n');
	}
}

void tn_plan_print(const struct tn_plan *plan, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"plan: arena %" PRId64 " B, activations %" PRId64 " B, scratch %" PRId64
		" B, bound %" PRId64 " B%s\n",
		plan->arena_bytes, plan->activation_bytes, plan->scratch_bytes,
		plan->bound_bytes, plan->optimal ? ", optimal" : "");
	for (uint32_t i = 0; i < plan->n_tensors; i++) {
		const struct tn_plan_tensor *t = &plan->tensors[i];

		if (t->region != TN_REGION_NONE)
			tn_strbuf_printf(out,
				"  t%u %s + %" PRId64 " .. %" PRId64
				" half-steps [%" PRId64 ", %" PRId64 "]%s\n",
				i, plan->regions[t->region].name, t->offset,
				t->offset + tn_plan_tensor_room(t), t->first, t->last,
				t->ring_bytes ? " ring" : "");
	}
	for (uint32_t i = 0; i < plan->n_streams; i++)
		print_stream(&plan->streams[i], out);
	for (uint32_t p = 0; p < plan->n_ops; p++) {
		const struct tn_plan_op *op = &plan->ops[plan->order[p]];

		if (op->elided) {
			tn_strbuf_printf(out, "  op%u nothing runs\n", plan->order[p]);
			continue;
		}
		tn_strbuf_printf(out, "  op%u %s%s", plan->order[p],
			op->descending ? "descending" : "ascending",
			held[op->hold < sizeof(held) / sizeof(*held) ? op->hold : 0]);
		if (op->scratch_bytes)
			tn_strbuf_printf(out, ", scratch + %" PRId64 " .. %" PRId64,
				op->scratch_offset,
				op->scratch_offset + op->scratch_bytes);
		tn_strbuf_putc(out, '\n');
	}
}
