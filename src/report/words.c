#include "report/words.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "report/escape.h"

#include "base/banned.h"

void tn_words_shape(const struct tn_shape *shape, struct tn_strbuf *out)
{
	if (!shape->rank)
		tn_strbuf_puts(out, "scalar");
	for (uint32_t k = 0; k < shape->rank; k++) {
		if (k)
			tn_strbuf_putc(out, 'x');
		if (shape->dim[k] == TN_DIM_UNKNOWN)
			tn_strbuf_putc(out, '?');
		else
			tn_strbuf_printf(out, "%" PRId64, shape->dim[k]);
	}
}

const char *tn_words_op_type(const struct tn_op *op)
{
	return op->kind == OP_UNKNOWN ? op->type : tn_op_info(op->kind)->name;
}

const char *tn_words_role(const struct tn_graph *g, tn_tensor_id id)
{
	const struct tn_tensor *t = &g->tensors[id.i];

	if (tn_tensor_is_constant(t))
		return "constant";
	if (t->role == ROLE_VARIABLE)
		return "variable";
	if (t->role == ROLE_SCRATCH)
		return "scratch";
	if (t->role == ROLE_INPUT || tn_graph_is_input(g, id))
		return "input";
	if (t->role == ROLE_OUTPUT || tn_graph_is_output(g, id))
		return "output";
	return "activation";
}

void tn_words_tensor(const struct tn_graph *g, tn_tensor_id id, struct tn_strbuf *out)
{
	const char *name = id.i < g->n_tensors ? g->tensors[id.i].name : NULL;

	if (name && *name)
		tn_strbuf_puts(out, name);
	else
		tn_strbuf_printf(out, "t%" PRIu32, id.i);
}

void tn_words_quoted(const struct tn_view *v, tn_tensor_id id, struct tn_strbuf *out)
{
	struct tn_strbuf name;

	tn_strbuf_init(&name);
	tn_words_tensor(v->g, id, &name);
	tn_strbuf_putc(out, '\'');
	tn_escape_short(out, name.text ? name.text : "", TN_WORDS_NAME);
	tn_strbuf_putc(out, '\'');
	out->failed = out->failed || name.failed;
	tn_strbuf_release(&name);
}

void tn_words_op(const struct tn_view *v, tn_op_id op, struct tn_strbuf *out)
{
	tn_strbuf_putc(out, '\'');
	tn_escape_short(out, v->g->ops[op.i].name, TN_WORDS_NAME);
	tn_strbuf_printf(out, "' (op %" PRIu32 ")", tn_view_position(v, op));
}

static void bytes(int64_t value, struct tn_strbuf *out)
{
	tn_escape_number(out, value);
	tn_strbuf_puts(out, " B");
}

void tn_words_life(const struct tn_view *v, tn_tensor_id id, struct tn_strbuf *out)
{
	const struct tn_span *span = v->live ? &v->live->tensor[id.i] : NULL;

	if (!span || span->first > span->last) {
		tn_strbuf_puts(out, "needs no planned memory");
		return;
	}
	switch (span->reason) {
	case LIFE_UNUSED:
		tn_strbuf_puts(out, "nobody reads it: it lives while it is written");
		break;
	case LIFE_READ:
		if (span->last_reader.i == TN_NONE) {
			tn_strbuf_puts(out, "nobody reads it");
			break;
		}
		tn_strbuf_puts(out, "read for the last time by ");
		tn_words_op(v, span->last_reader, out);
		break;
	case LIFE_OUTPUT:
		tn_strbuf_puts(out, "an output: the caller reads it at the end");
		break;
	case LIFE_OBSERVED:
		tn_strbuf_puts(out, "observed: it must keep its value to the end");
		break;
	case LIFE_PRESERVED:
		tn_strbuf_puts(out, "an input that the caller wants back unchanged");
		break;
	case LIFE_STATE:
		tn_strbuf_puts(out, "state: it keeps its bytes from run to run");
		break;
	}
}

