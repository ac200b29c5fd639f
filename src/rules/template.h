/* Inside rules/: the message of a rule, in parts: a text, then an expression in braces
 * (none behind the last text); "{{" is a brace. */
#ifndef TN_RULES_TEMPLATE_H
#define TN_RULES_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

struct tn_template_part {
	const char *text;
	size_t len;
	const char *expression; /* NULL: none */
	size_t expression_len;
};

/* The part at **at, which is not the end. False: a brace is not closed. */
bool tn_template_next(const char **at, struct tn_template_part *out);

#endif
