/* What the emitted code takes: calls by the sizes of their parameters, kernels as they were
 * measured. */
#include "base/banned.h"
#include "base/checked.h"
#include "emit/footprint.h"
#include "emit/writer.h"

#define CALL_CODE  12 /* bytes: what compilers made of calls, beside the operands */
#define CALL_FRAME 24
#define EVENT_CODE 16 /* of a chain's event: the call of a function for rows */

/* The parameters that say which rows lie on the stack while a chain runs. */
static void measure_chains(const struct tn_writer *w, struct tn_emit_sizes *out)
{
	const struct tn_plan *plan = w->program.plan;
	int64_t most = 0;

	for (uint32_t i = 0; i < plan->n_streams; i++) {
		const struct tn_plan_stream *s = &plan->streams[i];
		int64_t events = 0, frame = 0;

		for (uint32_t k = 0; k < s->n_loops; k++)
			events += s->loops[k].n_events;
		for (uint32_t k = 0; k < s->n; k++) {
			const struct tn_program_op *po = &w->program.ops[s->first + k];

			if (po->rows && po->rows->rows.kind != ROWS_ELEMENTS)
				frame += po->call.kernel->params->size;
		}
		for (size_t cpu = 0; cpu < TN_FOOTPRINT_CPUS; cpu++)
			out->code_bytes[cpu] += EVENT_CODE * events;
		most = tn_max_i64(most, frame + CALL_FRAME);
	}
	out->stack_bytes += most;
}

static void measure_calls(const struct tn_writer *w, struct tn_emit_sizes *out)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < w->program.n_ops; i++) {
		const struct tn_program_op *po = &w->program.ops[i];
		const uint32_t operands = po->call.n_in + po->call.n_out;

		if (po->elided || !po->call.kernel)
			continue;
		for (size_t cpu = 0; cpu < TN_FOOTPRINT_CPUS; cpu++)
			out->code_bytes[cpu] += CALL_CODE + 8 * (int64_t)operands +
						po->call.kernel->params->size;
		most = operands > most ? operands : most;
	}
	out->stack_bytes = CALL_FRAME + 4 * (int64_t)most;
}

static void measure_kernels(const struct tn_writer *w, struct tn_emit_sizes *out)
{
	int64_t deepest = 0;

	for (size_t i = 0; i < w->files->list.count; i++) {
		const struct tn_embedded *file = w->files->list.items[i];
		const struct tn_footprint *known = tn_footprint_find(file->name);

		if (!tn_kernel_file_is_source(file))
			continue;
		if (!known) {
			out->n_unmeasured++;
			continue;
		}
		for (size_t cpu = 0; cpu < TN_FOOTPRINT_CPUS; cpu++)
			out->code_bytes[cpu] += known->text[cpu];
		deepest = tn_max_i64(deepest, known->stack);
	}
	out->stack_bytes += deepest;
}

void tn_measure_code(const struct tn_writer *w, struct tn_emit_sizes *out)
{
	measure_calls(w, out);
	measure_chains(w, out);
	measure_kernels(w, out);
}
