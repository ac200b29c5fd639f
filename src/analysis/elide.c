/* An op that only hands bytes on may be left out when nobody can tell: no op writes the
 * bytes while both names are in use, and the caller does not hold both. Ops are judged in
 * the order of the schedule, each with what was decided before: of two concatenations that
 * want the same part the first gets it. */
#include "analysis/elide.h"

#include "analysis/elider.h"
#include "base/checked.h"

static bool is_visible(const struct tn_elider *e, uint32_t i)
{
	const struct tn_tensor *t = &e->g->tensors[i];

	return t->role == ROLE_INPUT || t->role == ROLE_OUTPUT || t->observed ||
	       e->input[i] || e->output[i];
}

/* What the op writes: outputs, unless the file says that they are its input, then the inputs
 * that it destroys. */
static tn_tensor_id written(const struct tn_elider *e, const struct tn_op *op, uint32_t k)
{
	const uint32_t n = op->n_outputs;
	const tn_tensor_id t = k < n ? op->outputs[k] : op->inputs[k - n];

	if (t.i != TN_NONE && (k < n ? !tn_views_name_anew(e->g, &e->views, op, t.i)
				     : tn_op_destroys(e->g, op, k - n)))
		return t;
	return (tn_tensor_id){ TN_NONE };
}

static bool list_writers(struct tn_elider *e)
{
	const struct tn_graph *g = e->g;
	uint32_t *fill = TN_NEW_ARRAY(e->arena, uint32_t, g->n_tensors);
	size_t total = 0;

	e->first = TN_NEW_ARRAY(e->arena, uint32_t, (size_t)g->n_tensors + 1);
	if (!e->first || !fill)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs + g->ops[i].n_inputs; k++) {
			const tn_tensor_id t = written(e, &g->ops[i], k);

			if (t.i == TN_NONE)
				continue;
			e->first[e->storage[t.i] + 1]++;
			total++;
		}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		e->first[i + 1] += e->first[i];
	e->writers = TN_NEW_ARRAY(e->arena, struct tn_writer, total);
	if (!e->writers)
		return false;
	for (uint32_t p = 0; p < g->n_ops; p++) {
		const struct tn_op *op = &g->ops[e->order.at[p].i];

		for (uint32_t k = 0; k < op->n_outputs + op->n_inputs; k++) {
			const tn_tensor_id t = written(e, op, k);
			uint32_t s;

			if (t.i == TN_NONE)
				continue;
			s = e->storage[t.i];
			e->writers[e->first[s] + fill[s]++] = (struct tn_writer){ p, t };
		}
	}
	return true;
}

static void join_class(struct tn_elider *e, uint32_t into, uint32_t from)
{
	struct tn_class *a = &e->class[into], *b = &e->class[from];

	e->next[a->last] = from;
	a->last = b->last;
	a->visible |= b->visible;
	a->rewritten |= b->rewritten;
	a->variable |= b->variable;
	a->tailed |= b->tailed;
}

static bool make_classes(struct tn_elider *e)
{
	const struct tn_graph *g = e->g;

	e->class = TN_NEW_ARRAY(e->arena, struct tn_class, g->n_tensors);
	e->next = TN_NEW_ARRAY(e->arena, uint32_t, g->n_tensors);
	e->storage = TN_NEW_ARRAY(e->arena, uint32_t, g->n_tensors);
	if (!e->class || !e->next || !e->storage)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		e->storage[i] = e->al->of[i].root.i;
	if (!list_writers(e))
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];
		bool given = t->role == ROLE_INPUT || e->input[i];

		e->next[i] = TN_NONE;
		e->class[i] = (struct tn_class){ .last = i,
			.visible = is_visible(e, i),
			.rewritten =
				t->mutated || e->first[i + 1] - e->first[i] + given > 1,
			.variable = t->role == ROLE_VARIABLE,
			.joined = { TN_NONE } };
	}
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++)
			if (g->ops[i].outputs[k].i != TN_NONE && tn_op_tail(&g->ops[i]))
				e->class[g->ops[i].outputs[k].i].tailed = true;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (e->storage[i] != i)
			join_class(e, e->storage[i], i);
	return true;
}

static bool meets(const struct tn_alias *a, int64_t begin, int64_t end)
{
	return a->offset < end && begin < a->offset + a->extent;
}

