/* Functions of one int8 element as tables of 256 entries: the fixed-point rule of each op,
 * or of one float function, applied to every value that an element can have. */
#ifndef TN_BIND_TABLES_H
#define TN_BIND_TABLES_H

#include "bind/binder.h"

/* Fills table[q + 128] for q = -128 .. 127. */
typedef bool tn_table_fn(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table);

tn_table_fn tn_table_requantize, tn_table_relu, tn_table_relu_n1, tn_table_relu6,
	tn_table_leaky_relu, tn_table_logistic, tn_table_tanh, tn_table_hard_swish,
	tn_table_elu, tn_table_abs, tn_table_rsqrt;

/* The logistic curve for int16 kernels: 256 points, 16 fractional bits, unsigned. */
void tn_curve_points(int16_t *table);

/* 513 samples of fn between from and to (32767 input steps of 65535 apart), chosen so that
 * straight lines between them err little. 15 fractional bits. */
typedef float tn_curve_fn(float x);
void tn_curve_samples(tn_curve_fn *fn, float from, float to, int16_t *table);

#endif
