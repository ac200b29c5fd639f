#include "report/peak.h"

#include "report/escape.h"
#include "report/words.h"

#include "base/banned.h"

static void quoted(const char *name, struct tn_strbuf *out)
{
	tn_strbuf_putc(out, '\'');
	tn_escape_short(out, name, TN_WORDS_NAME);
	tn_strbuf_putc(out, '\'');
}

static void bytes(int64_t value, struct tn_strbuf *out)
{
	tn_escape_number(out, value);
	tn_strbuf_puts(out, " B");
}

uint32_t tn_peak_boxes(const struct tn_peak *p, const struct tn_box **out, uint32_t n)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < p->boxes->n; i++) {
		const struct tn_box *box = &p->boxes->list[i];
		uint32_t at;

		if (p->position == TN_NONE ||
			box->begin >= 2 * (int64_t)p->position + 2 ||
			box->end <= 2 * (int64_t)p->position)
			continue;
		at = found < n ? found : n;
		found++;
		while (at > 0 && out[at - 1]->bytes < box->bytes) {
			if (at < n)
				out[at] = out[at - 1];
			at--;
		}
		if (at < n)
			out[at] = box;
	}
	return found;
}

void tn_peak_words(const struct tn_peak *p, struct tn_strbuf *out)
{
	const struct tn_box *boxes[TN_PEAK_NAMED];
	const tn_op_id op = tn_view_op_at(p->v, p->position);
	const uint32_t n = tn_peak_boxes(p, boxes, TN_PEAK_NAMED);

	quoted(p->v->g->ops[op.i].name, out);
	tn_strbuf_printf(out, " (op %u), ", p->position);
	bytes(p->loads[p->position].live_bytes, out);
	tn_strbuf_puts(out, " live");
	for (uint32_t i = 0; i < n && i < TN_PEAK_NAMED; i++) {
		struct tn_strbuf name;

		tn_strbuf_init(&name);
		tn_box_name(p->v, boxes[i], &name);
		tn_strbuf_puts(out, i ? ", " : ": ");
		quoted(name.text ? name.text : "", out);
		tn_strbuf_putc(out, ' ');
		bytes(boxes[i]->bytes, out);
		out->failed = out->failed || name.failed;
		tn_strbuf_release(&name);
	}
	if (n > TN_PEAK_NAMED)
		tn_strbuf_printf(out, " and %u more", n - TN_PEAK_NAMED);
}
