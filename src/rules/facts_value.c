/* The attributes of facts, read from a graph and its tables one at a time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "rules/facts_part.h"

#include "base/banned.h"

static const struct tn_fact nothing = { FACT_NONE, 0, NULL };

static struct tn_fact number(int64_t i)
{
	return (struct tn_fact){ FACT_INT, i, NULL };
}

/* TN_NONE: there is none. */
static struct tn_fact index_of(uint32_t i)
{
	return i == TN_NONE ? nothing : number(i);
}

static struct tn_fact words(const char *text)
{
	return (struct tn_fact){ FACT_TEXT, 0, text };
}

static struct tn_fact flag(bool set)
{
	return set ? words("yes") : nothing;
}

/* Text of the file, in whatever encoding it is. */
static struct tn_fact foreign(struct tn_facts_source *s, const char *text)
{
	size_t len;
	const char *clean = tn_utf8_clean(s->arena, text, strlen(text), &len);

	s->failed = s->failed || !clean;
	return words(clean);
}

/* ---- tensors ---- */

static const char *role_name(enum tn_role role)
{
	static const char *const names[] = { [ROLE_ACT] = "act",
		[ROLE_INPUT] = "input",
		[ROLE_OUTPUT] = "output",
		[ROLE_CONST] = "const",
		[ROLE_VARIABLE] = "variable",
		[ROLE_SCRATCH] = "scratch" };

	return names[role];
}

static struct tn_fact shape_text(struct tn_facts_source *s, const struct tn_shape *shape)
{
	char text[TN_RANK_MAX * 21 + 1] = "";
	const char *copy;
	size_t n = 0;

	for (uint32_t i = 0; i < shape->rank; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRId64,
			i ? "x" : "", shape->dim[i]);
	copy = tn_arena_strndup(s->arena, text, n);
	s->failed = s->failed || !copy;
	return words(copy);
}

static int64_t zero_points(const struct tn_quant *q)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < q->n; i++)
		n += q->zero_point[i] != 0;
	return n;
}

static struct tn_fact life(const struct tn_facts_source *s, uint32_t i, enum tn_field f)
{
	const struct tn_span *span =
		s->known.live.tensor ? &s->known.live.tensor[i] : NULL;
	const struct tn_alias *a = s->known.aliases.of ? &s->known.aliases.of[i] : NULL;

	switch (f) {
	case F_FIRST:
		return span && span->first <= span->last ? number(span->first / 2)
							 : nothing;
	case F_LAST:
		return span && span->first <= span->last ? number(span->last / 2)
							 : nothing;
	case F_ROOT:
		return a ? number(a->root.i) : nothing;
	default: /* F_OFFSET */
		return a ? number(a->offset) : nothing;
	}
}

static struct tn_fact users(const struct tn_facts_source *s, uint32_t i, enum tn_field f)
{
	const struct tn_facts_users *u = &s->users;

	switch (f) {
	case F_IS_INPUT:
		return flag(u->is_input && u->is_input[i]);
	case F_IS_OUTPUT:
		return flag(u->is_output && u->is_output[i]);
	case F_PRODUCER:
		return u->producer ? index_of(u->producer[i]) : nothing;
	case F_READER:
		return u->reader ? index_of(u->reader[i]) : nothing;
	case F_READERS:
		return u->readers ? number(u->readers[i]) : nothing;
	default: /* F_SAME_NAME */
		return u->same_name && u->same_name[i] > 1 ? number(u->same_name[i])
							   : nothing;
	}
}

static struct tn_fact quantisation(const struct tn_quant *q, enum tn_field f)
{
	if (q->n == 0 || (f == F_CHANNEL && q->n == 1))
		return nothing;
	return number(f == F_SCALES	   ? q->n
		      : f == F_ZERO_POINTS ? zero_points(q)
					   : q->axis);
}

static struct tn_fact place(struct tn_facts_source *s, uint32_t i, enum tn_field f)
{
	const struct tn_plan_tensor *p =
		s->plan && i < s->plan->n_tensors ? &s->plan->tensors[i] : NULL;

	if (!p || p->region == TN_REGION_NONE)
		return nothing;
	return f == F_ADDRESS ? number(p->offset)
			      : foreign(s, s->plan->regions[p->region].name);
}

