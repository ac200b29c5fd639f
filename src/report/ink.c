#include "report/ink.h"

static const char *const codes[] = {
	[INK_NONE] = "",
	[INK_BOLD] = "\033[1m",
	[INK_DIM] = "\033[2m",
	[INK_GOOD] = "\033[32m",
	[INK_BAD] = "\033[1;31m",
	[INK_WARN] = "\033[1;33m",
	[INK_NOTE] = "\033[1;36m",
};

void tn_ink(struct tn_strbuf *out, bool color, enum tn_ink ink, const char *text)
{
	if (color && ink != INK_NONE)
		tn_strbuf_puts(out, codes[ink]);
	tn_strbuf_puts(out, text);
	if (color && ink != INK_NONE)
		tn_strbuf_puts(out, "\033[0m");
}

enum tn_ink tn_ink_of(enum tn_severity severity)
{
	if (severity == SEVERITY_ERROR)
		return INK_BAD;
	return severity == SEVERITY_WARNING ? INK_WARN : INK_NOTE;
}
