#include "driver/progress.h"

#include <string.h>

#include "base/banned.h"

#define COLUMNS_MAX 79 /* a longer line would not be overwritten as one */

void tn_progress_init(struct tn_progress *p, const tenure_options *options)
{
	*p = (struct tn_progress){ .options = options };
}

/* Blanks instead of an escape sequence: any terminal knows them. */
static void put(struct tn_progress *p, const char *text, size_t n)
{
	FILE *const to = p->options->err;

	fprintf(to, "\r%.*s", (int)n, text);
	for (size_t i = n; i < p->shown; i++)
		putc(' ', to);
	fputs("\r", to);
	fflush(to);
	p->shown = n;
}

void tn_progress_show(void *progress, const char *text)
{
	struct tn_progress *p = progress;
	const size_t n = strlen(text);

	if (p->options->progress)
		put(p, text, n < COLUMNS_MAX ? n : COLUMNS_MAX);
}

void tn_progress_end(struct tn_progress *p)
{
	if (p->shown)
		put(p, "", 0);
}
