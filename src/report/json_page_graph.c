#include "report/json_page_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/columns.h"
#include "report/escape.h"
#include "report/json_parts.h"
#include "report/removed.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

#define N(list) (sizeof(list) / sizeof(*(list)))

/* What is written: numbers in columns, names as lists. */
struct writer {
	struct tn_json_stream *out;
	const struct tn_view *v;
	struct tn_arena *arena;
	/* texts that come again and again: each once, and its number where it is used */
	json_t *list, *index;
};

static json_t *visible(const char *text)
{
	struct tn_strbuf safe;

	tn_strbuf_init(&safe);
	tn_escape_visible(&safe, text ? text : "");
	return tn_json_taken(&safe);
}

json_t *tn_json_page_text(const char *text)
{
	return visible(text);
}

json_t *tn_json_page_digits(int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	return json_string(digits);
}

/* The number of a text, which is taken over; -1 when memory ran out. */
static int64_t numbered(struct writer *w, json_t *text)
{
	const char *key = json_string_value(text);
	json_t *at = key ? json_object_get(w->index, key) : NULL;
	int64_t n = at ? json_integer_value(at) : (int64_t)json_array_size(w->list);

	if (!at && (!key || json_array_append(w->list, text) != 0 ||
			   json_object_set_new_nocheck(w->index, key, json_integer(n)) !=
				   0)) {
		w->out->out->failed = true;
		n = -1;
	}
	json_decref(text);
	return n;
}

/* The same, of what a builder has written, which is released. */
static int64_t numbered_text(struct writer *w, struct tn_strbuf *text)
{
	json_t *value = text->failed ? NULL : visible(text->text);

	tn_strbuf_release(text);
	return numbered(w, value);
}

static int64_t id_of(uint32_t id)
{
	return id == TN_NONE ? -1 : (int64_t)id;
}

static int64_t position_of(const struct tn_view *v, tn_op_id id)
{
	return id.i == TN_NONE ? -1 : (int64_t)tn_view_position(v, id);
}

enum { HOLDS = HOLD_CYCLE + 1, VARIANTS = 2 * HOLDS };

static int64_t variant_index(const struct tn_variant *variant)
{
	return (variant->descending ? HOLDS : 0) + (int64_t)variant->hold;
}

void tn_json_page_variants(struct tn_json_stream *out)
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

static int64_t variant(const struct tn_view *v, tn_op_id id)
{
	const struct tn_plan_op *run = &v->plan->ops[id.i];
	struct tn_variant variant = { run->descending != 0, (enum tn_hold)run->hold };

	return tn_view_elided(v, id) || run->hold >= HOLDS ? VARIANTS
							   : variant_index(&variant);
}

/* Bytes of the operands in a region, of an op whose traffic is known: no sum overflows. */
static int64_t in_region(
	const struct tn_view *v, const tn_tensor_id *ids, uint32_t n, uint32_t region)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < n; k++)
		if (ids[k].i != TN_NONE && v->plan->tensors[ids[k].i].region == region)
			sum += v->g->tensors[ids[k].i].bytes;
	return sum;
}

/* A column for each of several regions. */
static void put_by_region(struct writer *w, const char *key, bool outputs)
{
	const uint32_t n = w->v->plan->n_regions;
	struct tn_columns c;
	int64_t *sums = TN_NEW_ARRAY(w->arena, int64_t, n);

	if (!sums) {
		w->out->out->failed = true;
		return;
	}
	tn_columns_init(&c, w->arena, NULL, n, w->v->g->n_ops);
	for (uint32_t p = 0; p < w->v->g->n_ops; p++) {
		tn_op_id id = tn_view_op_at(w->v, p);
		const struct tn_op *o = &w->v->g->ops[id.i];
		struct tn_traffic t = tn_traffic_of(w->v->g, o);
		bool runs = !tn_view_elided(w->v, id), known = tn_traffic_moves_known(&t);

		for (uint32_t r = 0; r < n; r++)
			sums[r] = !runs	    ? 0
				  : !known  ? TN_TRAFFIC_UNKNOWN
				  : outputs ? in_region(w->v, o->outputs, o->n_outputs, r)
					    : in_region(w->v, o->inputs, o->n_inputs, r);
		tn_columns_add(&c, sums);
	}
	tn_columns_list(&c, key, w->out);
}

