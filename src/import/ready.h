/* What libraries set up at their first use, set up before several threads read files. */
#ifndef TN_IMPORT_READY_H
#define TN_IMPORT_READY_H

void tn_import_ready(void);

#endif
