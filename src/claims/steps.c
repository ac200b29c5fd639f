#include "claims/steps.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "claims/steps_part.h"

const struct tn_form *tn_steps_in(const struct tn_claim_walk *w, uint32_t operand)
{
	return operand < w->op->n_inputs ? tn_model_operand(w->m, w->id, operand) : NULL;
}

const struct tn_form *tn_steps_out(const struct tn_claim_walk *w, uint32_t output)
{
	return output < w->op->n_outputs
		       ? tn_model_operand(w->m, w->id, w->op->n_inputs + output)
		       : NULL;
}

bool tn_steps_begin_step(struct tn_claim_walk *w)
{
	return w->walker->step(w->walker->user);
}

bool tn_steps_begin_phase(struct tn_claim_walk *w)
{
	return w->walker->phase(w->walker->user);
}

bool tn_steps_read(struct tn_claim_walk *w, uint32_t operand, int64_t bit)
{
	const struct tn_form *f = tn_model_operand(w->m, w->id, operand);

	return w->walker->read(w->walker->user, operand, bit, bit + f->width);
}

bool tn_steps_write(struct tn_claim_walk *w, uint32_t output, int64_t bit,
	uint32_t source, int64_t from)
{
	const struct tn_form *f = tn_steps_out(w, output);

	if (source != TN_NONE && !(w->kernel->copies && w->kernel->moves[source]))
		source = TN_NONE;
	return w->walker->write(
		w->walker->user, output, bit, bit + f->width, source, from);
}

bool tn_steps_whole(struct tn_claim_walk *w, uint32_t operand)
{
	return !tn_steps_in(w, operand) || w->walker->whole(w->walker->user, operand);
}

/* All inputs but one: what a kernel holds beside what it runs over. */
bool tn_steps_others(struct tn_claim_walk *w, uint32_t main)
{
	for (uint32_t k = 0; k < w->op->n_inputs; k++)
		if (k != main && !tn_steps_whole(w, k))
			return false;
	return true;
}

int64_t tn_steps_nth(const struct tn_claim_walk *w, int64_t t, int64_t n)
{
	return w->kernel->desc ? n - 1 - t : t;
}

void tn_form_coordinates(const struct tn_form *f, int64_t i, int64_t out[TN_RANK_MAX])
{
	for (uint32_t d = f->rank; d-- > 0;) {
		out[d] = i % f->dim[d];
		i /= f->dim[d];
	}
}

bool tn_map_broadcast(
	const struct tn_form *in, const struct tn_form *out, struct tn_map *map)
{
	uint32_t skip = out->rank - in->rank;

	*map = (struct tn_map){ .base = in->start };
	if (in->rank > out->rank)
		return false;
	for (uint32_t d = 0; d < in->rank; d++) {
		if (in->dim[d] != 1 && in->dim[d] != out->dim[d + skip])
			return false;
		map->stride[d + skip] = in->stride[d];
		map->repeats =
			map->repeats || (in->dim[d] == 1 && out->dim[d + skip] > 1);
	}
	for (uint32_t d = 0; d < skip; d++)
		map->repeats = map->repeats || out->dim[d] > 1;
	return true;
}

int64_t tn_map_at(const struct tn_map *map, uint32_t rank, const int64_t *at)
{
	int64_t bit = map->base;

	for (uint32_t d = 0; d < rank; d++)
		bit += at[d] * map->stride[d];
	return bit;
}

static bool fill(struct tn_claim_walk *w)
{
	for (uint32_t k = 0; k < w->op->n_outputs; k++) {
		const struct tn_form *out = tn_steps_out(w, w->kernel->order[k]);

		for (int64_t t = 0; out && t < out->n; t++)
			if (!tn_steps_begin_step(w) ||
				!tn_steps_write(w, w->kernel->order[k],
					tn_form_at(out, tn_steps_nth(w, t, out->n)),
					TN_NONE, 0))
				return false;
	}
	return true;
}

/* One operand of an opaque kernel for one output element. */
static bool opaque_read(
	struct tn_claim_walk *w, uint32_t operand, const struct tn_form *out, int64_t i)
{
	const struct tn_form *in = tn_steps_in(w, operand);

	if (in && operand == w->kernel->tied &&
		!tn_kernel_reads_target(w->kernel, operand) && in->n == out->n)
		return tn_steps_read(w, operand, tn_form_at(in, i));
	return tn_steps_whole(w, operand);
}

static bool writes_on(const struct tn_claim_walk *w, uint32_t root)
{
	for (uint32_t k = 0; k < w->op->n_outputs; k++)
		if (tn_steps_out(w, k) && tn_steps_out(w, k)->root == root)
			return true;
	return false;
}

/* What the graph itself lets the op write over has changed by then. */
static bool read_to_the_end(struct tn_claim_walk *w)
{
	if (!tn_steps_begin_step(w))
		return false;
	for (uint32_t k = 0; k < w->op->n_inputs; k++)
		if (tn_steps_in(w, k) && !writes_on(w, tn_steps_in(w, k)->root) &&
			!(w->kernel->declared && k == w->kernel->tied) &&
			!tn_steps_whole(w, k))
			return false;
	return true;
}

