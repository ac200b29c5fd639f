/* The command line program: a client of tenure/tenure.h and nothing else. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clash.h"
#include "completion.h"
#include "options.h"
#include "terminal.h"
#include "unknown.h"

static int dispatch(const struct arguments *a)
{
	const tenure_options *o = &a->options;

	switch (a->command) {
	case COMMAND_LINT:
		return tenure_lint(o, a->operands, a->n_operands);
	case COMMAND_PLAN:
		return tenure_plan(o, a->operands[0]);
	case COMMAND_VERIFY:
		return tenure_verify(
			o, a->operands[0], a->n_operands > 1 ? a->operands[1] : NULL);
	case COMMAND_RUN:
		return tenure_run(o, a->operands[0]);
	case COMMAND_EMIT:
		return tenure_emit_all(o, a->operands, a->n_operands);
	case COMMAND_VALIDATE:
		return tenure_validate(o, a->operands[0]);
	case COMMAND_REPORT:
		return tenure_report(o, a->operands[0]);
	case COMMAND_CHECK:
		return tenure_check(o, a->operands, a->n_operands);
	case COMMAND_DIFF:
		return tenure_diff(o, a->operands[0], a->operands[1]);
	case COMMAND_EXPLAIN:
		return a->n_operands == 1
			       ? tenure_explain_rule(o, a->operands[0])
			       : tenure_explain(o, a->operands[0], a->operands[1]);
	case COMMAND_CONVERT:
		return tenure_convert(o, a->operands[0]);
	case COMMAND_OFFSETS:
		return tenure_offsets(o, a->operands[0]);
	case COMMAND_COUNT:
		break;
	}
	return TENURE_BAD_INPUT;
}

/* A full disk or a closed pipe shows only at the end. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "tenure: cannot write standard output\n");
	return TENURE_RESOURCES;
}

/* A standard stream that is closed would be the next file that is opened, and what belongs
 * to the one would go to the other. In its place: a file that refuses what it is for. */
static bool occupy_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

static bool asks_for_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static const char completion_usage[] = "usage: tenure completion bash|zsh|fish";

/* tenure help [COMMAND] */
static int help(int argc, char **argv)
{
	const enum command command = argc > 2 ? command_find(argv[2]) : COMMAND_COUNT;

	if (argc > 3) {
		fprintf(stderr, "tenure: usage: tenure help [COMMAND]\n");
		return TENURE_BAD_INPUT;
	}
	if (argc == 3 && strcmp(argv[2], "completion") == 0) {
		puts(completion_usage);
		return TENURE_OK;
	}
	if (argc == 3 && command == COMMAND_COUNT && !asks_for_help(argv[2]) &&
		strcmp(argv[2], "help") != 0) {
		unknown_command(stderr, argv[2]);
		return TENURE_BAD_INPUT;
	}
	help_print(stdout, command);
	return TENURE_OK;
}

/* tenure completion SHELL */
static int completion(int argc, char **argv)
{
	const bool asked = argc == 3 && asks_for_help(argv[2]);

	if (argc == 3 && completion_print(stdout, argv[2]))
		return TENURE_OK;
	fprintf(asked ? stdout : stderr, "%s%s\n",
		asked ? "" : "tenure: ", completion_usage);
	return asked ? TENURE_OK : TENURE_BAD_INPUT;
}

static int run(struct arguments *args)
{
	if (args->help) {
		help_print(stdout, args->command);
		return finish(TENURE_OK);
	}
	if (!arguments_agree(args, stderr))
		return TENURE_BAD_INPUT;
	args->options.color = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
	args->options.progress = isatty(STDERR_FILENO);
	args->options.color_out = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	args->options.columns = terminal_columns();
	return finish(dispatch(args));
}

int main(int argc, char **argv)
{
	struct arguments args;
	enum command command;
	int status;

	if (!occupy_standard_streams())
		return TENURE_RESOURCES;
	if (argc < 2) {
		help_print(stderr, COMMAND_COUNT);
		return TENURE_BAD_INPUT;
	}
	if (asks_for_help(argv[1])) {
		help_print(stdout, COMMAND_COUNT);
		return finish(TENURE_OK);
	}
	if (strcmp(argv[1], "help") == 0)
		return finish(help(argc, argv));
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("tenure %s\n", tenure_version());
		return finish(TENURE_OK);
	}
	if (strcmp(argv[1], "completion") == 0)
		return finish(completion(argc, argv));
	command = command_find(argv[1]);
	if (command == COMMAND_COUNT) {
		unknown_command(stderr, argv[1]);
		return TENURE_BAD_INPUT;
	}
	status = arguments_parse(command, argc, argv, stderr, &args) ? run(&args)
								     : TENURE_BAD_INPUT;
	free(args.operands);
	for (size_t i = 0; i < ARGUMENT_LISTS; i++)
		free(args.lists[i]);
	return status;
}
