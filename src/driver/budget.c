#include "driver/budget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "driver/changes.h"
#include "driver/command.h"
#include "driver/need.h"
#include "driver/target.h"
#include "report/peak.h"

#define CHANGES_SHOWN 3
#define TRIALS_MAX    24
#define CPU_USUAL     "cortex-m4"

static const char *text_of(const struct tn_strbuf *text)
{
	return text->text ? text->text : "";
}

/* ---- the peak ---- */

static void note_peak(struct tn_run *run)
{
	const struct tn_view view = tn_command_view(run);
	struct tn_peak peak = { .v = &view };
	struct tn_arena scratch;
	struct tn_boxes boxes;
	struct tn_load *loads;
	struct tn_strbuf words;

	tn_arena_init(&scratch);
	tn_strbuf_init(&words);
	if (tn_boxes_find(&view, &scratch, &boxes) == TN_OK &&
		tn_loads_find(&view, &scratch, &loads, &peak.position) == TN_OK &&
		peak.position != TN_NONE) {
		peak.boxes = &boxes;
		peak.loads = loads;
		tn_peak_words(&peak, &words);
		tn_diag_note(&run->diags, "the peak is %s", text_of(&words));
	}
	tn_strbuf_release(&words);
	tn_arena_release(&scratch);
}

/* ---- changes that would help ---- */

struct help {
	struct tn_strbuf words;
	int64_t arena; /* bytes with the change */
};

/* Keeps the list as it should be told: those that fit, cheap ones first (the order in
 * which they come), then those that save most. */
static void rank(struct help *list, size_t *n, struct help *new, int64_t room)
{
	size_t at = *n;

	while (at > 0 && (new->arena <= room ? list[at - 1].arena > room
					     : list[at - 1].arena > new->arena)) {
		if (at < CHANGES_SHOWN)
			list[at] = list[at - 1];
		else
			tn_strbuf_release(&list[at - 1].words);
		at--;
	}
	if (at < CHANGES_SHOWN) {
		list[at] = *new;
		*n = *n < CHANGES_SHOWN ? *n + 1 : *n;
	} else {
		tn_strbuf_release(&new->words);
	}
}

static void try_change(struct tn_run *run, const struct tn_change *change, uint32_t i,
	int64_t room, struct help *list, size_t *n, uint32_t *trials)
{
	struct tn_trial t;

	if (tn_trial_start(&t, run) && change->apply(&t, run, i)) {
		struct help help = { .arena = tn_trial_solve(&t, run) };

		++*trials;
		if (help.arena < run->plan.arena_bytes) {
			tn_strbuf_init(&help.words);
			tn_change_words(change, run, i, &help.words);
			rank(list, n, &help, room);
		}
	}
	tn_trial_end(&t);
}

/* Each was planned. `room` is what the arena may have. */
static void note_changes(struct tn_run *run, int64_t room)
{
	struct help list[CHANGES_SHOWN];
	uint32_t trials = 0;
	size_t n = 0;

	if (run->graph.n_ops > TN_TRIAL_OPS_MAX)
		return;
	if (!run->plan.arena_bytes) {
		tn_diag_note(&run->diags,
			"the arena is empty: what is too much is not of the plan");
		return;
	}
	if (run->options->plan || run->options->repair) {
		tn_diag_note(&run->diags, "a plan of tenure's own may need less: without "
					  "--plan and --repair");
		return;
	}
	for (size_t c = 0; c < TN_CHANGES; c++)
		for (uint32_t i = 0;
			i < tn_change_count(&tn_changes[c], run) && trials < TRIALS_MAX;
			i++)
			try_change(run, &tn_changes[c], i, room, list, &n, &trials);
	for (size_t i = 0; i < n; i++) {
		const int64_t saved = run->plan.arena_bytes - list[i].arena;

		if (list[i].arena <= room)
			tn_diag_note(&run->diags,
				"would fit: %s, saves %" PRId64 " B of the arena",
				text_of(&list[i].words), saved);
		else
			tn_diag_note(&run->diags,
				"would help: %s, saves %" PRId64
				" B of the arena; %" PRId64 " B would still be missing",
				text_of(&list[i].words), saved, list[i].arena - room);
		tn_strbuf_release(&list[i].words);
	}
	if (!n && run->plan.bound_bytes > room)
		tn_diag_note(&run->diags,
			"no plan of this graph needs less than %" PRId64
			" B: fewer channels, a smaller input or narrower types would "
			"help",
			run->plan.bound_bytes);
	else if (!n)
		tn_diag_note(&run->diags,
			"none of %u changes that were tried makes the arena smaller",
			trials);
}

/* ---- RAM ---- */