const char *tn_words_verdict(const struct tn_candidate *c)
{
	if (c->verdict == VERDICT_PROVED)
		return "proved";
	return c->may_overlap ? "overlap" : "rejected";
}

/* Who stands in the way of writing these bytes at all. */
static bool forbidden(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	static const struct {
		const char *hazard, *text;
	} owners[] = {
		{ "CONST_WRITE", " is a constant" },
		{ "INPUT_WRITE", " is an input that the caller wants back unchanged" },
		{ "VARIABLE_CLOBBER", " is state that keeps its bytes from run to run" },
		{ "OUTPUT_CLOBBER", " is an output that the caller reads at the end" },
		{ "OBSERVED_CLOBBER", " must keep its value to the end" },
	};

	for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++) {
		if (strcmp(owners[i].hazard, c->hazard) != 0)
			continue;
		tn_words_quoted(v, c->witness.victim, out);
		tn_strbuf_puts(out, owners[i].text);
		return true;
	}
	return false;
}

static void bytes_of_victim(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "bytes [%" PRId64 ", %" PRId64 ") of ", c->witness.begin,
		c->witness.end);
	tn_words_quoted(v, c->witness.victim, out);
}

static void later_reader(const struct tn_view *v, const struct tn_candidate *c,
	const char *hazard, struct tn_strbuf *out)
{
	tn_words_op(v, c->witness.reader, out);
	tn_strbuf_puts(out, " still reads ");
	bytes_of_victim(v, c, out);
	if (strcmp(hazard, "LIFETIME_VIA_ALIAS") == 0)
		tn_strbuf_puts(out, ", through a view,");
	tn_strbuf_puts(out, " after ");
	tn_words_op(v, c->witness.writer, out);
	tn_strbuf_puts(out, " would have written over them");
}

/* Why an op that only hands bytes on has to run. */
static void must_run(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	/* in: the input, out: the output, by: the op that stands in the way */
	static const struct {
		const char *hazard, *in, *out, *by;
	} texts[] = {
		{ "CONSTANT_PART", " or ", " lies outside planned memory", NULL },
		{ "VARIABLE_PART", " or ", " is state that keeps its bytes", NULL },
		{ "REWRITTEN", " is written again while ", " is in use", ", by " },
		{ "CALLER_HAS_BOTH", " and ", " are both the caller's", NULL },
		{ "ALIGNMENT", " or ", " would not be aligned for the caller", NULL },
		{ "FIXED_LAYOUT", " or ", " has its place already, as part of another",
			NULL },
		{ "PINNED", " or ", " is pinned to a place of its own", NULL },
		{ "STRIDED", " and ",
			" do not have their common bytes in one range, and kernels "
			"write dense tensors",
			NULL },
		{ "QUANTISATION", " and ", " are not quantised alike", NULL },
		{ "TAKEN", ", that would be part of ", ", is part of another whole",
			", made by " },
		{ "TWICE", " would have to be in ", " twice", NULL },
		{ "OTHER_OPERAND", " could be where ",
			" is, but not every operand can: see the others", NULL },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (!c->hazard || strcmp(texts[i].hazard, c->hazard) != 0)
			continue;
		tn_words_quoted(v, c->in, out);
		tn_strbuf_puts(out, texts[i].in);
		tn_words_quoted(v, c->out, out);
		tn_strbuf_puts(out, texts[i].out);
		if (texts[i].by && c->witness.reader.i != TN_NONE) {
			tn_strbuf_puts(out, texts[i].by);
			tn_words_op(v, c->witness.reader, out);
		}
	}
}

