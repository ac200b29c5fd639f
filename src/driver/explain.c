/* tenure explain GRAPH TENSOR: one tensor from the file to its address, in eight hops. */
#include "base/nearest.h"
#include "driver/command.h"
#include "report/hops.h"

static void suggest(struct tn_run *run, const char *tensor)
{
	struct tn_nearest nearest;

	tn_nearest_init(&nearest, tensor);
	for (uint32_t t = 0; t < run->graph.n_tensors; t++)
		tn_nearest_offer(&nearest, run->graph.tensors[t].name);
	if (nearest.best)
		tn_diag_note(&run->diags, "did you mean '%s'?", nearest.best);
	tn_diag_note(&run->diags,
		"an index will do as well: 7 or t7; 'tenure plan' lists the tensors");
}

static enum tn_status hops(struct tn_run *run, const char *tensor, struct tn_strbuf *out)
{
	struct tn_view view = tn_command_view(run);
	tn_tensor_id id;
	uint32_t n = tn_hops_find(&run->graph, tensor, &id);

	if (!n) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/unknown-tensor",
			run->source, NULL, NULL, "the graph has no tensor '%s'", tensor);
		suggest(run, tensor);
		return TN_ERR_INPUT;
	}
	if (n > 1) {
		tn_diag_at(&run->diags, SEVERITY_NOTE, "command/many-tensors",
			run->source, NULL, NULL,
			"%u tensors are called '%s'; this is the first", n, tensor);
		tn_diag_note(&run->diags, "name one by its index: t%u", id.i);
	}
	return tn_hops_write(&view, id, out);
}

int tenure_explain(const tenure_options *options, const char *graph, const char *tensor)
{
	struct tn_run run;
	struct tn_strbuf out;
	enum tn_status status;

	tn_run_init(&run, options);
	tn_strbuf_init(&out);
	status = tn_command_plan(&run, graph);
	if (status == TN_OK)
		status = hops(&run, tensor, &out);
	if (status == TN_OK)
		status = tn_command_deliver(&run, &out);
	tn_strbuf_release(&out);
	return tn_command_end(&run, status);
}
