/* What is said of a command or an option that there is not: the one that was meant. */
#ifndef TN_CLI_UNKNOWN_H
#define TN_CLI_UNKNOWN_H

#include "options.h"

void unknown_command(FILE *err, const char *word);

/* As it was written, with its dashes. */
void unknown_option(FILE *err, enum command command, const char *text);

#endif