static void rejected(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	const struct tn_tensor *t = v->g->tensors;
	const char *hazard = c->hazard ? c->hazard : "";
	bool itself = c->witness.reader.i == c->op.i;

	if (c->no_copy) {
		must_run(v, c, out);
		return;
	}
	if (c->hazard && forbidden(v, c, out))
		return;
	if (strcmp(hazard, "TARGET_NOT_INPLACE_SAFE") == 0) {
		tn_strbuf_puts(out, "nobody has declared in which order ");
		tn_words_op(v, c->op, out);
		tn_strbuf_puts(out, " reads and writes");
	} else if (strcmp(hazard, "SIZE") == 0) {
		tn_words_quoted(v, c->out, out);
		tn_strbuf_puts(out, " needs ");
		bytes(t[c->out.i].bytes, out);
		tn_strbuf_puts(out, ", ");
		tn_words_quoted(v, c->in, out);
		tn_strbuf_puts(out, " has ");
		bytes(t[c->in.i].bytes, out);
	} else if (strcmp(hazard, "OUTPUT_ALIVE") == 0) {
		tn_words_quoted(v, c->out, out);
		tn_strbuf_puts(out, " holds a value already when ");
		tn_words_op(v, c->op, out);
		tn_strbuf_puts(out, " writes it");
	} else if (strcmp(hazard, "LAYOUT") == 0) {
		tn_strbuf_puts(out, "the bytes of ");
		tn_words_quoted(v, c->in, out);
		tn_strbuf_puts(out, " or ");
		tn_words_quoted(v, c->out, out);
		tn_strbuf_puts(out, " do not lie together");
	} else if (c->failed == OBLIGATION_O3 && itself) {
		tn_words_op(v, c->op, out);
		tn_strbuf_puts(out, " would itself read ");
		bytes_of_victim(v, c, out);
		tn_strbuf_puts(out, " after it has written over them");
	} else if (c->witness.reader.i != TN_NONE) {
		later_reader(v, c, hazard, out);
	} else {
		tn_strbuf_puts(out, "the caller would find ");
		bytes_of_victim(v, c, out);
		tn_strbuf_puts(out, " destroyed");
	}
}

uint32_t tn_candidate_variant(const struct tn_view *v, const struct tn_candidate *c)
{
	const struct tn_plan_op *run = v->plan ? &v->plan->ops[c->op.i] : NULL;

	for (uint32_t k = 0; k < c->n_variants && run; k++)
		if (c->variant[k].descending == (run->descending != 0) &&
			c->variant[k].hold == (enum tn_hold)run->hold)
			return k;
	for (uint32_t k = 0; k < c->n_variants && c->verdict == VERDICT_PROVED; k++)
		if (c->d[k] <= 0)
			return k;
	return c->n_variants ? c->best : TN_NONE;
}

void tn_words_variant(const struct tn_variant *variant, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, variant->descending ? "descending" : "ascending");
	tn_strbuf_puts(out, tn_hold_text(variant->hold));
}

/* The variant that the proof rests on: the plan's own when it allows in place. */
static uint32_t in_place_variant(const struct tn_view *v, const struct tn_candidate *c)
{
	uint32_t run = tn_candidate_variant(v, c);

	if (run == TN_NONE || c->d[run] <= 0)
		return run;
	for (uint32_t k = 0; k < c->n_variants; k++)
		if (c->d[k] <= 0)
			return k;
	return TN_NONE;
}

void tn_words_reason(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	uint32_t variant;

	if (c->verdict != VERDICT_PROVED) {
		rejected(v, c, out);
		return;
	}
	if (c->no_copy) {
		tn_words_op(v, c->op, out);
		tn_strbuf_puts(out, " need not run, but a copy takes less memory");
		return;
	}
	if (c->elided) {
		bool part = v->g->tensors[c->in.i].bytes < v->g->tensors[c->out.i].bytes;

		tn_strbuf_puts(out, "nothing runs: ");
		tn_words_quoted(v, part ? c->in : c->out, out);
		tn_strbuf_puts(
			out, v->g->tensors[c->in.i].bytes == v->g->tensors[c->out.i].bytes
				     ? " is the bytes of "
				     : " lies in ");
		tn_words_quoted(v, part ? c->out : c->in, out);
		return;
	}
	variant = in_place_variant(v, c);
	tn_strbuf_puts(out, "nobody reads ");
	tn_words_quoted(v, c->in, out);
	tn_strbuf_puts(out, " later, and ");
	tn_words_op(v, c->op, out);
	tn_strbuf_puts(out, " reads each byte before it writes over it");
	if (variant != TN_NONE) {
		tn_strbuf_puts(out, " (");
		tn_words_variant(&c->variant[variant], out);
		tn_strbuf_putc(out, ')');
	}
}

