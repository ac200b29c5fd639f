#include "driver/target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"
#include "base/nearest.h"
#include "driver/memories.h"

static void report_unknown(const char *target, const struct tn_target_place *place,
	const struct tn_boards *boards, struct tn_diags *diags)
{
	struct tn_diag *d = tn_diag_at(diags, SEVERITY_ERROR, "command/unknown-board",
		place ? place->source : NULL, NULL, target,
		place ? "target=\"%s\" is no board" : "--target knows no board '%s'",
		target);
	struct tn_nearest nearest;

	if (d && place)
		d->line = place->line;
	tn_nearest_init(&nearest, target);
	for (size_t i = 0; i < boards->n; i++)
		tn_nearest_offer(&nearest, boards->list[i].id);
	if (nearest.best)
		tn_diag_note(diags, "did you mean '%s'?", nearest.best);
	for (size_t i = 0; i < boards->n; i++)
		tn_diag_note(diags, "%s: %s", boards->list[i].id, boards->list[i].title);
}

enum tn_status tn_target_boards(const tenure_options *options,
	const struct tn_target_place *place, bool may_be_all, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_boards *out)
{
	enum tn_status status = TN_OK;

	*out = (struct tn_boards){ 0 };
	if (!options->target && !options->boards.n)
		return TN_OK;
	status = tn_boards_read(NULL, arena, diags, out);
	for (size_t i = 0; i < options->boards.n && status == TN_OK; i++)
		status = tn_boards_read(options->boards.items[i], arena, diags, out);
	if (status != TN_OK)
		return status;
	qsort(out->list, out->n, sizeof(*out->list), tn_board_compare);
	if (!options->target || (may_be_all && strcmp(options->target, "all") == 0) ||
		tn_board_find(out, options->target))
		return TN_OK;
	report_unknown(options->target, place, out, diags);
	return TN_ERR_INPUT;
}

static enum tn_status refuse(struct tn_run *run, const char *why)
{
	tn_diag_at(&run->diags, SEVERITY_ERROR, "command/target", NULL, NULL, NULL,
		"--target %s", why);
	return TN_ERR_INPUT;
}

/* "sram:262144:16:1@536870912" */
static const char *region_of(
	struct tn_run *run, const struct tn_board_memory *m, int64_t align)
{
	char *text = tn_arena_printf(&run->arena, "%s:%" PRId64 ":%" PRId64 ":%" PRId64,
		m->name, m->bytes, align, m->cost);

	if (text && m->has_base)
		text = tn_arena_printf(&run->arena, "%s@%" PRId64, text, m->base);
	return text;
}

static enum tn_status write_regions(
	struct tn_run *run, const struct tn_board *board, tenure_options *io)
{
	const size_t n = board->n_memories, n_reserves = io->reserves.n;
	const char **regions = TN_NEW_ARRAY(&run->arena, const char *, n);
	const char **reserves = TN_NEW_ARRAY(&run->arena, const char *, n_reserves);
	int64_t bytes;

	if (!regions || !reserves)
		return TN_ERR_NOMEM;
	io->regions = (tenure_list){ regions, 0 };
	for (size_t i = 0; i < n; i++) {
		if (board->memories[i].is_flash)
			continue;
		regions[io->regions.n] = region_of(run, &board->memories[i], io->align);
		if (!regions[io->regions.n++])
			return TN_ERR_NOMEM;
	}
	for (size_t i = 0; i < n_reserves; i++) {
		reserves[i] = io->reserves.items[i];
		if (tn_reserve_plain(reserves[i], &bytes))
			reserves[i] = tn_arena_printf(&run->arena, "%s:%" PRId64,
				tn_board_largest(board, false)->name, bytes);
		if (!reserves[i])
			return TN_ERR_NOMEM;
	}
	io->reserves = (tenure_list){ reserves, n_reserves };
	return TN_OK;
}

enum tn_status tn_target_regions(struct tn_run *run, tenure_options *io)
{
	struct tn_boards boards;
	enum tn_status status;

	if (!io->target || run->target_is_budget)
		return TN_OK;
	if (io->regions.n)
		return refuse(run, "and --region both say what memories there are");
	if (io->plan)
		return refuse(
			run, "does not go with --plan, which has regions of its own");
	if (io->ram >= 0)
		return refuse(run, "and --ram both say how much memory there is");
	status = tn_target_boards(io, NULL, false, &run->arena, &run->diags, &boards);
	if (status != TN_OK)
		return status;
	return write_regions(run, tn_board_find(&boards, io->target), io);
}
