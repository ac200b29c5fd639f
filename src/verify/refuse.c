/* What a refusal says, in numbers and in words. Nothing here decides. */
#include <inttypes.h>
#include <stdarg.h>

#include "base/checked.h"
#include "verify/check.h"

bool tn_need(struct tn_check *c, bool ok, const struct tn_verdict *v, const char *rule,
	const char *fmt, ...)
{
	const struct tn_graph *g = c->g;
	const struct tn_op *op = v->op == TN_NONE ? NULL : &g->ops[v->op];
	const struct tn_tensor *t = v->tensor == TN_NONE ? NULL : &g->tensors[v->tensor];
	const uint32_t replayed = c->out->replayed;
	const char *text;
	va_list args;

	if (ok)
		return true;
	va_start(args, fmt);
	text = tn_arena_vprintf(c->diags->arena, fmt, args);
	va_end(args);
	tn_diag_at(c->diags, SEVERITY_ERROR, rule, g->source,
		op  ? op->pointer
		: t ? t->pointer
		    : NULL,
		op  ? op->name
		: t ? t->name
		    : NULL,
		"%s", text ? text : "out of memory");
	if (!c->out->refusals) {
		*c->out = *v;
		c->out->rule = rule;
		c->out->replayed = replayed;
	}
	c->out->refusals++;
	return false;
}

static struct tn_seen seen(const struct tn_check *c, struct tn_content what, int64_t len)
{
	struct tn_seen s = { SEEN_GIVEN, what.value, TN_NONE, what.at, what.at + len };
	const struct tn_deed *deed;

	if (what.value == TN_NOTHING)
		return (struct tn_seen){ SEEN_NOTHING, TN_NONE, TN_NONE, 0, 0 };
	if (what.value < c->g->n_tensors)
		return s;
	for (s.op = 0; what.value > c->ref.deeds[s.op].garbage; s.op++)
		;
	deed = &c->ref.deeds[s.op];
	if (what.value == deed->garbage)
		return (struct tn_seen){ SEEN_GARBAGE, TN_NONE, s.op, what.at, s.end };
	s.kind = SEEN_WRITTEN;
	s.tensor = deed->touches[what.value - deed->first_value].tensor;
	return s;
}

static const char *phrase(struct tn_check *c, const struct tn_seen *s)
{
	const char *op = s->op == TN_NONE ? "" : c->g->ops[s->op].name, *text = "nothing";

	if (s->kind == SEEN_GARBAGE)
		text = tn_arena_printf(c->arena, "garbage of '%s'", op);
	else if (s->kind != SEEN_NOTHING)
		text = tn_arena_printf(c->arena,
			"bytes %" PRId64 "..%" PRId64 " of '%s', %s%s%s", s->begin,
			s->end, c->g->tensors[s->tensor].name,
			*op ? "written by '" : "as given", op, *op ? "'" : "");
	return text ? text : "out of memory";
}

void tn_refuse_bytes(struct tn_check *c, const char *rule, const struct tn_touch *t,
	struct tn_memory *want, int64_t from)
{
	const struct tn_plan_tensor *p = &c->plan->tensors[t->at.root];
	int64_t rest, place = tn_check_place(c, t, from, &rest);
	struct tn_content w = tn_memory_at(want, from);
	struct tn_content f = tn_memory_at(&c->regions[p->region], place);
	int64_t len = tn_min_i64(tn_min_i64(t->at.end - t->at.begin - from, rest),
		tn_min_i64(w.run, f.run));
	struct tn_verdict v = { .op = c->op,
		.tensor = t->tensor,
		.begin = from,
		.end = from + len,
		.region = p->region,
		.place = place };
	bool *told = &c->told[w.value == TN_NOTHING ? t->tensor : w.value];

	if (*told)
		return;
	*told = true;
	v.expected = seen(c, w, len);
	v.found = seen(c, f, len);
	if (!rule && v.expected.op != TN_NONE && !c->ran[v.expected.op])
		rule = "plan/order";
	else if (!rule && c->op != TN_NONE && (c->clean || v.found.op == c->op))
		rule = v.found.kind == SEEN_GARBAGE ? "plan/scratch-overlap"
						    : "plan/overlap";
	else if (!rule)
		rule = "plan/lost-value";
	tn_need(c, false, &v, rule, "%s bytes %" PRId64 "..%" PRId64 " of '%s', finds %s",
		c->op == TN_NONE ? "the caller needs" : "needs", v.begin, v.end,
		c->g->tensors[t->tensor].name, phrase(c, &v.found));
	tn_diag_note(c->diags, "expected: %s", phrase(c, &v.expected));
	tn_diag_note(c->diags, "place: region '%s', bytes %" PRId64 "..%" PRId64,
		c->plan->regions[p->region].name, place, place + len);
}
