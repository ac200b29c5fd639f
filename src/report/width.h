/* How much room characters take on a terminal, by Unicode's data and not by a locale: the
 * same everywhere. */
#ifndef TN_REPORT_WIDTH_H
#define TN_REPORT_WIDTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of a code point that can be seen: 0 what goes onto the one before it, 2 wide ones
 * of East Asia and most pictures, else 1. */
size_t tn_width_of(uint32_t cp);

/* Is it one letter with what stands before it? What joins and modifies does, too; of flags
 * the second half does (`before` is the code point before it, `flags` how many halves are
 * right in front of it). */
bool tn_width_joins(uint32_t before, uint32_t cp, size_t flags);

/* Half of a flag? */
bool tn_width_flag(uint32_t cp);

#endif
