/* Choices and loops: ops that run bodies. */
#include <string.h>

#include "gen_part.h"
#include "ir/build.h"

/* A body is built where the graph is; the graph waits. */
static struct tn_build begin_body(struct tn_gen *gen)
{
	struct tn_build graph = gen->build;

	tn_build_init(&gen->build, &gen->arena, &gen->strings, &gen->diags, NULL);
	return graph;
}

/* Its number. */
static int64_t end_body(struct tn_gen *gen, struct tn_build graph)
{
	struct tn_graph body;

	tn_gen_finish(gen, &body);
	gen->build = graph;
	gen_need(tn_vec_push(&gen->arena, &gen->build.subgraphs, body));
	return (int64_t)gen->build.subgraphs.count;
}

static int take(struct tn_gen *gen, const struct tn_tensor *like)
{
	return gen_add_tensor(
		gen, like->dtype, ROLE_INPUT, like->shape.rank, like->shape.dim);
}

static int give(struct tn_gen *gen, const struct tn_tensor *like)
{
	return gen_add_tensor(
		gen, like->dtype, ROLE_OUTPUT, like->shape.rank, like->shape.dim);
}

/* What becomes of a value in a body. */
static void change(struct tn_gen *gen, int from, int to)
{
	if (tn_gen_random(gen, 2))
		gen_add_op(gen, "ADD", GEN_IDS(from, from), GEN_IDS(to));
	else
		gen_add_op(gen, "RELU", GEN_IDS(from), GEN_IDS(to));
}

/* Two values in, and both out, one of them changed; one branch exchanges them. */
static int64_t branch(struct tn_gen *gen, const struct tn_tensor *like, bool exchange)
{
	struct tn_build graph = begin_body(gen);
	int a = take(gen, like), b = take(gen, like), middle;
	int x = give(gen, like), y = give(gen, like);

	middle = gen_add_tensor(
		gen, like->dtype, ROLE_ACT, like->shape.rank, like->shape.dim);
	change(gen, a, middle);
	change(gen, exchange ? b : middle, x);
	gen_add_op(gen, "ADD", GEN_IDS(middle, exchange ? middle : b), GEN_IDS(y));
	return end_body(gen, graph);
}

static int64_t condition(struct tn_gen *gen, const struct tn_tensor *like)
{
	const int64_t one = 1, limit = 3;
	struct tn_build graph = begin_body(gen);
	int i = gen_add_tensor(gen, DTYPE_I32, ROLE_INPUT, 1, &one), more, bound;

	(void)take(gen, like);
	more = gen_add_tensor(gen, DTYPE_BOOL, ROLE_OUTPUT, 1, &one);
	bound = gen_add_ints(gen, 1, &limit);
	gen_add_op(gen, "LESS", GEN_IDS(i, bound), GEN_IDS(more));
	return end_body(gen, graph);
}

static int64_t step(struct tn_gen *gen, const struct tn_tensor *like)
{
	const int64_t one = 1, zero = 0;
	struct tn_build graph = begin_body(gen);
	int i = gen_add_tensor(gen, DTYPE_I32, ROLE_INPUT, 1, &one), v = take(gen, like);
	int next = gen_add_tensor(gen, DTYPE_I32, ROLE_OUTPUT, 1, &one);
	int w = give(gen, like), by = gen_add_ints(gen, 1, &one);
	int least = gen_add_ints(gen, 1, &zero);
	int count = gen_add_tensor(gen, DTYPE_I32, ROLE_ACT, 1, &one);

	/* a count that was overwritten may be anything, and the loop must end */
	gen_add_op(gen, "MAXIMUM", GEN_IDS(i, least), GEN_IDS(count));
	gen_add_op(gen, "ADD", GEN_IDS(count, by), GEN_IDS(next));
	change(gen, v, w);
	return end_body(gen, graph);
}

/* An int64 that no op writes. */
static int whole(struct tn_gen *gen, int64_t value)
{
	int id = gen_add_tensor(gen, DTYPE_I64, ROLE_CONST, 0, NULL);
	uint8_t *data = TN_NEW_ARRAY(&gen->arena, uint8_t, sizeof(value));

	gen_need(data);
	memcpy(data, &value, sizeof(value));
	gen_at(gen, id)->data_kind = DATA_BYTES;
	gen_at(gen, id)->data = data;
	gen_at(gen, id)->data_bytes = sizeof(value);
	return id;
}

