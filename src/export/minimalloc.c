#include "export/minimalloc.h"

#include <inttypes.h>
#include <stdbool.h>

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

		tn_strbuf_printf(out, "%s,%" PRId64 ",%" PRId64 ",%" PRId64, ids[i],
			b->begin, b->end, b->size);
		if (aligned)
			tn_strbuf_printf(out, ",%" PRId64, b->align);
		tn_strbuf_printf(out, ",%" PRId64 "\n", offset[i]);
	}
}
