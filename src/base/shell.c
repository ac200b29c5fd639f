#include "base/shell.h"

#include <string.h>

#include "base/banned.h"

/* Bytes that mean nothing but themselves, wherever in a word they stand. */
static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c >= 0x80 || (c && strchr("%+,-./:=@_", c));
}

static bool needs_quotes(const char *text)
{
	for (const char *at = text; *at; at++)
		if (!is_plain((unsigned char)*at))
			return true;
	return !*text;
}

/* What begins with `lead`, for a file "./" or nothing. */
static char *word(struct tn_arena *arena, const char *lead, const char *text)
{
	const char *quote = !needs_quotes(text)	       ? ""
			    : strpbrk(text, "$`\\\"!") ? "'"
						       : "\"";
	char *made = tn_arena_alloc(arena, strlen(lead) + 4 * strlen(text) + 3);
	size_t n = 0;

	if (!made)
		return NULL;
	if (*quote)
		made[n++] = *quote;
	memcpy(made + n, lead, strlen(lead));
	n += strlen(lead);
	for (const char *at = text; *at; at++) {
		if (*at == '\'' && *quote == '\'') { /* closed, escaped, opened */
			memcpy(made + n, "'\\'", 3);
			n += 3;
		}
		made[n++] = *at;
	}
	if (*quote)
		made[n++] = *quote;
	made[n] = '\0';
	return made;
}

char *tn_shell_word(struct tn_arena *arena, const char *text)
{
	return word(arena, "", text);
}

char *tn_shell_file(struct tn_arena *arena, const char *name)
{
	return word(arena, name[0] == '-' && name[1] ? "./" : "", name);
}
