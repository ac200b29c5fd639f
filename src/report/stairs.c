#include "report/stairs.h"

#include "base/checked.h"
#include "contract/contract.h"

#include "base/banned.h"

/* A walk does not say beforehand how many steps there are: whenever the parts are used
 * up, neighbours are joined, and each stands for twice as many steps. */
struct climb {
	const struct tn_view *v;
	const struct tn_box_overlap *overlap;
	const uint32_t *of;
	const struct tn_op *op;
	struct tn_stair *out;
	int64_t steps, per_part;
	/* of the newest part: furthest byte written so far, nearest byte read in it */
	int64_t written, nearest;
};

static int64_t further(const struct climb *c, int64_t a, int64_t b)
{
	return c->out->descending ? tn_min_i64(a, b) : tn_max_i64(a, b);
}

static int64_t nearer(const struct climb *c, int64_t a, int64_t b)
{
	return c->out->descending ? tn_max_i64(a, b) : tn_min_i64(a, b);
}

static int64_t nothing_read(const struct climb *c)
{
	return c->out->descending ? INT64_MIN : INT64_MAX;
}

static void close_part(struct climb *c)
{
	struct tn_stair *s = c->out;

	if (s->n == TN_STAIRS_MAX) {
		for (uint32_t k = 0; k < TN_STAIRS_MAX / 2; k++) {
			s->written[k] = s->written[2 * k + 1];
			s->unread[k] = nearer(c, s->unread[2 * k], s->unread[2 * k + 1]);
		}
		s->n /= 2;
		c->per_part *= 2;
	}
	s->written[s->n] = c->written;
	s->unread[s->n] = c->nearest;
	s->n++;
	c->nearest = nothing_read(c);
}

/* The operand's place in the region, when it is part of this box. */
static bool place_of(
	const struct climb *c, tn_tensor_id id, uint32_t box, int64_t *out_offset)
{
	if (id.i == TN_NONE || c->of[id.i] != box)
		return false;
	*out_offset = c->v->plan->tensors[id.i].offset;
	return true;
}

static bool step(void *user, const struct tn_step *s)
{
	struct climb *c = user;
	int64_t offset, at;

	for (uint32_t i = 0; i < s->n_reads; i++) {
		const struct tn_access *a = &s->reads[i];

		if (place_of(c, c->op->inputs[a->operand], c->overlap->under, &offset) &&
			tn_add_i64(offset, c->out->descending ? a->end : a->begin, &at))
			c->nearest = nearer(c, c->nearest, at);
	}
	for (uint32_t i = 0; i < s->n_writes; i++) {
		const struct tn_access *a = &s->writes[i];

		if (place_of(c, c->op->outputs[a->operand], c->overlap->over, &offset) &&
			tn_add_i64(offset, c->out->descending ? a->begin : a->end, &at))
			c->written = further(c, c->written, at);
	}
	if (++c->steps % c->per_part == 0)
		close_part(c);
	return true;
}

/* From what each part reads to what is left to read when it is over. */
static void look_ahead(struct climb *c, int64_t end_of_input)
{
	struct tn_stair *s = c->out;
	int64_t left = end_of_input;

	for (uint32_t k = s->n; k > 0; k--) {
		int64_t read = s->unread[k - 1];

		s->unread[k - 1] = left;
		left = nearer(c, left, read);
	}
}

void tn_stair_fill(const struct tn_box_overlap *overlap, struct tn_stair *out)
{
	int64_t bytes = overlap->end - overlap->begin;

	out->n = TN_STAIRS_MAX;
	for (uint32_t k = 0; k < out->n; k++) {
		int64_t part =
			bytes / out->n * (k + 1) + bytes % out->n * (k + 1) / out->n;

		out->written[k] = out->unread[k] =
			out->descending ? overlap->end - part : overlap->begin + part;
	}
}

enum tn_status tn_stair_find(const struct tn_view *v, const struct tn_boxes *boxes,
	uint32_t overlap, struct tn_stair *out)
{
	const struct tn_box_overlap *o = &boxes->overlaps[overlap];
	const struct tn_box *under = &boxes->list[o->under];
	const struct tn_box *over = &boxes->list[o->over];
	const struct tn_plan_op *run = &v->plan->ops[o->op.i];
	struct tn_variant variant = { run->descending != 0, (enum tn_hold)run->hold };
	struct climb c = { .v = v,
		.overlap = o,
		.of = boxes->of,
		.op = &v->g->ops[o->op.i],
		.out = out,
		.per_part = 1 };
	enum tn_status status;

	*out = (struct tn_stair){ .descending = variant.descending };
	/* in a chain many ops run at once, row by row */
	if (run->elided || o->to - o->from != 1)
		return TN_OK;
	out->straight = tn_contract_is_uniform(v->g, o->op) &&
			under->offset == over->offset && under->bytes == over->bytes;
	if (out->straight || tn_contract_is_long(v->g, o->op))
		return TN_OK;
	c.written = variant.descending ? over->offset + over->bytes : over->offset;
	c.nearest = nothing_read(&c);
	status = tn_contract_walk(v->g, o->op, variant, step, &c);
	if (status == TN_ERR_REFUSED) {
		out->n = 0;
		return TN_OK;
	}
	if (status == TN_OK && c.steps % c.per_part)
		close_part(&c);
	look_ahead(&c, variant.descending ? under->offset : under->offset + under->bytes);
	return status;
}