static void report_ram(struct tn_run *run, const struct tn_need *need, int64_t limit,
	const char *what, const char *subject)
{
	const int64_t bytes = tn_need_ram(need);
	struct tn_strbuf words;

	tn_diag_at(&run->diags, SEVERITY_ERROR, "memory/over-budget", run->source, "",
		subject,
		"the model needs %" PRId64 " B of RAM, %" PRId64
		" B more than the %" PRId64 " B of %s",
		bytes, bytes - limit, limit, what);
	tn_strbuf_init(&words);
	tn_need_words_ram(need, &words);
	tn_diag_note(&run->diags, "%s", text_of(&words));
	tn_strbuf_release(&words);
	note_peak(run);
	note_changes(run, limit - (bytes - need->arena));
}

bool tn_budget_arena(struct tn_run *run)
{
	const int64_t ram = run->options->ram;
	struct tn_need need;

	if (ram < 0)
		return true;
	if (tn_need_of(run, &need) != TN_OK) {
		run->diags.failed = true;
		return true;
	}
	need.stack = 0; /* plan's budget is the arena's */
	if (!tn_need_exceeds(&need, ram))
		return true;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "memory/over-budget", run->source, "",
		NULL,
		"the arena needs %" PRId64 " B, %" PRId64 " B more than the %" PRId64
		" B of --ram%s",
		need.arena, tn_need_ram(&need) - ram, ram - need.reserve,
		need.reserve ? " that are not reserved" : "");
	note_peak(run);
	note_changes(run, ram - need.reserve);
	return false;
}

/* ---- flash ---- */

static void note_constants(struct tn_run *run, const struct tn_constants *c)
{
	for (int i = 0; i < DTYPE_COUNT; i++) {
		const struct tn_constants_share *s = &c->of[i];
		int64_t zeros = 0;

		if (!s->bytes)
			continue;
		if (s->elements && !tn_mul_i64(s->zeros, 1000, &zeros))
			zeros = 0;
		tn_diag_note(&run->diags,
			"%s: %" PRId64 " B in %" PRId64 " tensors, %" PRId64 ".%" PRId64
			" %% zeros%s",
			tn_dtype_name((enum tn_dtype)i), s->bytes, s->tensors,
			s->elements ? zeros / s->elements / 10 : 0,
			s->elements ? zeros / s->elements % 10 : 0,
			tn_dtype_is_float((enum tn_dtype)i)
				? "; quantised to int8 it would be a fraction"
				: "");
	}
}

static void report_flash(struct tn_run *run, const struct tn_need *need, const char *cpu,
	int64_t limit, const char *what, const char *subject)
{
	const int64_t bytes = tn_need_flash(need, cpu);
	struct tn_strbuf words;

	tn_diag_at(&run->diags, SEVERITY_ERROR, "memory/flash-over-budget", run->source,
		"", subject,
		"the model needs %" PRId64 " B of flash, %" PRId64
		" B more than the %" PRId64 " B of %s; sharing memory cannot help",
		bytes, bytes - limit, limit, what);
	tn_strbuf_init(&words);
	tn_need_words_flash(need, cpu, &words);
	tn_diag_note(&run->diags, "%s", text_of(&words));
	tn_strbuf_release(&words);
	note_constants(run, &need->constants);
}

/* ---- boards ---- */

bool tn_budget_asked(const tenure_options *options)
{
	return options->ram >= 0 || options->flash >= 0 || options->target;
}

static bool is_all(const char *target)
{
	return strcmp(target, "all") == 0;
}

enum fit { FIT_NO, FIT_ONE, FIT_SPREAD };

/* Over all memories of the board, stack and reserve in this one. */
static enum fit spread(const struct tn_run *run, const struct tn_need *need,
	const struct tn_board *board, const struct tn_board_memory *holder)
{
	struct tn_plan_region regions[TN_REGIONS_MAX];
	struct tn_memories *m;
	enum fit fit = FIT_NO;
	struct tn_trial t;

	if (tn_trial_start(&t, run)) {
		m = &t.run.memories;
		*m = (struct tn_memories){ .regions = regions };
		for (size_t i = 0; i < board->n_memories && m->n_regions < TN_REGIONS_MAX;
			i++) {
			const struct tn_board_memory *own = &board->memories[i];

			if (own->is_flash)
				continue;
			regions[m->n_regions++] = (struct tn_plan_region){
				.name = own->name,
				.capacity = own->bytes,
				.align = run->options->align,
				.cost = own->cost,
				.reserved =
					own == holder ? need->stack + need->reserve : 0,
			};
		}
		if (tn_pipeline_solve(&t.run) == TN_OK)
			fit = FIT_SPREAD;
	}
	tn_trial_end(&t);
	return fit;
}

/* *out_holder: the memory that stack and reserve are in when it is spread. */
static enum fit fits_ram(const struct tn_run *run, const struct tn_need *need,
	const struct tn_board *board, const struct tn_board_memory **out_holder)
{
	const int64_t bytes = tn_need_ram(need);
	enum fit fit = FIT_NO;

	*out_holder = tn_board_largest(board, false);
	if (bytes <= (*out_holder)->bytes)
		return FIT_ONE;
	if (bytes > tn_board_ram(board) || run->memories.n_regions ||
		run->graph.n_ops > TN_TRIAL_OPS_MAX)
		return FIT_NO;
	for (size_t i = 0; i < board->n_memories && fit == FIT_NO; i++) {
		*out_holder = &board->memories[i];
		if (!board->memories[i].is_flash &&
			board->memories[i].bytes >= need->stack + need->reserve)
			fit = spread(run, need, board, *out_holder);
	}
	return fit;
}

