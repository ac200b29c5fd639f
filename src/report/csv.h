/* The plan as CSV, a line for each tensor in planned memory, those of 0 bytes included, and
 * each scratch:
 *
 *   kind,name,id,dtype,shape,bytes,region,offset,first,last,root,root_offset,op,ring_bytes
 *
 * first and last are half-steps (closed), op is who writes it. A name that a spreadsheet
 * would take for a formula gets an apostrophe in front. Needs graph and plan. */
#ifndef TN_REPORT_CSV_H
#define TN_REPORT_CSV_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_csv_write(const struct tn_view *v, struct tn_strbuf *out);

#endif
