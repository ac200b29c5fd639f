/* The kernels of the sets for certain processors, and their parameters. kernels.h, which has
 * the types, includes this at its end. */
#ifndef TENURE_KERNEL_SETS_H
#define TENURE_KERNEL_SETS_H

#include "tenure/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the kernel set "dsp": for processors with DSP instructions ----
 * Their constants are packed when a model is bound; their scratch is that of their contract
 * (src/contract/dsp.h). They run with hold 0 or 1, and read no later and write no earlier
 * than those steps. */

/* tn_dsp_conv_2d_s8. in: input, stream (src/kernels/dsp/mac_s8.h), a row of the window full
 * of the input's zero point. */
struct tn_dsp_conv_params {
	struct tn_loop_order order;
	struct tn_geometry g;
	int32_t part_rows; /* rows of the window that are expanded at a time */
	int32_t sums, edges; /* where these lie in scratch */
	int32_t floor; /* 4: one rounding; 0: two */
};
tn_kernel_fn tn_dsp_conv_2d_s8;

/* tn_dsp_depthwise_conv_2d_s8: a 3x3 window, four channels or more, stride 1 or 2 along
 * the row. in: input, stream (src/kernels/dsp/depthwise_s8.h). */
struct tn_dsp_depthwise_params {
	struct tn_loop_order order;
	struct tn_geometry g;
	int32_t zero_point; /* of the input */
	int32_t room; /* outputs of a row that are held at a time */
	int32_t floor; /* 1: one rounding; 0: two */
};
tn_kernel_fn tn_dsp_depthwise_conv_2d_s8;

/* tn_dsp_depthwise_any_s8: the operands and parameters of tn_depthwise_conv_2d_s8, one output of
 * each channel. */
tn_kernel_fn tn_dsp_depthwise_any_s8;

/* tn_dsp_fully_connected_s8. in: input [rows, in_n], stream (src/kernels/dsp/dot_s8.h). */
struct tn_dsp_fc_params {
	struct tn_loop_order order;
	int32_t rows, in_n, out_n;
	int32_t floor; /* 1: one rounding; 0: two */
};
tn_kernel_fn tn_dsp_fully_connected_s8;

/* tn_dsp_add_s8: (a * a_factor + b * b_factor + constant) / 2^22, saturated. in: a, b. */
#define TN_DSP_ADD_BITS 22
struct tn_dsp_add_params {
	struct tn_loop_order order;
	int32_t n;
	int32_t a_factor, b_factor, constant;
};
tn_kernel_fn tn_dsp_add_s8;

/* tn_pool_params; no window is empty, those of the average have at most so many taps. */
#define TN_DSP_POOL_TAPS 255
tn_kernel_fn tn_dsp_average_pool_2d_s8;
tn_kernel_fn tn_dsp_max_pool_2d_s8;

/* tn_dsp_mul_s8: tn_mul_params; all of int8 is a result, the shift goes 1 to 22 to the right. */
tn_kernel_fn tn_dsp_mul_s8;

/* tn_dsp_clamp_s8: tn_lut_params, a table that only cuts off what is below its first result and
 * above its last one. */
tn_kernel_fn tn_dsp_clamp_s8;

/* ---- the kernel set "thumb": for processors without DSP instructions ----
 * As for "dsp"; scratch: src/contract/thumb.h. Constants of a channel:
 * src/kernels/thumb/rescale.h. */

/* tn_thumb_conv_2d_s8. in: input, weights [out_c, k_h, k_w, in_c], constants. */
struct tn_thumb_conv_params {
	struct tn_loop_order order;
	struct tn_geometry g;
	int32_t in_zero; /* zero point */
};
tn_kernel_fn tn_thumb_conv_2d_s8;

/* tn_thumb_depthwise_conv_2d_s8: a 3x3 window, stride 1 or 2 along the row. in: input, for each
 * channel constants and nine weights, column by column, filled up to twelve; the input's zero
 * point as often as a pixel has channels. */
struct tn_thumb_depthwise_params {
	struct tn_loop_order order;
	struct tn_geometry g;
};
tn_kernel_fn tn_thumb_depthwise_conv_2d_s8;

/* tn_thumb_depthwise_any_s8: as tn_dsp_depthwise_any_s8. */
tn_kernel_fn tn_thumb_depthwise_any_s8;

