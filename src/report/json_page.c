#include "report/json_page.h"

#include <inttypes.h>
#include <string.h>

#include "report/cores.h"
#include "report/escape.h"
#include "report/json_page_plan.h"
#include "report/json_parts.h"
#include "report/json_stream.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

/* What cannot be seen is spelled out here, so that the script can take names as text. */
static json_t *visible(const char *text)
{
	struct tn_strbuf safe;

	tn_strbuf_init(&safe);
	tn_escape_visible(&safe, text ? text : "");
	return tn_json_taken(&safe);
}

static json_t *visible_taken(struct tn_strbuf *text)
{
	json_t *value = text->failed ? NULL : visible(text->text);

	tn_strbuf_release(text);
	return value;
}

/* Texts that come again and again: each once, and its number where it is used. */
struct texts {
	json_t *list, *index;
};

static json_t *numbered(const struct texts *t, json_t *text)
{
	const char *key = json_string_value(text);
	json_t *at = key ? json_object_get(t->index, key) : NULL;

	if (at) {
		json_decref(text);
		return json_incref(at);
	}
	at = json_integer((json_int_t)json_array_size(t->list));
	if (!key || json_object_set_nocheck(t->index, key, at) != 0 ||
		json_array_append(t->list, text) != 0) {
		json_decref(at);
		at = NULL;
	}
	json_decref(text);
	return at;
}

static bool push_int(json_t *list, int64_t value)
{
	return tn_json_push(list, json_integer(value));
}

static bool push_id(json_t *list, uint32_t id)
{
	return push_int(list, id == TN_NONE ? -1 : (int64_t)id);
}

static json_t *operands(const tn_tensor_id *ids, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t k = 0; k < n; k++)
		if (!push_id(list, ids[k].i)) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* Bytes of the operands by region; only where there are several, and something runs. */
