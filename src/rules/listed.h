/* Words with blanks between, which may be patterns (base/glob.h): 'CONV_2D *POOL*'. */
#ifndef TN_RULES_LISTED_H
#define TN_RULES_LISTED_H

#include <stdbool.h>
#include <stddef.h>

/* Answers for the texts that come again and again; equal ones are one pointer. */
struct tn_listed {
	const char *text[32];
	bool listed[32];
	size_t n;
};

/* Does one of the words match? `asked` is about one list; all of it 0 at first. */
bool tn_listed(struct tn_listed *asked, const char *list, const char *text);

#endif
