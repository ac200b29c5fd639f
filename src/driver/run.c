/* tenure run: execute a graph on this machine. */
#include <inttypes.h>

#include "base/fnv.h"
#include "driver/command.h"
#include "driver/tensor_file.h"
#include "exec/exec.h"
#include "report/escape.h"

/* No more files than the graph has inputs or outputs (`what`). */
static bool few_enough(struct tn_run *run, const tenure_list *files, const char *option,
	uint32_t n, const char *what)
{
	if (files->n <= n)
		return true;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "command/inputs", run->source, NULL, NULL,
		"%zu files of --%s for %" PRIu32 " graph %s%s", files->n, option, n, what,
		n == 1 ? "" : "s");
	return false;
}

static enum tn_status set_inputs(struct tn_run *run, struct tn_exec *exec)
{
	const tenure_list *files = &run->options->inputs;
	const struct tn_graph *g = &run->graph;
	enum tn_status status = TN_OK;

	tn_exec_seed(exec, run->options->seed);
	for (uint32_t k = 0; k < files->n && status == TN_OK; k++) {
		const struct tn_tensor *t = &g->tensors[g->inputs[k].i];
		const uint8_t *bytes;

		status = tn_tensor_file_read(
			&run->arena, &run->diags, files->items[k], t, &bytes);
		if (status == TN_OK)
			status = tn_exec_input(exec, k, bytes, (size_t)t->bytes);
	}
	return status;
}

static void print_output(const struct tn_graph *g, tn_tensor_id id, const uint8_t *bytes,
	size_t size, struct tn_strbuf *out)
{
	const size_t shown = size < 64 ? size : 64;

	tn_escape_visible(out, g->tensors[id.i].name);
	tn_strbuf_printf(out, " %s[", tn_dtype_name(g->tensors[id.i].dtype));
	for (uint32_t d = 0; d < g->tensors[id.i].shape.rank; d++)
		tn_strbuf_printf(
			out, "%s%" PRId64, d ? "," : "", g->tensors[id.i].shape.dim[d]);
	tn_strbuf_printf(
		out, "] fnv1a64 %016" PRIx64 " ", tn_fnv(TN_FNV_INIT, bytes, size));
	for (size_t i = 0; i < shown; i++)
		tn_strbuf_printf(out, "%02x", bytes[i]);
	tn_strbuf_puts(out, shown < size ? "...\n" : "\n");
}

static enum tn_status give_outputs(
	struct tn_run *run, struct tn_exec *exec, struct tn_strbuf *out)
{
	const tenure_list *files = &run->options->outputs;
	const struct tn_graph *g = &run->graph;
	enum tn_status status = TN_OK;

	for (uint32_t k = 0; k < g->n_outputs && status == TN_OK; k++) {
		size_t size;
		static const uint8_t none[1]; /* what has no bytes needs no place */
		const uint8_t *bytes = tn_exec_bytes(exec, g->outputs[k], &size);

		if (!bytes && g->tensors[g->outputs[k].i].bytes)
			return TN_ERR_INTERNAL;
		bytes = bytes ? bytes : none;
		if (k < files->n)
			status = tn_tensor_file_write(&run->diags, files->items[k],
				&g->tensors[g->outputs[k].i], bytes);
		else if (!run->options->dump_layers)
			print_output(g, g->outputs[k], bytes, size, out);
	}
	return status;
}

static enum tn_status execute(struct tn_run *run, struct tn_strbuf *out)
{
	struct tn_exec *exec;
	enum tn_status status;

	if (!few_enough(
		    run, &run->options->inputs, "input", run->graph.n_inputs, "input") ||
		!few_enough(run, &run->options->outputs, "output-tensor",
			run->graph.n_outputs, "output"))
		return TN_ERR_INPUT;
	status = tn_exec_new(&run->graph, run->options->no_reuse ? NULL : &run->plan,
		&run->arena, &run->diags, &exec);
	if (status == TN_OK)
		status = set_inputs(run, exec);
	if (status != TN_OK)
		return status;
	tn_exec_poison(exec, 0xA5);
	status = run->options->dump_layers ? tn_exec_dump_layers(exec, out)
					   : tn_exec_run(exec, NULL, NULL);
	return status == TN_OK ? give_outputs(run, exec, out) : status;
}

int tenure_run(const tenure_options *options, const char *graph)
{
	struct tn_run run;
	struct tn_strbuf out;
	enum tn_status status;

	tn_run_init(&run, options);
	tn_strbuf_init(&out);
	if (options->no_reuse && options->plan)
		tn_diag_at(&run.diags, SEVERITY_ERROR, "command/plan", NULL, NULL, NULL,
			"--no-reuse does not go with --plan, which says where everything "
			"is");
	if (options->no_reuse && options->plan)
		status = TN_ERR_INPUT;
	else
		status = options->no_reuse ? tn_pipeline(&run, graph, STAGE_PROVE)
					   : tn_command_plan(&run, graph);
	if (status == TN_OK)
		status = execute(&run, &out);
	if (status == TN_OK)
		status = tn_command_deliver(&run, &out);
	tn_strbuf_release(&out);
	return tn_command_end(&run, status);
}
