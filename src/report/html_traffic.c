/* Bytes moved, in sentences: sharing memory is often taken for sharing bandwidth. */
#include <inttypes.h>

#include "base/checked.h"
#include "report/escape.h"
#include "report/html_parts.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

/* What became of values that rewrites have made unnecessary, or smaller. */
enum saved {
	SAVED_MERGED, /* by one op for two */
	SAVED_REMOVED, /* with the op that made it */
	SAVED_NARROWED, /* some channels of it are gone */
	SAVED_COUNT
};

struct totals {
	int64_t macs, read, written, constants;
	uint32_t n_known, n_unknown; /* ops that run; those unknown are in no sum */
	uint32_t n_uncounted; /* of those known: what they multiply is not */
	int64_t left_out; /* bytes that ops which need not run would move */
	uint32_t n_left_out;
	int64_t saved[SAVED_COUNT]; /* bytes */
	uint32_t n_saved[SAVED_COUNT];
};

static void add(int64_t *sum, int64_t n)
{
	if (!tn_add_i64(*sum, n, sum))
		*sum = INT64_MAX;
}

static enum saved saved_by(const struct tn_rewrite *r)
{
	if (r->channels)
		return SAVED_NARROWED;
	switch (r->pass) {
	case PASS_DEAD_CODE:
	case PASS_IDENTITY:
	case PASS_CONSTANT:
	case PASS_COMMON:
		return SAVED_REMOVED;
	default:
		return SAVED_MERGED;
	}
}

static struct totals totals_of(const struct tn_view *v)
{
	struct totals all = { 0 };
	size_t n = v->rewrites ? v->rewrites->list.count : 0;

	for (uint32_t i = 0; i < v->g->n_ops; i++) {
		struct tn_traffic t = tn_traffic_of(v->g, &v->g->ops[i]);

		if (tn_view_elided(v, (tn_op_id){ i })) {
			all.n_left_out++;
			add(&all.left_out, tn_max_i64(t.bytes_read, 0));
			add(&all.left_out, tn_max_i64(t.bytes_written, 0));
			continue;
		}
		if (!tn_traffic_moves_known(&t)) {
			all.n_unknown++;
			continue;
		}
		all.n_known++;
		if (t.macs < 0)
			all.n_uncounted++;
		else
			add(&all.macs, t.macs);
		add(&all.read, t.bytes_read);
		add(&all.written, t.bytes_written);
		add(&all.constants, t.const_bytes);
	}
	for (size_t i = 0; i < n; i++) {
		const struct tn_rewrite *r = &v->rewrites->list.items[i];

		if (!r->done || !r->tensor || r->ram_bytes <= 0)
			continue;
		all.n_saved[saved_by(r)]++;
		add(&all.saved[saved_by(r)], r->ram_bytes);
	}
	return all;
}

static void number(struct tn_strbuf *text, int64_t n, const char *after)
{
	tn_escape_number(text, n);
	tn_strbuf_puts(text, after);
}

static void paragraph(struct tn_page *p, xmlNodePtr parent, struct tn_strbuf *text)
{
	tn_text_taken(&p->h, tn_node(&p->h, parent, "p"), text);
}

static void sums(struct tn_strbuf *text, const struct totals *all)
{
	int64_t moved = all->read;

	add(&moved, all->written);
	if (all->n_unknown && !all->n_known) {
		tn_strbuf_puts(text,
			"What a run moves is not counted: its ops run other ops, or have "
			"no known size.");
		return;
	}
	tn_strbuf_puts(text, "A run");
	if (all->n_unknown)
		tn_strbuf_printf(text,
			", without %" PRIu32 " %s not counted (loops, branches and what "
			"has no known size),",
			all->n_unknown,
			all->n_unknown == 1 ? "op that is" : "ops that are");
	tn_strbuf_puts(text, " reads ");
	number(text, all->read, " B, ");
	number(text, all->constants, " B of them constants, writes ");
	number(text, all->written, " B and multiplies and adds ");
	number(text, all->macs, " times");
	if (all->n_uncounted)
		tn_strbuf_printf(text, ", without what %" PRIu32 " %s", all->n_uncounted,
			all->n_uncounted == 1 ? "op multiplies, which is not counted"
					      : "ops multiply, which is not counted");
	else if (moved > 0)
		tn_strbuf_printf(text, ": %" PRId64 ".%" PRId64 " MACs for each byte",
			all->macs / moved, all->macs % moved * 10 / moved);
	tn_strbuf_puts(text,
		". Each operand counts once: a kernel that reads a byte twice moves it "
		"twice.");
}

static void savings(struct tn_page *p, xmlNodePtr parent, const struct totals *all)
{
	static const struct {
		const char *what, *one, *many, *after;
	} rows[SAVED_COUNT] = {
		[SAVED_MERGED] = { "Rewrites have merged ops: ",
			"intermediate value is neither written nor read any more, ",
			"intermediate values are neither written nor read any more, ",
			" B together." },
		[SAVED_REMOVED] = { "Rewrites have removed ops: ",
			"value that nobody sees, that is constant or that was there "
			"before is not computed, ",
			"values that nobody sees, that are constant or that were there "
			"before are not computed, ",
			" B together." },
		[SAVED_NARROWED] = { "Rewrites have removed channels: ",
			"value is smaller, by ", "values are smaller, by ",
			" B together." },
	};
	struct tn_strbuf text;
	bool any = all->n_left_out > 0;

	tn_strbuf_init(&text);
	if (all->n_left_out) {
		tn_strbuf_printf(&text,
			"At %" PRIu32 " %s nothing runs: ", all->n_left_out,
			all->n_left_out == 1 ? "op" : "ops");
		tn_strbuf_puts(&text, "what would be copied is there already. That "
				      "moves ");
		number(&text, all->left_out, " B less than copies would.");
		paragraph(p, parent, &text);
	}
	for (size_t k = 0; k < SAVED_COUNT; k++) {
		const uint32_t n = all->n_saved[k];

		if (!n)
			continue;
		any = true;
		tn_strbuf_puts(&text, rows[k].what);
		tn_strbuf_printf(&text, "%" PRIu32 " ", n);
		tn_strbuf_puts(&text, n == 1 ? rows[k].one : rows[k].many);
		number(&text, all->saved[k], rows[k].after);
		paragraph(p, parent, &text);
	}
	if (!any) {
		tn_strbuf_puts(&text,
			"Here nothing was merged and no copy left out, so the plan moves "
			"exactly the bytes that the graph does.");
		paragraph(p, parent, &text);
	}
}

void tn_html_traffic(struct tn_page *p, xmlNodePtr parent)
{
	struct totals all = totals_of(p->v);
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	sums(&text, &all);
	paragraph(p, parent, &text);
	tn_strbuf_puts(&text,
		"Sharing memory alone moves no fewer bytes: an output that is written "
		"over its input is written as before, and the input was read as before. "
		"It makes the arena smaller, which may let it fit into a faster memory.");
	paragraph(p, parent, &text);
	savings(p, parent, &all);
}
