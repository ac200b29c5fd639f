#include "verify/check.h"

#define PIECES_MAX 32 /* of a step; more are dealt with at once */

/* Bytes of one operand, and where the plan puts its first one. */
struct piece {
	struct tn_touch *touch;
	int64_t begin, end;
	int64_t place;
	uint32_t region;
};

/* What is still to be done: first look at all reads, then make all writes. A piece is
 * what the n-th access of each of the steps touches together. */
struct bulk {
	struct tn_run *r;
	uint32_t n_inputs;
	const struct piece *whole; /* by operand */
	struct piece reads[PIECES_MAX], writes[PIECES_MAX];
	uint32_t n_reads, n_writes;
};

static void look(struct bulk *b, const struct piece *p)
{
	(void)tn_run_holds(
		b->r, p->touch, &p->touch->before, p->begin, p->end, true, NULL);
}

static void flush(struct bulk *b)
{
	for (uint32_t i = 0; i < b->n_reads; i++)
		look(b, &b->reads[i]);
	for (uint32_t i = 0; i < b->n_writes; i++)
		tn_run_put(b->r, b->writes[i].touch, &b->writes[i].touch->made,
			b->writes[i].begin, b->writes[i].end);
	b->n_reads = b->n_writes = 0;
}

static bool meet(const struct piece *x, const struct piece *y)
{
	return x->region == y->region && x->place + x->begin < y->place + y->end &&
	       y->place + y->begin < x->place + x->end;
}

/* Makes `to` the union of both when that is one range. */
static bool join(struct piece *to, const struct piece *p)
{
	if (to->touch != p->touch || p->begin > to->end || p->end < to->begin)
		return false;
	if (p->begin < to->begin)
		to->begin = p->begin;
	if (p->end > to->end)
		to->end = p->end;
	return true;
}

static void add_read(struct bulk *b, const struct piece *p, uint32_t nth)
{
	for (uint32_t i = 0; i < b->n_writes; i++)
		if (meet(p, &b->writes[i]))
			flush(b);
	if (nth >= PIECES_MAX || nth > b->n_reads) {
		look(b, p);
	} else if (nth == b->n_reads) {
		b->reads[b->n_reads++] = *p;
	} else if (!join(&b->reads[nth], p)) {
		look(b, &b->reads[nth]); /* no write since then has been made */
		b->reads[nth] = *p;
	}
}

static void add_write(struct bulk *b, const struct piece *p, uint32_t nth)
{
	for (uint32_t i = 0; i < b->n_writes; i++)
		if (i != nth && meet(p, &b->writes[i]))
			flush(b); /* the order of the two counts */
	if (nth < b->n_writes && join(&b->writes[nth], p))
		return;
	if (nth < b->n_writes || b->n_writes == PIECES_MAX)
		flush(b);
	b->writes[b->n_writes++] = *p;
}

/* The piece that an access means; false when there is nothing to do. */
static bool piece_of(
	struct bulk *b, const struct tn_access *a, bool write, struct piece *out)
{
	uint32_t room = write ? b->r->deed->n - b->n_inputs : b->n_inputs;
	const struct piece *whole = &b->whole[write ? b->n_inputs : 0];

	if (a->operand < room)
		whole += a->operand;
	if (a->operand < room && !whole->end)
		return false;
	if (a->operand >= room || a->begin < 0 || a->begin > a->end ||
		a->end > whole->end) {
		b->r->status = TN_ERR_INTERNAL;
		return false;
	}
	*out = *whole;
	out->begin = a->begin;
	out->end = a->end;
	return a->begin < a->end;
}

static bool bulk_step(void *user, const struct tn_step *step)
{
	struct bulk *b = user;
	struct piece p;
	uint32_t nth = 0;

	for (uint32_t i = 0; i < step->n_reads; i++)
		if (piece_of(b, &step->reads[i], false, &p))
			add_read(b, &p, nth++);
	nth = 0;
	for (uint32_t i = 0; i < step->n_writes; i++)
		if (piece_of(b, &step->writes[i], true, &p))
			add_write(b, &p, nth++);
	return b->r->status == TN_OK;
}

/* Every step reads the bytes that it writes or some further on (descending: further back),
 * so no read ever meets an earlier write: all that an op of such steps reads is there
 * when it is there before the first. */
static bool runs_ahead(const struct bulk *b, bool descending)
{
	const struct piece *out = &b->whole[b->n_inputs];

	for (uint32_t k = 0; k < b->n_inputs; k++) {
		const struct piece *in = &b->whole[k];
		int64_t lead = in->place - out->place;

		if (in->end && meet(in, out) && (descending ? lead > 0 : lead < 0))
			return false;
	}
	return true;
}

/* All of each operand, where it lies. */
static const struct piece *operands(const struct tn_run *r)
{
	struct piece *all = TN_NEW_ARRAY(r->c->arena, struct piece, r->deed->n);

	for (uint32_t k = 0; all && k < r->deed->n; k++) {
		struct tn_touch *t = &r->deed->touches[k];
		const struct tn_plan_tensor *p;

		all[k].touch = t;
		if (t->tensor == TN_NONE)
			continue;
		p = &r->c->plan->tensors[t->at.root];
		all[k] = (struct piece){ t, 0, t->at.end - t->at.begin,
			p->offset + t->at.begin, p->region };
	}
	return all;
}

void tn_replay(struct tn_run *r, struct tn_variant variant)
{
	const struct tn_graph *g = r->c->g;
	const tn_op_id id = { r->op };
	const struct tn_verdict bad = {
		.rule = "plan/step-limit", .op = r->op, .tensor = TN_NONE
	};
	struct bulk b = { .r = r, .n_inputs = g->ops[r->op].n_inputs };
	enum tn_status status = TN_OK;
	bool at_once;

	b.whole = operands(r);
	if (!b.whole) {
		r->status = TN_ERR_NOMEM;
		return;
	}
	at_once = tn_contract_is_uniform(g, id) && runs_ahead(&b, variant.descending);
	if (!at_once && tn_contract_is_long(g, id)) {
		tn_check_refuse(r->c, &bad,
			"shares memory with what it reads, and has too many steps to "
			"replay");
		at_once = true;
	}
	for (uint32_t k = 0; at_once && k < r->deed->n; k++) {
		const struct piece *all = &b.whole[k];

		if (k < b.n_inputs)
			look(&b, all);
		else
			tn_run_put(r, all->touch, &all->touch->made, 0, all->end);
	}
	if (!at_once)
		status = tn_contract_walk(g, id, variant, bulk_step, &b);
	flush(&b);
	if (r->status == TN_OK && status != TN_OK)
		r->status = status == TN_ERR_NOMEM ? status : TN_ERR_INTERNAL;
}
