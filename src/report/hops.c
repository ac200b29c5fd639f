#include "report/hops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/place.h"
#include "report/boxes.h"
#include "report/escape.h"
#include "report/removed.h"
#include "report/words.h"

#include "base/banned.h"

uint32_t tn_hops_find(const struct tn_graph *g, const char *name, tn_tensor_id *out_first)
{
	const char *digits = *name == 't' ? name + 1 : name;
	uint32_t found = 0;
	uint64_t index = 0;

	for (uint32_t i = g->n_tensors; i > 0; i--)
		if (strcmp(g->tensors[i - 1].name, name) == 0) {
			*out_first = (tn_tensor_id){ i - 1 };
			found++;
		}
	if (found || !*digits || strlen(digits) > 10)
		return found;
	for (; *digits; digits++) {
		if (*digits < '0' || *digits > '9')
			return 0;
		index = index * 10 + (uint64_t)(*digits - '0');
	}
	if (index >= g->n_tensors)
		return 0;
	*out_first = (tn_tensor_id){ (uint32_t)index };
	return 1;
}

struct hops {
	const struct tn_view *v;
	tn_tensor_id id;
	const struct tn_tensor *t;
	const struct tn_removed *removed;
	struct tn_strbuf *out; /* raw: made safe as a whole, line by line */
};

static void hop(const struct hops *h, int number, const char *what)
{
	tn_strbuf_printf(h->out, "%d  %-9s", number, what);
}

static void more(const struct hops *h)
{
	tn_strbuf_puts(h->out, "\n            ");
}

static void number(const struct hops *h, int64_t value)
{
	tn_escape_number(h->out, value);
	tn_strbuf_puts(h->out, " B");
}

/* Names are made safe here: everything else is ours. */
static void name(const struct hops *h, tn_tensor_id id)
{
	struct tn_strbuf raw;

	tn_strbuf_init(&raw);
	tn_words_tensor(h->v->g, id, &raw);
	tn_strbuf_putc(h->out, '\'');
	tn_escape_visible(h->out, raw.text ? raw.text : "");
	tn_strbuf_putc(h->out, '\'');
	h->out->failed = h->out->failed || raw.failed;
	tn_strbuf_release(&raw);
}

static void op(const struct hops *h, tn_op_id id)
{
	tn_strbuf_putc(h->out, '\'');
	tn_escape_visible(h->out, h->v->g->ops[id.i].name);
	tn_strbuf_printf(h->out, "' (op %" PRIu32 ")", tn_view_position(h->v, id));
}

static void in_file(const struct hops *h)
{
	const struct tn_source *source = h->v->g->source;
	struct tn_place place;

	hop(h, 1, "file");
	tn_escape_visible(h->out, tn_view_file(h->v));
	if (!h->t->pointer)
		return;
	tn_strbuf_puts(h->out, ", at ");
	tn_escape_visible(h->out, *h->t->pointer ? h->t->pointer : "/");
	if (source && source->is_text &&
		tn_place_find(source->text, source->len, h->t->pointer, &place))
		tn_strbuf_printf(
			h->out, ", line %zu, column %zu", place.line, place.column);
}

static void in_graph(const struct hops *h)
{
	hop(h, 2, "graph");
	tn_strbuf_printf(h->out, "t%" PRIu32 ", %s ", h->id.i,
		tn_removed_role(h->v, h->removed, h->id));
	name(h, h->id);
}

static void in_shape(const struct hops *h)
{
	hop(h, 3, "shape");
	tn_words_shape(&h->t->shape, h->out);
	tn_strbuf_printf(h->out, " of %s: ", tn_dtype_name(h->t->dtype));
	if (h->t->bytes < 0)
		tn_strbuf_puts(h->out, "size not known");
	else
		number(h, h->t->bytes);
}

/* Writers first, then readers, each with its half-step. */
static void in_order(const struct hops *h)
{
	const struct tn_graph *g = h->v->g;
	int shown = 0;

	hop(h, 4, "steps");
	for (uint32_t p = 0; p < g->n_ops; p++) {
		tn_op_id id = tn_view_op_at(h->v, p);
		const struct tn_op *o = &g->ops[id.i];

		for (uint32_t k = 0; k < o->n_inputs + o->n_outputs; k++) {
			bool read = k < o->n_inputs;
			tn_tensor_id at =
				read ? o->inputs[k] : o->outputs[k - o->n_inputs];

			if (at.i != h->id.i)
				continue;
			if (shown++)
				more(h);
			tn_strbuf_printf(h->out, "half-step %" PRIu32 ": ",
				2 * p + (read ? 0 : 1));
			op(h, id);
			tn_strbuf_puts(h->out, read ? " reads it" : " writes it");
		}
	}
	if (!shown)
		tn_strbuf_puts(h->out, "no op reads or writes it");
}

static void in_time(const struct hops *h)
{
	const struct tn_span *span;
	struct tn_strbuf raw;

	hop(h, 5, "life");
	if (!h->v->live) {
		tn_strbuf_puts(h->out, "not known yet");
		return;
	}
	span = &h->v->live->tensor[h->id.i];
	if (span->first <= span->last)
		tn_strbuf_printf(h->out, "half-steps %" PRId64 " to %" PRId64 ": ",
			span->first, span->last);
	tn_strbuf_init(&raw);
	if (h->removed->unused[h->id.i])
		tn_removed_words(h->removed, h->id, &raw);
	else
		tn_words_life(h->v, h->id, &raw);
	tn_escape_visible(h->out, raw.text ? raw.text : "");
	h->out->failed = h->out->failed || raw.failed;
	tn_strbuf_release(&raw);
}

