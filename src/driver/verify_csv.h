/* Plans in MiniMalloc's CSV: buffers with lifetimes, sizes and offsets. */
#ifndef TN_DRIVER_VERIFY_CSV_H
#define TN_DRIVER_VERIFY_CSV_H

#include "claims/declared.h"
#include "driver/pipeline.h"

/* Is it such a file? */
bool tn_verify_is_csv(const struct tn_source *source);

/* Is run->source right by itself? TN_ERR_REFUSED, reported, when two buffers that are
 * alive together share bytes, or one ends beyond --capacity. */
enum tn_status TN_MUST_CHECK tn_verify_csv(struct tn_run *run);

/* The graph's only claim is now the plan of that file: ids are names of tensors, followed
 * by '#' and their number where plan --write-csv wrote them. Lifetimes are not believed:
 * they follow from the graph. A file that says which kernels run is one of ours: *out_said
 * is that, by op, else NULL; and when it places what a rewritten graph has, the graph is
 * rewritten as 'plan' did. */
enum tn_status TN_MUST_CHECK tn_verify_csv_claim(struct tn_run *run,
	const struct tn_source *source, const struct tn_said_variant **out_said);

#endif
