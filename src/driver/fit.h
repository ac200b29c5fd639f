/* What does not fit, and what would help. */
#ifndef TN_DRIVER_FIT_H
#define TN_DRIVER_FIT_H

#include "driver/pipeline.h"

/* Reports memory/over-budget for a run whose memories did not suffice: how many bytes are
 * missing in which region, what is alive at the peak, and which single changes would make
 * it fit; each of these has been planned. Silent trials; the run is not changed. */
void tn_fit_explain(struct tn_run *run);

#endif
