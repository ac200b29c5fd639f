/* plan --max-batch: the largest batch that fits. */
#ifndef TN_DRIVER_BATCH_H
#define TN_DRIVER_BATCH_H

#include "driver/pipeline.h"

/* Prints it. The run has been planned and verified for the graph's own batch. TN_ERR_INPUT,
 * reported, when there is no budget, or no batch to scale; TN_ERR_REFUSED when the graph's
 * own batch is over the budget. */
enum tn_status TN_MUST_CHECK tn_batch_largest(struct tn_run *run);

#endif
