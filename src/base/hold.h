/* Signals that end a program wait while files change, so that none is left half written and
 * no temporary one is left behind. Nothing is handled here: what was sent does what it
 * would have done, only later. Other threads that run meanwhile have to hold them, too: one
 * that begins holds what its parent holds. */
#ifndef TN_BASE_HOLD_H
#define TN_BASE_HOLD_H

#include <stdbool.h>

/* Holds the signals back from this thread. Returns which of them it was that has done so,
 * for tn_hold_end: calls nest, and what others hold stays held. */
unsigned tn_hold_begin(void);

/* Is one of them waiting, so that what takes long should be given up? */
bool tn_hold_is_asked(void);

/* Delivers what has arrived; does not return when that ends the program. */
void tn_hold_end(unsigned held);

/* For a child between fork and exec: holds nothing. */
void tn_hold_drop(void);

#endif