struct tn_fact tn_fact_of_tensor(struct tn_facts_source *s, uint32_t i, enum tn_field f)
{
	const struct tn_tensor *t = &s->g->tensors[i];

	switch (f) {
	case F_INDEX:
		return number(i);
	case F_NAME:
		return foreign(s, t->name);
	case F_DTYPE:
		return words(tn_dtype_name(t->dtype));
	case F_RANK:
		return number(t->shape.rank);
	case F_SHAPE:
		return shape_text(s, &t->shape);
	case F_ELEMENTS:
		return number(t->elements);
	case F_BYTES:
		return number(t->bytes);
	case F_ROLE:
		return words(role_name(t->role));
	case F_CONSTANT:
		return flag(tn_tensor_is_constant(t));
	case F_CLOBBER:
		return flag(t->clobber);
	case F_MUTATED:
		return flag(t->mutated);
	case F_OBSERVED:
		return flag(t->observed);
	case F_VIEW_OF:
		return index_of(t->view_of.i);
	case F_SCALES:
	case F_ZERO_POINTS:
	case F_CHANNEL:
		return quantisation(&t->quant, f);
	case F_IS_INPUT:
	case F_IS_OUTPUT:
	case F_PRODUCER:
	case F_READER:
	case F_READERS:
	case F_SAME_NAME:
		return users(s, i, f);
	case F_FIRST:
	case F_LAST:
	case F_ROOT:
	case F_OFFSET:
		return life(s, i, f);
	case F_REGION:
	case F_ADDRESS:
		return place(s, i, f);
	default:
		return nothing;
	}
}

/* ---- ops ---- */

static bool is_quantized(const struct tn_tensor *t)
{
	return t->quant.n > 0 &&
	       (t->dtype == DTYPE_I8 || t->dtype == DTYPE_U8 || t->dtype == DTYPE_I16);
}

/* All activations of the op are floats; some of its outputs are quantised. */
static void kind_of(const struct tn_graph *g, const struct tn_op *op, bool *out_float,
	bool *out_quantized)
{
	bool any = false;

	*out_float = true;
	*out_quantized = false;
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		const bool out = k >= op->n_inputs;
		const tn_tensor_id id =
			out ? op->outputs[k - op->n_inputs] : op->inputs[k];
		const struct tn_tensor *t =
			tn_tensor_id_ok(g, id) ? &g->tensors[id.i] : NULL;

		if (!t || tn_tensor_is_constant(t))
			continue;
		any = true;
		*out_float = *out_float && tn_dtype_is_float(t->dtype);
		*out_quantized = *out_quantized || (out && is_quantized(t));
	}
	*out_float = *out_float && any;
}

static const char *access_name(enum tn_op_kind kind)
{
	static const char *const names[] = { [ACCESS_OPAQUE] = "opaque",
		[ACCESS_POINTWISE] = "pointwise",
		[ACCESS_VIEW] = "view",
		[ACCESS_WINDOW] = "window",
		[ACCESS_ROWS] = "rows",
		[ACCESS_ROW_PASSES] = "row-passes",
		[ACCESS_REDUCE] = "reduce",
		[ACCESS_MAP] = "map",
		[ACCESS_MATMUL] = "matmul",
		[ACCESS_PLACES] = "places" };

	return names[tn_op_info(kind)->access];
}

struct tn_fact tn_fact_of_op(struct tn_facts_source *s, uint32_t i, enum tn_field f)
{
	const struct tn_op *op = &s->g->ops[i];
	const struct tn_candidate *best = s->best ? s->best[i] : NULL;
	bool is_float, quantized;

	switch (f) {
	case F_INDEX:
		return number(i);
	case F_NAME:
		return foreign(s, op->name);
	case F_TYPE:
		return foreign(s, op->type);
	case F_ACCESS:
		return words(access_name(op->kind));
	case F_POSITION:
		return number(s->position[i]);
	case F_FLOAT:
	case F_QUANTIZED:
		kind_of(s->g, op, &is_float, &quantized);
		return flag(f == F_FLOAT ? is_float : quantized);
	case F_ELIDED:
		return flag(s->known.aliases.elided && s->known.aliases.elided[i]);
	case F_IN_PLACE:
		return !best ? nothing
		       : best->verdict == VERDICT_PROVED
			       ? words("proved")
			       : words(tn_obligation_name(best->failed));
	default:
		return nothing;
	}
}

/* ---- the model ---- */