/* A body that is told the trip's number and decides whether to go on; reads a value from
 * outside; with rows, gives one more value in each trip. */
static int64_t trip(struct tn_gen *gen, const struct tn_tensor *like, bool rows)
{
	struct tn_build graph = begin_body(gen);
	int number = gen_add_tensor(gen, DTYPE_I64, ROLE_INPUT, 0, NULL), v, by;
	int more, w, last = whole(gen, tn_gen_random(gen, 4));

	(void)gen_add_tensor(gen, DTYPE_BOOL, ROLE_INPUT, 0, NULL);
	v = take(gen, like);
	by = take(gen, like);
	more = gen_add_tensor(gen, DTYPE_BOOL, ROLE_OUTPUT, 0, NULL);
	w = give(gen, like);
	/* as many rows as the outer output has, whatever the last trip would be */
	gen_add_op(gen, rows ? "EQUAL" : "LESS",
		rows ? GEN_IDS(number, number) : GEN_IDS(number, last), GEN_IDS(more));
	gen_add_op(gen, "ADD", GEN_IDS(v, by), GEN_IDS(w));
	if (rows)
		change(gen, v, give(gen, like));
	return end_body(gen, graph);
}

static int out_like(struct tn_gen *gen, const struct tn_tensor *like)
{
	return gen_add_tensor(
		gen, like->dtype, ROLE_ACT, like->shape.rank, like->shape.dim);
}

/* As many trips as a constant says, and as the body wants; the rows, if it has any, need
 * all of them, so that no condition comes from outside. */
static int counted(
	struct tn_gen *gen, const struct tn_tensor *like, int in, int other, int *second)
{
	bool rows = like->shape.rank < TN_RANK_MAX && gen_elements(gen, in) <= 48 &&
		    tn_gen_random(gen, 2);
	struct tn_shape all = { .rank = like->shape.rank + 1, .dim = { 3 } };
	int64_t body = trip(gen, like, rows);
	int most = whole(gen, 3), go = -1, out = out_like(gen, like);

	*second = -1;
	if (rows) {
		memcpy(all.dim + 1, like->shape.dim, like->shape.rank * sizeof(*all.dim));
		*second = gen_add_tensor(gen, like->dtype, ROLE_ACT, all.rank, all.dim);
	} else {
		go = gen_add_tensor(gen, DTYPE_BOOL, ROLE_INPUT, 0, NULL);
		gen_at(gen, go)->clobber = tn_gen_random(gen, 2);
	}
	gen_add_op(gen, "WHILE", GEN_IDS(most, go, in, other),
		rows ? GEN_IDS(out, *second) : GEN_IDS(out));
	gen_need(tn_build_attr_int(&gen->build, "body_subgraph", body));
	return out;
}

int gen_flow(struct tn_gen *gen, int in, int other, int *second)
{
	const struct tn_tensor like = *gen_at(gen, in);
	const int64_t one = 1;
	bool loop = tn_gen_random(gen, 2);
	int64_t bodies[2];
	int first, a, b;

	if (like.dtype != DTYPE_I8 && like.dtype != DTYPE_F32)
		return -1;
	if (!tn_gen_random(gen, 3))
		return counted(gen, &like, in, other, second);
	bodies[0] = loop ? condition(gen, &like) : branch(gen, &like, false);
	bodies[1] = loop ? step(gen, &like) : branch(gen, &like, true);
	first = gen_add_tensor(gen, loop ? DTYPE_I32 : DTYPE_BOOL, ROLE_INPUT, 1, &one);
	gen_at(gen, first)->clobber = tn_gen_random(gen, 2);
	a = loop ? gen_add_tensor(gen, DTYPE_I32, ROLE_ACT, 1, &one)
		 : out_like(gen, &like);
	b = out_like(gen, &like);
	gen_add_op(gen, loop ? "WHILE" : "IF",
		loop ? GEN_IDS(first, in) : GEN_IDS(first, in, other), GEN_IDS(a, b));
	gen_need(tn_build_attr_int(&gen->build, loop ? "cond_subgraph" : "then_subgraph",
			 bodies[0]) &&
		 tn_build_attr_int(&gen->build, loop ? "body_subgraph" : "else_subgraph",
			 bodies[1]));
	*second = a;
	return b;
}
