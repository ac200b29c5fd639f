/* tenure report: the plan as a page, a picture, a graph, a table. */
#include "driver/command.h"
#include "report/ascii.h"
#include "report/csv.h"
#include "report/dot.h"
#include "report/html.h"
#include "report/svg.h"
#include "report/trace.h"

#define COLUMNS 80

static enum tn_status dot(const struct tn_view *v, struct tn_strbuf *out)
{
	const struct tn_dot_options whole = { { TN_NONE }, 0 };

	return tn_dot_write(v, &whole, out);
}

static enum tn_status ascii(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_ascii_write(v, COLUMNS, out);
}

typedef enum tn_status writer_fn(const struct tn_view *v, struct tn_strbuf *out);

/* Into the named file; without a name nothing is wanted. */
static enum tn_status write_report(struct tn_run *run, const char *file, writer_fn *fn)
{
	struct tn_view view = tn_command_view(run);
	struct tn_strbuf text;
	enum tn_status status;

	if (!file)
		return TN_OK;
	tn_strbuf_init(&text);
	status = fn(&view, &text);
	if (status == TN_OK)
		status = tn_command_write(run, file, &text);
	tn_strbuf_release(&text);
	return status;
}

int tenure_report(const tenure_options *options, const char *graph)
{
	const char *page = options->output;
	struct tn_run run;
	enum tn_status status;

	/* a page nobody asked a place for goes to standard output, unless something else
	 * was asked for */
	if (!page && !options->svg && !options->dot && !options->trace && !options->csv &&
		!options->ascii)
		page = "-";
	tn_run_init(&run, options);
	status = tn_command_plan(&run, graph);
	/* a refused plan is shown too: the page says that it is refused */
	if (status == TN_OK || (status == TN_ERR_REFUSED && run.planned)) {
		enum tn_status wrote = write_report(&run, page, tn_html_write);

		if (wrote == TN_OK)
			wrote = write_report(&run, options->svg, tn_svg_write);
		if (wrote == TN_OK)
			wrote = write_report(&run, options->dot, dot);
		if (wrote == TN_OK)
			wrote = write_report(&run, options->trace, tn_trace_write);
		if (wrote == TN_OK)
			wrote = write_report(&run, options->csv, tn_csv_write);
		if (wrote == TN_OK)
			wrote = write_report(&run, options->ascii ? "-" : NULL, ascii);
		status = wrote == TN_OK ? status : wrote;
	}
	return tn_command_end(&run, status);
}
