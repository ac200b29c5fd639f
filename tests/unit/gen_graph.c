#include "gen_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "gen_op.h"
#include "gen_part.h"

#define ELEMENTS_MAX 160

void tn_gen_init(struct tn_gen *gen, uint32_t seed)
{
	tn_arena_init(&gen->arena);
	tn_strings_init(&gen->strings, &gen->arena);
	tn_diags_init(&gen->diags, &gen->arena);
	tn_build_init(&gen->build, &gen->arena, &gen->strings, &gen->diags, NULL);
	gen->choices = NULL;
	gen->n_choices = 0;
	gen->state = seed * 2654435761u ^ 0x9e3779b9u;
	if (!gen->state)
		gen->state = 1;
}

void tn_gen_release(struct tn_gen *gen)
{
	tn_arena_release(&gen->arena);
}

uint32_t tn_gen_random(struct tn_gen *gen, uint32_t n)
{
	if (gen->n_choices) { /* modulo: a choice keeps its meaning when others change */
		gen->n_choices--;
		return *gen->choices++ % n;
	}
	gen->state ^= gen->state << 13;
	gen->state ^= gen->state >> 17;
	gen->state ^= gen->state << 5;
	return (uint32_t)(((uint64_t)gen->state * n) >> 32);
}

struct tn_tensor *tn_gen_tensor(struct tn_gen *gen, const char *name, enum tn_dtype dtype,
	enum tn_role role, uint32_t rank, const int64_t *dim)
{
	size_t id = gen->build.tensors.count;
	struct tn_path up = { NULL, "tensors", 0 }, path = { &up, NULL, id };
	struct tn_tensor *t = tn_build_tensor(&gen->build, &path);

	gen_need(t);
	t->name = tn_str_intern(&gen->strings, name, strlen(name));
	t->dtype = dtype;
	t->role = role;
	t->shape.rank = rank;
	for (uint32_t i = 0; i < rank; i++)
		t->shape.dim[i] = dim[i];
	if (role == ROLE_INPUT)
		gen_need(tn_vec_push(&gen->arena, &gen->build.inputs,
			((tn_tensor_id){ (uint32_t)id })));
	if (role == ROLE_OUTPUT)
		gen_need(tn_vec_push(&gen->arena, &gen->build.outputs,
			((tn_tensor_id){ (uint32_t)id })));
	return t;
}

static tn_tensor_id *id_list(struct tn_gen *gen, const int *list, uint32_t *out_n)
{
	tn_tensor_id *ids;
	uint32_t n = 0;

	while (list[n] != TN_GEN_END)
		n++;
	ids = TN_NEW_ARRAY(&gen->arena, tn_tensor_id, n);
	gen_need(ids);
	for (uint32_t i = 0; i < n; i++)
		ids[i].i = list[i] < 0 ? TN_NONE : (uint32_t)list[i];
	*out_n = n;
	return ids;
}

struct tn_op *tn_gen_op(struct tn_gen *gen, const char *name, const char *type,
	const int *inputs, const int *outputs)
{
	struct tn_path up = { NULL, "ops", 0 };
	struct tn_path path = { &up, NULL, gen->build.ops.count };
	struct tn_op *op = tn_build_op(&gen->build, &path);

	gen_need(op);
	op->name = tn_str_intern(&gen->strings, name, strlen(name));
	op->type = tn_str_intern(&gen->strings, type, strlen(type));
	op->kind = tn_op_kind_parse(type);
	op->inputs = id_list(gen, inputs, &op->n_inputs);
	op->outputs = id_list(gen, outputs, &op->n_outputs);
	return op;
}

void tn_gen_ints(struct tn_gen *gen, const char *attr, size_t n, const int64_t *values)
{
	gen_need(tn_build_attr_ints(&gen->build, attr, values, n));
}

void tn_gen_finish(struct tn_gen *gen, struct tn_graph *out)
{
	*out = (struct tn_graph){ .name = "generated" };
	gen_need(tn_build_finish(&gen->build, out) == TN_OK);
}

/* The random graph. */

/* Values that an op may read: activations, inputs and variables. */
struct pool {
	int id[256];
	uint32_t n;
	const struct tn_gen_options *options;
};

static void offer(struct pool *p, int id)
{
	if (id >= 0 && p->n < sizeof(p->id) / sizeof(*p->id))
		p->id[p->n++] = id;
}

/* Recent values are more likely: chains with some far branches. */
static int pick(struct tn_gen *gen, const struct pool *p)
{
	uint32_t back = tn_gen_random(gen, 3) ? tn_gen_random(gen, p->n < 4 ? p->n : 4)
					      : tn_gen_random(gen, p->n);

	return p->id[p->n - 1 - back];
}