/* The first op behind `position` that writes some of the class's bytes [begin, end). */
static tn_op_id later_writer(const struct tn_elider *e, uint32_t root, uint32_t position,
	int64_t begin, int64_t end)
{
	uint32_t best = TN_NONE;

	for (uint32_t m = root; m != TN_NONE && e->class[root].rewritten; m = e->next[m])
		for (uint32_t i = e->first[m]; i < e->first[m + 1]; i++)
			if (e->writers[i].position > position &&
				e->writers[i].position < best &&
				meets(&e->al->of[e->writers[i].tensor.i], begin, end))
				best = e->writers[i].position;
	return best == TN_NONE ? (tn_op_id){ TN_NONE } : e->order.at[best];
}

/* Does the caller look at these bytes, when it gets the output too? */
static bool caller_has(
	const struct tn_elider *e, uint32_t root, int64_t begin, int64_t end)
{
	for (uint32_t m = root; m != TN_NONE && e->class[root].visible; m = e->next[m]) {
		const struct tn_tensor *t = &e->g->tensors[m];
		bool back = (t->role == ROLE_INPUT && !t->clobber) ||
			    t->role == ROLE_OUTPUT || e->updated[m] || e->output[m];

		if (back && meets(&e->al->of[m], begin, end))
			return true;
	}
	return false;
}

/* What the caller sees keeps its alignment when the class moves by `shift`. */
static bool keeps_alignment(const struct tn_elider *e, uint32_t root, int64_t shift)
{
	for (uint32_t m = root; m != TN_NONE && e->class[root].visible; m = e->next[m]) {
		int64_t at;

		if (!is_visible(e, m) || e->g->tensors[m].view_of.i != TN_NONE)
			continue;
		if (!tn_add_i64(e->al->of[m].start, shift, &at) ||
			at % e->options->align != 0)
			return false;
	}
	return true;
}

static void refuse(struct tn_no_copy *v, enum tn_no_copy_fault why, tn_op_id other)
{
	if (v->fault != NO_COPY_NONE)
		return;
	v->fault = why;
	v->other = other;
}

static bool has_tail(const struct tn_elider *e, tn_tensor_id id)
{
	return id.i != TN_NONE && e->class[e->al->of[id.i].root.i].tailed;
}

static bool is_apart(const struct tn_elider *e, tn_tensor_id id)
{
	const bool *apart = e->options->apart;

	return apart && (apart[id.i] || apart[e->al->of[id.i].root.i]);
}

/* What holds for both ways: the output's bytes [begin, end) of `root` are the input's. */
static void judge_bytes(struct tn_elider *e, const struct tn_move *m, uint32_t position,
	tn_tensor_id in, tn_tensor_id out, int64_t begin, int64_t end,
	struct tn_no_copy *v)
{
	const struct tn_tensor *t_in = &e->g->tensors[in.i];
	const struct tn_tensor *t_out = &e->g->tensors[out.i];
	const tn_op_id nobody = { TN_NONE };
	uint32_t root = e->al->of[in.i].root.i;
	tn_op_id later;

	if (!tn_tensor_is_planned(t_in) || !tn_tensor_is_planned(&e->g->tensors[root]) ||
		!tn_tensor_is_planned(t_out)) {
		refuse(v, NO_COPY_CONSTANT, nobody);
		return;
	}
	if (e->class[root].variable || t_out->role == ROLE_VARIABLE)
		refuse(v, NO_COPY_STATE, nobody);
	later = later_writer(e, root, position, begin, end);
	if (later.i == TN_NONE)
		later = later_writer(e, out.i, position, 0, t_out->bytes);
	if (later.i != TN_NONE || t_in->mutated || e->g->tensors[root].mutated ||
		t_out->mutated)
		refuse(v, NO_COPY_REWRITTEN, later);
	if (e->class[out.i].visible && caller_has(e, root, begin, end)) /* or a view */
		refuse(v, NO_COPY_CALLER, nobody);
	if (t_out->view_of.i != TN_NONE || e->al->of[out.i].root.i != out.i ||
		!e->al->of[in.i].dense || t_out->has_strides)
		refuse(v, NO_COPY_LAYOUT, nobody);
	if (!m->alike)
		refuse(v, NO_COPY_SCALE, nobody);
	if (t_in->bytes != t_out->bytes && (is_apart(e, in) || is_apart(e, out)))
		refuse(v, NO_COPY_PINNED, nobody);
}

