/* A small net with everything that a report shows: an in-place chain, a skip connection
 * that stops one, a view, a preserved input, an overlap at a distance, scratch. Its plan
 * is laid out by hand, so that reports of it change only when a report changes. */
#ifndef TN_TESTS_REPORT_SAMPLE_H
#define TN_TESTS_REPORT_SAMPLE_H

#include "ir/build.h"
#include "report/view.h"

enum { S_X, S_GAIN, S_W1, S_A, S_B, S_W2, S_C, S_D, S_M, S_E, S_W3, S_F, S_Y, S_TENSORS };

enum { S_CONV, S_RELU, S_DW, S_ADD, S_MUL, S_RESHAPE, S_FC, S_SOFTMAX, S_OPS };

struct sample {
	struct tn_arena arena;
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_build b;
	struct tn_graph g;
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_plan plan;
	struct tn_view view;
};

/* With these names in place of the usual ones where they are not NULL (tensor first, then
 * ops; NULL: all usual). The view is verified and complete. */
void sample_make(struct sample *s, const char *tensor_name, const char *op_name);
void sample_release(struct sample *s);

#endif