/* The operands of all ops, one after the other. */
static void put_operands(struct writer *w, const char *key, bool outputs)
{
	struct tn_columns c;

	tn_columns_init(&c, w->arena, NULL, 1, 0);
	for (uint32_t p = 0; p < w->v->g->n_ops; p++) {
		const struct tn_op *o = &w->v->g->ops[tn_view_op_at(w->v, p).i];
		const tn_tensor_id *ids = outputs ? o->outputs : o->inputs;
		uint32_t n = outputs ? o->n_outputs : o->n_inputs;

		for (uint32_t k = 0; k < n; k++)
			TN_COLUMNS_ADD(&c, id_of(ids[k].i));
	}
	tn_columns_list(&c, key, w->out);
}

static void put_ops(struct writer *w, const struct tn_load *loads)
{
	static const char *const names[] = { "kind", "elided", "live", "macs", "read",
		"written", "constants", "scratch", "variant", "ins", "outs" };
	const struct tn_view *v = w->v;
	struct tn_columns c;

	tn_columns_init(&c, w->arena, names, N(names), v->g->n_ops);
	tn_json_open(w->out, "ops", '{');
	tn_json_open(w->out, "name", '[');
	for (uint32_t p = 0; p < v->g->n_ops; p++) {
		tn_op_id id = tn_view_op_at(v, p);
		const struct tn_op *o = &v->g->ops[id.i];
		const bool runs = !tn_view_elided(v, id);
		struct tn_traffic t = { 0 };

		if (runs)
			t = tn_traffic_of(v->g, o);
		tn_json_element(w->out, visible(o->name));
		TN_COLUMNS_ADD(&c, numbered(w, visible(tn_words_op_type(o))), !runs,
			loads[p].live_bytes, t.macs, t.bytes_read, t.bytes_written,
			t.const_bytes, v->plan->ops[id.i].scratch_bytes, variant(v, id),
			o->n_inputs, o->n_outputs);
	}
	tn_json_close(w->out, '[');
	tn_columns_members(&c, w->out);
	put_operands(w, "inputs", false);
	put_operands(w, "outputs", true);
	if (v->plan->n_regions > 1) {
		put_by_region(w, "readBy", false);
		put_by_region(w, "writtenBy", true);
	}
	tn_json_close(w->out, '{');
}

/* Why its bytes stay, or why there are none: the position of the last reader, or -1 and
 * the number of a sentence. */
static int64_t life(struct writer *w, const struct tn_removed *removed, uint32_t i,
	int64_t *out_sentence)
{
	const struct tn_view *v = w->v;
	const struct tn_span *span = v->live ? &v->live->tensor[i] : NULL;
	struct tn_strbuf text;

	*out_sentence = 0;
	if (span && span->first <= span->last && span->reason == LIFE_READ &&
		span->last_reader.i != TN_NONE)
		return tn_view_position(v, span->last_reader);
	tn_strbuf_init(&text);
	if (removed->unused[i])
		tn_removed_words(removed, (tn_tensor_id){ i }, &text);
	else if (v->live)
		tn_words_life(v, (tn_tensor_id){ i }, &text);
	*out_sentence = numbered_text(w, &text);
	return -1;
}

