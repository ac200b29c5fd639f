/* Boards: microcontrollers with their memories, read from XML (rules/boards.xml, which is
 * part of the program, and files of the user's in the same form). Plain data; knows no
 * graph and no plan. */
#ifndef TN_BOARD_BOARD_H
#define TN_BOARD_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

struct tn_board_memory {
	const char *name; /* "sram" */
	bool is_flash; /* else RAM */
	bool outside; /* of the chip */
	int64_t bytes;
	bool has_base;
	int64_t base; /* address of the first byte, when has_base */
	int64_t cost; /* per byte accessed, relative; 1 beside the core */
};

struct tn_board {
	const char *id; /* "nrf52840" */
	const char *title;
	const char *cpu; /* "cortex-m4" */
	int64_t mhz;
	struct tn_board_memory *memories; /* in the file's order */
	size_t n_memories;
	const char **sources; /* where the figures are from */
	size_t n_sources;
};

struct tn_boards {
	struct tn_board *list;
	size_t n;
};

/* Appends the boards of a file, or with NULL those that come with the program. Texts live
 * in the arena. TN_ERR_INPUT, reported with file, line and reason, when the file is not
 * of the schema or names a board twice. */
enum tn_status TN_MUST_CHECK tn_boards_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_boards *io);

/* NULL when there is none. */
const struct tn_board *tn_board_find(const struct tn_boards *boards, const char *id);

/* All of its RAM, all of its flash. */
int64_t tn_board_ram(const struct tn_board *board);
int64_t tn_board_flash(const struct tn_board *board);

/* The memories of that kind that hold most. NULL: it has none. */
const struct tn_board_memory *tn_board_largest(const struct tn_board *board, bool flash);

/* By RAM, then flash, then id: the smallest board first. For qsort. */
int tn_board_compare(const void *a, const void *b);

#endif
