#include "driver/batch.h"

#include <inttypes.h>

#include "driver/budget.h"
#include "driver/trial.h"
#include "ir/batch.h"
#include "report/escape.h"

#define BATCH_MAX ((int64_t)1 << 24)

struct outcome {
	bool fits;
	int64_t arena_bytes; /* when a plan was found */
};

/* Plans the graph for that batch. */
static enum tn_status try_batch(
	const struct tn_run *run, int64_t batch, bool verify, struct outcome *out)
{
	struct tn_trial t;
	enum tn_status status = TN_ERR_NOMEM;

	*out = (struct outcome){ false, -1 };
	if (tn_trial_start(&t, run))
		status = tn_batch_scale(
			&run->graph, batch, &t.run.arena, &t.run.diags, &t.run.graph);
	if (status == TN_OK)
		status = tn_pipeline_solve(&t.run);
	if (status == TN_OK) {
		out->arena_bytes = t.run.plan.arena_bytes;
		out->fits = run->memories.n_regions || run->options->ram < 0 ||
			    out->arena_bytes <= run->options->ram;
	}
	if (status == TN_OK && out->fits && verify)
		status = tn_verify(&t.run.graph, &t.run.plan, &t.run.arena, &t.run.diags,
				 &t.run.verdict) == TN_OK
				 ? TN_OK
				 : TN_ERR_INTERNAL;
	tn_trial_end(&t);
	/* too large for any memory, or for this one */
	return status == TN_ERR_INPUT || status == TN_ERR_REFUSED ? TN_OK : status;
}

static void print(struct tn_run *run, int64_t batch, const struct outcome *best,
	const struct outcome *next)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	if (run->options->json) {
		tn_strbuf_printf(&text,
			"{\"format\": \"tenure.batch/1\", \"batch\": %" PRId64
			", \"arena_bytes\": %" PRId64 ", \"next_arena_bytes\": ",
			batch, best->arena_bytes);
		if (next->arena_bytes < 0)
			tn_strbuf_puts(&text, "null}\n");
		else
			tn_strbuf_printf(&text, "%" PRId64 "}\n", next->arena_bytes);
	} else {
		tn_strbuf_printf(&text, "largest batch %" PRId64 ": arena ", batch);
		tn_escape_number(&text, best->arena_bytes);
		tn_strbuf_puts(&text, " B");
		if (next->arena_bytes >= 0) {
			tn_strbuf_printf(&text, "; batch %" PRId64 " needs ", batch + 1);
			tn_escape_number(&text, next->arena_bytes);
			tn_strbuf_puts(&text, " B");
		}
		tn_strbuf_putc(&text, '\n');
	}
	if (!text.failed)
		fwrite(text.text, 1, text.len, run->options->out);
	run->diags.failed = run->diags.failed || text.failed;
	tn_strbuf_release(&text);
}

static enum tn_status refuse(struct tn_run *run, const char *why)
{
	tn_diag_at(&run->diags, SEVERITY_ERROR, "command/max-batch", NULL, NULL, NULL,
		"--max-batch %s", why);
	return TN_ERR_INPUT;
}

/* Doubles from what fits to what does not, and halves what is between. */
static enum tn_status search(struct tn_run *run, int64_t *yes, struct outcome *next)
{
	int64_t no = *yes;
	struct outcome o = { true, 0 };
	enum tn_status status = TN_OK;

	while (status == TN_OK && o.fits && no < BATCH_MAX) {
		*yes = no;
		no *= 2;
		status = try_batch(run, no, false, &o);
	}
	if (status == TN_OK && o.fits)
		*yes = no; /* it would go on */
	*next = o;
	while (status == TN_OK && no - *yes > 1) {
		const int64_t middle = *yes + (no - *yes) / 2;

		status = try_batch(run, middle, false, &o);
		if (o.fits)
			*yes = middle;
		else
			no = middle;
		if (!o.fits)
			*next = o;
	}
	return status;
}

enum tn_status tn_batch_largest(struct tn_run *run)
{
	struct tn_arena arena;
	struct tn_graph twice;
	struct outcome best, next;
	int64_t batch = 1;
	enum tn_status status;

	if (run->options->ram < 0 && !run->memories.n_regions)
		return refuse(run, "needs --ram or --region");
	if (run->options->output)
		return refuse(run, "makes no plan: it does not go with -o");
	tn_arena_init(&arena);
	status = tn_batch_scale(&run->graph, 2 * (tn_batch_of(&run->graph) + 1), &arena,
		&run->diags, &twice);
	tn_arena_release(&arena);
	if (status != TN_OK)
		return status;
	status = try_batch(run, batch, false, &best);
	if (status == TN_OK && !best.fits)
		return tn_budget_arena(run) ? refuse(run, "found no batch that fits")
					    : TN_ERR_REFUSED;
	if (status == TN_OK)
		status = search(run, &batch, &next);
	if (status == TN_OK)
		status = try_batch(run, batch, true, &best);
	if (status == TN_OK)
		print(run, batch, &best, &next);
	return status;
}