static void put_tensors(struct writer *w)
{
	static const char *const names[] = { "kind", "type", "dims", "bytes", "region",
		"offset", "first", "last", "root", "reader", "sentence" };
	const struct tn_view *v = w->v;
	struct tn_removed removed;
	struct tn_columns c;

	if (tn_removed_find(v, w->arena, &removed) != TN_OK) {
		w->out->out->failed = true;
		return;
	}
	tn_columns_init(&c, w->arena, names, N(names), v->g->n_tensors);
	tn_json_open(w->out, "tensors", '{');
	tn_json_open(w->out, "name", '[');
	for (uint32_t i = 0; i < v->g->n_tensors; i++) {
		const tn_tensor_id id = { i };
		const struct tn_tensor *t = &v->g->tensors[i];
		const struct tn_plan_tensor *p = &v->plan->tensors[i];
		struct tn_strbuf name, shape;
		int64_t reader, sentence, role, dtype, dims;

		tn_strbuf_init(&name);
		tn_strbuf_init(&shape);
		tn_words_tensor(v->g, id, &name);
		tn_words_shape(&t->shape, &shape);
		tn_json_element(w->out, name.failed ? NULL : visible(name.text));
		tn_strbuf_release(&name);
		/* one after the other: texts are numbered as they come */
		reader = life(w, &removed, i, &sentence);
		role = numbered(w, visible(tn_removed_role(v, &removed, id)));
		dtype = numbered(w, visible(tn_dtype_name(t->dtype)));
		dims = numbered_text(w, &shape);
		TN_COLUMNS_ADD(&c, role, dtype, dims, t->bytes,
			p->region < v->plan->n_regions ? (int64_t)p->region : -1,
			p->offset, p->first, p->last, id_of(tn_view_alias(v, id).root.i),
			reader, sentence);
	}
	tn_json_close(w->out, '[');
	tn_columns_members(&c, w->out);
	tn_json_close(w->out, '{');
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

enum { SAID_PROVED, SAID_REJECTED, SAID_TEXT };

/* Which sentence of its own the script makes, or SAID_TEXT and more the text's number. */
static int64_t reason(struct writer *w, const struct tn_candidate *c, uint32_t k)
{
	struct tn_strbuf why, same;
	bool alike;

	tn_strbuf_init(&why);
	tn_strbuf_init(&same);
	tn_words_reason(w->v, c, &why);
	usual(w->v, c, k, &same);
	if (why.failed || same.failed)
		w->out->out->failed = true;
	alike = same.len == why.len && why.len &&
		memcmp(why.text, same.text, why.len) == 0;
	tn_strbuf_release(&same);
	if (!alike)
		return SAID_TEXT + numbered_text(w, &why);
	tn_strbuf_release(&why);
	return c->verdict == VERDICT_PROVED ? SAID_PROVED : SAID_REJECTED;
}

static void add_decision(
	struct writer *w, struct tn_columns *columns, const struct tn_candidate *c)
{
	const struct tn_view *v = w->v;
	const struct tn_witness *seen = &c->witness;
	int64_t shared = tn_candidate_shared(v, c), verdict, said, how;
	bool proved = c->verdict == VERDICT_PROVED;
	uint32_t k = tn_candidate_variant(v, c);
	bool rests =
		(proved || c->may_overlap) && k != TN_NONE && !c->elided && !c->no_copy;
	struct tn_strbuf rule;

	tn_strbuf_init(&rule);
	if (!proved && c->may_overlap)
		tn_words_rule(v, c, &rule);
	/* one after the other: texts are numbered as they come */
	verdict = numbered(w, visible(tn_words_verdict(c)));
	said = reason(w, c, rests ? k : TN_NONE);
	how = !shared ? 0 : tn_candidate_in_place(v, c) ? 1 : 2;
	TN_COLUMNS_ADD(columns, position_of(v, c->op), id_of(c->in.i), id_of(c->out.i),
		verdict, c->saves_bytes, shared, how, proved ? 0 : (int64_t)c->failed,
		said, numbered_text(w, &rule), rests ? variant_index(&c->variant[k]) : -1,
		!proved, proved ? 0 : position_of(v, seen->writer),
		proved ? 0 : id_of(seen->victim.i),
		proved ? 0 : position_of(v, seen->reader), proved ? 0 : seen->begin,
		proved ? 0 : seen->end);
}

static void put_decisions(struct writer *w)
{
	static const char *const names[] = { "op", "input", "output", "judged", "saves",
		"shared", "placed", "obligation", "said", "legal", "variant", "seen",
		"writer", "victim", "reader", "begin", "end" };
	const struct tn_inplace *list = w->v->inplace;
	size_t n = list ? list->n : 0;
	struct tn_columns c;

	tn_columns_init(&c, w->arena, names, N(names), n);
	for (size_t i = 0; i < n && !w->out->out->failed; i++)
		add_decision(w, &c, &list->list[i]);
	tn_columns_put(&c, "decisions", w->out);
}

void tn_json_page_graph(struct tn_json_stream *out, const struct tn_view *v,
	const struct tn_load *loads, struct tn_arena *arena)
{
	struct writer w = { out, v, arena, json_array(), json_object() };

	put_ops(&w, loads);
	put_tensors(&w);
	put_decisions(&w);
	json_decref(w.index);
	tn_json_member(out, "texts", w.list);
}
