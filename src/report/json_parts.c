#include "report/json_parts.h"

#include <inttypes.h>

#include "report/boxes.h"
#include "report/escape.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

json_t *tn_json_text(const char *text)
{
	struct tn_strbuf clean;
	json_t *value;

	if (!text)
		return json_null();
	tn_strbuf_init(&clean);
	tn_escape_utf8(&clean, text);
	value = clean.failed ? NULL : json_string_nocheck(clean.text ? clean.text : "");
	tn_strbuf_release(&clean);
	return value;
}

bool tn_json_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new_nocheck(object, key, value) == 0;
}

bool tn_json_push(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) == 0;
}

json_t *tn_json_taken(struct tn_strbuf *text)
{
	json_t *value = text->failed ? NULL : tn_json_text(text->text ? text->text : "");

	tn_strbuf_release(text);
	return value;
}

static json_t *tensor_name(const struct tn_view *v, tn_tensor_id id)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_words_tensor(v->g, id, &text);
	return tn_json_taken(&text);
}

static json_t *op_name(const struct tn_view *v, tn_op_id id)
{
	return id.i == TN_NONE ? json_null() : tn_json_text(v->g->ops[id.i].name);
}

static json_t *candidate_id(const struct tn_view *v, const struct tn_candidate *c)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_strbuf_printf(&text, "%s/in%" PRIu32 "/out%" PRIu32 "%s",
		v->g->ops[c->op.i].name, c->input, c->output,
		c->no_copy ? "/no-copy" : "");
	return tn_json_taken(&text);
}

static json_t *witness(const struct tn_view *v, const struct tn_candidate *c)
{
	json_t *w, *bytes = json_array();

	if (c->verdict == VERDICT_PROVED) {
		json_decref(bytes);
		return json_null();
	}
	w = json_object();
	if (!tn_json_push(bytes, json_integer(c->witness.begin)) ||
		!tn_json_push(bytes, json_integer(c->witness.end)) ||
		!tn_json_put(w, "writer", op_name(v, c->witness.writer)) ||
		!tn_json_put(w, "victim", tensor_name(v, c->witness.victim)) ||
		!tn_json_put(w, "reader", op_name(v, c->witness.reader)) ||
		json_object_set_nocheck(w, "bytes", bytes) != 0) {
		json_decref(w);
		w = NULL;
	}
	json_decref(bytes);
	return w;
}

static json_t *displacement(const struct tn_view *v, const struct tn_candidate *c)
{
	uint32_t k = tn_candidate_variant(v, c);
	bool number;
	json_t *d;

	if (k == TN_NONE)
		return json_null();
	number = c->d[k] != TN_DISPLACEMENT_FREE && c->d[k] != TN_DISPLACEMENT_NEVER;
	d = json_object();
	if (tn_json_put(d, "order",
		    json_string(c->variant[k].descending ? "descending" : "ascending")) &&
		tn_json_put(d, "hold", json_string(tn_hold_name(c->variant[k].hold))) &&
		tn_json_put(d, "rule",
			json_string(number			      ? "at_least"
				    : c->d[k] == TN_DISPLACEMENT_FREE ? "anywhere"
								      : "never")) &&
		tn_json_put(d, "bytes", number ? json_integer(c->d[k]) : json_null()))
		return d;
	json_decref(d);
	return NULL;
}

static json_t *placed(const struct tn_view *v, const struct tn_candidate *c)
{
	int64_t shared = tn_candidate_shared(v, c);
	const char *how = !shared			? "apart"
			  : tn_candidate_in_place(v, c) ? "in_place"
							: "overlap";
	json_t *p;

	if (!v->plan)
		return json_null();
	p = json_object();
	if (tn_json_put(p, "how", json_string(how)) &&
		tn_json_put(p, "shared_bytes", json_integer(shared)))
		return p;
	json_decref(p);
	return NULL;
}

/* A proof says what it rests on. */
static json_t *assumptions(const struct tn_view *v, const struct tn_candidate *c)
{
	uint32_t k = tn_candidate_variant(v, c);
	json_t *list = json_array();
	struct tn_strbuf text;
	bool ok = true;

	if (c->verdict != VERDICT_PROVED && !c->may_overlap)
		return list;
	ok = tn_json_push(list,
		json_string(v->plan && v->plan->n_streams
				    ? "ops run one after the other, in this order; those "
				      "of a stream row by row"
				    : "ops run one after the other, in this order"));
	tn_strbuf_init(&text);
	if (ok && tn_words_chain(v, c->op, &text))
		ok = tn_json_push(list, tn_json_taken(&text));
	if (ok && k != TN_NONE && !c->elided && !c->no_copy) {
		tn_strbuf_init(&text);
		tn_strbuf_printf(&text, "kernel contract of the built-in set: %s, ",
			tn_words_op_type(&v->g->ops[c->op.i]));
		tn_words_variant(&c->variant[k], &text);
		ok = tn_json_push(list, tn_json_taken(&text));
	}
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *reason(const struct tn_view *v, const struct tn_candidate *c)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_words_reason(v, c, &text);
	return tn_json_taken(&text);
}

/* Which of the plan's streams runs the op; nothing when none does. */
static bool put_stream(json_t *o, const struct tn_view *v, tn_op_id op)
{
	const struct tn_plan_stream *s =
		v->plan ? tn_plan_stream_at(v->plan, tn_view_position(v, op)) : NULL;

	return !s || tn_json_put(o, "stream", json_integer(s - v->plan->streams));
}

