#include "verdict/verdict.h"

#include <inttypes.h>
#include <stdarg.h>

bool tn_need(const struct tn_refusals *r, bool ok, const struct tn_verdict *v,
	const char *rule, const char *fmt, ...)
{
	const struct tn_op *op = v->op == TN_NONE ? NULL : &r->g->ops[v->op];
	const struct tn_tensor *t =
		v->tensor == TN_NONE ? NULL : &r->g->tensors[v->tensor];
	const uint32_t replayed = r->out->replayed;
	const char *text;
	va_list args;

	if (ok)
		return true;
	va_start(args, fmt);
	text = tn_arena_vprintf(r->diags->arena, fmt, args);
	va_end(args);
	tn_diag_at(r->diags, SEVERITY_ERROR, rule, r->g->source,
		op  ? op->pointer
		: t ? t->pointer
		    : NULL,
		op  ? op->name
		: t ? t->name
		    : NULL,
		"%s", text ? text : "out of memory");
	if (!r->out->refusals) {
		*r->out = *v;
		r->out->rule = rule;
		r->out->replayed = replayed;
	}
	r->out->refusals++;
	return false;
}

static const char *phrase(const struct tn_refusals *r, const struct tn_seen *s)
{
	const char *op = s->op == TN_NONE ? "" : r->g->ops[s->op].name, *text = "nothing";

	if (s->kind == SEEN_GARBAGE)
		text = tn_arena_printf(r->diags->arena, "garbage of '%s'", op);
	else if (s->kind != SEEN_NOTHING)
		text = tn_arena_printf(r->diags->arena,
			"bytes %" PRId64 "..%" PRId64 " of '%s', %s%s%s", s->begin,
			s->end, r->g->tensors[s->tensor].name,
			*op ? "written by '" : "as given", op, *op ? "'" : "");
	return text ? text : "out of memory";
}

void tn_refuse_bytes(const struct tn_refusals *r, const struct tn_verdict *v,
	const char *rule, const char *region)
{
	tn_need(r, false, v, rule, "%s bytes %" PRId64 "..%" PRId64 " of '%s', finds %s",
		v->op == TN_NONE ? "the caller needs" : "needs", v->begin, v->end,
		r->g->tensors[v->tensor].name, phrase(r, &v->found));
	tn_diag_note(r->diags, "expected: %s", phrase(r, &v->expected));
	tn_diag_note(r->diags, "place: region '%s', bytes %" PRId64 "..%" PRId64, region,
		v->place, v->place + v->end - v->begin);
}
