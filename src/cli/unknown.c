#define _POSIX_C_SOURCE 200809L
#include "unknown.h"

#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/shell.h"

static void tell_file(FILE *err, const char *name)
{
	struct tn_arena arena;
	const char *file;

	tn_arena_init(&arena);
	file = tn_shell_file(&arena, name);
	fprintf(err, "a file comes behind one: tenure plan %s\n", file ? file : name);
	tn_arena_release(&arena);
}

void unknown_command(FILE *err, const char *word)
{
	struct tn_nearest nearest;

	tn_nearest_init(&nearest, word);
	for (int i = 0; i < COMMAND_COUNT; i++)
		tn_nearest_offer(&nearest, command_infos[i].name);
	tn_nearest_offer(&nearest, "help");
	tn_nearest_offer(&nearest, "completion");
	fprintf(err, "tenure: there is no command '%s'; ", word);
	if (nearest.best)
		fprintf(err, "did you mean '%s'?\n", nearest.best);
	else if (access(word, F_OK) == 0)
		tell_file(err, word);
	else
		fputs("see tenure --help\n", err);
}

/* "lint and diff have it"; false: no command has. */
static bool tell_owners(FILE *err, const char *name, size_t len, char letter)
{
	enum command owners[COMMAND_COUNT] = { 0 };
	int n = 0;

	for (int i = 0; i < COMMAND_COUNT; i++)
		if (option_find((enum command)i, name, len, letter))
			owners[n++] = (enum command)i;
	for (int i = 0; i < n; i++)
		fprintf(err, "%s%s",
			i == 0	    ? ""
			: i + 1 < n ? ", "
				    : " and ",
			command_infos[owners[i]].name);
	if (n)
		fprintf(err, n == 1 ? " has it\n" : " have it\n");
	return n > 0;
}

void unknown_option(FILE *err, enum command command, const char *text)
{
	const char *its = command_infos[command].name;
	const char *name = text + strspn(text, "-");
	const size_t len = strcspn(name, "=");
	struct tn_nearest nearest;
	char word[64] = "";

	fprintf(err, "tenure: '%s' does not know the option '%s'; ", its, text);
	/* one dash too few is a mistake, too: -format */
	if (!option_find(command, name, len, '\0') &&
		tell_owners(err, name, len, text[1] != '-' && len == 1 ? *name : '\0'))
		return;
	if (len < sizeof(word))
		snprintf(word, sizeof(word), "%.*s", (int)len, name);
	tn_nearest_init(&nearest, word);
	for (const struct option_row *row = option_next(command, NULL); row;
		row = option_next(command, row))
		tn_nearest_offer(&nearest, row->name);
	tn_nearest_offer(&nearest, "help");
	if (nearest.best)
		fprintf(err, "did you mean --%s?\n", nearest.best);
	else
		fprintf(err, "see tenure %s --help\n", its);
}
