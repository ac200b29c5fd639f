/* What the emitted code takes: calls by the sizes of their parameters, kernels as they were
 * measured. */
#include "base/banned.h"
#include "base/checked.h"
#include "emit/footprint.h"
#include "emit/writer.h"

/* Bytes that gcc makes of what is written, on the average of many models: of the run
 * function, of a call, and of its operands (constants; places, of which those at the start
 * of the memory cost hardly anything; scratch, which most calls have at the same place); of
 * the init function, of a place that input and output functions give, of a variable that is
 * cleared, and of one that starts from a constant, beside that. For the Cortex-M4 gcc loads a
 * call's constants early, so that they need longer instructions where all low registers are
 * taken. */
#define RUN_CODE      30
#define CALL_CODE     16
#define CONST_CODE    8
#define PRESSED_CODE  4
#define PLACE_CODE    4
#define START_CODE    2
#define SCRATCH_CODE  1
#define INIT_CODE     4
#define PORT_CODE     8
#define PORT_CODE_M0  12
#define VARIABLE_CODE 14
#define FIRST_CODE    28
#define FIRST_CODE_M0 12
#define FRAME	      36 /* of the run function, beside the operands of a call */
#define CALL_FRAME    24 /* of a chain */
#define EVENT_CODE    16 /* of a chain's event: the call of a function for rows */

/* Bytes of a struct of parameters: its tables are pointers, which take four bytes there. */
static int64_t params_bytes(const struct tn_params_info *params)
{
	int64_t bytes = params->size;

	for (uint32_t i = 0; i < params->n_fields; i++)
		if (params->fields[i].type >= FIELD_I8_TABLE)
			bytes -= (int64_t)sizeof(void *) - 4;
	return bytes;
}

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
				frame += params_bytes(po->call.kernel->params);
		}
		for (size_t cpu = 0; cpu < TN_FOOTPRINT_CPUS; cpu++)
			out->code_bytes[cpu] += EVENT_CODE * events;
		most = tn_max_i64(most, frame + CALL_FRAME);
	}
	out->stack_bytes += most;
}

static void measure_functions(const struct tn_writer *w, struct tn_emit_sizes *out)
{
	const int64_t ports = w->g->n_inputs + w->g->n_outputs;
	int64_t cleared = 0, first = 0, first_bytes = 0;

	for (uint32_t i = 0; i < w->g->n_tensors; i++) {
		const struct tn_tensor *t = &w->g->tensors[i];

		if (tn_variable_has_first(w, i)) {
			first++;
			first_bytes += t->bytes;
		} else if (t->role == ROLE_VARIABLE) {
			cleared++;
		}
	}
	for (size_t cpu = 0; cpu < TN_FOOTPRINT_CPUS; cpu++)
		out->code_bytes[cpu] += RUN_CODE + INIT_CODE + VARIABLE_CODE * cleared +
					(cpu ? FIRST_CODE : FIRST_CODE_M0) * first +
					first_bytes +
					(cpu ? PORT_CODE : PORT_CODE_M0) * ports;
}

static int64_t place_code(const struct tn_storage *s)
{
	if (s->region == TN_REGION_NONE)
		return 0;
	return s->offset ? PLACE_CODE : START_CODE;
}

static int64_t operand_code(const struct tn_writer *w, const struct tn_operand *o)
{
	int64_t code = tn_tensor_id_ok(w->g, o->tensor)
			       ? place_code(&w->program.tensors[o->tensor.i])
			       : 0;

	return code ? code : CONST_CODE;
}

static bool measure_calls(const struct tn_writer *w, struct tn_emit_sizes *out)
{
	uint32_t most = 0;
	int64_t pressed;

	if (!tn_pressed_constants(w, &pressed))
		return false;
	out->code_bytes[TN_FOOTPRINT_M4] += PRESSED_CODE * pressed;
	for (uint32_t i = 0; i < w->program.n_ops; i++) {
		const struct tn_program_op *po = &w->program.ops[i];
		const uint32_t operands = po->call.n_in + po->call.n_out;
		int64_t code;

		if (po->elided || !po->call.kernel)
			continue;
		code = CALL_CODE + (po->scratch.bytes ? SCRATCH_CODE : 0) +
		       params_bytes(po->call.kernel->params);
		for (uint32_t k = 0; k < po->call.n_in; k++)
			code += operand_code(w, &po->call.in[k]);
		for (uint32_t k = 0; k < po->call.n_out; k++)
			code += operand_code(w, &po->call.out[k]);
		for (size_t cpu = 0; cpu < TN_FOOTPRINT_CPUS; cpu++)
			out->code_bytes[cpu] += code;
		most = operands > most ? operands : most;
	}
	out->stack_bytes = FRAME + 4 * (int64_t)most;
	return true;
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

bool tn_measure_code(const struct tn_writer *w, struct tn_emit_sizes *out)
{
	measure_functions(w, out);
	if (!measure_calls(w, out))
		return false;
	measure_chains(w, out);
	measure_kernels(w, out);
	return true;
}
