/* The same work on many items, by several threads at once. */
#ifndef TN_DRIVER_PARALLEL_H
#define TN_DRIVER_PARALLEL_H

#include <stddef.h>

/* Calls work(user, i) once for each i < n. The items are handed out in order. A thread that
 * cannot be started is done without. */
void tn_parallel(size_t jobs, size_t n, void (*work)(void *user, size_t i), void *user);

#endif