void tn_words_rule(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out)
{
	const char *upper = "the input", *lower = "the output";
	uint32_t k = tn_candidate_variant(v, c);
	int64_t d;

	if (k == TN_NONE || c->d[k] == TN_DISPLACEMENT_NEVER) {
		tn_strbuf_puts(out, "only apart from each other");
		return;
	}
	d = c->d[k];
	if (d == TN_DISPLACEMENT_FREE) {
		tn_strbuf_puts(out, "anywhere over each other");
		return;
	}
	if (c->variant[k].descending) {
		upper = "the output";
		lower = "the input";
	}
	tn_strbuf_printf(out, "%s starts ", upper);
	if (d == 0) {
		tn_strbuf_printf(out, "where %s does, or above", lower);
	} else if (d > 0) {
		bytes(d, out);
		tn_strbuf_printf(out, " above %s, or more", lower);
	} else {
		tn_strbuf_puts(out, "at most ");
		bytes(-d, out);
		tn_strbuf_printf(out, " below %s", lower);
	}
}

bool tn_words_chain(const struct tn_view *v, tn_op_id op, struct tn_strbuf *out)
{
	const struct tn_plan_stream *s =
		v->plan ? tn_plan_stream_at(v->plan, tn_view_position(v, op)) : NULL;

	if (!s)
		return false;
	tn_strbuf_printf(out,
		"ops %" PRIu32 " to %" PRIu64 " run row by row: the displacement of the "
		"whole chain holds, not the op's",
		s->first, (uint64_t)s->first + s->n - 1);
	return true;
}

/* [begin, end) of a tensor in its region; false when it has no place or a broken one. */
static bool place_of(
	const struct tn_plan *plan, tn_tensor_id id, int64_t *out_begin, int64_t *out_end)
{
	const struct tn_plan_tensor *t = &plan->tensors[id.i];

	if (t->region == TN_REGION_NONE || t->offset < 0 || tn_plan_tensor_room(t) <= 0)
		return false;
	*out_begin = t->offset;
	return tn_add_i64(t->offset, tn_plan_tensor_room(t), out_end);
}

int64_t tn_candidate_shared(const struct tn_view *v, const struct tn_candidate *c)
{
	int64_t a, a_end, b, b_end, shared;

	if (!v->plan || !place_of(v->plan, c->in, &a, &a_end) ||
		!place_of(v->plan, c->out, &b, &b_end) ||
		v->plan->tensors[c->in.i].region != v->plan->tensors[c->out.i].region)
		return 0;
	shared = tn_min_i64(a_end, b_end) - tn_max_i64(a, b);
	return shared > 0 ? shared : 0;
}

bool tn_candidate_in_place(const struct tn_view *v, const struct tn_candidate *c)
{
	const struct tn_plan_tensor *in, *out;

	if (!tn_candidate_shared(v, c))
		return false;
	in = &v->plan->tensors[c->in.i];
	out = &v->plan->tensors[c->out.i];
	return in->offset == out->offset &&
	       tn_plan_tensor_room(out) <= tn_plan_tensor_room(in);
}

int64_t tn_difference(int64_t a, int64_t b)
{
	int64_t r;

	return tn_sub_i64(a, b, &r) ? r : 0;
}

int64_t tn_permille(int64_t part, int64_t whole)
{
	int64_t times, rest;

	if (whole <= 0 || part <= 0)
		return 0;
	times = part / whole;
	rest = part % whole;
	if (times >= INT64_MAX / 1000)
		return INT64_MAX;
	while (rest > INT64_MAX / 1000) {
		rest /= 2;
		whole /= 2;
	}
	return times * 1000 + rest * 1000 / whole;
}
