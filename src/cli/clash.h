/* What a command line must not say, however well each option is spelled. */
#ifndef TN_CLI_CLASH_H
#define TN_CLI_CLASH_H

#include "options.h"

/* No output is a file that is read, no two outputs are one file, at most one is standard
 * output, none is without a name, no option is idle without another one, and no page goes to
 * a terminal unasked. False after a message to err. */
bool arguments_agree(const struct arguments *args, FILE *err);

#endif
