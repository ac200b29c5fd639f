#include "verify/replay.h"

#define PIECES_MAX 32 /* of a step; more are dealt with at once */

/* Bytes of one operand, and where they lie. */
struct piece {
	struct tn_touch *touch;
	uint32_t region;
	int64_t base; /* place of the touch's first byte */
	int64_t begin, end; /* bytes of the touch */
};

/* What is still to be done: first look at all reads, then make all writes. A piece is
 * what the n-th access of each of the steps touches together. */
struct bulk {
	const struct tn_check *c;
	struct tn_memory *regions;
	const struct tn_deed *deed;
	uint32_t n_inputs;
	struct piece reads[PIECES_MAX], writes[PIECES_MAX];
	uint32_t n_reads, n_writes;
	bool lost; /* a read did not find its value */
	enum tn_status status;
};

static void look(struct bulk *b, const struct piece *p)
{
	if (tn_memory_match(&b->regions[p->region], p->base + p->begin, &p->touch->before,
		    p->begin, p->end - p->begin, p->touch->strict) < p->end - p->begin)
		b->lost = true;
}

static void flush(struct bulk *b)
{
	for (uint32_t i = 0; i < b->n_reads; i++)
		look(b, &b->reads[i]);
	for (uint32_t i = 0; i < b->n_writes; i++) {
		const struct piece *p = &b->writes[i];

		if (!tn_memory_copy(&b->regions[p->region], b->c->arena,
			    p->base + p->begin, &p->touch->made, p->begin,
			    p->end - p->begin))
			b->status = TN_ERR_NOMEM;
	}
	b->n_reads = b->n_writes = 0;
}

static bool meet(const struct piece *x, const struct piece *y)
{
	return x->region == y->region && x->base + x->begin < y->base + y->end &&
	       y->base + y->begin < x->base + x->end;
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
	uint32_t room = write ? b->deed->n - b->n_inputs : b->n_inputs;
	const struct tn_plan_tensor *place;
	struct tn_touch *t;

	if (a->operand >= room) {
		b->status = TN_ERR_INTERNAL;
		return false;
	}
	t = &b->deed->touches[(write ? b->n_inputs : 0) + a->operand];
	if (t->at.begin == t->at.end)
		return false;
	if (a->begin < 0 || a->begin > a->end || a->end > t->at.end - t->at.begin) {
		b->status = TN_ERR_INTERNAL;
		return false;
	}
	place = &b->c->plan->tensors[t->at.root];
	*out = (struct piece){ t, place->region, place->offset + t->at.begin, a->begin,
		a->end };
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
	return !b->lost && b->status == TN_OK;
}

/* Every step reads the bytes that it writes or some further on (descending: further back),
 * so no read ever meets an earlier write: all that an op of such steps reads is there
 * when it is there before the first. */
static bool runs_ahead(const struct bulk *b, struct tn_variant variant)
{
	const struct tn_touch *out = &b->deed->touches[b->n_inputs];
	const struct tn_plan_tensor *to = &b->c->plan->tensors[out->at.root];

	for (uint32_t k = 0; k < b->n_inputs; k++) {
		const struct tn_touch *in = &b->deed->touches[k];
		const struct tn_plan_tensor *from = &b->c->plan->tensors[in->at.root];
		int64_t lead = from->offset + in->at.begin - to->offset - out->at.begin;

		if (in->at.begin == in->at.end || from->region != to->region ||
			lead >= out->at.end - out->at.begin ||
			-lead >= in->at.end - in->at.begin)
			continue;
		if (variant.descending ? lead > 0 : lead < 0)
			return false;
	}
	return true;
}

static void run_at_once(struct bulk *b)
{
	for (uint32_t k = 0; k < b->deed->n; k++) {
		struct tn_touch *t = &b->deed->touches[k];
		const struct tn_plan_tensor *place = &b->c->plan->tensors[t->at.root];
		const struct piece p = { t, place->region, place->offset + t->at.begin, 0,
			t->at.end - t->at.begin };

		if (p.end > 0 && k < b->n_inputs)
			b->reads[b->n_reads++] = p;
		else if (p.end > 0)
			b->writes[b->n_writes++] = p;
		if (b->n_reads == PIECES_MAX) {
			look(b, &p);
			b->n_reads--;
		}
	}
}

bool tn_replay_in_bulk(const struct tn_check *c, struct tn_memory *regions, tn_op_id id,
	struct tn_variant variant, enum tn_status *out_status)
{
	struct bulk b = { .c = c,
		.regions = regions,
		.deed = &c->ref.deeds[id.i],
		.n_inputs = c->g->ops[id.i].n_inputs };
	enum tn_status status = TN_OK;

	if (tn_contract_is_uniform(c->g, id) && runs_ahead(&b, variant))
		run_at_once(&b);
	else if (tn_contract_is_long(c->g, id))
		b.lost = true;
	else
		status = tn_contract_walk(c->g, id, variant, bulk_step, &b);
	flush(&b);
	if (b.status == TN_OK)
		b.status = status == TN_ERR_REFUSED ? TN_ERR_INTERNAL : status;
	*out_status = b.status;
	return !b.lost && b.status == TN_OK;
}
