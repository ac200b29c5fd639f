#include "driver/batch.h"

#include <inttypes.h>

#include "base/checked.h"
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

/* A batch that was tried. */
struct known {
	int64_t batch; /* 0: none yet */
	int64_t bytes; /* of its arena; -1: no plan */
};

static void print(struct tn_run *run, const struct known *best, const struct known *next)
{
	const bool ended = !next->batch; /* at the largest that is looked at */
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	if (run->options->json) {
		tn_strbuf_printf(&text,
			"{\"format\": \"tenure.batch/1\", \"batch\": %" PRId64
			", \"largest\": %s, \"arena_bytes\": %" PRId64
			", \"next_arena_bytes\": ",
			best->batch, ended ? "false" : "true", best->bytes);
		if (next->bytes < 0)
			tn_strbuf_puts(&text, "null}\n");
		else
			tn_strbuf_printf(&text, "%" PRId64 "}\n", next->bytes);
	} else {
		tn_strbuf_printf(&text, "%s batch %" PRId64 ": arena ",
			ended ? "fits:" : "largest", best->batch);
		tn_escape_number(&text, best->bytes);
		tn_strbuf_puts(&text, " B");
		if (next->bytes >= 0) {
			tn_strbuf_printf(
				&text, "; batch %" PRId64 " needs ", next->batch);
			tn_escape_number(&text, next->bytes);
			tn_strbuf_puts(&text, " B");
		}
		if (ended)
			tn_strbuf_puts(&text, "; no larger one is looked at");
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

/* The batch at which a line through two of them meets the budget, kept between `low` and
 * `high`; 0 when there is no such line. Most arenas grow by the same bytes with each
 * sample, so this is often the answer. */
static int64_t guess(int64_t ram, const struct known *a, const struct known *b,
	int64_t low, int64_t high)
{
	double slope, at;

	if (ram < 0 || !b->batch || a->bytes < 0 || b->bytes < 0)
		return 0;
	slope = (double)(b->bytes - a->bytes) / (double)(b->batch - a->batch);
	at = (double)a->batch + (double)(ram - a->bytes) / slope;
	if (!(slope > 0.0))
		return 0;
	return at < (double)low ? low : at > (double)high ? high : (int64_t)at;
}

/* Narrows what is between a batch that fits and one that does not; every third time by
 * halves (or doubles), so that it ends soon whatever the arenas look like. */
static enum tn_status search(struct tn_run *run, struct known *yes, struct known *no)
{
	struct known before = { 0, -1 };

	for (int tries = 1;
		no->batch ? no->batch - yes->batch > 1 : yes->batch < BATCH_MAX;
		tries++) {
		const int64_t high = no->batch ? no->batch - 1 : BATCH_MAX;
		const int64_t half = no->batch ? yes->batch + (high + 1 - yes->batch) / 2
					       : tn_min_i64(2 * yes->batch, high);
		int64_t next = tries % 3 ? guess(run->options->ram, yes,
						   no->batch ? no : &before,
						   yes->batch + 1, high)
					 : 0;
		struct outcome o;
		enum tn_status status;

		next = next ? next : half;
		status = try_batch(run, next, false, &o);
		if (status != TN_OK)
			return status;
		if (o.fits) {
			before = *yes;
			*yes = (struct known){ next, o.arena_bytes };
		} else {
			*no = (struct known){ next, o.arena_bytes };
		}
	}
	return TN_OK;
}

enum tn_status tn_batch_largest(struct tn_run *run)
{
	struct tn_arena arena;
	struct tn_graph twice;
	struct known yes, no = { 0, -1 };
	struct outcome best;
	enum tn_status status;

	if (run->options->ram < 0 && !run->memories.n_regions)
		return refuse(run, "needs --ram or --region");
	if (run->options->repair)
		return refuse(run, "makes no plan: it does not go with --repair");
	if (run->options->output || run->options->write_csv ||
		run->options->write_header || run->options->write_offline ||
		run->options->write_offsets)
		return refuse(run, "makes no plan: it does not go with -o, --write-csv, "
				   "--write-header, --write-offline or --write-offsets");
	tn_arena_init(&arena);
	status = tn_batch_scale(&run->graph, 2 * (tn_batch_of(&run->graph) + 1), &arena,
		&run->diags, &twice);
	tn_arena_release(&arena);
	if (status != TN_OK)
		return status;
	status = try_batch(run, 1, false, &best);
	if (status == TN_OK && !best.fits)
		return tn_budget_arena(run) ? refuse(run, "found no batch that fits")
					    : TN_ERR_REFUSED;
	yes = (struct known){ 1, best.arena_bytes };
	if (status == TN_OK)
		status = search(run, &yes, &no);
	if (status == TN_OK)
		status = try_batch(run, yes.batch, true, &best);
	if (status == TN_OK)
		print(run, &yes, &no);
	return status;
}