/* A value of the same shape, or one that broadcasts; the value itself if there is none. */
static int partner(struct tn_gen *gen, const struct pool *p, int id)
{
	int64_t strides[TN_RANK_MAX];

	for (uint32_t tries = 0; tries < 12; tries++) {
		int other = p->id[tn_gen_random(gen, p->n)];

		if (!gen_at(gen, other)->has_strides &&
			gen_at(gen, other)->dtype == DTYPE_I8 &&
			tn_shape_broadcast_strides(&gen_at(gen, other)->shape,
				&gen_at(gen, id)->shape, strides))
			return other;
	}
	return id;
}

/* An op of which nothing is known, with one or two outputs. */
static int mystery(struct tn_gen *gen, struct pool *p, int in)
{
	int other = pick(gen, p), a, b = TN_GEN_END;

	a = gen_add_tensor(
		gen, DTYPE_I8, ROLE_ACT, 1, (int64_t[]){ gen_range(gen, 1, 40) });
	if (tn_gen_random(gen, 2)) {
		b = gen_add_tensor(
			gen, DTYPE_I8, ROLE_ACT, 1, (int64_t[]){ gen_range(gen, 1, 40) });
		offer(p, b);
	}
	gen_add_op(gen, "Mystery", (int[]){ in, other, TN_GEN_END },
		(int[]){ a, b, TN_GEN_END });
	return a;
}

static void mark_mutated(struct tn_gen *gen, int id)
{
	for (; id != (int)TN_NONE; id = (int)gen_at(gen, id)->view_of.i)
		gen_at(gen, id)->mutated = true;
}

static bool is_made(struct tn_gen *gen, int id)
{
	for (size_t i = 0; i < gen->build.ops.count; i++)
		for (uint32_t k = 0; k < gen->build.ops.items[i].n_outputs; k++)
			if (gen->build.ops.items[i].outputs[k].i == (uint32_t)id)
				return true;
	return false;
}

/* A part of an input that is kept: where an op writes it, no plan is right. */
static bool is_kept(struct tn_gen *gen, int id)
{
	while (gen_at(gen, id)->view_of.i != TN_NONE)
		id = (int)gen_at(gen, id)->view_of.i;
	return gen_at(gen, id)->role == ROLE_INPUT && !gen_at(gen, id)->clobber;
}

/* An op that writes a part of a value, if there is something of that shape to write. */
static void write_part(struct tn_gen *gen, const struct pool *p, int part)
{
	int from = partner(gen, p, part);

	if (is_kept(gen, part))
		return;
	if (gen_at(gen, part)->dtype != DTYPE_I8 || from == part ||
		gen_elements(gen, from) != gen_elements(gen, part))
		return;
	gen_add_op(gen, "RELU", GEN_IDS(from), GEN_IDS(part));
	mark_mutated(gen, part);
}

/* The later half of a value, its first columns, or the value with two dimensions
 * exchanged: no code runs. */
