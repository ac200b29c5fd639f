/* The command line: one table of options, each with the commands that know it. */
#ifndef TN_CLI_OPTIONS_H
#define TN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "tenure/tenure.h"

enum command {
	COMMAND_LINT,
	COMMAND_PLAN,
	COMMAND_VERIFY,
	COMMAND_RUN,
	COMMAND_EMIT,
	COMMAND_VALIDATE,
	COMMAND_REPORT,
	COMMAND_CHECK,
	COMMAND_DIFF,
	COMMAND_EXPLAIN,
	COMMAND_CONVERT,
	COMMAND_OFFSETS,
	COMMAND_COUNT,
};

struct command_info {
	const char *name, *operands, *summary;
	size_t min_operands, max_operands;
};

extern const struct command_info command_infos[COMMAND_COUNT];

enum value_kind {
	VALUE_FLAG,
	VALUE_TEXT,
	VALUE_SIZE,
	VALUE_SECONDS,
	VALUE_LIST,
	VALUE_WORD
};

struct option_row {
	const char *name;
	char letter;
	enum value_kind kind;
	size_t offset; /* in tenure_options */
	unsigned commands;
	const char *value; /* name of the value, for help */
	const char *help;
	const char *const *words; /* VALUE_WORD: in the order of the enum, "" for
			   what is not said, NULL at the end */
};

/* The command's first option, or the one behind `row`; NULL at the end. */
const struct option_row *option_next(enum command command, const struct option_row *row);

/* The command's option of a long name of so many bytes, or of a letter; NULL: it has none. */
const struct option_row *option_find(
	enum command command, const char *name, size_t len, char letter);

#define ARGUMENT_LISTS	 19
#define ARGUMENT_OPTIONS 96

struct arguments {
	enum command command;
	tenure_options options;
	const char **operands; /* point into argv */
	size_t n_operands;
	bool help;
	const char **lists[ARGUMENT_LISTS]; /* storage of options that may be repeated */
	const char *given[ARGUMENT_OPTIONS]; /* values by row of the table, "" of a flag;
						NULL: it is not given */
};

/* COMMAND_COUNT when there is no such command. */
enum command command_find(const char *name);

/* Parses argv[2..]. False after a message to err: the command line is wrong. In either case
 * operands and lists of *out are the caller's to free. */
bool arguments_parse(
	enum command command, int argc, char **argv, FILE *err, struct arguments *out);

/* Does the command line have this option, by its long name? */
bool argument_given(const struct arguments *args, const char *name);

/* Help of one command, or (COMMAND_COUNT) of all. */
void help_print(FILE *out, enum command command);

#endif
