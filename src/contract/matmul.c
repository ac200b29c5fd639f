/* Batched matrix products: a row of the output needs its row of the first operand and the
 * whole second one of its batch. A step of HOLD_NONE is one output element, a step of
 * HOLD_PIXEL one row. */
#include "base/arena.h"
#include "base/checked.h"
#include "contract/walk.h"

/* One operand: its matrix as lines (rows of the first, columns of the second), each
 * `depth` elements long. */
struct side {
	int64_t lines, depth;
	int64_t line_stride, step; /* elements, to the next line and along it */
	int64_t batch_stride[TN_RANK_MAX]; /* by batch dimension of the output */
	int64_t width;
	bool shares;
};

struct matmul {
	struct side side[2];
	uint32_t batch_rank;
	const int64_t *batch_dim;
	struct tn_access *reads;
	uint32_t n;
};

/* `lines_last`: the lines are the last dimension, the depth is the one before. */
static bool side_of(const struct tn_walk *w, uint32_t k, bool lines_last, struct side *s)
{
	const struct tn_shape *out = &tn_walk_output(w, 0)->shape;
	const struct tn_tensor *t = tn_walk_input(w, k);
	struct tn_shape from = { 0 }, to = { 0 };
	int64_t outer, inner;

	if (!t || t->shape.rank < 2 || out->rank < 2 ||
		t->dtype != tn_walk_output(w, 0)->dtype)
		return false;
	outer = t->shape.dim[t->shape.rank - 2];
	inner = t->shape.dim[t->shape.rank - 1];
	from.rank = t->shape.rank - 2;
	to.rank = out->rank - 2;
	for (uint32_t d = 0; d < from.rank; d++)
		from.dim[d] = t->shape.dim[d];
	for (uint32_t d = 0; d < to.rank; d++)
		to.dim[d] = out->dim[d];
	if (!tn_shape_broadcast_strides(&from, &to, s->batch_stride))
		return false;
	for (uint32_t d = 0; d < to.rank; d++)
		if (!tn_mul_i64(s->batch_stride[d], outer * inner, &s->batch_stride[d]))
			return false; /* of nothing */
	s->lines = lines_last ? inner : outer;
	s->depth = lines_last ? outer : inner;
	s->line_stride = lines_last ? 1 : inner;
	s->step = lines_last ? inner : 1;
	s->width = tn_walk_width(t);
	s->shares = tn_walk_shares(w, k);
	return true;
}

static bool matmul_of(const struct tn_walk *w, struct matmul *m)
{
	const struct tn_tensor *out = tn_walk_output(w, 0);

	if (w->op->n_outputs != 1 || w->op->n_inputs != 2 || !out ||
		!side_of(w, 0, tn_op_int(w->op, "adj_x", 0) != 0, &m->side[0]) ||
		!side_of(w, 1, tn_op_int(w->op, "adj_y", 0) == 0, &m->side[1]))
		return false;
	m->batch_rank = out->shape.rank - 2;
	m->batch_dim = out->shape.dim;
	return m->side[0].depth == m->side[1].depth &&
	       out->shape.dim[m->batch_rank] == m->side[0].lines &&
	       out->shape.dim[m->batch_rank + 1] == m->side[1].lines;
}

static int64_t batch_at(const struct matmul *m, const struct side *s, int64_t batch)
{
	int64_t at = 0;

	for (uint32_t d = m->batch_rank; d-- > 0;) {
		at += batch % m->batch_dim[d] * s->batch_stride[d];
		batch /= m->batch_dim[d];
	}
	return at;
}

static void add(struct matmul *m, uint32_t k, int64_t from, int64_t n)
{
	const struct side *s = &m->side[k];

	if (s->shares && n > 0)
		m->reads[m->n++] =
			(struct tn_access){ k, from * s->width, (from + n) * s->width };
}

static void add_line(
	struct matmul *m, uint32_t k, int64_t batch, int64_t line, bool rough)
{
	const struct side *s = &m->side[k];
	int64_t at = batch_at(m, s, batch) + line * s->line_stride;

	if (s->step == 1) {
		add(m, k, at, s->depth);
	} else if (rough) { /* only its ends count */
		add(m, k, at, (s->depth - 1) * s->step + 1);
	} else {
		for (int64_t i = 0; i < s->depth; i++)
			add(m, k, at + i * s->step, 1);
	}
}

static void run(struct tn_walk *w, struct matmul *m)
{
	const struct tn_tensor *out = tn_walk_output(w, 0);
	bool hold = w->variant.hold == HOLD_PIXEL;
	int64_t columns = m->side[1].lines, rows = m->side[0].lines;
	int64_t per = hold ? columns : 1, width = tn_walk_width(out);

	for (int64_t t = 0; t < out->elements; t += per) {
		int64_t i = w->variant.descending ? out->elements - per - t : t;
		int64_t batch = i / columns / rows;
		struct tn_access write = { 0, i * width, (i + per) * width };

		m->n = 0;
		add_line(m, 0, batch, i / columns % rows, w->extremes);
		if (hold)
			add(m, 1, batch_at(m, &m->side[1], batch),
				m->side[1].depth * columns);
		else
			add_line(m, 1, batch, i % columns, w->extremes);
		if (!tn_walk_step(w, m->reads, m->n, &write, 1))
			return;
	}
}

bool tn_walk_matmul(struct tn_walk *w)
{
	struct matmul m = { 0 };
	struct tn_arena arena;
	size_t count;

	if (!matmul_of(w, &m))
		return false;
	if (!w->fn || !tn_walk_output(w, 0)->elements)
		return true;
	tn_arena_init(&arena);
	if (tn_size_from_i64(m.side[0].depth, &count))
		m.reads = TN_NEW_ARRAY(&arena, struct tn_access, 2 * count + 2);
	if (m.reads)
		run(w, &m);
	else
		w->out_of_memory = true;
	tn_arena_release(&arena);
	return true;
}
