/* Which format is this? Decided by content, never by the file's name. */
#ifndef TN_IMPORT_SNIFF_H
#define TN_IMPORT_SNIFF_H

#include "import/formats.h"

/* NULL when nothing fits. */
const struct tn_format *tn_format_sniff(const struct tn_source *source);

#endif
