/* What expressions speak of. */
#include <string.h>

#include "rules/facts_part.h"

#include "base/banned.h"

const char *const tn_fact_names[] = {
#define FIELD(id, name) [id] = name,
#include "rules/facts.def"
#undef FIELD
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static bool is_operator(const char *word, size_t len)
{
	return (len == 2 && strncmp(word, "or", 2) == 0) ||
	       (len == 3 &&
		       (strncmp(word, "and", 3) == 0 || strncmp(word, "div", 3) == 0 ||
			       strncmp(word, "mod", 3) == 0));
}

/* A function that gives tensors. */
static bool is_set(const char *word, size_t len)
{
	static const char *const names[] = { "tensors", "inputs", "outputs", "constants",
		"variables" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && strncmp(names[i], word, len) == 0)
			return true;
	return false;
}

/* A step behind "//" that is confined to no element: "//@bytes", "//.", "//self::x". */
static bool is_anywhere(const char *at)
{
	if (at[0] != '/' || at[1] != '/')
		return false;
	at += 2 + strspn(at + 2, " \t\r\n");
	if (!is_word(*at))
		return true;
	while (is_word(*at))
		at++;
	at += strspn(at, " \t\r\n");
	return at[0] == ':';
}

/* Literals do not count. A star is a product behind an operand, else any name at all. */
void tn_facts_need(struct tn_facts_needs *needs, const char *at)
{
	bool operand = false; /* the token before may be the left side of a product */

	while (*at) {
		size_t len = 0;

		while (*at != '-' && is_word(at[len])) /* no name starts with a minus */
			len++;
		if (len && is_set(at, len))
			needs->fields |= BIT(F_TENSOR);
		for (int f = 0; f < FIELD_COUNT && len; f++)
			if (strlen(tn_fact_names[f]) == len &&
				strncmp(tn_fact_names[f], at, len) == 0)
				needs->fields |= BIT(f);
		if ((*at == '*' && !operand) || is_anywhere(at) ||
			(len == 4 && strncmp(at, "node", 4) == 0))
			needs->fields = BIT(FIELD_COUNT) - 1;
		if (len)
			operand = !is_operator(at, len);
		else if (!strchr(" \t\r\n", *at))
			operand = strchr(")].*\"'", *at) != NULL &&
				  !(*at == '*' && operand);
		if (*at == '\'' || *at == '"') {
			const char *end = strchr(at + 1, *at);

			at = end ? end : at;
		}
		at += len ? len : 1;
	}
}

static bool is_known(const char *word, size_t len)
{
	static const char *const always[] = { "model", "op", "value", "saves", "verdict",
		"obligation", "declined" };

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (strlen(always[i]) == len && strncmp(always[i], word, len) == 0)
			return true;
	for (int f = 0; f < FIELD_COUNT; f++)
		if (strlen(tn_fact_names[f]) == len &&
			strncmp(tn_fact_names[f], word, len) == 0)
			return true;
	return false;
}

/* Functions, axes, operators, variables and numbers are no names of facts. */
const char *tn_facts_unknown(const char *at, size_t *out_len)
{
	bool operand = false, variable = false;

	while (*at) {
		size_t len = 0;
		const char *next;

		while (*at != '-' && is_word(at[len])) /* no name starts with a minus */
			len++;
		if (!len && (*at == '\'' || *at == '"')) {
			const char *end = strchr(at + 1, *at);

			at = end ? end : at;
		}
		next = at + len + strspn(at + len, " \t\r\n");
		if (!len) {
			variable = *at == '$';
			if (!strchr(" \t\r\n", *at))
				operand = strchr(")].*\"'", *at) != NULL &&
					  !(*at == '*' && operand);
			at++;
			continue;
		}
		if (operand && is_operator(at, len)) {
			operand = false;
		} else {
			operand = true;
			if (!variable && *next != '(' && *next != ':' &&
				!(*at >= '0' && *at <= '9') && !is_known(at, len)) {
				*out_len = len;
				return at;
			}
		}
		variable = false;
		at += len;
	}
	return NULL;
}
