#include "completion.h"

#include <string.h>

#include "options.h"

static void print_words(FILE *out, const struct option_row *row)
{
	bool first = true;

	for (int i = 0; row->words[i]; i++) {
		if (*row->words[i])
			fprintf(out, "%s%s", first ? "" : " ", row->words[i]);
		first = first && !*row->words[i];
	}
}

static bool is_path(const char *value)
{
	return strcmp(value, "FILE") == 0 || strcmp(value, "DIR") == 0;
}

static void print_commands(FILE *out)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "%s%s", i ? " " : "", command_infos[i].name);
}

/* Inside single quotes of a shell, or of fish. */
static void print_quoted(FILE *out, const char *text, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, out);
		else
			putc(*text, out);
	}
}

/* ---- bash ---- */

static void bash_command(FILE *out, enum command command)
{
	const struct option_row *row;

	fprintf(out, "\t%s)\n\t\tcase $previous in\n", command_infos[command].name);
	for (row = option_next(command, NULL); row; row = option_next(command, row)) {
		if (row->kind == VALUE_FLAG)
			continue;
		fprintf(out, "\t\t--%s", row->name);
		if (row->letter)
			fprintf(out, " | -%c", row->letter);
		fputs(") takes_value=1", out);
		if (row->kind == VALUE_WORD) {
			fputs(" words='", out);
			print_words(out, row);
			putc('\'', out);
		}
		fputs(" ;;\n", out);
	}
	fputs("\t\tesac\n\t\toptions='--help", out);
	for (row = option_next(command, NULL); row; row = option_next(command, row))
		fprintf(out, " --%s", row->name);
	fputs("'\n\t\t;;\n", out);
}

static void bash(FILE *out)
{
	fputs("# tenure's completions for bash\n"
	      "_tenure()\n"
	      "{\n"
	      "\tlocal current=${COMP_WORDS[COMP_CWORD]}\n"
	      "\tlocal previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
	      "\tlocal options= words= takes_value=\n\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
		out);
	print_commands(out);
	fputs(" completion help --help --version' -- \"$current\"))\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
		out);
	for (int i = 0; i < COMMAND_COUNT; i++)
		bash_command(out, (enum command)i);
	fputs("\thelp)\n\t\twords='", out);
	print_commands(out);
	fputs("' takes_value=1\n"
	      "\t\t;;\n"
	      "\tcompletion) words='bash zsh fish' takes_value=1 ;;\n"
	      "\tesac\n"
	      "\tif [ -n \"$takes_value\" ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	      "\telif [[ $current == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
	      "\tfi\n"
	      "}\n"
	      "complete -o default -o bashdefault -F _tenure tenure\n",
		out);
}

/* ---- zsh ---- */

/* The help text stands in brackets, where a bracket and a colon have a meaning. */
static void zsh_help(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text))
			putc('\\', out);
		if (*text == '\'')
			fputs("'\\''", out);
		else
			putc(*text, out);
	}
}

static void zsh_option(FILE *out, const struct option_row *row)
{
	bool value = row->kind != VALUE_FLAG;

	fputs("\t\t\t'", out);
	if (row->kind == VALUE_LIST)
		putc('*', out);
	fprintf(out, "--%s%s[", row->name, value ? "=" : "");
	zsh_help(out, row->help);
	putc(']', out);
	if (value) {
		putc(':', out);
		zsh_help(out, row->value);
		putc(':', out);
	}
	if (row->kind == VALUE_WORD) {
		putc('(', out);
		print_words(out, row);
		putc(')', out);
	} else if (value) {
		fputs(is_path(row->value) ? "_files" : " ", out);
	}
	fputs("' \\\n", out);
}

static void zsh(FILE *out)
{
	fputs("#compdef tenure\n"
	      "# tenure's completions for zsh\n"
	      "_tenure()\n"
	      "{\n"
	      "\tif ((CURRENT == 2)); then\n"
	      "\t\tlocal -a commands=(\n",
		out);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		fprintf(out, "\t\t\t'%s:", command_infos[i].name);
		zsh_help(out, command_infos[i].summary);
		fputs("'\n", out);
	}
	fputs("\t\t\t'completion:print the completions of a shell'\n"
	      "\t\t\t'help:list the options of a command'\n"
	      "\t\t)\n"
	      "\t\t_describe command commands\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tlocal command=$words[2]\n"
	      "\tshift words\n"
	      "\t((CURRENT--))\n"
	      "\tcase $command in\n",
		out);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct option_row *row = option_next((enum command)i, NULL);

		fprintf(out, "\t%s)\n\t\t_arguments '--help[this text]' \\\n",
			command_infos[i].name);
		for (; row; row = option_next((enum command)i, row))
			zsh_option(out, row);
		fputs("\t\t\t'*:file:_files'\n\t\t;;\n", out);
	}
	fputs("\thelp) _values command ", out);
	print_commands(out);
	fputs(" ;;\n"
	      "\tcompletion) _values shell bash zsh fish ;;\n"
	      "\tesac\n"
	      "}\n"
	      "_tenure \"$@\"\n",
		out);
}

/* ---- fish ---- */

static void fish_option(FILE *out, enum command command, const struct option_row *row)
{
	fprintf(out, "complete -c tenure -n '__fish_seen_subcommand_from %s' -l %s",
		command_infos[command].name, row->name);
	if (row->letter)
		fprintf(out, " -s %c", row->letter);
	if (row->kind == VALUE_WORD) {
		fputs(" -x -a '", out);
		print_words(out, row);
		putc('\'', out);
	} else if (row->kind != VALUE_FLAG) {
		fputs(is_path(row->value) ? " -r" : " -x", out);
	}
	fputs(" -d '", out);
	print_quoted(out, row->help, "\\'");
	fputs("'\n", out);
}

static void fish(FILE *out)
{
	fputs("# tenure's completions for fish\n", out);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct option_row *row = option_next((enum command)i, NULL);

		fprintf(out, "complete -c tenure -f -n __fish_use_subcommand -a %s -d '",
			command_infos[i].name);
		print_quoted(out, command_infos[i].summary, "\\'");
		fputs("'\n", out);
		for (; row; row = option_next((enum command)i, row))
			fish_option(out, (enum command)i, row);
	}
	fputs("complete -c tenure -f -n __fish_use_subcommand -a completion "
	      "-d 'print the completions of a shell'\n"
	      "complete -c tenure -n '__fish_seen_subcommand_from completion' -x "
	      "-a 'bash zsh fish'\n"
	      "complete -c tenure -f -n __fish_use_subcommand -a help "
	      "-d 'list the options of a command'\n"
	      "complete -c tenure -n '__fish_seen_subcommand_from help' -x -a '",
		out);
	print_commands(out);
	fputs("'\n", out);
}

bool completion_print(FILE *out, const char *shell)
{
	static const struct {
		const char *name;
		void (*print)(FILE *out);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].print(out);
			return true;
		}
	}
	return false;
}
