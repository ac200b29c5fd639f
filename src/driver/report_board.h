/* For which board a report is made, and against which budget. */
#ifndef TN_DRIVER_REPORT_BOARD_H
#define TN_DRIVER_REPORT_BOARD_H

#include "board/board.h"
#include "driver/pipeline.h"

struct tn_report_board {
	const struct tn_board *board; /* NULL: nobody named one */
	int64_t budget; /* bytes that the plan may take; 0: nobody said */
};

/* The board of --target, else of the configuration that lies above the graph's file (or of
 * --config). A plan has regions for the first; the second, as in lint, is only a budget: its
 * largest RAM, or the configuration's own budget for the file.
 * TN_ERR_INPUT, reported, when the configuration is wrong or no board has that name. */
enum tn_status TN_MUST_CHECK tn_report_board_find(
	struct tn_run *run, const char *graph, struct tn_report_board *out);

#endif
