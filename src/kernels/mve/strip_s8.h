/* Columns of an image, side by side: a strip holds for each column of some rows of the image
 * their pixels in it, top to bottom. So a window is one run of bytes, and the next one
 * begins a column (or two) further on. */
#ifndef TENURE_KERNELS_MVE_STRIP_S8_H
#define TENURE_KERNELS_MVE_STRIP_S8_H

#include "mve.h"

struct tn_strip {
	int32_t depth; /* bytes of a pixel */
	int32_t step; /* bytes of a column of the strip */
	int32_t at_once; /* columns in sixteen bytes of a row; 0: one after the other */
	uint8_t lane[16]; /* where the sixteen go */
};

void tn_strip_init(struct tn_strip *s, int32_t depth, int32_t rows);

/* One row of n columns, `from` bytes apart (depth, or 0: one pixel again and again, with
 * sixteen bytes to be read), to the strip's place `to`. */
void tn_strip_row(
	const struct tn_strip *s, int8_t *to, const tn_s8 *row, int32_t from, int32_t n);

/* n bytes of a row. */
void tn_strip_copy(int8_t *to, const tn_s8 *row, int32_t n);

/* n bytes to an output. */
void tn_strip_store(tn_s8 *out, const int8_t *from, int32_t n);

/* n bytes of one value. */
void tn_strip_fill(int8_t *to, int32_t n, int32_t value);

#endif
