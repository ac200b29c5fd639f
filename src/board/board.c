#include "board/board.h"

#include <string.h>

#include "base/banned.h"

const struct tn_board *tn_board_find(const struct tn_boards *boards, const char *id)
{
	for (size_t i = 0; i < boards->n; i++)
		if (strcmp(boards->list[i].id, id) == 0)
			return &boards->list[i];
	return NULL;
}

/* The schema bounds size and, by the file's size, number: no sum overflows. */
static int64_t sum(const struct tn_board *board, bool flash)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < board->n_memories; i++)
		if (board->memories[i].is_flash == flash)
			bytes += board->memories[i].bytes;
	return bytes;
}

int64_t tn_board_ram(const struct tn_board *board)
{
	return sum(board, false);
}

int64_t tn_board_flash(const struct tn_board *board)
{
	return sum(board, true);
}

const struct tn_board_memory *tn_board_largest(const struct tn_board *board, bool flash)
{
	const struct tn_board_memory *best = NULL;

	for (size_t i = 0; i < board->n_memories; i++) {
		const struct tn_board_memory *m = &board->memories[i];

		if (m->is_flash == flash && (!best || m->bytes > best->bytes))
			best = m;
	}
	return best;
}

int tn_board_compare(const void *a, const void *b)
{
	const struct tn_board *x = a, *y = b;
	const int64_t rx = tn_board_ram(x), ry = tn_board_ram(y);
	const int64_t fx = tn_board_flash(x), fy = tn_board_flash(y);

	if (rx != ry)
		return rx < ry ? -1 : 1;
	if (fx != fy)
		return fx < fy ? -1 : 1;
	return strcmp(x->id, y->id);
}