/* An output that is a range of the input; or, of parts that lie side by side, the range of
 * what they are in that starts with the first. */
static void judge_view(struct tn_elider *e, const struct tn_op *op,
	const struct tn_move *m, uint32_t position, struct tn_no_copy *v)
{
	tn_tensor_id in = op->inputs[m->input], out = op->outputs[m->output];
	const struct tn_alias *a = &e->al->of[in.i];
	int64_t at = a->offset + m->from;

	judge_bytes(e, m, position, in, out, at, at + m->bytes, v);
	if (v->fault == NO_COPY_NONE && !keeps_alignment(e, out.i, at - m->to))
		refuse(v, NO_COPY_ALIGNMENT, (tn_op_id){ TN_NONE });
}

/* A part for which the output has room; it takes along what it is itself a part of. */
static enum tn_status judge_part(struct tn_elider *e, const struct tn_op *op,
	const struct tn_moves *moves, uint32_t i, uint32_t position, struct tn_no_copy *v)
{
	const struct tn_move *m = &moves->list[i];
	tn_tensor_id in = op->inputs[m->input], out = op->outputs[m->output];
	const struct tn_alias *a = &e->al->of[in.i];
	const tn_op_id nobody = { TN_NONE };
	enum tn_status status = TN_OK;
	const struct tn_class *c;

	judge_bytes(e, m, position, in, out, a->offset, a->offset + a->extent, v);
	if (v->fault != NO_COPY_NONE)
		return TN_OK;
	c = &e->class[a->root.i];
	for (uint32_t k = 0; k < i; k++)
		if (e->al->of[op->inputs[moves->list[k].input].i].root.i == a->root.i)
			refuse(v, NO_COPY_TWICE, v->op);
	if (v->fault == NO_COPY_NONE &&
		(a->offset != 0 || a->extent != e->g->tensors[a->root.i].bytes ||
			a->root.i == out.i))
		status = tn_tie_judge(e, op, moves, i, v);
	if (v->fault == NO_COPY_LAYOUT && c->joined.i != TN_NONE) {
		v->fault = NO_COPY_TAKEN;
		v->other = c->joined;
	}
	if (!keeps_alignment(e, a->root.i, m->to - a->offset))
		refuse(v, NO_COPY_ALIGNMENT, nobody);
	return status;
}

/* Do the parts lie side by side already, so that the whole is a view of what they are in? */
static bool side_by_side(
	const struct tn_elider *e, const struct tn_op *op, const struct tn_moves *moves)
{
	const struct tn_alias *first = &e->al->of[op->inputs[moves->list[0].input].i];

	for (uint32_t i = 0; i < moves->n; i++) {
		const struct tn_move *m = &moves->list[i];
		const struct tn_alias *a = &e->al->of[op->inputs[m->input].i];

		if (a->root.i != first->root.i || !a->dense ||
			a->offset != first->offset + m->to)
			return false;
	}
	return true;
}

/* The class of `root` becomes part of another root, `shift` bytes into it. */
static void attach(
	struct tn_elider *e, uint32_t root, tn_tensor_id into, int64_t shift, bool parted)
{
	for (uint32_t m = root; m != TN_NONE; m = e->next[m]) {
		struct tn_alias *a = &e->al->of[m];

		a->root = into;
		a->offset += shift; /* inside a tensor whose bytes are known */
		a->start += shift;
	}
	e->al->parted[into.i] |= parted || e->al->parted[root];
	e->al->tied[into.i] |= e->al->tied[root];
	join_class(e, into.i, root);
}

static void elide(
	struct tn_elider *e, tn_op_id id, const struct tn_moves *moves, bool side)
{
	const struct tn_op *op = &e->g->ops[id.i];

