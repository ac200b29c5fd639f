/* `plan --write-offline` and `plan --write-offsets`: plans for runtimes that have kernels
 * of their own, in the form that they read. */
#ifndef TN_DRIVER_OFFLINE_H
#define TN_DRIVER_OFFLINE_H

#include "driver/pipeline.h"

/* Plans the graph once more as the file has it, in its order, for a runtime of whose
 * kernels nothing is known: each op may read and write in any order, and only a RESHAPE
 * leaves alone what is in its place already. The plan is verified under just that, written
 * into a copy of run->source at options->write_offline, and what it costs beyond run->plan
 * is noted. Constants, variables and the tensors of other subgraphs are left to the
 * runtime. After tn_pipeline(STAGE_PLAN). */
enum tn_status TN_MUST_CHECK tn_offline_write(struct tn_run *run);

/* The same at options->write_offsets: into a copy of an ExecuTorch program, memory by
 * memory, or for a graph of any other format as a program of its own. */
enum tn_status TN_MUST_CHECK tn_offsets_write(struct tn_run *run);

#endif
