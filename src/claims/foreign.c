/* Plans of other tools run the kernels of other tools. Where such a kernel writes over what
 * it reads, the plan is right only if the kernel's loops allow that, and nobody but its
 * author can say so. */
#include <inttypes.h>

#include "claims/court.h"

#include "base/banned.h"

/* Distance of an input from an output that it meets, both of one op; false: they do not. */
static bool meets(const struct tn_model *m, const struct tn_setting *s, uint32_t in,
	uint32_t out, int64_t *distance)
{
	const struct tn_form *a = &m->form[in], *b = &m->form[out];
	int64_t in_lo = tn_setting_address(s, in, a->lo);
	int64_t out_lo = tn_setting_address(s, out, b->lo);

	*distance = (in_lo - out_lo) / 8;
	return a->lo < a->hi && b->lo < b->hi &&
	       in_lo < tn_setting_address(s, out, b->hi) &&
	       out_lo < tn_setting_address(s, in, a->hi);
}

/* Was the kernel made to write this output over this operand? `in_place` lists pairs of
 * positions. */
static bool is_made_for(const struct tn_model *m, const struct tn_op *op, uint32_t in,
	uint32_t out, int64_t distance)
{
	const struct tn_attr *a = tn_op_attr(op, "in_place");

	if (!a || a->kind != ATTR_INTS || distance ||
		m->form[in].width != m->form[out].width ||
		m->form[in].n != m->form[out].n)
		return false;
	for (size_t i = 0; i + 1 < a->n; i += 2)
		if (a->v.ints[i] >= 0 && a->v.ints[i] < op->n_inputs &&
			a->v.ints[i + 1] >= 0 && a->v.ints[i + 1] < op->n_outputs &&
			op->inputs[a->v.ints[i]].i == in &&
			op->outputs[a->v.ints[i + 1]].i == out)
			return true;
	return false;
}

/* Is the overlap no decision of a plan: does the graph itself name one storage, or do the
 * bytes only stay where they are? */
static bool is_harmless(const struct tn_model *m, const struct tn_op *op, uint32_t in,
	uint32_t out, int64_t distance)
{
	const struct tn_form *a = &m->form[in], *b = &m->form[out];

	if (a->root == b->root || is_made_for(m, op, in, out, distance))
		return true;
	return tn_op_info(op->kind)->access == ACCESS_VIEW && !distance && a->dense &&
	       b->dense && a->width == b->width && a->n == b->n;
}

static bool find_overlap(const struct tn_court *c, const struct tn_setting *s,
	uint32_t op, bool decided, struct tn_overlap *out)
{
	const struct tn_op *o = &c->g->ops[op];

	if (s->fate[op] != FATE_RUNS || c->model.kernel[op].kind == KERNEL_VIEW)
		return false;
	for (uint32_t i = 0; i < o->n_inputs && tn_work_take(c->model.work, o->n_outputs);
		i++)
		for (uint32_t k = 0; k < o->n_outputs; k++) {
			uint32_t x = o->inputs[i].i, y = o->outputs[k].i;

			if (x == TN_NONE || y == TN_NONE ||
				(tn_setting_claim_of(s, x) == TN_NONE &&
					tn_setting_claim_of(s, y) == TN_NONE) ||
				!meets(&c->model, s, x, y, &out->distance) ||
				(decided &&
					is_harmless(&c->model, o, x, y, out->distance)))
				continue;
			out->op = op;
			out->input = i;
			out->output = k;
			return true;
		}
	return false;
}

bool tn_court_overlap(const struct tn_court *c, const struct tn_setting *s, uint32_t op,
	struct tn_overlap *out)
{
	return find_overlap(c, s, op, false, out);
}

/* What the kernel of the built-in set would need. */
static const char *built_in(
	const struct tn_court *c, const struct tn_overlap *o, struct tn_arena *arena)
{
	struct tn_variant list[TN_VARIANTS_MAX];
	uint32_t n = c->model.valid
			     ? tn_contract_variants(c->g, (tn_op_id){ o->op }, list)
			     : 0;
	int64_t d = TN_DISPLACEMENT_NEVER;

	if (!n ||
		tn_contract_displacement(c->g, (tn_op_id){ o->op }, list[0], o->input,
			o->output, &d) != TN_OK ||
		d == TN_DISPLACEMENT_NEVER)
		return "";
	if (d == TN_DISPLACEMENT_FREE)
		return "; the built-in kernel would allow any";
	return tn_arena_printf(arena,
		"; the built-in kernel (%s) would need %" PRId64 " B and is %s",
		list[0].descending ? "descending" : "ascending", d,
		(list[0].descending ? -o->distance : o->distance) >= d ? "fine" : "not");
}

const char *tn_court_undeclared(const struct tn_court *c, const struct tn_setting *s,
	uint32_t *op, struct tn_arena *arena)
{
	for (; *op < c->g->n_ops; ++*op) {
		const struct tn_kernel *k = &c->model.kernel[*op];
		const struct tn_declaration *d = k->declared;
		struct tn_overlap o;
		const char *more;

		if ((!k->undeclared && (!d || d->access != DECLARED_DISPLACEMENT)) ||
			!find_overlap(c, s, *op, true, &o) ||
			(d && o.distance >= d->displacement))
			continue;
		if (d)
			return tn_arena_printf(arena,
				"'%s' writes '%s' over '%s' at a displacement of %" PRId64
				" B, and %s declares %" PRId64 " B to be safe",
				c->g->ops[*op].name,
				c->g->tensors[c->g->ops[*op].outputs[o.output].i].name,
				c->g->tensors[c->g->ops[*op].inputs[o.input].i].name,
				o.distance, d->runtime, d->displacement);
		more = built_in(c, &o, arena);
		return more ? tn_arena_printf(arena,
				      "'%s' (%s) writes '%s' over its input '%s': a "
				      "displacement of %" PRId64
				      " B would have to be safe, and nobody has declared "
				      "the contract of its kernel%s",
				      c->g->ops[*op].name, c->g->ops[*op].type,
				      c->g->tensors[c->g->ops[*op].outputs[o.output].i]
					      .name,
				      c->g->tensors[c->g->ops[*op].inputs[o.input].i]
					      .name,
				      o.distance, more)
			    : NULL;
	}
	return NULL;
}
