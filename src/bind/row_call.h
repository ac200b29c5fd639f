/* An op of a chain as calls for a few of its rows. */
#ifndef TN_BIND_ROW_CALL_H
#define TN_BIND_ROW_CALL_H

#include "bind/bind.h"
#include "contract/row_op.h"

struct tn_row_call {
	struct tn_row_op rows;
	/* ROWS_WINDOW, ROWS_TOTAL: for an event, the kernel is called with its operands as
	 * for the whole op, and with the event's rows in `call.params` at `rows_at`: two
	 * int32_t, begin and end, which are those of all rows in what is bound. The kernel
	 * finds its rows in rings. ROWS_ELEMENTS: a call is for one row, with the operands at
	 * that row; `rows_at` is 0. */
	struct tn_call call;
	uint32_t rows_at;
	int64_t scratch; /* bytes; ROWS_TOTAL: from the first event to the last */
};

/* Rows that the op's input and output hold in memory; their heights when they are whole. */
struct tn_row_room {
	int64_t in, out;
};

/* As tn_bind. TN_ERR_REFUSED, reported, also when the op does not run row by row. */
enum tn_status TN_MUST_CHECK tn_bind_rows(const struct tn_graph *g, tn_op_id op,
	struct tn_variant variant, bool total, struct tn_row_room room,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_row_call *out);

#endif
