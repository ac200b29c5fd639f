/* Ops that run row by row: on NHWC with one image, an output row needs a few rows of each
 * input, the same number of rows further down for each next one. What streaming needs to
 * know of an op, by shapes and attributes alone.
 *
 *   ROWS_WINDOW    convolution, depthwise, pooling: the valid rows of the window
 *   ROWS_ELEMENTS  element by element, and copies: its own row of each operand
 *   ROWS_TOTAL     a mean, sum or average over whole planes: runs over the rows of its
 *                  input and adds them up in `state` bytes of scratch; the last row makes
 *                  the output */
#ifndef TN_CONTRACT_ROW_OP_H
#define TN_CONTRACT_ROW_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/contract.h"
#include "ir/graph.h"

enum tn_row_kind { ROWS_NONE, ROWS_WINDOW, ROWS_ELEMENTS, ROWS_TOTAL };

struct tn_row_op {
	enum tn_row_kind kind;
	int64_t n; /* rows that it runs over: of its output; ROWS_TOTAL: of its input */
	int64_t in_h;
	int64_t k_h, stride_h, dilation_h, pad_top; /* ROWS_WINDOW */
	int64_t state; /* bytes that must last from its first row to its last */
};

/* False: the op does not run row by row. With `total`, what reduces whole planes is
 * ROWS_TOTAL, even where it is a window. */
bool tn_row_op_of(
	const struct tn_graph *g, tn_op_id op, bool total, struct tn_row_op *out);

/* The rows of each of its inputs that row y needs, half-open; begin == end: none. */
void tn_row_op_reads(
	const struct tn_row_op *r, int64_t y, int64_t *out_begin, int64_t *out_end);

/* tn_contract_runs for rows [begin, end) alone: ascending, the steps of row `begin` first;
 * accesses are bytes of whole operands. Only for ops that run row by row, and variants
 * without a buffer; else TN_ERR_REFUSED. */
enum tn_status TN_MUST_CHECK tn_contract_walk_rows(const struct tn_graph *g, tn_op_id op,
	struct tn_variant v, bool total, int64_t begin, int64_t end, tn_step_fn *fn,
	void *user);

#endif
