/* Bytes of operands where the plan has them: what is there, what is put there, and what is
 * said when it is not what it must be. */
#include "base/checked.h"
#include "verify/check.h"

/* Where byte `at` of the operand lies in its region, and how many follow it there: to the end
 * of the ring. */
static int64_t place_of(const struct tn_check *c, const struct tn_operand *o, int64_t at,
	int64_t *out_run)
{
	const struct tn_plan_tensor *p = &c->plan->tensors[o->at.root];
	const int64_t byte = o->at.begin + at;

	*out_run = p->ring_bytes ? p->ring_bytes - byte % p->ring_bytes : INT64_MAX;
	return p->offset + (p->ring_bytes ? byte % p->ring_bytes : byte);
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
	s.tensor = deed->touches[what.value - deed->first_value].o->tensor;
	return s;
}

static const char *rule_of(const struct tn_check *c, const struct tn_verdict *v)
{
	if (v->expected.op != TN_NONE && !c->ran[v->expected.op])
		return "plan/order";
	if (c->op != TN_NONE && (c->clean || v->found.op == c->op))
		return v->found.kind == SEEN_GARBAGE ? "plan/scratch-overlap"
						     : "plan/overlap";
	return "plan/lost-value";
}

/* The operand does not hold at `from` what `want` holds there. Only the first loss of a value
 * is told: what follows from it is no news. */
static void refuse(struct tn_check *c, const char *rule, const struct tn_operand *o,
	struct tn_memory *want, int64_t from)
{
	const uint32_t region = c->plan->tensors[o->at.root].region;
	int64_t rest, place = place_of(c, o, from, &rest);
	struct tn_content w = tn_memory_at(want, from);
	struct tn_content f = tn_memory_at(&c->regions[region], place);
	int64_t len = tn_min_i64(
		tn_min_i64(tn_operand_bytes(o) - from, rest), tn_min_i64(w.run, f.run));
	struct tn_verdict v = { .op = c->op,
		.tensor = o->tensor,
		.begin = from,
		.end = from + len,
		.region = region,
		.place = place };
	bool *told = &c->told[w.value == TN_NOTHING ? o->tensor : w.value];

	if (*told)
		return;
	*told = true;
	v.expected = seen(c, w, len);
	v.found = seen(c, f, len);
	tn_refuse_bytes(&c->refusals, &v, rule ? rule : rule_of(c, &v),
		c->plan->regions[region].name);
}

bool tn_check_holds(struct tn_check *c, const struct tn_operand *o,
	struct tn_memory *want, int64_t begin, int64_t end, bool say, const char *rule)
{
	const uint32_t region = c->plan->tensors[o->at.root].region;

	for (int64_t at = begin, len, n; at < end; at += len) {
		const int64_t place = place_of(c, o, at, &len);

		len = tn_min_i64(len, end - at);
		n = tn_memory_match(&c->regions[region], place, want, at, len, o->strict);
		if (n == len)
			continue;
		if (say)
			refuse(c, rule, o, want, at + n);
		return false;
	}
	return true;
}

void tn_check_put(struct tn_check *c, const struct tn_operand *o, struct tn_memory *what,
	int64_t begin, int64_t end)
{
	const uint32_t region = c->plan->tensors[o->at.root].region;

	for (int64_t at = begin, len; at < end; at += len) {
		const int64_t place = place_of(c, o, at, &len);

		len = tn_min_i64(len, end - at);
		if (!tn_memory_copy(&c->regions[region], c->arena, place, what, at, len))
			c->status = TN_ERR_NOMEM;
	}
}

void tn_check_put_value(struct tn_check *c, const struct tn_operand *o, uint32_t value,
	int64_t begin, int64_t end)
{
	struct tn_segment s = { begin, end, begin, value };
	struct tn_memory what = { .items = &s, .count = 1, .capacity = 1 };

	tn_check_put(c, o, &what, begin, end);
}
