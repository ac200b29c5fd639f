#include "driver/fit.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "driver/changes.h"

#define TRIALS_MAX 32 /* of single changes */
#define NAMES_MAX  8 /* tensors that are named at the peak */

/* ---- how many bytes are missing ---- */

/* Does it fit with so many bytes of room in region r? */
static bool fits_with(
	struct tn_trial *t, const struct tn_run *run, uint32_t r, int64_t room)
{
	if (!tn_trial_start(t, run))
		return false;
	t->run.memories.regions[r].capacity = room + run->memories.regions[r].reserved;
	return tn_pipeline_solve(&t->run) == TN_OK;
}

/* The least room in region r that a plan was found for; -1: none, however large. */
static int64_t enough(const struct tn_run *run, uint32_t r)
{
	const struct tn_plan_region *region = &run->memories.regions[r];
	int64_t no = tn_memory_room(region), yes = -1;
	struct tn_trial t;

	if (fits_with(&t, run, r, INT64_MAX / 16))
		yes = t.run.plan.regions[r].used;
	tn_trial_end(&t);
	while (yes - no > region->align) {
		const int64_t middle =
			no + (yes - no) / 2 / region->align * region->align;
		const int64_t room = middle > no ? middle : no + region->align;

		if (room >= yes)
			break;
		if (fits_with(&t, run, r, room))
			yes = t.run.plan.regions[r].used;
		else
			no = room;
		tn_trial_end(&t);
	}
	return yes;
}

/* ---- the peak ---- */

/* The position at which most bytes of the region are needed. */
static uint32_t peak_of(const struct tn_placed *p, uint32_t n_ops, uint32_t r)
{
	const struct tn_problem *q = &p->lowered.problem;
	uint32_t peak = 0;
	int64_t most = -1;

	for (uint32_t k = 0; k < n_ops; k++) {
		int64_t sum = 0;

		for (uint32_t b = 0; b < q->n_buffers; b++)
			if (p->solution.region[b] == r &&
				q->buffers[b].begin < 2 * (int64_t)k + 2 &&
				q->buffers[b].end > 2 * (int64_t)k)
				sum += q->buffers[b].size;
		if (sum > most) {
			most = sum;
			peak = k;
		}
	}
	return peak;
}

static void name_peak(struct tn_run *run, const struct tn_run *grown, uint32_t r)
{
	const struct tn_placed *p = &grown->placed;
	const struct tn_problem *q = &p->lowered.problem;
	const uint32_t k = peak_of(p, run->graph.n_ops, r);
	struct tn_strbuf text;
	uint32_t n = 0;

	if (!run->graph.n_ops)
		return;
	tn_strbuf_init(&text);
	for (uint32_t b = 0; b < q->n_buffers; b++) {
		const uint32_t root = p->lowered.root_of[b].i;

		if (p->solution.region[b] != r || !q->buffers[b].size ||
			q->buffers[b].begin >= 2 * (int64_t)k + 2 ||
			q->buffers[b].end <= 2 * (int64_t)k || ++n > NAMES_MAX)
			continue;
		tn_strbuf_printf(&text, "%s%s%s%s %" PRId64 " B", n > 1 ? ", " : "",
			root == TN_NONE ? "" : "'",
			root == TN_NONE ? "scratch" : run->graph.tensors[root].name,
			root == TN_NONE ? "" : "'", q->buffers[b].size);
	}
	if (n > NAMES_MAX)
		tn_strbuf_printf(&text, " and %u more", n - NAMES_MAX);
	tn_diag_note(&run->diags, "alive at the peak, op '%s', in '%s': %s",
		run->graph.ops[grown->order.at[k].i].name, run->memories.regions[r].name,
		text.text ? text.text : "nothing");
	tn_strbuf_release(&text);
}

/* ---- single changes ---- */

static void try_changes(struct tn_run *run)
{
	uint32_t trials = 0;

	for (size_t c = 0; c < TN_CHANGES; c++) {
		const struct tn_change *change = &tn_changes[c];
		const uint32_t n = tn_change_count(change, run);

		for (uint32_t i = 0; i < n && trials < TRIALS_MAX; i++) {
			struct tn_strbuf words;
			struct tn_trial t;

			tn_strbuf_init(&words);
			if (tn_trial_start(&t, run) && change->apply(&t, run, i)) {
				trials++;
				tn_change_words(change, run, i, &words);
				if (tn_pipeline_solve(&t.run) == TN_OK && words.text)
					tn_diag_note(
						&run->diags, "would fit: %s", words.text);
			}
			tn_strbuf_release(&words);
			tn_trial_end(&t);
		}
	}
}

/* ---- the report ---- */

struct lack {
	int64_t room[TN_REGIONS_MAX]; /* that would do; -1: none would */
	uint32_t best; /* region that lacks least; n_regions: none helps */
};

static int64_t missing(const struct tn_run *run, const struct lack *l, uint32_t r)
{
	return l->room[r] - tn_memory_room(&run->memories.regions[r]);
}

static void measure(const struct tn_run *run, struct lack *out)
{
	const uint32_t n = run->memories.n_regions;

	*out = (struct lack){ .best = n };
	for (uint32_t r = 0; r < n; r++) {
		out->room[r] = run->memories.regions[r].owned ? -1 : enough(run, r);
		if (out->room[r] >= 0 &&
			(out->best == n ||
				missing(run, out, r) < missing(run, out, out->best)))
			out->best = r;
	}
}

void tn_fit_explain(struct tn_run *run)
{
	const struct tn_memories *m = &run->memories;
	const char *proof = run->placed.solution.hopeless ? "the tensors do not fit"
							  : "no plan was found that fits";
	struct tn_trial grown;
	struct lack l;

	measure(run, &l);
	if (l.best == m->n_regions) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "memory/over-budget", run->source,
			"", NULL, "%s, and no single region, however large, would help",
			proof);
		try_changes(run);
		return;
	}
	tn_diag_at(&run->diags, SEVERITY_ERROR, "memory/over-budget", run->source, "",
		m->regions[l.best].name,
		"%s: %" PRId64 " B are missing in '%s', which has %" PRId64 " B", proof,
		missing(run, &l, l.best), m->regions[l.best].name,
		tn_memory_room(&m->regions[l.best]));
	if (fits_with(&grown, run, l.best, l.room[l.best]))
		name_peak(run, &grown.run, l.best);
	tn_trial_end(&grown);
	for (uint32_t r = 0; r < m->n_regions; r++)
		if (l.room[r] >= 0)
			tn_diag_note(&run->diags,
				"would fit: '%s' of %" PRId64 " B, %" PRId64 " B more",
				m->regions[r].name,
				m->regions[r].capacity + missing(run, &l, r),
				missing(run, &l, r));
	try_changes(run);
}