static int64_t flash_of(const struct tn_board *board)
{
	const struct tn_board_memory *flash = tn_board_largest(board, true);

	return flash ? flash->bytes : 0;
}

static void check_board(
	struct tn_run *run, const struct tn_need *need, const struct tn_board *board)
{
	const struct tn_board_memory *ram = tn_board_largest(board, false);
	const struct tn_board_memory *holder;
	const enum fit fit = fits_ram(run, need, board, &holder);
	char *what = tn_arena_printf(
		&run->arena, "'%s' of the board %s", ram->name, board->id);

	if (fit == FIT_NO && what)
		report_ram(run, need, ram->bytes, what, board->id);
	if (fit == FIT_NO && tn_board_ram(board) > ram->bytes)
		tn_diag_note(&run->diags,
			"all memories of the board, %" PRId64 " B, are not enough either",
			tn_board_ram(board));
	if (fit == FIT_SPREAD) {
		tn_diag_at(&run->diags, SEVERITY_NOTE, "memory/spread", run->source, "",
			board->id,
			"the model fits no single memory of the board %s, but all of "
			"them",
			board->id);
		tn_diag_note(&run->diags,
			"tenure plan --target %s --reserve %s:%" PRId64
			" does it, with stack and reserve there",
			tn_diag_word(&run->diags, board->id),
			tn_diag_word(&run->diags, holder->name),
			need->stack + need->reserve);
	}
	if (tn_need_flash(need, board->cpu) > flash_of(board)) {
		what = tn_arena_printf(&run->arena, "the board %s", board->id);
		report_flash(run, need, board->cpu, flash_of(board),
			what ? what : board->id, board->id);
	}
}

static void list_boards(
	struct tn_run *run, const struct tn_need *need, const struct tn_boards *boards)
{
	bool *fits = TN_NEW_ARRAY(&run->arena, bool, boards->n);
	size_t n = 0;

	if (!fits) {
		run->diags.failed = true;
		return;
	}
	for (size_t i = 0; i < boards->n; i++) {
		const struct tn_board *b = &boards->list[i];
		const struct tn_board_memory *holder;

		fits[i] = tn_need_flash(need, b->cpu) <= flash_of(b) &&
			  fits_ram(run, need, b, &holder) != FIT_NO;
		n += fits[i];
	}
	tn_diag_at(&run->diags, n ? SEVERITY_NOTE : SEVERITY_ERROR, "memory/boards",
		run->source, "", NULL, "the model fits %zu of %zu boards%s", n, boards->n,
		n ? ", the smallest first" : "");
	for (size_t i = 0; i < boards->n; i++) {
		const struct tn_board *b = &boards->list[i];

		if (fits[i])
			tn_diag_note(&run->diags,
				"%s (%s): %" PRId64 " of %" PRId64 " B RAM, %" PRId64
				" of %" PRId64 " B flash",
				b->id, b->title, tn_need_ram(need), tn_board_ram(b),
				tn_need_flash(need, b->cpu), flash_of(b));
	}
	if (!n)
		note_peak(run);
}

enum tn_status tn_budget_boards(const tenure_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_boards *out)
{
	return tn_target_boards(options, NULL, true, arena, diags, out);
}

static enum tn_status check_target(
	struct tn_run *run, const struct tn_need *need, const struct tn_boards *boards)
{
	const tenure_options *o = run->options;
	struct tn_boards own;
	enum tn_status status = TN_OK;

	if (is_all(o->target) ? !boards->n : !tn_board_find(boards, o->target)) {
		status = tn_target_boards(o, NULL, true, &run->arena, &run->diags, &own);
		boards = &own;
	}
	if (status == TN_OK && is_all(o->target))
		list_boards(run, need, boards);
	else if (status == TN_OK)
		check_board(run, need, tn_board_find(boards, o->target));
	return status;
}

enum tn_status tn_budget_check(struct tn_run *run, const struct tn_boards *boards)
{
	const tenure_options *o = run->options;
	const char *cpu = o->cpu ? o->cpu : CPU_USUAL;
	struct tn_need need;
	enum tn_status status = tn_need_of(run, &need);

	if (status != TN_OK)
		return status;
	if (o->ram >= 0 && tn_need_exceeds(&need, o->ram))
		report_ram(run, &need, o->ram, run->ram_from ? run->ram_from : "--ram",
			NULL);
	if (o->flash >= 0 && tn_need_flash(&need, cpu) > o->flash)
		report_flash(run, &need, cpu, o->flash,
			run->flash_from ? run->flash_from : "--flash", NULL);
	if (o->target)
		status = check_target(run, &need, boards);
	return run->diags.failed ? TN_ERR_NOMEM : status;
}
