#include "report/csv.h"

#include <inttypes.h>
#include <string.h>

#include "report/boxes.h"
#include "report/escape.h"
#include "report/words.h"

#include "base/banned.h"

static void quoted(struct tn_strbuf *out, const char *text)
{
	struct tn_strbuf safe;

	tn_strbuf_init(&safe);
	tn_escape_visible(&safe, text);
	tn_strbuf_putc(out, '"');
	if (safe.len && strchr("=+-@", safe.text[0]))
		tn_strbuf_putc(out, '\'');
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.text[i] == '"')
			tn_strbuf_putc(out, '"');
		tn_strbuf_putc(out, safe.text[i]);
	}
	tn_strbuf_putc(out, '"');
	out->failed = out->failed || safe.failed;
	tn_strbuf_release(&safe);
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
	const struct tn_box *box = &boxes->list[boxes->of[i]];

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
	if (box->tensor.i == i && box->op.i != TN_NONE)
		quoted(out, v->g->ops[box->op.i].name);
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
	tn_strbuf_putc(out, '\n');
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
				    "last,root,root_offset,op\n");
		for (uint32_t i = 0; i < v->g->n_tensors; i++)
			if (boxes.of[i] != TN_NONE)
				tensor_row(v, &boxes, i, out);
		for (uint32_t i = 0; i < boxes.n; i++)
			if (boxes.list[i].tensor.i == TN_NONE)
				scratch_row(v, &boxes.list[i], out);
	}
	tn_arena_release(&scratch);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
