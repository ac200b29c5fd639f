/* Pieces of JSON text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "export/native_part.h"

#include "base/banned.h"

void tn_native_put(struct tn_native_writer *w, const char *text)
{
	tn_strbuf_puts(w->out, text);
}

void tn_native_put_text(struct tn_native_writer *w, const char *text)
{
	size_t len = strlen(text), n;

	tn_native_put(w, "\"");
	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = tn_utf8_char(text + i, len - i);
		if (n == 0)
			tn_native_put(w, "\\ufffd");
		else if (text[i] == '"' || text[i] == '\\')
			tn_strbuf_printf(w->out, "\\%c", text[i]);
		else if ((unsigned char)text[i] < 0x20)
			tn_strbuf_printf(w->out, "\\u%04x", (unsigned)text[i]);
		else
			tn_strbuf_add(w->out, text + i, n);
	}
	tn_native_put(w, "\"");
}

void tn_native_put_key(struct tn_native_writer *w, const char *key)
{
	tn_native_put(w, ", ");
	tn_native_put_text(w, key);
	tn_native_put(w, ": ");
}

void tn_native_put_int(struct tn_native_writer *w, int64_t value)
{
	tn_strbuf_printf(w->out, "%" PRId64, value);
}

void tn_native_put_int_member(struct tn_native_writer *w, const char *key, int64_t value)
{
	tn_native_put_key(w, key);
	tn_native_put_int(w, value);
}

void tn_native_put_ints(struct tn_native_writer *w, const int64_t *values, size_t n)
{
	tn_native_put(w, "[");
	for (size_t i = 0; i < n; i++) {
		tn_native_put(w, i ? ", " : "");
		tn_native_put_int(w, values[i]);
	}
	tn_native_put(w, "]");
}

void tn_native_put_float(struct tn_native_writer *w, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (!isfinite(value))
		tn_strbuf_printf(w->out, "\"0x%08" PRIx32 "\"", bits);
	else if (bits == UINT32_C(0x80000000))
		tn_native_put(w, "-0.0");
	else
		tn_strbuf_printf(w->out, "%.9g", (double)value);
}

void tn_native_put_double(struct tn_native_writer *w, double value)
{
	uint64_t bits;
	char text[40];

	memcpy(&bits, &value, sizeof(bits));
	if (!isfinite(value)) {
		tn_strbuf_printf(w->out, "{\"bits\": \"0x%016" PRIx64 "\"}", bits);
		return;
	}
	/* the shortest text that reads back to the same bits; 17 digits always do */
	for (int digits = 1; digits <= 17; digits++) {
		double again;

		snprintf(text, sizeof(text), "%.*g", digits, value);
		again = strtod(text, NULL);
		if (memcmp(&again, &value, sizeof(value)) == 0)
			break;
	}
	tn_native_put(w, text);
	if (!strpbrk(text, ".e"))
		tn_native_put(w, ".0");
}

void tn_native_put_member(struct tn_native_writer *w, const char *key)
{
	tn_strbuf_printf(w->out, ",\n%s  \"%s\": ", w->indent, key);
}

void tn_native_put_tensor_name(struct tn_native_writer *w, tn_tensor_id id)
{
	if (id.i == TN_NONE)
		tn_native_put(w, "null");
	else
		tn_native_put_text(w, w->keys[id.i]);
}

void tn_native_put_tensor_list(
	struct tn_native_writer *w, const tn_tensor_id *ids, uint32_t n)
{
	tn_native_put(w, "[");
	for (uint32_t i = 0; i < n; i++) {
		tn_native_put(w, i ? ", " : "");
		tn_native_put_tensor_name(w, ids[i]);
	}
	tn_native_put(w, "]");
}

void tn_native_put_op_list(struct tn_native_writer *w, const tn_op_id *ids, uint32_t n)
{
	tn_native_put(w, "[");
	for (uint32_t i = 0; i < n; i++) {
		tn_native_put(w, i ? ", " : "");
		tn_native_put_text(w, w->g->ops[ids[i].i].name);
	}
	tn_native_put(w, "]");
}
