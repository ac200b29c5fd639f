#include "report/diff.h"
#include "report/diff_words.h"
#include "report/json_parts.h"
#include "report/peak.h"
#include "report/words.h"

#include "base/banned.h"

#define PEAK_BOXES 64

static json_t *known(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static json_t *figures(const struct tn_diff *d)
{
	json_t *out = json_object();

	for (int i = 0; i < DIFF_FIGURES; i++) {
		const struct tn_diff_figure *f = &d->figures[i];
		json_t *pair = json_object();

		if (!tn_json_put(pair, "before", known(f->before)) ||
			!tn_json_put(pair, "after", known(f->after)) ||
			json_object_set_nocheck(out, f->key, pair) != 0) {
			json_decref(pair);
			json_decref(out);
			return NULL;
		}
		json_decref(pair);
	}
	return out;
}

static json_t *text_of(struct tn_strbuf *text)
{
	json_t *out = text->failed ? NULL : tn_json_text(text->text ? text->text : "");

	tn_strbuf_release(text);
	return out;
}

static json_t *box_of(const struct tn_view *v, const struct tn_box *box)
{
	json_t *out = json_object();
	struct tn_strbuf name;

	tn_strbuf_init(&name);
	tn_box_name(v, box, &name);
	if (tn_json_put(out, "name", text_of(&name)) &&
		tn_json_put(out, "bytes", json_integer(box->bytes)))
		return out;
	json_decref(out);
	return NULL;
}

static json_t *peak_of(const struct tn_diff_side *s)
{
	const struct tn_peak peak = { s->v, &s->boxes, s->loads, s->peak };
	const struct tn_box *boxes[PEAK_BOXES];
	json_t *out, *tensors;
	tn_op_id op;
	uint32_t n;

	if (s->peak == TN_NONE)
		return json_null();
	op = tn_view_op_at(s->v, s->peak);
	n = tn_peak_boxes(&peak, boxes, PEAK_BOXES);
	out = json_object();
	tensors = json_array();
	for (uint32_t i = 0; i < n && i < PEAK_BOXES && tensors; i++)
		if (!tn_json_push(tensors, box_of(s->v, boxes[i]))) {
			json_decref(tensors);
			tensors = NULL;
		}
	if (tensors && tn_json_put(out, "op", tn_json_text(s->v->g->ops[op.i].name)) &&
		tn_json_put(out, "position", json_integer(s->peak)) &&
		tn_json_put(
			out, "live_bytes", json_integer(s->loads[s->peak].live_bytes)) &&
		json_object_set_nocheck(out, "tensors", tensors) == 0) {
		json_decref(tensors);
		return out;
	}
	json_decref(tensors);
	json_decref(out);
	return NULL;
}

static json_t *op_name(const struct tn_view *v, tn_op_id op)
{
	return op.i == TN_NONE ? json_null() : tn_json_text(v->g->ops[op.i].name);
}

static json_t *op_of(const struct tn_diff *d, const struct tn_diff_op *x)
{
	const bool gone = x->after.i == TN_NONE;
	const struct tn_view *v = gone ? d->before.v : d->after.v;
	const struct tn_op *op = &v->g->ops[gone ? x->before.i : x->after.i];
	json_t *out = json_object();

	if (tn_json_put(out, "change", json_string(tn_diff_change_name(x->change))) &&
		tn_json_put(out, "type", tn_json_text(tn_words_op_type(op))) &&
		tn_json_put(out, "before", op_name(d->before.v, x->before)) &&
		tn_json_put(out, "after", op_name(d->after.v, x->after)) &&
		tn_json_put(out, "live_bytes_before", known(x->live_before)) &&
		tn_json_put(out, "live_bytes_after", known(x->live_after)))
		return out;
	json_decref(out);
	return NULL;
}

static json_t *verdict(const struct tn_candidate *c)
{
	return c ? json_string(tn_words_verdict(c)) : json_null();
}

static json_t *decision_of(const struct tn_diff *d, const struct tn_diff_decision *x)
{
	const struct tn_view *v = x->after ? d->after.v : d->before.v;
	const struct tn_candidate *c = x->after ? x->after : x->before;
	json_t *out = json_object();
	struct tn_strbuf in, to, why;
	bool ok; /* each text is released by what takes it, whatever became of the others */

	tn_strbuf_init(&in);
	tn_strbuf_init(&to);
	tn_strbuf_init(&why);
	tn_words_tensor(v->g, c->in, &in);
	tn_words_tensor(v->g, c->out, &to);
	tn_diff_words_why(d, x, &why);
	ok = tn_json_put(out, "change", json_string(tn_diff_change_name(x->change)));
	ok = tn_json_put(out, "op", op_name(v, c->op)) && ok;
	ok = tn_json_put(out, "in", text_of(&in)) && ok;
	ok = tn_json_put(out, "out", text_of(&to)) && ok;
	ok = tn_json_put(out, "before", verdict(x->before)) && ok;
	ok = tn_json_put(out, "after", verdict(x->after)) && ok;
	ok = tn_json_put(out, "saves_bytes_before",
		     known(x->before ? x->before->saves_bytes : -1)) &&
	     ok;
	ok = tn_json_put(out, "saves_bytes_after",
		     known(x->after ? x->after->saves_bytes : -1)) &&
	     ok;
	ok = tn_json_put(out, "reason", text_of(&why)) && ok;
	if (ok)
		return out;
	json_decref(out);
	return NULL;
}

static json_t *finding_of(const struct tn_diff_finding *x)
{
	json_t *out = tn_json_finding(x->finding);

	if (out && tn_json_put(out, "change", json_string(x->fixed ? "fixed" : "new")))
		return out;
	json_decref(out);
	return NULL;
}

static json_t *ops(const struct tn_diff *d)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < d->n_ops; i++)
		if (d->ops[i].change != DIFF_SAME &&
			!tn_json_push(out, op_of(d, &d->ops[i]))) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *decisions(const struct tn_diff *d)
{
	json_t *out = json_array();

	for (size_t i = 0; i < d->n_decisions; i++)
		if (!tn_json_push(out, decision_of(d, &d->decisions[i]))) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *findings(const struct tn_diff *d)
{
	json_t *out = json_array();

	for (size_t i = 0; i < d->n_findings; i++)
		if (!tn_json_push(out, finding_of(&d->findings[i]))) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *growth(const struct tn_diff *d)
{
	json_t *out;

	if (!d->growth.asked)
		return json_null();
	out = json_object();
	if (tn_json_put(out, "limit_bytes", known(d->growth.bytes)) &&
		tn_json_put(out, "limit_percent",
			d->growth.milli < 0
				? json_null()
				: json_real((double)d->growth.milli / 1000.0)) &&
		tn_json_put(out, "exceeded", json_boolean(d->growth.exceeded)))
		return out;
	json_decref(out);
	return NULL;
}

static json_t *peaks(const struct tn_diff *d)
{
	json_t *out = json_object();

	if (tn_json_put(out, "before", peak_of(&d->before)) &&
		tn_json_put(out, "after", peak_of(&d->after)))
		return out;
	json_decref(out);
	return NULL;
}

enum tn_status tn_diff_json(const struct tn_diff *d, struct tn_strbuf *out)
{
	json_t *root = json_object();

	if (tn_json_put(root, "format", json_string("tenure.diff/1")) &&
		tn_json_put(root, "old", tn_json_text(tn_view_file(d->before.v))) &&
		tn_json_put(root, "new", tn_json_text(tn_view_file(d->after.v))) &&
		tn_json_put(root, "figures", figures(d)) &&
		tn_json_put(root, "peak", peaks(d)) && tn_json_put(root, "ops", ops(d)) &&
		tn_json_put(root, "decisions", decisions(d)) &&
		tn_json_put(root, "findings", findings(d)) &&
		tn_json_put(root, "findings_kept", json_integer((json_int_t)d->n_kept)) &&
		tn_json_put(root, "growth", growth(d)))
		return tn_json_write(root, out);
	json_decref(root);
	return TN_ERR_NOMEM;
}
