/* --kernels: which kernel set the graph is planned, bound and emitted for. */
#ifndef TN_DRIVER_KERNELS_H
#define TN_DRIVER_KERNELS_H

#include "driver/pipeline.h"

/* Sets run->graph.kernels, after rewriting and before planning. A plan file is for the set
 * that it names, unless the option asks for one (then it may be stale). TN_ERR_INPUT,
 * reported, when it names none that is known. */
enum tn_status TN_MUST_CHECK tn_pipeline_kernels(struct tn_run *run);

#endif
