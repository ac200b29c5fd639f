#include "rules/template.h"

#include <string.h>

#include "base/banned.h"

/* Quotes in an expression may hold braces. */
static size_t expression_len(const char *at)
{
	size_t len = 0;
	char quote = '\0';

	for (; at[len] && (quote || at[len] != '}'); len++) {
		if (quote)
			quote = at[len] == quote ? '\0' : quote;
		else if (at[len] == '\'' || at[len] == '"')
			quote = at[len];
	}
	return len;
}

bool tn_template_next(const char **io_at, struct tn_template_part *out)
{
	const char *at = *io_at;

	*out = (struct tn_template_part){ at, strcspn(at, "{"), NULL, 0 };
	at += out->len;
	if (*at && at[1] == '{') {
		out->len++; /* one of the two */
		at += 2;
	} else if (*at) {
		out->expression = ++at;
		out->expression_len = expression_len(at);
		at += out->expression_len;
		if (!*at)
			return false;
		at++;
	}
	*io_at = at;
	return true;
}
