/* The inner product of the convolutions for the one pixel that pairs leave over: its window
 * against eight channels at a time, and four at the end where an odd number of vectors is
 * left; then all sums are rescaled and stored. */
#ifndef TENURE_KERNELS_MVE_PIXEL_S8_H
#define TENURE_KERNELS_MVE_PIXEL_S8_H

#include "tile_s8.h"

/* The pixel at a, to out_a; b, out_b and the steps are not looked at. There are vectors. */
void tn_pixel_s8(const struct tn_tile *t);

#endif
