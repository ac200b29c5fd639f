#include "driver/report_board.h"

#include <string.h>

#include "base/checked.h"
#include "driver/govern.h"
#include "driver/target.h"

#include "base/banned.h"

/* What the configuration adds to the options; as they are when it ignores the file. */
static enum tn_status configured(
	struct tn_run *run, const char *graph, tenure_options *out)
{
	struct tn_file_name name = { graph, false };
	struct tn_file_names files = { .list = &name, .n = 1 };
	struct tn_govern govern;
	enum tn_status status;

	*out = *run->options;
	status = tn_govern_open(&govern, run->options, &files, &run->arena, &run->diags);
	if (status == TN_OK)
		status = tn_govern_spare(&govern);
	if (status == TN_OK && files.n)
		*out = govern.wards[0].options;
	return status;
}

static int64_t ram_of(const struct tn_board *board)
{
	const struct tn_board_memory *ram = tn_board_largest(board, false);

	return ram ? ram->bytes : 0;
}

enum tn_status tn_report_board_find(
	struct tn_run *run, const char *graph, struct tn_report_board *out)
{
	const bool own = run->options->target != NULL;
	struct tn_boards boards;
	tenure_options o;
	enum tn_status status = configured(run, graph, &o);

	*out = (struct tn_report_board){ NULL, 0 };
	if (status != TN_OK)
		return status;
	if (o.target && strcmp(o.target, "all") == 0)
		o.target = NULL; /* lint's word for: which ones */
	status = tn_target_boards(&o, NULL, false, &run->arena, &run->diags, &boards);
	if (status != TN_OK)
		return status;
	out->board = o.target ? tn_board_find(&boards, o.target) : NULL;
	out->budget = tn_max_i64(o.ram, 0);
	if (out->board && !own && o.ram < 0)
		out->budget = ram_of(out->board);
	return TN_OK;
}