static void in_storage(const struct hops *h)
{
	struct tn_alias a = tn_view_alias(h->v, h->id);
	int shown = 0;

	hop(h, 6, "storage");
	if (a.root.i == h->id.i) {
		tn_strbuf_puts(h->out, "its own");
	} else {
		tn_strbuf_printf(h->out, "bytes [%" PRId64 ", %" PRId64 ") of ", a.offset,
			a.offset + a.extent);
		name(h, a.root);
		if (!a.dense)
			tn_strbuf_puts(h->out, ", with gaps");
	}
	for (uint32_t i = 0; i < h->v->g->n_tensors; i++) {
		if (i == h->id.i || i == a.root.i ||
			tn_view_alias(h->v, (tn_tensor_id){ i }).root.i != a.root.i)
			continue;
		tn_strbuf_puts(h->out, shown++ ? ", " : "; also seen through ");
		name(h, (tn_tensor_id){ i });
	}
}

/* The line of one candidate: what may lie over what, and what the plan did. */
static void overlap(const struct hops *h, const struct tn_candidate *c, bool is_output)
{
	struct tn_strbuf raw;
	int64_t shared = tn_candidate_shared(h->v, c);

	more(h);
	tn_strbuf_puts(h->out, is_output ? "over " : "under ");
	name(h, is_output ? c->in : c->out);
	tn_strbuf_puts(h->out, " at ");
	op(h, c->op);
	tn_strbuf_puts(h->out, ": ");
	tn_strbuf_init(&raw);
	if (c->no_copy) {
		tn_strbuf_puts(&raw, "a copy, ");
		tn_words_reason(h->v, c, &raw);
	} else if (c->verdict == VERDICT_PROVED) {
		tn_strbuf_puts(&raw, c->elided ? "no copy, " : "in place, ");
		tn_words_reason(h->v, c, &raw);
	} else if (c->may_overlap) {
		tn_strbuf_puts(&raw, "legal overlap, ");
		tn_words_rule(h->v, c, &raw);
	} else {
		tn_strbuf_printf(&raw, "never (%s), ", tn_obligation_name(c->failed));
		tn_words_reason(h->v, c, &raw);
	}
	tn_escape_visible(h->out, raw.text ? raw.text : "");
	h->out->failed = h->out->failed || raw.failed;
	tn_strbuf_release(&raw);
	if (shared) {
		tn_strbuf_puts(h->out, "; the plan shares ");
		number(h, shared);
	}
}

static void in_buffer(
	const struct hops *h, const struct tn_boxes *boxes, const struct tn_box *box)
{
	tn_tensor_id root = tn_view_alias(h->v, h->id).root;

	hop(h, 7, "buffer");
	if (box) {
		number(h, box->bytes);
		tn_strbuf_printf(h->out, ", taken in half-steps %" PRId64 " to %" PRId64,
			box->begin, box->end - 1);
	} else {
		tn_strbuf_puts(h->out, boxes || !tn_tensor_is_planned(h->t)
					       ? "none: it needs no planned memory"
					       : "not planned yet");
	}
	for (size_t i = 0; h->v->inplace && i < h->v->inplace->n; i++) {
		const struct tn_candidate *c = &h->v->inplace->list[i];
		bool is_output = tn_view_alias(h->v, c->out).root.i == root.i;
		bool is_input = tn_view_alias(h->v, c->in).root.i == root.i;

		if (is_output != is_input) /* both: a view of itself */
			overlap(h, c, is_output);
	}
}

static void in_arena(const struct hops *h, const struct tn_box *box)
{
	const struct tn_plan_tensor *p =
		h->v->plan ? &h->v->plan->tensors[h->id.i] : NULL;
	int64_t end;

	hop(h, 8, "offset");
	if (!p || !box || p->region >= h->v->plan->n_regions ||
		!tn_add_i64(p->offset, tn_plan_tensor_room(p), &end)) {
		tn_strbuf_puts(h->out, p ? "none" : "not planned yet");
		return;
	}
	tn_strbuf_printf(
		h->out, "bytes [%" PRId64 ", %" PRId64 ") of region '", p->offset, end);
	tn_escape_visible(h->out, h->v->plan->regions[p->region].name
					  ? h->v->plan->regions[p->region].name
					  : "");
	tn_strbuf_puts(h->out, p->ring_bytes ? "', in which its rows come round" : "'");
	tn_strbuf_puts(h->out, h->v->verified  ? ", verified"
			       : h->v->refusal ? ", in a plan that is REFUSED"
					       : ", NOT VERIFIED");
}

enum tn_status tn_hops_write(
	const struct tn_view *v, tn_tensor_id id, struct tn_strbuf *out)
{
	struct tn_removed removed;
	const struct hops h = { v, id, &v->g->tensors[id.i], &removed, out };
	struct tn_boxes boxes = { 0 };
	const struct tn_box *box = NULL;
	enum tn_status status;
	struct tn_arena arena;

	tn_arena_init(&arena);
	status = tn_removed_find(v, &arena, &removed);
	if (status == TN_OK && v->plan)
		status = tn_boxes_find(v, &arena, &boxes);
	if (status == TN_OK && v->plan && boxes.of[id.i] != TN_NONE)
		box = &boxes.list[boxes.of[id.i]];
	if (status == TN_OK) {
		void (*const first[])(const struct hops *) = { in_file, in_graph,
			in_shape, in_order, in_time, in_storage };

		for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++) {
			first[i](&h);
			tn_strbuf_putc(out, '\n');
		}
		in_buffer(&h, v->plan ? &boxes : NULL, box);
		tn_strbuf_putc(out, '\n');
		in_arena(&h, box);
		tn_strbuf_putc(out, '\n');
	}
	tn_arena_release(&arena);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
