/* What the terminal is like. */
#ifndef TENURE_CLI_TERMINAL_H
#define TENURE_CLI_TERMINAL_H

/* Columns of standard output: those that COLUMNS names, else those of the terminal that it
 * is; 0: it is none, or nobody knows. */
int terminal_columns(void);

#endif
