/* A line on the terminal that says what is being done, and is gone when it is done. */
#ifndef TN_DRIVER_PROGRESS_H
#define TN_DRIVER_PROGRESS_H

#include <stddef.h>

#include "tenure/tenure.h"

struct tn_progress {
	const tenure_options *options;
	size_t shown; /* columns that the line takes now */
};

/* Shows nothing unless options->progress. */
void tn_progress_init(struct tn_progress *p, const tenure_options *options);

/* This text (plain ASCII) instead of the one before; for callbacks, `progress` is one. */
void tn_progress_show(void *progress, const char *text);

/* The line is empty again, and the cursor at its start. */
void tn_progress_end(struct tn_progress *p);

#endif
