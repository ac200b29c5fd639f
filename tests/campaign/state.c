#include "state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
	exit(2);
}

bool state_load(const char *path, const char *word, uint64_t *numbers, size_t n)
{
	FILE *f = path ? fopen(path, "r") : NULL;
	char first[64] = "";

	if (!f)
		return false;
	if (fscanf(f, "%63s", first) != 1 || strcmp(first, word) != 0)
		stop(path, "the state of something else");
	for (size_t i = 0; i < n; i++)
		if (fscanf(f, "%" SCNu64, &numbers[i]) != 1)
			stop(path, "the state of another version");
	if (fscanf(f, "%63s", first) == 1)
		stop(path, "the state of another version");
	fclose(f);
	return true;
}

void state_save(const char *path, const char *word, const uint64_t *numbers, size_t n)
{
	char other[4096];
	FILE *f;

	if (!path)
		return;
	snprintf(other, sizeof(other), "%s.new", path);
	f = fopen(other, "w");
	if (!f)
		stop(other, "cannot be written");
	fprintf(f, "%s", word);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%c%" PRIu64, i % 16 ? ' ' : '\n', numbers[i]);
	fprintf(f, "\n");
	if (fclose(f) != 0 || rename(other, path) != 0)
		stop(path, "cannot be written");
}

uint64_t state_number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (*end || end == text || *text == '-') {
		fprintf(stderr, "'%s' is not a number\n", text);
		exit(2);
	}
	return value;
}

uint64_t state_variable(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? state_number(text) : otherwise;
}
