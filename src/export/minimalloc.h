/* Writer of MiniMalloc's CSV with the offsets that were found. */
#ifndef TN_EXPORT_MINIMALLOC_H
#define TN_EXPORT_MINIMALLOC_H

#include "base/strbuf.h"
#include "plan/problem.h"

/* The text as one field: in quotes when the reader would take it for something else. */
void tn_export_csv_field(struct tn_strbuf *out, const char *text);

/* id,lower,upper,size[,alignment],offset; the alignment when one is not 1. ids by buffer.
 * Lack of memory is in out->failed. */
void tn_export_minimalloc(const struct tn_problem *p, const char *const *ids,
	const int64_t *offset, struct tn_strbuf *out);

#endif
