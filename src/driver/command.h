/* What every command does at its start and end: run the pipeline, print diagnostics,
 * deliver the result, choose the exit status. */
#ifndef TN_DRIVER_COMMAND_H
#define TN_DRIVER_COMMAND_H

#include "driver/pipeline.h"
#include "report/view.h"
#include "validate/validation.h"

/* The read-only view of a run for reports; parts that were not reached are NULL. */
struct tn_view tn_command_view(const struct tn_run *run);

/* Writes text to options->output, or to options->out when none is named. */
enum tn_status TN_MUST_CHECK tn_command_deliver(
	struct tn_run *run, const struct tn_strbuf *text);

/* Is the file that an option names ("-"; NULL: it names none) standard output? What people
 * read is then for standard error. */
bool tn_command_is_standard(const char *file);

/* Writes text to a named file. */
enum tn_status TN_MUST_CHECK tn_command_write(
	struct tn_run *run, const char *file, const struct tn_strbuf *text);

/* Prints dumps to out and diagnostics to err, releases the run, gives the exit status. */
int tn_command_end(struct tn_run *run, enum tn_status status);

/* Uses the plan in run->plan_file, which the pipeline has read, instead of one of our own:
 * compares its digests with the graph, verifies it. */
enum tn_status TN_MUST_CHECK tn_command_use_plan(struct tn_run *run);

/* Executes the run's graph over its plan on options->on. Statuses and result as those of
 * tn_validation_run. */
enum tn_status TN_MUST_CHECK tn_command_validate(
	struct tn_run *run, struct tn_validation *out);

/* The pipeline up to a plan: options->plan when given, else one of our own. */
enum tn_status TN_MUST_CHECK tn_command_plan(struct tn_run *run, const char *graph);

/* Findings to where diagnostics go; false when there is no memory to word them. */
bool TN_MUST_CHECK tn_command_tell(
	const tenure_options *options, const struct tn_view *view);
void tn_command_nomem(const tenure_options *options);

#endif
