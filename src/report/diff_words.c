#include "report/diff_words.h"

#include <assert.h>
#include <inttypes.h>

#include "base/checked.h"
#include "report/escape.h"
#include "report/peak.h"
#include "report/words.h"

#include "base/banned.h"

static void tenths(int64_t value, struct tn_strbuf *out)
{
	tn_escape_number(out, value / 10);
	tn_strbuf_printf(out, ".%d %%", (int)(value % 10));
}

void tn_diff_words_change(const struct tn_diff_figure *f, struct tn_strbuf *out)
{
	const bool up = f->after > f->before;
	const int64_t by = up ? f->after - f->before : f->before - f->after;

	tn_strbuf_putc(out, up ? '+' : '-');
	tn_escape_number(out, by);
	if (!f->is_bytes)
		return;
	tn_strbuf_puts(out, " B");
	if (f->before > 0) {
		tn_strbuf_puts(out, up ? "  +" : "  -");
		tenths(tn_permille(by, f->before), out);
	}
}

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

static void tensor(const struct tn_view *v, tn_tensor_id id, struct tn_strbuf *out)
{
	struct tn_strbuf name;

	tn_strbuf_init(&name);
	tn_words_tensor(v->g, id, &name);
	quoted(name.text ? name.text : "", out);
	out->failed = out->failed || name.failed;
	tn_strbuf_release(&name);
}

void tn_diff_words_peak(const struct tn_diff_side *s, struct tn_strbuf *out)
{
	const struct tn_peak peak = { s->v, &s->boxes, s->loads, s->peak };

	tn_peak_words(&peak, out);
}

void tn_diff_words_op(
	const struct tn_diff *d, const struct tn_diff_op *x, struct tn_strbuf *out)
{
	const bool gone = x->after.i == TN_NONE;
	const struct tn_view *v = gone ? d->before.v : d->after.v;
	const struct tn_op *op = &v->g->ops[gone ? x->before.i : x->after.i];
	const int64_t live = gone ? x->live_before : x->live_after;

	quoted(op->name, out);
	tn_strbuf_putc(out, ' ');
	tn_escape_short(out, tn_words_op_type(op), TN_WORDS_NAME);
	for (uint32_t i = 0; i < op->n_outputs; i++) {
		const struct tn_tensor *t;

		if (op->outputs[i].i == TN_NONE)
			continue;
		t = &v->g->tensors[op->outputs[i].i];
		tn_strbuf_puts(out, i ? ", " : " -> ");
		tn_words_shape(&t->shape, out);
		tn_strbuf_puts(out, " (");
		bytes(t->bytes, out);
		tn_strbuf_putc(out, ')');
	}
	if (live < 0)
		return;
	tn_strbuf_puts(out, "; ");
	if (!gone && x->live_before >= 0 && x->live_before != live) {
		bytes(x->live_before, out);
		tn_strbuf_puts(out, " -> ");
	}
	bytes(live, out);
	tn_strbuf_puts(out, " live");
}

void tn_diff_words_decision(
	const struct tn_diff *d, const struct tn_diff_decision *x, struct tn_strbuf *out)
{
	const struct tn_view *v = x->after ? d->after.v : d->before.v;
	const struct tn_candidate *c = x->after ? x->after : x->before;
	const struct tn_candidate *good =
		x->change == DIFF_LOST && x->before ? x->before : c;

	assert(c);
	quoted(v->g->ops[c->op.i].name, out);
	tn_strbuf_puts(out, ": ");
	tensor(v, c->in, out);
	tn_strbuf_puts(out, " -> ");
	tensor(v, c->out, out);
	tn_strbuf_puts(out, ", ");
	tn_strbuf_puts(out, good->verdict == VERDICT_PROVED ? "in place, " : "overlap, ");
	bytes(good->saves_bytes, out);
}

void tn_diff_words_why(
	const struct tn_diff *d, const struct tn_diff_decision *x, struct tn_strbuf *out)
{
	if (x->after)
		tn_words_reason(d->after.v, x->after, out);
	else if (d->before.match[x->before->op.i] == TN_NONE)
		tn_strbuf_puts(out, "the op is gone");
	else
		tn_strbuf_puts(out, "the op has no such operand any more");
}

/* Thousandths of a percent: "2.5 %" is 2500. */
static void thousandths(int64_t milli, struct tn_strbuf *out)
{
	tn_escape_number(out, milli / 1000);
	if (milli % 1000)
		tn_strbuf_printf(out, ".%03d", (int)(milli % 1000));
	tn_strbuf_puts(out, " %");
}

/* With more digits, rounded up, where a tenth would not show that it is over the limit. */
static void share(int64_t by, int64_t before, const struct tn_diff_growth *limit,
	struct tn_strbuf *out)
{
	const int64_t permille = tn_permille(by, before);
	int64_t product;

	if (limit->bytes >= 0 || permille > limit->milli / 100 ||
		!tn_mul_i64(by, 100000, &product))
		tenths(permille, out);
	else
		thousandths(product / before + (product % before != 0), out);
}

void tn_diff_words_growth(const struct tn_diff *d, struct tn_strbuf *out)
{
	const struct tn_diff_figure *arena = &d->figures[DIFF_ARENA];
	const int64_t by = arena->after - arena->before;

	tn_strbuf_puts(out, "the arena grows by ");
	bytes(by, out);
	if (arena->before > 0) {
		tn_strbuf_puts(out, " (");
		share(by, arena->before, &d->growth, out);
		tn_strbuf_putc(out, ')');
	}
	tn_strbuf_puts(out, ", more than the ");
	if (d->growth.bytes >= 0) {
		bytes(d->growth.bytes, out);
	} else {
		thousandths(d->growth.milli, out);
	}
	tn_strbuf_puts(out, " of --fail-on-growth");
}