bool tn_steps_opaque(struct tn_claim_walk *w)
{
	for (uint32_t o = 0; o < w->op->n_outputs; o++) {
		uint32_t output = w->kernel->order[o];
		const struct tn_form *out = tn_steps_out(w, output);

		for (int64_t t = 0; out && t < out->n; t++) {
			int64_t i = tn_steps_nth(w, t, out->n);

			if (!tn_steps_begin_step(w))
				return false;
			for (uint32_t k = 0; k < w->op->n_inputs; k++)
				if (!opaque_read(w, k, out, i))
					return false;
			if (w->kernel->accumulates &&
				!tn_steps_read(
					w, w->op->n_inputs + output, tn_form_at(out, i)))
				return false;
			if (!tn_steps_write(w, output, tn_form_at(out, i), TN_NONE, 0))
				return false;
		}
	}
	if (!w->op->n_outputs) { /* a sink reads, too */
		if (!tn_steps_begin_step(w))
			return false;
		return tn_steps_others(w, TN_NONE);
	}
	return !w->kernel->any_time || read_to_the_end(w);
}

/* An operand of a kernel that runs over the elements of its output. */
struct operand {
	enum { OPERAND_ABSENT, OPERAND_MAP, OPERAND_FLAT, OPERAND_WHOLE } how;
	struct tn_map map;
	const struct tn_form *form;
};

static struct operand operand_of(const struct tn_claim_walk *w, uint32_t k)
{
	const struct tn_form *in = tn_steps_in(w, k), *out = tn_steps_out(w, 0);
	struct operand o = { .how = OPERAND_ABSENT, .form = in };

	if (!in)
		return o;
	if (tn_kernel_reads_target(w->kernel, k) || !out)
		o.how = OPERAND_WHOLE;
	else if (tn_map_broadcast(in, out, &o.map))
		o.how = OPERAND_MAP;
	else
		o.how = in->n == out->n ? OPERAND_FLAT : OPERAND_WHOLE;
	return o;
}

static bool read_operand(struct tn_claim_walk *w, uint32_t k, const struct operand *o,
	int64_t i, const int64_t *at, int64_t *out_bit)
{
	*out_bit = 0;
	if (o->how == OPERAND_ABSENT)
		return true;
	if (o->how == OPERAND_WHOLE)
		return tn_steps_whole(w, k);
	*out_bit = o->how == OPERAND_FLAT
			   ? tn_form_at(o->form, i)
			   : tn_map_at(&o->map, tn_steps_out(w, 0)->rank, at);
	return tn_steps_read(w, k, *out_bit);
}

#define OPERANDS_MAX 16

static bool point_element(struct tn_claim_walk *w, const struct operand *operands,
	int64_t i, const int64_t *at)
{
	int64_t from = 0, bit;

	if (!tn_steps_begin_step(w))
		return false;
	for (uint32_t k = 0; k < w->op->n_inputs; k++) {
		struct operand late;

		if (k >= OPERANDS_MAX)
			late = operand_of(w, k);
		if (!read_operand(
			    w, k, k < OPERANDS_MAX ? &operands[k] : &late, i, at, &bit))
			return false;
		if (k == w->kernel->source)
			from = bit;
	}
	for (uint32_t o = 0; o < w->op->n_outputs; o++) {
		uint32_t output = w->kernel->order[o];
		const struct tn_form *out = tn_steps_out(w, output);

		if (!out)
			continue;
		bit = tn_form_at(out, i);
		if (w->kernel->accumulates &&
			!tn_steps_read(w, w->op->n_inputs + output, bit))
			return false;
		if (!tn_steps_write(w, output, bit, w->kernel->source, from))
			return false;
	}
	return true;
}

static bool point(struct tn_claim_walk *w)
{
	const struct tn_form *out = tn_steps_out(w, 0);
	struct operand operands[OPERANDS_MAX];
	int64_t at[TN_RANK_MAX] = { 0 };

	for (uint32_t k = 0; k < w->op->n_inputs && k < OPERANDS_MAX; k++)
		operands[k] = operand_of(w, k);
	for (int64_t t = 0; t < out->n; t++) {
		int64_t i = tn_steps_nth(w, t, out->n);

		tn_form_coordinates(out, i, at);
		if (!point_element(w, operands, i, at))
			return false;
	}
	return true;
}

/* All outputs of a kernel that runs over elements have as many. */
static bool point_fits(const struct tn_claim_walk *w)
{
	const struct tn_form *out = tn_steps_out(w, 0);

	for (uint32_t k = 1; out && k < w->op->n_outputs; k++) {
		const struct tn_form *other = tn_steps_out(w, k);

		if (other && other->n != out->n)
			return false;
	}
	if (!out || (w->kernel->source != TN_NONE &&
			    operand_of(w, w->kernel->source).how != OPERAND_MAP &&
			    operand_of(w, w->kernel->source).how != OPERAND_FLAT))
		return false;
	return true;
}

/* Contracts leave constants out: a constant is read whole, before all else. */
struct contract {
	struct tn_claim_walk *w;
	bool going;
};

