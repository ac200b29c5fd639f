#include "report/csv.h"

#include <inttypes.h>
#include <string.h>

#include "report/boxes.h"
#include "report/escape.h"
#include "report/words.h"

#include "base/banned.h"

#define REPLACEMENT 0xfffd

/* One character so that no other one looks like it: \\ is a backslash, \xNN a byte that
 * is of no character, or below 0x80, \u{N} another character that nobody would see. */
static void put_character(struct tn_strbuf *out, const char *at, size_t len, uint32_t cp)
{
	char one[5] = { 0 };

	if (cp == '\\') {
		tn_strbuf_puts(out, "\\\\");
	} else if (cp == '"') {
		tn_strbuf_puts(out, "\"\"");
	} else if (cp == REPLACEMENT && len == 1) {
		tn_strbuf_printf(out, "\\x%02x", (unsigned char)*at);
	} else if ((cp >= 0x80 && cp < 0xa0) || cp == 0xad) {
		tn_strbuf_printf(out, "\\u{%04" PRIx32 "}", cp);
	} else {
		memcpy(one, at, len);
		tn_escape_visible(out, one);
	}
}

/* An apostrophe keeps spreadsheets from taking a name for a formula. A name that begins
 * with one gets another, so that the first one is never the name's own. */
static void quoted(struct tn_strbuf *out, const char *text)
{
	tn_strbuf_putc(out, '"');
	if (*text && strchr("=+-@'", *text))
		tn_strbuf_putc(out, '\'');
	for (const char *at = text; *at;) {
		const char *start = at;
		uint32_t cp = tn_utf8_next(&at);

		put_character(out, start, (size_t)(at - start), cp);
	}
	tn_strbuf_putc(out, '"');
}

static void tensor_name(const struct tn_view *v, tn_tensor_id id, struct tn_strbuf *out)
{
	struct tn_strbuf name;

	tn_strbuf_init(&name);
	tn_words_tensor(v->g, id, &name);
	quoted(out, name.text ? name.text : "");
	out->failed = out->failed || name.failed;
	tn_strbuf_release(&name);
}

static void region_name(
	const struct tn_plan *plan, uint32_t region, struct tn_strbuf *out)
{
	quoted(out, plan->regions[region].name ? plan->regions[region].name : "");
}

static void tensor_row(const struct tn_view *v, const struct tn_boxes *boxes, uint32_t i,
	struct tn_strbuf *out)
{
	const struct tn_tensor *t = &v->g->tensors[i];
	const struct tn_plan_tensor *p = &v->plan->tensors[i];
	struct tn_alias a = tn_view_alias(v, (tn_tensor_id){ i });
	const tn_op_id writer = boxes->producer[i];

	tn_strbuf_printf(out, "%s,", tn_words_role(v->g, (tn_tensor_id){ i }));
	tensor_name(v, (tn_tensor_id){ i }, out);
	tn_strbuf_printf(out, ",%" PRIu32 ",%s,", i, tn_dtype_name(t->dtype));
	tn_words_shape(&t->shape, out);
	tn_strbuf_printf(out, ",%" PRId64 ",", p->bytes);
	region_name(v->plan, p->region, out);
	tn_strbuf_printf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", p->offset,
		p->first, p->last);
	tensor_name(v, a.root, out);
	tn_strbuf_printf(out, ",%" PRId64 ",", a.root.i == i ? 0 : a.offset);
	if (writer.i != TN_NONE)
		quoted(out, v->g->ops[writer.i].name);
	tn_strbuf_putc(out, ',');
	if (p->ring_bytes)
		tn_strbuf_printf(out, "%" PRId64, p->ring_bytes);
	tn_strbuf_putc(out, '\n');
}

static void scratch_row(
	const struct tn_view *v, const struct tn_box *box, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "scratch,");
	quoted(out, v->g->ops[box->op.i].name);
	tn_strbuf_printf(out, ",,,,%" PRId64 ",", box->bytes);
	region_name(v->plan, box->region, out);
	tn_strbuf_printf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",,,", box->offset,
		box->begin, box->last);
	quoted(out, v->g->ops[box->op.i].name);
	tn_strbuf_puts(out, ",\n");
}

enum tn_status tn_csv_write(const struct tn_view *v, struct tn_strbuf *out)
{
	struct tn_boxes boxes;
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_boxes_find(v, &scratch, &boxes);
	if (status == TN_OK) {
		tn_strbuf_puts(out, "kind,name,id,dtype,shape,bytes,region,offset,first,"
				    "last,root,root_offset,op,ring_bytes\n");
		for (uint32_t i = 0; i < v->g->n_tensors; i++)
			if (boxes.of[i] != TN_NONE ||
				tn_boxes_empty(v, &boxes, (tn_tensor_id){ i }))
				tensor_row(v, &boxes, i, out);
		for (uint32_t i = 0; i < boxes.n; i++)
			if (boxes.list[i].tensor.i == TN_NONE)
				scratch_row(v, &boxes.list[i], out);
	}
	tn_arena_release(&scratch);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
