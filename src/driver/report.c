/* tenure report: the plan as a page, a picture, a graph, a table. */
#include <stdlib.h>
#include <string.h>

#include "driver/command.h"
#include "driver/extras.h"
#include "driver/report_board.h"
#include "report/ascii.h"
#include "report/csv.h"
#include "report/dot.h"
#include "report/graph_svg.h"
#include "report/html.h"
#include "report/json_explorer.h"
#include "report/svg.h"
#include "report/trace.h"

/* What is asked for, by the file that each option names. */
struct request {
	struct tn_run *run;
	struct tn_extras extras;
	struct tn_report_board board;
	struct tn_dot_options dot;
};

typedef enum tn_status writer_fn(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out);

static enum tn_status page(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	(void)r;
	return tn_html_write(v, out);
}

static enum tn_status svg(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	(void)r;
	return tn_svg_write(v, out);
}

static enum tn_status dot(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_dot_write(v, &r->dot, out);
}

static enum tn_status graph_svg(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	enum tn_status status = tn_graph_svg_write(v, &r->dot, out);

	if (status == TN_ERR_IO)
		tn_diag_at(&r->run->diags, SEVERITY_ERROR, "command/no-layout", NULL,
			NULL, NULL,
			"--graph-svg: Graphviz has no layout 'dot' here; install it, or "
			"use --dot");
	return status;
}

static enum tn_status trace(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	(void)r;
	return tn_trace_write(v, out);
}

static enum tn_status explorer(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	(void)r;
	return tn_explorer_graph_write(v, out);
}

static enum tn_status overlay(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	(void)r;
	return tn_explorer_overlay_write(v, OVERLAY_LIVE, out);
}

static enum tn_status overlay_verdicts(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	(void)r;
	return tn_explorer_overlay_write(v, OVERLAY_VERDICTS, out);
}

static enum tn_status csv(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	(void)r;
	return tn_csv_write(v, out);
}

/* --ascii alone: -o is where the picture goes, not another page. */
static bool is_picture_alone(const tenure_options *o)
{
	return o->ascii && !o->svg && !o->dot && !o->graph_svg && !o->trace &&
	       !o->explorer && !o->overlay && !o->overlay_verdicts && !o->csv;
}

/* Where the picture goes; NULL: there is none. */
static const char *picture_file(const tenure_options *o)
{
	if (!o->ascii)
		return NULL;
	return is_picture_alone(o) && o->output ? o->output : "-";
}

static enum tn_status ascii(
	const struct request *r, const struct tn_view *v, struct tn_strbuf *out)
{
	const tenure_options *o = r->run->options;
	const char *file = picture_file(o);
	const bool shown = strcmp(file, "-") == 0 && o->columns > 0;

	return tn_ascii_write(v, shown ? (size_t)o->columns : TN_ASCII_COLUMNS, out);
}

/* --focus: an op by its name, or by its position in the order. */
static enum tn_status find_focus(struct request *r)
{
	const tenure_options *o = r->run->options;
	const struct tn_graph *g = &r->run->graph;
	char *end;
	unsigned long long position;

	r->dot = (struct tn_dot_options){ { TN_NONE }, 0 };
	if (!o->focus)
		return TN_OK;
	r->dot.radius = o->radius > g->n_ops ? g->n_ops : (uint32_t)o->radius;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		if (strcmp(g->ops[i].name, o->focus) == 0) {
			r->dot.focus.i = i;
			return TN_OK;
		}
	}
	position = strtoull(o->focus, &end, 10);
	if (end != o->focus && !*end && position < g->n_ops) {
		struct tn_view v = tn_command_view(r->run);

		r->dot.focus = tn_view_op_at(&v, (uint32_t)position);
		return TN_OK;
	}
	tn_diag_at(&r->run->diags, SEVERITY_ERROR, "command/unknown-op", r->run->source,
		NULL, o->focus, "--focus names '%s', but the graph has no such op",
		o->focus);
	return TN_ERR_INPUT;
}

/* Into the named file; without a name nothing is wanted. */
static enum tn_status write_report(
	const struct request *r, const char *file, writer_fn *fn)
{
	struct tn_view view = tn_command_view(r->run);
	struct tn_strbuf text;
	enum tn_status status;

	if (!file)
		return TN_OK;
	view.version = tenure_version();
	view.board = r->board.board;
	view.budget = r->board.budget;
	tn_extras_show(&r->extras, &view);
	tn_strbuf_init(&text);
	status = fn(r, &view, &text);
	if (status == TN_OK)
		status = tn_command_write(r->run, file, &text);
	tn_strbuf_release(&text);
	return status;
}

static enum tn_status write_all(struct request *r)
{
	const tenure_options *o = r->run->options;
	const bool alone = is_picture_alone(o);
	const struct {
		const char *file;
		writer_fn *fn;
	} wanted[] = {
		{ alone ? NULL : o->output, page },
		{ o->svg, svg },
		{ o->dot, dot },
		{ o->graph_svg, graph_svg },
		{ o->trace, trace },
		{ o->explorer, explorer },
		{ o->overlay, overlay },
		{ o->overlay_verdicts, overlay_verdicts },
		{ o->csv, csv },
		{ picture_file(o), ascii },
	};
	const size_t n = sizeof(wanted) / sizeof(*wanted);
	bool any = false, want_page = wanted[0].file != NULL;
	enum tn_status status = find_focus(r), ran = TN_OK;

	for (size_t i = 0; i < n; i++)
		any = any || wanted[i].file;
	/* a page nobody asked a place for goes to standard output, unless something else
	 * was asked for */
	want_page = want_page || !any;
	if (status == TN_OK && want_page)
		ran = tn_extras_make(r->run, &r->extras);
	if (status == TN_OK && !any)
		status = write_report(r, "-", page);
	for (size_t i = 0; i < n && status == TN_OK; i++)
		status = write_report(r, wanted[i].file, wanted[i].fn);
	tn_extras_end(&r->extras);
	return status == TN_OK ? ran : status;
}

int tenure_report(const tenure_options *options, const char *graph)
{
	struct tn_run run;
	struct request request = { .run = &run };
	enum tn_status status;

	tn_run_init(&run, options);
	status = tn_command_plan(&run, graph);
	/* a refused plan is shown too: the page says that it is refused */
	if (status == TN_OK || (status == TN_ERR_REFUSED && run.planned)) {
		enum tn_status wrote = tn_report_board_find(&run, graph, &request.board);

		if (wrote == TN_OK)
			wrote = write_all(&request);
		status = wrote == TN_OK ? status : wrote;
	}
	return tn_command_end(&run, status);
}
