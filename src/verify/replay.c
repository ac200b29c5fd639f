/* The steps of an op that meets what it reads. */
#include "base/checked.h"
#include "verify/check.h"

/* What one access of a run touches: bytes [begin, end) of an operand in the first step,
 * `by` further on in each step after it. */
struct span {
	struct tn_touch *t; /* NULL: nothing in planned memory */
	int64_t begin, end, by;
};

static struct span span_of(
	struct tn_check *c, const struct tn_step *s, bool write, uint32_t i)
{
	const struct tn_access *a = write ? &s->writes[i] : &s->reads[i];
	const uint32_t n_inputs = c->g->ops[c->op].n_inputs;
	const uint32_t k = write ? n_inputs + a->operand : a->operand;
	const int64_t by = write ? s->write_by : s->read_by, far = (s->count - 1) * by;
	struct span p = { NULL, a->begin, a->end, by };
	int64_t bytes;

	if (a->operand >= (write ? c->deed->n - n_inputs : n_inputs)) {
		c->status = TN_ERR_INTERNAL;
		return p;
	}
	bytes = tn_operand_bytes(c->deed->touches[k].o);
	if (bytes && (a->begin > a->end || tn_min_i64(a->begin, a->begin + far) < 0 ||
			     tn_max_i64(a->end, a->end + far) > bytes))
		c->status = TN_ERR_INTERNAL;
	else if (bytes)
		p.t = &c->deed->touches[k];
	return p;
}

/* Looks at, or writes, the bytes of `count` steps from step `first` on; a gap between them
 * is left alone. */
static bool do_span(
	struct tn_check *c, struct span p, int64_t first, int64_t count, bool write)
{
	const int64_t far = (count - 1) * p.by;
	bool ok = true;

	p.begin += first * p.by;
	p.end += first * p.by;
	if (tn_max_i64(p.by, -p.by) <= p.end - p.begin) {
		p.begin += tn_min_i64(far, 0);
		p.end += tn_max_i64(far, 0);
		count = 1;
	}
	for (int64_t j = 0; p.t && ok && j < count; j++) {
		if (write)
			tn_check_put(c, p.t->o, &p.t->made, p.begin, p.end);
		else
			ok = tn_check_holds(
				c, p.t->o, &p.t->before, p.begin, p.end, true, NULL);
		p.begin += p.by;
		p.end += p.by;
	}
	return ok;
}

/* All reads of these steps, then all writes. */
static bool do_steps(
	struct tn_check *c, const struct tn_step *s, int64_t first, int64_t count)
{
	bool ok = true;

	for (uint32_t i = 0; i < s->n_reads && ok; i++)
		ok = do_span(c, span_of(c, s, false, i), first, count, false);
	for (uint32_t i = 0; i < s->n_writes && ok; i++)
		ok = do_span(c, span_of(c, s, true, i), first, count, true);
	c->lost = !ok;
	return ok && c->status == TN_OK;
}

static int64_t room(const struct tn_check *c, const struct tn_touch *t)
{
	const int64_t ring = c->plan->tensors[t->o->at.root].ring_bytes;

	return ring ? ring : t->o->at.end;
}

/* May a step of the run read what a step before it has written? Exact when both move on
 * alike, else judged by all that is written and all that is read. */
static bool feeds(const struct tn_check *c, struct span w, struct span r, int64_t count)
{
	const struct tn_plan_tensor *pw, *pr;
	int64_t w_len = w.end - w.begin, r_len = r.end - r.begin, ahead, by = r.by, d = 1;

	if (!w.t || !r.t || count < 2)
		return false;
	pw = &c->plan->tensors[w.t->o->at.root];
	pr = &c->plan->tensors[r.t->o->at.root];
	if (pw->region != pr->region)
		return false;
	if (pw->ring_bytes || pr->ring_bytes)
		return pw->offset < pr->offset + room(c, r.t) &&
		       pr->offset < pw->offset + room(c, w.t);
	/* from the write of a step to its read */
	ahead = pr->offset + r.t->o->at.begin + r.begin -
		(pw->offset + w.t->o->at.begin + w.begin);
	if (w.by != r.by || w_len != r_len) {
		int64_t w_far = (count - 2) * w.by, r_far = (count - 2) * r.by;

		ahead += r.by;
		return ahead + tn_min_i64(r_far, 0) < w_len + tn_max_i64(w_far, 0) &&
		       tn_min_i64(w_far, 0) < ahead + r_len + tn_max_i64(r_far, 0);
	}
	if (by < 0) { /* the same seen from the other side */
		ahead = -ahead;
		by = -by;
	}
	/* the first step whose read reaches beyond the start of the first write */
	if (by > 0 && -r_len - ahead >= by)
		d = (-r_len - ahead) / by + 1;
	return d < count && ahead + d * by > -r_len && ahead + d * by < w_len;
}

/* Do writes of the run replace each other in a ring? Then the order in which they fall says
 * what stays. */
static bool comes_round(const struct tn_check *c, struct span w, int64_t count)
{
	const int64_t far = (count - 1) * w.by;

	return w.t && c->plan->tensors[w.t->o->at.root].ring_bytes &&
	       w.end - w.begin + tn_max_i64(far, -far) > room(c, w.t);
}

static bool do_run(void *user, const struct tn_step *s)
{
	struct tn_check *c = user;
	const struct tn_verdict v = { .op = c->op, .tensor = TN_NONE };
	bool apart = s->n_writes < 2 || s->count == 1;

	for (uint32_t i = 0; i < s->n_writes && s->count > 1 && apart; i++) {
		apart = !comes_round(c, span_of(c, s, true, i), s->count);
		for (uint32_t k = 0; k < s->n_reads && apart; k++)
			apart = !feeds(c, span_of(c, s, true, i), span_of(c, s, false, k),
				s->count);
	}
	if (apart)
		return do_steps(c, s, 0, s->count);
	c->lost = !tn_need(&c->refusals, !tn_contract_is_long(c->g, (tn_op_id){ c->op }),
		&v, "plan/step-limit",
		"shares memory with what it reads, and has too many steps to replay");
	if (c->lost)
		return false;
	for (int64_t j = 0; j < s->count; j++)
		if (!do_steps(c, s, j, 1))
			return false;
	return true;
}

void tn_check_replay(struct tn_check *c, const struct tn_turn *rows)
{
	const tn_op_id op = { c->op };
	const struct tn_variant v = tn_layout_variant_of(&c->plan->ops[c->op]);
	enum tn_status status;

	c->lost = false;
	status = rows ? tn_contract_walk_rows(c->g, op, v, rows->total, rows->begin,
				rows->end, do_run, c)
		      : tn_contract_runs(c->g, op, v, do_run, c);
	if (c->status == TN_OK && status != TN_OK)
		c->status = status == TN_ERR_NOMEM ? status : TN_ERR_INTERNAL;
}