	e->al->elided[id.i] = true;
	for (uint32_t i = 0; i < moves->n && !side; i++) {
		const struct tn_move *m = &moves->list[i];
		const struct tn_alias in = e->al->of[op->inputs[m->input].i];

		if (moves->joins && in.extent != e->g->tensors[in.root.i].bytes) {
			e->class[in.root.i].rewritten = true; /* by other parts */
			e->al->tied[in.root.i] = true;
		}
		if (moves->joins)
			attach(e, in.root.i, op->outputs[m->output], m->to - in.offset,
				true);
		else
			attach(e, op->outputs[m->output].i, in.root, in.offset + m->from,
				!moves->same);
	}
	if (side)
		attach(e, op->outputs[0].i,
			e->al->of[op->inputs[moves->list[0].input].i].root,
			e->al->of[op->inputs[moves->list[0].input].i].offset, true);
	else if (moves->joins)
		e->class[op->outputs[0].i].joined = id;
}

/* Does the fault remain whatever is chosen for other ops, and in every order? */
static bool is_final(enum tn_no_copy_fault fault)
{
	return fault == NO_COPY_CONSTANT || fault == NO_COPY_STATE ||
	       fault == NO_COPY_APART || fault == NO_COPY_SCALE ||
	       fault == NO_COPY_PINNED || fault == NO_COPY_TAIL;
}

static enum tn_status judge_op(struct tn_elider *e, uint32_t position)
{
	tn_op_id id = e->order.at[position];
	const struct tn_op *op = &e->g->ops[id.i];
	bool unwanted = e->options->run && e->options->run[id.i], side, must_run = false;
	size_t first = e->found.count;
	const struct tn_no_copy *bad = NULL;
	struct tn_moves moves;
	enum tn_status status = tn_moves_of(e->g, id, e->arena, &moves);

	if (status != TN_OK || !moves.n || (e->options->views_only && !moves.same))
		return status;
	side = moves.joins && !moves.apart && side_by_side(e, op, &moves);
	for (uint32_t i = 0; i < moves.n; i++) {
		const struct tn_move m = moves.list[i];
		struct tn_no_copy v = { .op = id,
			.input = m.input,
			.output = m.output,
			.other = { TN_NONE },
			.begin = m.to,
			.end = m.to + m.bytes };

		v.victim = op->inputs[m.input];
		if (moves.apart)
			refuse(&v, NO_COPY_APART, (tn_op_id){ TN_NONE });
		else if (!moves.same && (has_tail(e, op->inputs[m.input]) ||
						has_tail(e, op->outputs[m.output])))
			refuse(&v, NO_COPY_TAIL, (tn_op_id){ TN_NONE });
		else if (side || !moves.joins)
			judge_view(e, op, &m, position, &v);
		else
			status = judge_part(e, op, &moves, i, position, &v);
		if (status != TN_OK)
			return status;
		must_run = must_run || is_final(v.fault);
		if (!tn_vec_push(e->arena, &e->found, v))
			return TN_ERR_NOMEM;
	}
	for (size_t i = first; i < e->found.count && !bad; i++)
		if (e->found.items[i].fault != NO_COPY_NONE)
			bad = &e->found.items[i];
	for (size_t i = first; i < e->found.count; i++) {
		if (bad)
			refuse(&e->found.items[i], NO_COPY_OPERAND, id);
		else
			e->found.items[i].declined = unwanted;
	}
	e->al->may_elide[id.i] = bad && !must_run;
	if (!bad && !unwanted)
		elide(e, id, &moves, side);
	return TN_OK;
}

enum tn_status tn_elide(const struct tn_graph *g, const struct tn_alias_options *options,
	struct tn_arena *arena, struct tn_aliases *al)
{
	struct tn_elider e = { .g = g, .options = options, .arena = arena, .al = al };
	enum tn_status status = TN_OK;

	if (options->order)
		e.order = *options->order;
	else
		status = tn_order_given(g, arena, &e.order);
	e.updated = tn_graph_updated_inputs(g, arena);
	e.input = tn_graph_input_flags(g, arena);
	e.output = tn_graph_output_flags(g, arena);
	if (status == TN_OK &&
		(!e.updated || !e.input || !e.output ||
			!tn_views_find(g, arena, &e.views) || !make_classes(&e)))
		status = TN_ERR_NOMEM;
	for (uint32_t p = 0; p < g->n_ops && status == TN_OK; p++)
		status = judge_op(&e, p);
	al->no_copy = e.found.items;
	al->n_no_copy = (uint32_t)e.found.count;
	return status;
}
