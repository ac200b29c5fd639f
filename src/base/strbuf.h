/* A string that grows. A failed allocation is remembered: check `failed` once, at the
 * end, instead of after every append. */
#ifndef TN_BASE_STRBUF_H
#define TN_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct tn_strbuf {
	char *text; /* NUL-terminated once anything was appended; malloc'ed, ours */
	size_t len; /* bytes, without the NUL */
	size_t capacity;
	bool failed; /* an allocation failed: text is incomplete */
};

void tn_strbuf_init(struct tn_strbuf *buf);
void tn_strbuf_release(struct tn_strbuf *buf);
void tn_strbuf_add(struct tn_strbuf *buf, const char *text, size_t len);
void tn_strbuf_puts(struct tn_strbuf *buf, const char *text);
void tn_strbuf_putc(struct tn_strbuf *buf, char c);
void tn_strbuf_printf(struct tn_strbuf *buf, const char *fmt, ...) TN_PRINTF(2, 3);

#endif