static json_t *by_region(
	const struct tn_view *v, const tn_tensor_id *ids, uint32_t n, bool runs)
{
	const struct tn_plan *plan = v->plan;
	const uint32_t regions = runs && plan->n_regions > 1 ? plan->n_regions : 0;
	json_t *list = json_array();
	bool ok = list != NULL;

	for (uint32_t r = 0; r < regions && ok; r++) {
		int64_t sum = 0;

		for (uint32_t k = 0; k < n; k++)
			if (ids[k].i != TN_NONE && plan->tensors[ids[k].i].region == r)
				sum += v->g->tensors[ids[k].i].bytes;
		ok = push_int(list, sum);
	}
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

enum { HOLDS = HOLD_CYCLE + 1, VARIANTS = 2 * HOLDS };

static int64_t variant_index(const struct tn_variant *variant)
{
	return (variant->descending ? HOLDS : 0) + (int64_t)variant->hold;
}

static void put_variants(struct tn_json_stream *out)
{
	tn_json_open(out, "variants", '[');
	for (int i = 0; i < VARIANTS; i++) {
		struct tn_variant variant = { i >= HOLDS, (enum tn_hold)(i % HOLDS) };
		struct tn_strbuf text;

		tn_strbuf_init(&text);
		tn_words_variant(&variant, &text);
		tn_json_element(out, tn_json_taken(&text));
	}
	tn_json_element(out, json_string("nothing runs"));
	tn_json_close(out, '[');
}

static json_t *variant(const struct tn_view *v, tn_op_id id)
{
	const struct tn_plan_op *run = &v->plan->ops[id.i];
	struct tn_variant variant = { run->descending != 0, (enum tn_hold)run->hold };

	return json_integer(tn_view_elided(v, id) || run->hold >= HOLDS
				    ? VARIANTS
				    : variant_index(&variant));
}

static json_t *op(const struct tn_view *v, const struct texts *texts, uint32_t position,
	const struct tn_load *load)
{
	tn_op_id id = tn_view_op_at(v, position);
	const struct tn_op *o = &v->g->ops[id.i];
	const bool runs = !tn_view_elided(v, id);
	struct tn_traffic t = { 0 };
	json_t *row = json_array();

	if (runs)
		t = tn_traffic_of(v->g, o);
	if (tn_json_push(row, visible(o->name)) &&
		tn_json_push(row, numbered(texts, visible(tn_words_op_type(o)))) &&
		push_int(row, !runs) && push_int(row, load->live_bytes) &&
		push_int(row, t.macs) && push_int(row, t.bytes_read) &&
		push_int(row, t.bytes_written) && push_int(row, t.const_bytes) &&
		push_int(row, v->plan->ops[id.i].scratch_bytes) &&
		tn_json_push(row, variant(v, id)) &&
		tn_json_push(row, operands(o->inputs, o->n_inputs)) &&
		tn_json_push(row, operands(o->outputs, o->n_outputs)) &&
		tn_json_push(row, by_region(v, o->inputs, o->n_inputs, runs)) &&
		tn_json_push(row, by_region(v, o->outputs, o->n_outputs, runs)))
		return row;
	json_decref(row);
	return NULL;
}

/* Why its bytes stay: the position of the last reader, or a sentence. */
static json_t *life(const struct tn_view *v, uint32_t i)
{
	const struct tn_span *span = v->live ? &v->live->tensor[i] : NULL;
	struct tn_strbuf text;

	if (span && span->first <= span->last && span->reason == LIFE_READ &&
		span->last_reader.i != TN_NONE)
		return json_integer(tn_view_position(v, span->last_reader));
	tn_strbuf_init(&text);
	if (v->live)
		tn_words_life(v, (tn_tensor_id){ i }, &text);
	return visible_taken(&text);
}

static json_t *tensor(const struct tn_view *v, const struct texts *texts, uint32_t i)
{
	const struct tn_tensor *t = &v->g->tensors[i];
	const struct tn_plan_tensor *p = &v->plan->tensors[i];
	struct tn_alias a = tn_view_alias(v, (tn_tensor_id){ i });
	bool placed = p->region < v->plan->n_regions;
	json_t *row = json_array();
	struct tn_strbuf name, shape;

	tn_strbuf_init(&name);
	tn_strbuf_init(&shape);
	tn_words_tensor(v->g, (tn_tensor_id){ i }, &name);
	tn_words_shape(&t->shape, &shape);
	if (tn_json_push(row, visible_taken(&name)) &&
		tn_json_push(row, numbered(texts, json_string(tn_words_role(
							  v->g, (tn_tensor_id){ i })))) &&
		tn_json_push(
			row, numbered(texts, json_string(tn_dtype_name(t->dtype)))) &&
		tn_json_push(row, numbered(texts, tn_json_taken(&shape))) &&
		push_int(row, t->bytes) &&
		push_int(row, placed ? (int64_t)p->region : -1) &&
		push_int(row, p->offset) && push_int(row, p->first) &&
		push_int(row, p->last) && push_id(row, a.root.i) &&
		tn_json_push(row, life(v, i)))
		return row;
	tn_strbuf_release(&name); /* what was not taken */
	tn_strbuf_release(&shape);
	json_decref(row);
	return NULL;
}

static json_t *witness(const struct tn_view *v, const struct tn_candidate *c)
{
	const struct tn_witness *w = &c->witness;
	json_t *list;

	if (c->verdict == VERDICT_PROVED)
		return json_null();
	list = json_array();
	if (push_id(list,
		    w->writer.i == TN_NONE ? TN_NONE : tn_view_position(v, w->writer)) &&
		push_id(list, w->victim.i) &&
		push_id(list, w->reader.i == TN_NONE ? TN_NONE
						     : tn_view_position(v, w->reader)) &&
		push_int(list, w->begin) && push_int(list, w->end))
		return list;
	json_decref(list);
	return NULL;
}

/* The two sentences that the script makes itself (why() in page-data.js): most decisions
 * have one of them, and large graphs have many. */
static void usual(const struct tn_view *v, const struct tn_candidate *c, uint32_t k,
	struct tn_strbuf *out)
{
	const struct tn_witness *w = &c->witness;

	if (c->verdict == VERDICT_PROVED && k != TN_NONE) {
		tn_strbuf_puts(out, "nobody reads ");
		tn_words_quoted(v, c->in, out);
		tn_strbuf_puts(out, " later, and ");
		tn_words_op(v, c->op, out);
		tn_strbuf_puts(out, " reads each byte before it writes over it (");
		tn_words_variant(&c->variant[k], out);
		tn_strbuf_putc(out, ')');
	} else if (c->verdict != VERDICT_PROVED && w->reader.i != TN_NONE &&
		   w->writer.i != TN_NONE && w->victim.i != TN_NONE) {
		tn_words_op(v, w->reader, out);
		tn_strbuf_printf(out, " still reads bytes [%" PRId64 ", %" PRId64 ") of ",
			w->begin, w->end);
		tn_words_quoted(v, w->victim, out);
		tn_strbuf_puts(out, " after ");
		tn_words_op(v, w->writer, out);
		tn_strbuf_puts(out, " would have written over them");
	}
}

/* 0 or 1 when the script makes the very same sentence, else the sentence. */
static json_t *reason(const struct tn_view *v, const struct tn_candidate *c, uint32_t k)
{
	struct tn_strbuf why, same;
	json_t *value;

	tn_strbuf_init(&why);
	tn_strbuf_init(&same);
	tn_words_reason(v, c, &why);
	usual(v, c, k, &same);
	if (why.failed || same.failed)
		value = NULL;
	else if (same.len == why.len && why.len &&
		 memcmp(why.text, same.text, why.len) == 0)
		value = json_integer(c->verdict == VERDICT_PROVED ? 0 : 1);
	else
		value = visible(why.text);
	tn_strbuf_release(&why);
	tn_strbuf_release(&same);
	return value;
}

static json_t *decision(const struct tn_view *v, const struct tn_candidate *c)
{
	int64_t shared = tn_candidate_shared(v, c);
	bool proved = c->verdict == VERDICT_PROVED;
	uint32_t k = tn_candidate_variant(v, c);
	bool rests =
		(proved || c->may_overlap) && k != TN_NONE && !c->elided && !c->no_copy;
	json_t *row = json_array();
	struct tn_strbuf rule;

	tn_strbuf_init(&rule);
	if (!proved && c->may_overlap)
		tn_words_rule(v, c, &rule);
	if (push_id(row, tn_view_position(v, c->op)) && push_id(row, c->in.i) &&
		push_id(row, c->out.i) &&
		tn_json_push(row, json_string(tn_words_verdict(c))) &&
		push_int(row, c->saves_bytes) && push_int(row, shared) &&
		push_int(row, shared ? (tn_candidate_in_place(v, c) ? 1 : 2) : 0) &&
		push_int(row, proved ? 0 : (int64_t)c->failed) &&
		tn_json_push(row, reason(v, c, rests ? k : TN_NONE)) &&
		tn_json_push(row, visible(rule.failed ? NULL : rule.text)) &&
		push_int(row, rests ? variant_index(&c->variant[k]) : -1) &&
		tn_json_push(row, witness(v, c))) {
		tn_strbuf_release(&rule);
		return row;
	}
	tn_strbuf_release(&rule);
	json_decref(row);
	return NULL;
}

static void put_graph(
	struct tn_json_stream *out, const struct tn_view *v, const struct tn_load *loads)
{
	struct texts texts = { json_array(), json_object() };
	size_t n = v->inplace ? v->inplace->n : 0;

	tn_json_open(out, "ops", '[');
	for (uint32_t p = 0; p < v->g->n_ops && !out->out->failed; p++)
		tn_json_element(out, op(v, &texts, p, &loads[p]));
	tn_json_close(out, '[');
	tn_json_open(out, "tensors", '[');
	for (uint32_t i = 0; i < v->g->n_tensors && !out->out->failed; i++)
		tn_json_element(out, tensor(v, &texts, i));
	tn_json_close(out, '[');
	tn_json_open(out, "decisions", '[');
	for (size_t i = 0; i < n && !out->out->failed; i++)
		tn_json_element(out, decision(v, &v->inplace->list[i]));
	tn_json_close(out, '[');
	json_decref(texts.index);
	tn_json_member(out, "texts", texts.list);
}

/* "O1" and what it says. */
static void put_obligations(struct tn_json_stream *out)
{
	tn_json_open(out, "obligations", '[');
	for (int i = OBLIGATION_NONE; i <= OBLIGATION_O7; i++) {
		enum tn_obligation o = (enum tn_obligation)i;

		tn_json_open(out, NULL, '[');
		if (i) {
			tn_json_element(out, json_string(tn_obligation_name(o)));
			tn_json_element(out, json_string(tn_obligation_text(o)));
		}
		tn_json_close(out, '[');
	}
	tn_json_close(out, '[');
}

static void put_cores(struct tn_json_stream *out)
{
	tn_json_open(out, "cores", '[');
	for (uint32_t i = 0; tn_core_at(i); i++) {
		const struct tn_core *c = tn_core_at(i);

		tn_json_open(out, NULL, '[');
		tn_json_element(out, json_string(c->name));
		tn_json_numbers(out, (int64_t[]){ c->macs, c->bytes, c->estimate }, 3);
		tn_json_element(out, json_string(c->source));
		tn_json_close(out, '[');
	}
	tn_json_close(out, '[');
}

static void put_regions(struct tn_json_stream *out, const struct tn_plan *plan)
{
	tn_json_open(out, "regions", '[');
	for (uint32_t i = 0; i < plan->n_regions; i++) {
		const struct tn_plan_region *r = &plan->regions[i];

		tn_json_open(out, NULL, '[');
		tn_json_element(out, visible(r->name));
		tn_json_numbers(out, (int64_t[]){ r->align, r->cost }, 2);
		tn_json_close(out, '[');
	}
	tn_json_close(out, '[');
}

static void put_board(struct tn_json_stream *out, const struct tn_board *board)
{
	tn_json_open(out, "board", '[');
	if (board) {
		tn_json_element(out, visible(board->title));
		tn_json_element(out, visible(board->cpu));
		tn_json_numbers(out, &board->mhz, 1);
	}
	tn_json_close(out, '[');
}

enum tn_status tn_json_page(const struct tn_page_plan *plans, size_t n,
	const struct tn_load *loads, uint32_t peak, struct tn_arena *arena,
	struct tn_strbuf *text)
{
	const struct tn_view *v = plans[0].v;
	struct tn_json_stream out = { text, false };
	enum tn_status status = TN_OK;

	tn_json_open(&out, NULL, '{');
	tn_json_member(&out, "verified", json_boolean(v->verified));
	tn_json_member(&out, "steps", json_integer(plans[0].boxes->steps));
	tn_json_member(&out, "peak", json_integer(peak == TN_NONE ? -1 : (int64_t)peak));
	put_regions(&out, v->plan);
	put_board(&out, v->board);
	put_graph(&out, v, loads);
	put_obligations(&out);
	put_cores(&out);
	put_variants(&out);
	tn_json_open(&out, "plans", '[');
	for (size_t i = 0; i < n && status == TN_OK && !text->failed; i++)
		status = tn_json_page_plan(&plans[i], plans, arena, &out);
	tn_json_close(&out, '[');
	tn_json_close(&out, '{');
	if (status == TN_OK && text->failed)
		status = TN_ERR_NOMEM;
	return status;
}
