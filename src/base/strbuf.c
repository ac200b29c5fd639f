#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"
#include "base/message.h"

#define USUAL 64 /* bytes of one printed piece; more needs a second try */

void tn_strbuf_init(struct tn_strbuf *buf)
{
	*buf = (struct tn_strbuf){ 0 };
}

void tn_strbuf_release(struct tn_strbuf *buf)
{
	free(buf->text);
	tn_strbuf_init(buf);
}

/* Room for `more` bytes and a NUL. */
static bool reserve(struct tn_strbuf *buf, size_t more)
{
	size_t need, bigger;
	char *grown;

	if (buf->failed || more > SIZE_MAX / 4 - buf->len) {
		buf->failed = true;
		return false;
	}
	need = buf->len + more + 1;
	if (need <= buf->capacity)
		return true;
	bigger = buf->capacity * 2 > need ? buf->capacity * 2 : need + 64;
	grown = realloc(buf->text, bigger);
	if (!grown) {
		buf->failed = true;
		return false;
	}
	buf->text = grown;
	buf->capacity = bigger;
	return true;
}

void tn_strbuf_add(struct tn_strbuf *buf, const char *text, size_t len)
{
	if (!reserve(buf, len))
		return;
	if (len)
		memcpy(buf->text + buf->len, text, len);
	buf->len += len;
	buf->text[buf->len] = '\0';
}

void tn_strbuf_puts(struct tn_strbuf *buf, const char *text)
{
	tn_strbuf_add(buf, text, strlen(text));
}

void tn_strbuf_putc(struct tn_strbuf *buf, char c)
{
	tn_strbuf_add(buf, &c, 1);
}

void tn_strbuf_printf(struct tn_strbuf *buf, const char *fmt, ...)
{
	va_list args, again;
	size_t room;
	int len;

	if (!reserve(buf, USUAL))
		return;
	room = buf->capacity - buf->len;
	va_start(args, fmt);
	va_copy(again, args);
	len = tn_message(buf->text + buf->len, room, fmt, args);
	if (len < 0)
		len = vsnprintf(buf->text + buf->len, room, fmt, args);
	if (len < 0)
		buf->failed = true;
	else if ((size_t)len < room || reserve(buf, (size_t)len)) {
		if ((size_t)len >= room)
			vsnprintf(buf->text + buf->len, (size_t)len + 1, fmt, again);
		buf->len += (size_t)len;
	}
	buf->text[buf->len] = '\0';
	va_end(again);
	va_end(args);
}
