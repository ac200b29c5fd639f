/* What claims are judged by: the options of the command, and contract files. */
#ifndef TN_DRIVER_JUDGE_H
#define TN_DRIVER_JUDGE_H

#include "driver/pipeline.h"

/* Reads the files of --contracts. */
enum tn_status TN_MUST_CHECK tn_judge_options(
	struct tn_run *run, struct tn_claim_options *out);

#endif
