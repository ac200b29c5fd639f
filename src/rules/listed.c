#include "rules/listed.h"

#include <string.h>

#include "base/glob.h"

#include "base/banned.h"

/* One of the words of a list, which may be patterns. */
static bool is_listed(const char *list, const char *text)
{
	for (const char *at = list; *at;) {
		const size_t len = strcspn(at, " ");

		if (len && tn_glob_part(at, len, text))
			return true;
		at += len;
		at += strspn(at, " ");
	}
	return false;
}

bool tn_listed(struct tn_listed *a, const char *list, const char *text)
{
	size_t i = 0;

	while (i < a->n && a->text[i] != text)
		i++;
	if (i < a->n)
		return a->listed[i];
	i = a->n < 32 ? a->n++ : 31;
	a->text[i] = text;
	a->listed[i] = is_listed(list, text);
	return a->listed[i];
}
