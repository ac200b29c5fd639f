#include "base/glob.h"

#include <string.h>

bool tn_glob_part(const char *pattern, size_t len, const char *text)
{
	const char *const end = pattern + len;
	const char *star = NULL, *resume = NULL;

	while (*text) {
		if (pattern < end && *pattern == '*') {
			star = pattern++; /* the last star is the only one to go back to */
			resume = text;
		} else if (pattern < end && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

bool tn_glob(const char *pattern, const char *text)
{
	return tn_glob_part(pattern, strlen(pattern), text);
}
