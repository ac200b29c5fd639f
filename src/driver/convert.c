/* tenure convert: any readable format to the native one, without loss. */
#include "driver/command.h"
#include "export/native.h"

int tenure_convert(const tenure_options *options, const char *graph)
{
	struct tn_run run;
	struct tn_strbuf out;
	enum tn_status status;

	tn_run_init(&run, options);
	tn_strbuf_init(&out);
	status = tn_pipeline(&run, graph, STAGE_IMPORT);
	if (status == TN_OK)
		status = tn_export_native(&run.graph, &run.excuses, NULL, &out);
	if (status == TN_OK)
		status = tn_command_deliver(&run, &out);
	tn_strbuf_release(&out);
	return tn_command_end(&run, status);
}