static int part_view(struct tn_gen *gen, const struct pool *p, int in)
{
	enum tn_dtype dtype = gen_at(gen, in)->dtype;
	struct tn_shape shape = gen_at(gen, in)->shape;
	int64_t n = gen_elements(gen, in), stride[TN_RANK_MAX];
	uint32_t how =
		tn_gen_random(gen, shape.rank == 4 && !p->options->runnable ? 3 : 1);
	int out;

	tn_shape_strides(&shape, stride);
	if (how == 2) {
		out = gen_add_tensor(
			gen, dtype, ROLE_ACT, 2, (int64_t[]){ shape.dim[1], 1 });
		gen_at(gen, out)->has_strides = true;
		gen_at(gen, out)->stride[0] = stride[1];
		gen_at(gen, out)->stride[1] = 1;
	} else if (how == 1) {
		out = gen_add_tensor(gen, dtype, ROLE_ACT, 3,
			(int64_t[]){ shape.dim[1], shape.dim[3], shape.dim[2] });
		gen_at(gen, out)->has_strides = true;
		gen_at(gen, out)->stride[0] = stride[1];
		gen_at(gen, out)->stride[1] = stride[3];
		gen_at(gen, out)->stride[2] = stride[2];
	} else {
		out = gen_add_tensor(
			gen, dtype, ROLE_ACT, 2, (int64_t[]){ 1, n - n / 2 });
		gen_at(gen, out)->view_offset = n / 2;
	}
	gen_at(gen, out)->quant = gen_at(gen, in)->quant;
	gen_at(gen, out)->view_of.i = (uint32_t)in;
	if (p->options->runnable) { /* it is there when its root is */
		if (p->options->mutation && tn_gen_random(gen, 2))
			write_part(gen, p, out);
		return out;
	}
	gen_add_op(gen, "Slice", (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	gen_need(tn_build_attr_bool(&gen->build, "view", true));
	return out;
}

/* state = state + x, or state = what an unknown op makes of both. */
static int update(struct tn_gen *gen, const struct pool *p, int state)
{
	int x = partner(gen, p, state);
	bool add = !p->options->opaque || tn_gen_random(gen, 2);

	gen_add_op(gen, add ? "ADD" : "Mystery", (int[]){ state, x, TN_GEN_END },
		(int[]){ state, TN_GEN_END });
	gen_at(gen, state)->mutated = true;
	return -1;
}

/* Writes that leave what lies there: x onto itself, or x put back after it was written. */
static void write_back(struct tn_gen *gen, struct pool *p, int id)
{
	int kept;

	if (tn_gen_random(gen, 2)) {
		gen_add_op(gen, "RESHAPE", GEN_IDS(id), GEN_IDS(id));
		return;
	}
	kept = gen_like(gen, id);
	gen_add_op(gen, "RESHAPE", GEN_IDS(id), GEN_IDS(kept));
	gen_add_op(gen, "RELU", GEN_IDS(id), GEN_IDS(id));
	gen_add_op(gen, "RESHAPE", GEN_IDS(kept), GEN_IDS(id));
	offer(p, kept);
}

/* An op that writes where it reads: x = f(x), x = x + y. */
static int mutate(struct tn_gen *gen, struct pool *p, int id)
{
	struct tn_tensor *t = gen_at(gen, id);
	int other;

	/* a view that no op makes cannot be read before it is written */
	if ((t->role != ROLE_ACT && t->role != ROLE_INPUT) || t->dtype != DTYPE_I8 ||
		t->has_strides || (t->view_of.i != TN_NONE && !is_made(gen, id)) ||
		is_kept(gen, id))
		return -1;
	other = partner(gen, p, id);
	if (p->options->unchanged && tn_gen_random(gen, 2))
		write_back(gen, p, id);
	else if (tn_gen_random(gen, 2))
		gen_add_op(gen, "ADD", GEN_IDS(id, other), GEN_IDS(id));
	else
		gen_add_op(gen, "RELU", GEN_IDS(id), GEN_IDS(id));
	mark_mutated(gen, id);
	return -1;
}

/* What a recurrent op keeps: others may read it, too. */
static void offer_state(struct tn_gen *gen, struct pool *p)
{
	const struct tn_op op = gen->build.ops.items[gen->build.ops.count - 1];

	for (uint32_t i = 0; i < op.n_inputs; i++)
		if (op.inputs[i].i != TN_NONE &&
			gen_at(gen, (int)op.inputs[i].i)->role == ROLE_VARIABLE &&
			(p->options->types ||
				gen_at(gen, (int)op.inputs[i].i)->dtype == DTYPE_I8))
			offer(p, (int)op.inputs[i].i);
}

/* The last op works in a tensor that only an attribute names, or in bytes of no tensor. */
static void name_scratch(struct tn_gen *gen)
{
	const int64_t bytes = gen_range(gen, 1, 40);
	int id;

	if (!tn_gen_random(gen, 3)) {
		gen_need(tn_build_attr_int(&gen->build, "scratch_required", bytes));
		return;
	}
	id = gen_add_tensor(gen, DTYPE_I8, ROLE_SCRATCH, 1, &bytes);
	gen_need(tn_build_attr_string(&gen->build, "scratch", gen_at(gen, id)->name));
}

/* A random op on a value; a reshape may be a true view. */
static int known(struct tn_gen *gen, struct pool *p, int in)
{
	struct gen_site site = { gen, in, p->id, p->n, ELEMENTS_MAX, { 0 }, 0, false };
	const struct gen_op_kind *k;

	do
		k = &gen_op_kinds[tn_gen_random(gen, gen_n_op_kinds)];
	while (k->in != gen_at(gen, in)->dtype ||
		(!p->options->types && k->out != DTYPE_I8));
	if (!gen_op(&site, k))
		return -1;
	offer_state(gen, p);
	if (strcmp(k->type, "RESHAPE") == 0 && p->options->views && tn_gen_random(gen, 2))
		gen_at(gen, site.out[0])->view_of.i = (uint32_t)in;
	else if (p->options->scratch && !tn_gen_random(gen, 3))
		name_scratch(gen);
	else if (p->options->orders && !tn_gen_random(gen, 3))
		gen_need(tn_build_attr_string(
			&gen->build, "order", tn_gen_random(gen, 2) ? "desc" : "asc"));
	else if (p->options->tails && !tn_gen_random(gen, 4))
		gen_need(tn_build_attr_int(
			&gen->build, "extra_tail_bytes", gen_range(gen, 1, 24)));
	for (uint32_t i = 1; i < site.n_out; i++)
		offer(p, site.out[i]);
	return site.out[0];
}

static int flow(struct tn_gen *gen, struct pool *p, int in)
{
	int other = partner(gen, p, in), second = -1, made;

	if (gen_at(gen, in)->dtype != gen_at(gen, other)->dtype ||
		!tn_shape_equal(&gen_at(gen, in)->shape, &gen_at(gen, other)->shape))
		other = in;
	made = gen_flow(gen, in, other, &second);
	if (second >= 0 && (p->options->types || gen_at(gen, second)->dtype == DTYPE_I8))
		offer(p, second);
	return made;
}

static int add_some_op(struct tn_gen *gen, struct pool *p, int state)
{
	int in = pick(gen, p);
	bool strided = gen_at(gen, in)->has_strides;
	const struct tn_gen_options *o = p->options;

	if (o->opaque && (strided || !tn_gen_random(gen, 12)))
		return mystery(gen, p, in);
	if (strided)
		return -1;
	if (o->views && !tn_gen_random(gen, 8))
		return part_view(gen, p, in);
	if (state >= 0 && !tn_gen_random(gen, 8))
		return update(gen, p, state);
	if (o->mutation && !tn_gen_random(gen, 6))
		return mutate(gen, p, in);
	if (o->flow && !tn_gen_random(gen, 8))
		return flow(gen, p, in);
	return known(gen, p, in);
}

static void choose_ends(struct tn_gen *gen, const struct pool *p)
{
	int last = p->id[p->n - 1];

	if (gen_at(gen, last)->role == ROLE_ACT)
		gen_at(gen, last)->role = ROLE_OUTPUT;
	gen_need(tn_vec_push(
		&gen->arena, &gen->build.outputs, ((tn_tensor_id){ (uint32_t)last })));
	for (uint32_t i = 0; i + 1 < p->n; i++) {
		struct tn_tensor *t = gen_at(gen, p->id[i]);

		if (t->role != ROLE_ACT || tn_gen_random(gen, 12))
			continue;
		if (tn_gen_random(gen, 2)) {
			t->observed = true;
			continue;
		}
		t->role = ROLE_OUTPUT;
		gen_need(tn_vec_push(&gen->arena, &gen->build.outputs,
			((tn_tensor_id){ (uint32_t)p->id[i] })));
	}
}

/* An output, an input that is kept or a variable is handed out a second time. */
static void copy_out(struct tn_gen *gen, const struct pool *p)
{
	for (uint32_t tries = 0; tries < 20; tries++) {
		const int from = p->id[tn_gen_random(gen, p->n)];
		const struct tn_tensor *t = gen_at(gen, from);
		int to;

		if ((t->role != ROLE_OUTPUT && t->role != ROLE_VARIABLE &&
			    !is_kept(gen, from)) ||
			t->has_strides || t->view_of.i != TN_NONE)
			continue;
		to = gen_add_tensor(gen, t->dtype, ROLE_OUTPUT, 1,
			(int64_t[]){ gen_elements(gen, from) });
		gen_at(gen, to)->quant = gen_at(gen, from)->quant;
		gen_add_op(gen, "RESHAPE", GEN_IDS(from), GEN_IDS(to));
		return;
	}
}

static enum tn_dtype any_type(struct tn_gen *gen)
{
	static const enum tn_dtype types[] = { DTYPE_I8, DTYPE_I8, DTYPE_I8, DTYPE_F32,
		DTYPE_F32, DTYPE_I16, DTYPE_I16, DTYPE_I32, DTYPE_BOOL };

	return types[tn_gen_random(gen, sizeof(types) / sizeof(*types))];
}

void tn_gen_graph(
	struct tn_gen *gen, const struct tn_gen_options *options, struct tn_graph *out)
{
	struct pool pool = { .options = options };
	uint32_t n_inputs = gen_range(gen, 1, 3);
	int state = -1;

	for (uint32_t i = 0; i < n_inputs; i++) {
		int64_t dim[4] = { 1, gen_range(gen, 2, 5), gen_range(gen, 2, 5),
			gen_range(gen, 1, 4) };
		int in = gen_add_tensor(gen, options->types ? any_type(gen) : DTYPE_I8,
			ROLE_INPUT, 4, dim);

		gen_at(gen, in)->clobber = tn_gen_random(gen, 4) > 0;
		offer(&pool, in);
	}
	if (options->state) {
		state = gen_add_tensor(
			gen, DTYPE_I8, ROLE_VARIABLE, 4, gen_at(gen, 0)->shape.dim);
		offer(&pool, state);
	}
	for (uint32_t i = 0; i < 3 * options->ops && gen->build.ops.count < options->ops;
		i++)
		offer(&pool, add_some_op(gen, &pool, state));
	choose_ends(gen, &pool);
	if (options->copies)
		copy_out(gen, &pool);
	tn_gen_finish(gen, out);
}