static json_t *decision(const struct tn_view *v, const struct tn_candidate *c, bool file)
{
	bool proved = c->verdict == VERDICT_PROVED;
	json_t *d = json_object();

	if ((!file || tn_json_put(d, "file", tn_json_text(tn_view_file(v)))) &&
		tn_json_put(d, "id", candidate_id(v, c)) &&
		tn_json_put(d, "op", op_name(v, c->op)) &&
		tn_json_put(d, "in", tensor_name(v, c->in)) &&
		tn_json_put(d, "out", tensor_name(v, c->out)) &&
		tn_json_put(d, "verdict", json_string(proved ? "proved" : "rejected")) &&
		tn_json_put(d, "obligation",
			proved ? json_null()
			       : json_string(tn_obligation_name(c->failed))) &&
		tn_json_put(d, "hazard", tn_json_text(c->hazard)) &&
		tn_json_put(d, "witness", witness(v, c)) &&
		tn_json_put(d, "reason", reason(v, c)) &&
		tn_json_put(d, "saves_bytes", json_integer(c->saves_bytes)) &&
		tn_json_put(d, "displacement", displacement(v, c)) &&
		tn_json_put(d, "placed", placed(v, c)) && put_stream(d, v, c->op) &&
		tn_json_put(d, "assumptions", assumptions(v, c)))
		return d;
	json_decref(d);
	return NULL;
}

json_t *tn_json_decisions(const struct tn_view *v, bool file)
{
	json_t *list = json_array();

	for (size_t i = 0; v->inplace && i < v->inplace->n; i++) {
		if (!tn_json_push(list, decision(v, &v->inplace->list[i], file))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *tn_json_counted(int64_t n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static bool put_variant(json_t *o, const struct tn_plan_op *run)
{
	return tn_json_put(o, "order",
		       json_string(run->descending ? "descending" : "ascending")) &&
	       tn_json_put(
		       o, "hold", json_string(tn_hold_name((enum tn_hold)run->hold))) &&
	       tn_json_put(o, "scratch_bytes", json_integer(run->scratch_bytes)) &&
	       tn_json_put(o, "scratch_offset",
		       run->scratch_bytes > 0 ? json_integer(run->scratch_offset)
					      : json_null());
}

static json_t *op_object(const struct tn_view *v, tn_op_id id, const struct tn_load *load)
{
	const struct tn_op *op = &v->g->ops[id.i];
	struct tn_traffic t = { 0 };
	json_t *o = json_object();

	if (!tn_view_elided(v, id))
		t = tn_traffic_of(v->g, op);
	if (tn_json_put(o, "name", tn_json_text(op->name)) &&
		tn_json_put(o, "type", tn_json_text(tn_words_op_type(op))) &&
		tn_json_put(o, "runs", json_boolean(!tn_view_elided(v, id))) &&
		tn_json_put(o, "live_bytes", json_integer(load->live_bytes)) &&
		tn_json_put(o, "macs", tn_json_counted(t.macs)) &&
		tn_json_put(o, "bytes_read", tn_json_counted(t.bytes_read)) &&
		tn_json_put(o, "bytes_written", tn_json_counted(t.bytes_written)) &&
		(!v->plan || put_variant(o, &v->plan->ops[id.i])))
		return o;
	json_decref(o);
	return NULL;
}

json_t *tn_json_ops(const struct tn_view *v)
{
	json_t *list = json_array();
	struct tn_load *loads;
	struct tn_arena scratch;
	uint32_t peak;
	bool ok;

	tn_arena_init(&scratch);
	ok = tn_loads_find(v, &scratch, &loads, &peak) == TN_OK;
	for (uint32_t p = 0; p < v->g->n_ops && ok; p++)
		ok = tn_json_push(list, op_object(v, tn_view_op_at(v, p), &loads[p]));
	tn_arena_release(&scratch);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *notes(const struct tn_diag *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->notes.count; i++)
		if (!tn_json_push(list, tn_json_text(d->notes.items[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *count_or_null(size_t value)
{
	return value ? json_integer((json_int_t)value) : json_null();
}

json_t *tn_json_finding(const struct tn_finding *f)
{
	const struct tn_diag *d = f->diag;
	json_t *o = json_object();

	if (tn_json_put(o, "file", tn_json_text(*f->file ? f->file : NULL)) &&
		tn_json_put(o, "rule", tn_json_text(d->rule)) &&
		tn_json_put(o, "severity", json_string(tn_severity_name(d->severity))) &&
		tn_json_put(o, "message", tn_json_text(d->message)) &&
		tn_json_put(o, "pointer", tn_json_text(d->pointer)) &&
		tn_json_put(o, "line", count_or_null(f->line)) &&
		tn_json_put(o, "column", count_or_null(f->column)) &&
		tn_json_put(o, "subject", tn_json_text(d->subject)) &&
		tn_json_put(o, "notes", notes(d)))
		return o;
	json_decref(o);
	return NULL;
}

json_t *tn_json_findings(const struct tn_findings *findings)
{
	json_t *list = json_array();

	for (size_t i = 0; i < findings->n; i++)
		if (!tn_json_push(list, tn_json_finding(&findings->list[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static int append(const char *buffer, size_t size, void *user)
{
	struct tn_strbuf *out = user;

	tn_strbuf_add(out, buffer, size);
	return out->failed ? -1 : 0;
}

enum tn_status tn_json_write(json_t *root, struct tn_strbuf *out)
{
	int failed = !root || json_dump_callback(root, append, out, JSON_INDENT(2)) != 0;

	json_decref(root);
	if (failed)
		return TN_ERR_NOMEM;
	tn_strbuf_putc(out, '\n');
	return out->failed ? TN_ERR_NOMEM : TN_OK;
}
