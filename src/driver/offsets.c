/* tenure offsets: the planner alone, over MiniMalloc's CSV. */
#include <inttypes.h>

#include "base/file.h"
#include "driver/command.h"
#include "export/minimalloc.h"
#include "import/import.h"
#include "import/minimalloc.h"
#include "plan/fixed.h"

/* One line for people; on standard error when the CSV itself goes to standard output. */
static void summarise(const struct tn_run *run, const struct tn_problem *p,
	const struct tn_solution *s, FILE *to)
{
	const char *name = run->source->name;

	fprintf(to, "%s: %" PRIu32 " buffers, height %" PRId64 ", bound %" PRId64, name,
		p->n_buffers, s->height, s->bound);
	if (s->optimal)
		fprintf(to, ", optimal");
	else
		fprintf(to, ", gap %" PRId64, s->height - s->bound);
	if (p->capacity >= 0)
		fprintf(to, ", %s %" PRId64,
			s->height <= p->capacity ? "fits"
			: s->bound > p->capacity ? "cannot fit"
						 : "found nothing that fits",
			p->capacity);
	fputc('\n', to);
}

/* The solver reports indices; here the buffers have names. */
static enum tn_status refuse_clash(struct tn_run *run, const struct tn_minimalloc *m)
{
	const struct tn_problem *p = &m->problem;
	struct tn_pairs none;
	enum tn_status status = tn_pairs_build(p, &run->arena, &none);
	uint32_t at[2];
	bool clash;

	if (status == TN_OK)
		status = tn_fixed_clash(p, &none, &clash, at);
	if (status != TN_OK || !clash)
		return status;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/fixed", run->source, NULL, NULL,
		"'%s' and '%s' are alive together and their given offsets %" PRId64
		" and %" PRId64 " make them overlap",
		m->ids[at[0]], m->ids[at[1]], p->buffers[at[0]].fixed,
		p->buffers[at[1]].fixed);
	return TN_ERR_INPUT;
}

/* A buffer that no answer could ever fit. */
static void tell_too_large(struct tn_run *run, const struct tn_minimalloc *m)
{
	const struct tn_problem *p = &m->problem;
	uint32_t largest = 0;

	for (uint32_t i = 1; i < p->n_buffers; i++)
		if (p->buffers[i].size > p->buffers[largest].size)
			largest = i;
	if (p->buffers[largest].size > run->options->capacity)
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/over-capacity", run->source,
			NULL, NULL,
			"'%s' alone has %" PRId64 " B, %" PRId64
			" B more than the capacity",
			m->ids[largest], p->buffers[largest].size,
			p->buffers[largest].size - run->options->capacity);
}

static enum tn_status solve(struct tn_run *run, const char *file)
{
	const tenure_options *o = run->options;
	const struct tn_limits limits = { o->nodes, o->time_limit };
	struct tn_minimalloc problem;
	struct tn_solution solution;
	struct tn_strbuf csv;
	enum tn_status status;
	const char *why;
	uint32_t at[2];

	status = tn_file_read(
		&run->arena, &run->diags, file, tn_import_fits_csv, &run->source);
	if (status == TN_OK)
		status = tn_import_minimalloc(
			run->source, &run->arena, &run->diags, &problem);
	if (status == TN_OK)
		status = refuse_clash(run, &problem);
	if (status != TN_OK)
		return status;
	problem.problem.capacity = o->minimize ? -1 : o->capacity;
	status = tn_solve(&problem.problem, &limits, &run->arena, &run->diags, &solution);
	if (status != TN_OK)
		return status;
	if (!tn_solution_check(&problem.problem, &solution, &why, at)) {
		if (!why)
			return TN_ERR_NOMEM;
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/internal", run->source,
			NULL, NULL, "our own answer is wrong: %s ('%s', '%s')", why,
			problem.ids[at[0]], problem.ids[at[1]]);
		return TN_ERR_INTERNAL;
	}
	summarise(run, &problem.problem, &solution,
		o->output && !tn_command_is_standard(o->output) ? o->out : o->err);
	tn_strbuf_init(&csv);
	tn_export_minimalloc(&problem.problem, problem.ids, solution.offset, &csv);
	status = tn_command_deliver(run, &csv);
	tn_strbuf_release(&csv);
	if (status == TN_OK && o->capacity >= 0 && solution.height > o->capacity) {
		tell_too_large(run, &problem);
		return TN_ERR_REFUSED;
	}
	return status;
}

int tenure_offsets(const tenure_options *options, const char *problem)
{
	struct tn_run run;

	tn_run_init(&run, options);
	return tn_command_end(&run, solve(&run, problem));
}
