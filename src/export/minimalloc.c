#include "export/minimalloc.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

void tn_export_csv_field(struct tn_strbuf *out, const char *text)
{
	size_t n = strlen(text);
	bool blanks = n && (strchr(" \t", text[0]) || strchr(" \t", text[n - 1]));
	bool quoted = blanks || strpbrk(text, ",\"\r\n");

	if (quoted)
		tn_strbuf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			tn_strbuf_putc(out, '"');
		tn_strbuf_putc(out, *text);
	}
	if (quoted)
		tn_strbuf_putc(out, '"');
}

void tn_export_minimalloc(const struct tn_problem *p, const char *const *ids,
	const int64_t *offset, struct tn_strbuf *out)
{
	bool aligned = false;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		aligned = aligned || p->buffers[i].align != 1;
	tn_strbuf_puts(out, aligned ? "id,lower,upper,size,alignment,offset\n"
				    : "id,lower,upper,size,offset\n");
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct tn_buffer *b = &p->buffers[i];

		tn_export_csv_field(out, ids[i]);
		tn_strbuf_printf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64, b->begin,
			b->end, b->size);
		if (aligned)
			tn_strbuf_printf(out, ",%" PRId64, b->align);
		tn_strbuf_printf(out, ",%" PRId64 "\n", offset[i]);
	}
}
