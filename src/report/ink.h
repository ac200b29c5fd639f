/* Colour on a terminal, when it was asked for. */
#ifndef TN_REPORT_INK_H
#define TN_REPORT_INK_H

#include "base/diag.h"
#include "base/strbuf.h"

enum tn_ink { INK_NONE, INK_BOLD, INK_DIM, INK_GOOD, INK_BAD, INK_WARN, INK_NOTE };

/* The text in that colour; plain when `color` is false. The text is printed as it is. */
void tn_ink(struct tn_strbuf *out, bool color, enum tn_ink ink, const char *text);

enum tn_ink tn_ink_of(enum tn_severity severity);

#endif
