/* Shell completions, made from the table of options: they cannot lag behind it. */
#ifndef TN_CLI_COMPLETION_H
#define TN_CLI_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the completions for bash, zsh or fish; false for any other shell. */
bool completion_print(FILE *out, const char *shell);

#endif