/* tn_thumb_fully_connected_s8. in: input [rows, in_n], weights [out_n, in_n], constants. */
struct tn_thumb_fc_params {
	struct tn_loop_order order;
	int32_t rows, in_n, out_n;
};
tn_kernel_fn tn_thumb_fully_connected_s8;

/* tn_pool_params; no window is empty, those of the average have at most so many taps. */
#define TN_THUMB_POOL_TAPS 2048
tn_kernel_fn tn_thumb_average_pool_2d_s8;
tn_kernel_fn tn_thumb_max_pool_2d_s8;

/* tn_thumb_mul_s8: as tn_dsp_mul_s8. tn_thumb_lut_s8: tn_lut_params. */
tn_kernel_fn tn_thumb_mul_s8;
tn_kernel_fn tn_thumb_lut_s8;

/* ---- the kernel set "mve": for processors with the vector extension of Armv8.1-M ----
 * As for "dsp", whose kernels are behind these; scratch: src/contract/mve.h. */

/* Of a convolution, what is the same for all pixels. */
struct tn_mve_tile {
	int32_t vectors; /* of four channels, all */
	int32_t blocks; /* of sixteen bytes, a window; at least 1 */
	int32_t groups, rest; /* whole groups of sixteen channels, and channels behind */
	int32_t offset, floor; /* src/kernels/mve/rescale.h */
	int32_t in_step, out_step; /* from a pixel to the next, in bytes */
};

/* tn_mve_conv_2d_s8. in: input, stream (src/kernels/mve/tile_s8.h), the input's zero point
 * as often as a pixel has channels, at least 16 times. */
struct tn_mve_conv_params {
	struct tn_loop_order order;
	struct tn_geometry g;
	struct tn_mve_tile tile;
	int32_t direct; /* windows of one element are read in place */
	int32_t whole; /* that of one image, whose windows are whole blocks */
	int32_t room; /* outputs of a row whose windows the strip holds */
	int32_t sums; /* where these lie in scratch */
};
tn_kernel_fn tn_mve_conv_2d_s8;

/* tn_mve_depthwise_conv_2d_s8: a 3x3 window, channels in sixteens, stride 1 or 2 along the
 * row. in: input, stream (src/kernels/mve/depth_s8.h, then constants: layout.h), the input's
 * zero point as often as a pixel has channels. */
struct tn_mve_depthwise_params {
	struct tn_loop_order order;
	struct tn_geometry g;
	int32_t offset, floor; /* src/kernels/mve/rescale.h */
};
tn_kernel_fn tn_mve_depthwise_conv_2d_s8;

/* tn_mve_depthwise_any_s8: as tn_dsp_depthwise_any_s8, shifts to the right only. */
tn_kernel_fn tn_mve_depthwise_any_s8;

/* tn_mve_fully_connected_s8. in: input [rows, in_n], stream (src/kernels/mve/row_s8.h). */
struct tn_mve_fc_params {
	struct tn_loop_order order;
	int32_t rows, in_n, out_n;
	int32_t blocks; /* a row, in sixteens */
	int32_t copy; /* where one lies in scratch */
	int32_t offset, floor; /* src/kernels/mve/rescale.h */
};
tn_kernel_fn tn_mve_fully_connected_s8;

/* tn_mve_add_s8: tn_dsp_add_params. */
tn_kernel_fn tn_mve_add_s8;

/* tn_pool_params; no window is empty, those of the average have at most TN_DSP_POOL_TAPS. */
tn_kernel_fn tn_mve_average_pool_2d_s8;
tn_kernel_fn tn_mve_max_pool_2d_s8;

/* tn_mve_mul_s8, tn_mve_clamp_s8: as those of "dsp". tn_mve_lut_s8: tn_lut_params. */
tn_kernel_fn tn_mve_mul_s8;
tn_kernel_fn tn_mve_clamp_s8;
tn_kernel_fn tn_mve_lut_s8;

/* tn_mve_softmax_s8: tn_softmax_s8_params, rows of at most so many elements. */
#define TN_MVE_SOFTMAX_MAX 4095
tn_kernel_fn tn_mve_softmax_s8;

#ifdef __cplusplus
}
#endif

#endif
