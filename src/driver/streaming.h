/* Would chains of ops that run row by row need fewer bytes? (memory/streaming-would-save) */
#ifndef TN_DRIVER_STREAMING_H
#define TN_DRIVER_STREAMING_H

#include "driver/pipeline.h"

/* After STAGE_PLAN: tries, and says so in a note of the run. Silent where a chain cannot be
 * (several memories, a plan that was given), and for graphs of very many ops. */
void tn_streaming_look(struct tn_run *run);

#endif
