#include "emit/text.h"

#include <string.h>

#include "base/banned.h"

#define IDENT_MAX 40
#define PLAIN_MAX 80

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

char *tn_text_ident(struct tn_arena *arena, const char *name, const char *otherwise)
{
	char *ident = tn_arena_alloc(arena, IDENT_MAX + 1);
	size_t len = 0;

	if (!ident)
		return NULL;
	for (; *name && len < IDENT_MAX; name++) {
		if (is_letter(*name) || (is_digit(*name) && len))
			ident[len++] = *name;
		else if (len && ident[len - 1] != '_') /* never first: reserved */
			ident[len++] = '_';
	}
	while (len && ident[len - 1] == '_')
		len--;
	ident[len] = '\0';
	/* the prefix of the kernel set, and of macros that the emitted files share */
	if (len == 0 || strncmp(ident, "tn_", 3) == 0 || strcmp(ident, "tn") == 0 ||
		strncmp(ident, "tenure", 6) == 0)
		return tn_arena_strdup(arena, otherwise);
	return ident;
}

char *tn_text_upper(struct tn_arena *arena, const char *ident)
{
	char *upper = tn_arena_strdup(arena, ident);

	for (char *c = upper; c && *c; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	return upper;
}

void tn_text_plain(struct tn_strbuf *out, const char *name)
{
	for (size_t i = 0; name[i]; i++) {
		char c = name[i];

		if (i == PLAIN_MAX) {
			tn_strbuf_puts(out, "...");
			return;
		}
		/* '/' only where it neither opens nor closes a comment */
		if (is_letter(c) || is_digit(c) || strchr("_.:;,#=+-() ", c) || c == '/')
			tn_strbuf_putc(out, c == '/' && name[i + 1] == '/' ? '_' : c);
		else
			tn_strbuf_putc(out, '_');
	}
}

void tn_text_string(struct tn_strbuf *out, const char *text)
{
	tn_strbuf_putc(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		/* octal, always three digits: no character that follows can join it; no
		 * '?', so no trigraph */
		if (c < 0x20 || c > 0x7e || strchr("\"\\?", (char)c))
			tn_strbuf_printf(out, "\\%03o", c);
		else
			tn_strbuf_putc(out, (char)c);
	}
	tn_strbuf_putc(out, '"');
}