static bool contract_step(void *user, const struct tn_step *step)
{
	struct contract *c = user;
	struct tn_claim_walk *w = c->w;

	c->going = tn_steps_begin_step(w);
	for (uint32_t i = 0; i < step->n_reads && c->going; i++) {
		const struct tn_access *a = &step->reads[i];
		int64_t start = tn_steps_in(w, a->operand)->start;

		c->going = w->walker->read(w->walker->user, a->operand,
			start + a->begin * 8, start + a->end * 8);
	}
	for (uint32_t i = 0; i < step->n_writes && c->going; i++) {
		const struct tn_access *a = &step->writes[i];
		int64_t start = tn_steps_out(w, a->operand)->start;
		uint32_t source = TN_NONE;
		int64_t from = 0;

		if (w->kernel->copies && step->n_reads == 1 && step->n_writes == 1 &&
			w->kernel->moves[step->reads[0].operand] &&
			a->end - a->begin == step->reads[0].end - step->reads[0].begin) {
			source = step->reads[0].operand;
			from = tn_steps_in(w, source)->start + step->reads[0].begin * 8;
		}
		c->going = w->walker->write(w->walker->user, a->operand,
			start + a->begin * 8, start + a->end * 8, source, from);
	}
	return c->going;
}

static bool contract(struct tn_claim_walk *w)
{
	struct contract c = { .w = w, .going = true };

	if (!tn_steps_begin_step(w))
		return false;
	for (uint32_t k = 0; k < w->op->n_inputs; k++) {
		uint32_t t = w->op->inputs[k].i;

		if (t != TN_NONE && tn_tensor_is_constant(&w->m->g->tensors[t]) &&
			!tn_steps_whole(w, k))
			return false;
	}
	/* anything but OK: no order after all */
	if (tn_contract_walk(w->m->g, (tn_op_id){ w->id }, w->kernel->variant,
		    contract_step, &c) != TN_OK)
		return c.going && tn_steps_opaque(w);
	return c.going;
}

bool tn_steps_walk(const struct tn_model *m, uint32_t op, const struct tn_kernel *kernel,
	const struct tn_walker *walker)
{
	struct tn_claim_walk w = {
		.m = m, .id = op, .op = &m->g->ops[op], .kernel = kernel, .walker = walker
	};

	switch (kernel->kind) {
	case KERNEL_VIEW:
		return true;
	case KERNEL_FILL:
		return fill(&w);
	case KERNEL_POINT:
		return point_fits(&w) ? point(&w) : tn_steps_opaque(&w);
	case KERNEL_TRANSPOSE:
	case KERNEL_SLICE:
		return tn_steps_affine(&w);
	case KERNEL_SPLIT:
		return tn_steps_split(&w);
	case KERNEL_CONCAT:
		return tn_steps_concat(&w);
	case KERNEL_UPDATE:
		return tn_steps_update(&w);
	case KERNEL_SHIFT:
		return tn_steps_shift(&w);
	case KERNEL_REDUCE:
		return tn_steps_sum(&w);
	case KERNEL_ROW:
		return tn_steps_row(&w);
	case KERNEL_PLANE:
		return tn_steps_plane(&w);
	case KERNEL_CONTRACT:
		return contract(&w);
	case KERNEL_OPAQUE:
		break;
	}
	return tn_steps_opaque(&w);
}

bool tn_steps_aligned(const struct tn_model *m, uint32_t op,
	const struct tn_kernel *kernel, uint32_t operand)
{
	struct tn_claim_walk w = {
		.m = m, .id = op, .op = &m->g->ops[op], .kernel = kernel
	};
	struct operand o;

	if (operand >= w.op->n_inputs || !tn_steps_out(&w, 0))
		return false;
	if (kernel->kind == KERNEL_OPAQUE)
		return operand == kernel->tied &&
		       !tn_kernel_reads_target(kernel, operand) &&
		       tn_steps_in(&w, operand) &&
		       tn_steps_in(&w, operand)->n == tn_steps_out(&w, 0)->n;
	if (kernel->kind == KERNEL_CONTRACT) {
		enum tn_access_class access = tn_op_info(w.op->kind)->access;

		if (access != ACCESS_POINTWISE && access != ACCESS_VIEW)
			return false;
	} else if (kernel->kind != KERNEL_POINT || !point_fits(&w)) {
		return false;
	}
	o = operand_of(&w, operand);
	return o.how == OPERAND_FLAT || (o.how == OPERAND_MAP && !o.map.repeats);
}

bool tn_steps_broadcast(const struct tn_model *m, uint32_t op, uint32_t operand)
{
	struct tn_claim_walk w = {
		.m = m, .id = op, .op = &m->g->ops[op], .kernel = &m->kernel[op]
	};
	struct operand o;

	if (operand >= w.op->n_inputs || !tn_steps_out(&w, 0) ||
		(w.kernel->kind != KERNEL_POINT && w.kernel->kind != KERNEL_CONTRACT))
		return false;
	o = operand_of(&w, operand);
	return o.how == OPERAND_MAP && o.map.repeats;
}