struct tn_fact tn_fact_of_model(struct tn_facts_source *s, enum tn_field f)
{
	static const char *const formats[] = { [FORMAT_NATIVE] = "native",
		[FORMAT_TFLITE] = "tflite",
		[FORMAT_TFLITE_JSON] = "tflite-json",
		[FORMAT_FOREIGN] = "foreign" };
	const struct tn_graph *g = s->g;

	switch (f) {
	case F_NAME:
		return foreign(s, g->name ? g->name : "");
	case F_FORMAT:
		return words(formats[g->format]);
	case F_OPS:
		return number(g->n_ops);
	case F_TENSORS:
		return number(g->n_tensors);
	case F_INPUTS:
		return number(g->n_inputs);
	case F_OUTPUTS:
		return number(g->n_outputs);
	case F_CONSTANT_BYTES:
		return number(s->constant_bytes);
	case F_FLOAT_OPS:
		return number(s->float_ops);
	case F_QUANTIZED_OPS:
		return number(s->quantized_ops);
	case F_LOSSY:
		return flag(g->lossy);
	case F_ARENA:
		return s->plan ? number(s->plan->arena_bytes) : nothing;
	case F_ACTIVATIONS:
		return s->plan ? number(s->plan->activation_bytes) : nothing;
	default:
		return nothing;
	}
}

/* ---- tables ---- */

static void sum_up(struct tn_facts_source *s)
{
	const struct tn_graph *g = s->g;

	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (tn_tensor_is_constant(&g->tensors[i]) && g->tensors[i].bytes > 0 &&
			s->constant_bytes <= INT64_MAX - g->tensors[i].bytes)
			s->constant_bytes += g->tensors[i].bytes;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		bool is_float, is_quant;

		kind_of(g, &g->ops[i], &is_float, &is_quant);
		s->float_ops += is_float;
		s->quantized_ops += is_quant;
	}
}

/* Of an op, the best candidate: proved, or what fails first. */
static bool find_best(struct tn_facts_source *s)
{
	s->best = TN_NEW_ARRAY(s->arena, const struct tn_candidate *, s->g->n_ops);
	for (size_t i = 0; s->best && i < s->known.inplace.n; i++) {
		const struct tn_candidate *c = &s->known.inplace.list[i];
		const struct tn_candidate **best = &s->best[c->op.i];

		if (!*best || ((*best)->verdict != VERDICT_PROVED &&
				      (c->verdict == VERDICT_PROVED ||
					      c->failed < (*best)->failed)))
			*best = c;
	}
	return s->best != NULL;
}

static enum tn_status find_tables(struct tn_facts_source *s)
{
	const uint64_t proofs = BIT(F_CANDIDATE) | BIT(F_IN_PLACE),
		       lives = BIT(F_FIRST) | BIT(F_LAST) | proofs,
		       places = BIT(F_ROOT) | BIT(F_OFFSET) | BIT(F_ELIDED) | lives;
	struct tn_facts_tables *t = &s->known;
	enum tn_status status = tn_order_given(s->g, s->arena, &t->order);

	if (status == TN_OK && s->fields & places)
		status = tn_aliases_find(s->g, s->arena, &t->aliases);
	if (status == TN_OK && s->fields & lives)
		status = tn_liveness_find(
			s->g, &t->order, &t->aliases, s->arena, &t->live);
	if (status == TN_OK && s->fields & proofs)
		status = tn_inplace_judge(
			s->g, &t->order, &t->aliases, &t->live, s->arena, &t->inplace);
	return status;
}

enum tn_status tn_facts_open(struct tn_facts_source *s, const struct tn_graph *g,
	const struct tn_plan *plan, const struct tn_facts_tables *tables, uint64_t fields,
	struct tn_arena *arena)
{
	enum tn_status status;

	*s = (struct tn_facts_source){
		.g = g, .plan = plan, .fields = fields, .arena = arena
	};
	status = tn_facts_find_users(s);
	if (tables)
		s->known = *tables;
	else if (status == TN_OK)
		status = find_tables(s);
	if (status != TN_OK)
		return status;
	s->position = TN_NEW_ARRAY(arena, uint32_t, g->n_ops);
	if (!s->position || (fields & BIT(F_IN_PLACE) && !find_best(s)))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++)
		s->position[s->known.order.at[i].i] = i;
	sum_up(s);
	return TN_OK;
}
