#include "bind/program.h"

#include "base/checked.h"
#include "bind/view.h"

struct builder {
	const struct tn_graph *g;
	const struct tn_plan *plan;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_program *out;
	bool given; /* the plan; else it is the one without sharing */
	bool flow; /* If and While are for the caller */
	bool wrong; /* something was reported */
};

static const char plan_rule[] = "exec/plan-mismatch";

static void refuse_tensor(struct builder *b, const struct tn_tensor *t, const char *why)
{
	if (b->given)
		tn_diag_at(b->diags, SEVERITY_ERROR, plan_rule, b->g->source, t->pointer,
			t->name, "the plan does not fit tensor '%s': %s", t->name, why);
	else
		tn_diag_at(b->diags, SEVERITY_ERROR, "exec/no-place", b->g->source,
			t->pointer, t->name, "tensor '%s' has no place in memory: %s",
			t->name, why);
	b->wrong = true;
}

static void refuse_op(struct builder *b, const struct tn_op *op, const char *why)
{
	tn_diag_at(b->diags, SEVERITY_ERROR, plan_rule, b->g->source, op->pointer,
		op->name, "the plan does not fit op '%s': %s", op->name, why);
	b->wrong = true;
}

static bool refuse_plan(struct builder *b, const char *why)
{
	tn_diag_at(b->diags, SEVERITY_ERROR, plan_rule, b->g->source, NULL, NULL,
		"the plan does not fit the graph: %s", why);
	b->wrong = true;
	return false;
}

static enum tn_status check_plan(struct builder *b)
{
	const struct tn_plan *plan = b->plan;
	bool *seen;

	if (plan->n_tensors != b->g->n_tensors) {
		refuse_plan(b, "it is for another number of tensors");
		return TN_OK;
	}
	if (plan->n_ops != b->g->n_ops) {
		refuse_plan(b, "it is for another number of ops");
		return TN_OK;
	}
	seen = TN_NEW_ARRAY(b->arena, bool, plan->n_ops);
	if (!seen)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		if (plan->order[i] >= plan->n_ops || seen[plan->order[i]]) {
			refuse_plan(b, "its order is not a permutation of the ops");
			return TN_OK;
		}
		seen[plan->order[i]] = true;
	}
	for (uint32_t i = 0; i < plan->n_regions; i++)
		if (plan->regions[i].used < 0)
			refuse_plan(b, "a region has a negative size");
	return TN_OK;
}

/* Is [offset, offset + bytes) inside the region, and what is wrong if not. */
static const char *misplaced(const struct tn_plan *plan, uint32_t region, int64_t offset,
	int64_t bytes, int64_t align)
{
	int64_t end;

	if (region >= plan->n_regions)
		return "it has no such region";
	if (offset < 0 || bytes < 0 || !tn_add_i64(offset, bytes, &end) ||
		end > plan->regions[region].used)
		return "it lies outside its region";
	if (offset % align != 0)
		return "its offset is not a multiple of the width of its elements";
	return NULL;
}

/* Loads and stores of the kernels are as wide as the element. */
static int64_t natural_align(const struct tn_tensor *t)
{
	int bits = tn_dtype_bits(t->dtype);

	return bits == 16 || bits == 32 || bits == 64 ? bits / 8 : bits == 128 ? 8 : 1;
}

static void place(struct builder *b, uint32_t id)
{
	const struct tn_tensor *t = &b->g->tensors[id];
	const struct tn_plan_tensor *at = &b->plan->tensors[id];
	struct tn_storage *out = &b->out->tensors[id];
	tn_tensor_id root;
	int64_t offset, room = t->bytes;
	const char *why;

	if (t->bytes < 0) {
		refuse_tensor(b, t, "its size is not known");
		return;
	}
	if (!tn_view_root(b->g, (tn_tensor_id){ id }, &root, &offset)) {
		refuse_tensor(b, t, "it is a view that is not one range of bytes");
		return;
	}
	if (at->region == TN_REGION_NONE && root.i != id) {
		at = &b->plan->tensors[root.i];
		if (at->region != TN_REGION_NONE &&
			!tn_add_i64(offset, at->offset, &offset)) {
			refuse_tensor(b, t, "it lies outside its region");
			return;
		}
	} else {
		offset = at->offset;
		room = tn_plan_tensor_room(at);
		if (at->region != TN_REGION_NONE && at->bytes < t->bytes)
			refuse_tensor(b, t, "its size is another one");
	}
	if (at->region == TN_REGION_NONE && t->bytes == 0)
		return;
	why = at->region == TN_REGION_NONE
		      ? "it has no place there"
		      : misplaced(b->plan, at->region, offset, room, natural_align(t));
	if (why) {
		refuse_tensor(b, t, why);
		return;
	}
	*out = (struct tn_storage){ at->region, offset, room };
}

static enum tn_status place_all(struct builder *b)
{
	bool *used = tn_tensors_used(b->g, b->arena);

	b->out->tensors = TN_NEW_ARRAY(b->arena, struct tn_storage, b->g->n_tensors);
	if (!used || !b->out->tensors)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < b->g->n_tensors; i++) {
		b->out->tensors[i] = (struct tn_storage){ .region = TN_REGION_NONE };
		if (used[i])
			place(b, i);
	}
	return TN_OK;
}

static void place_scratch(struct builder *b, struct tn_program_op *po)
{
	const struct tn_op *op = &b->g->ops[po->op.i];
	const struct tn_plan_op *at = &b->plan->ops[po->op.i];
	int64_t need = po->rows ? po->rows->scratch
				: tn_contract_scratch(b->g, po->op, po->variant);
	const char *why;

	po->scratch = (struct tn_storage){ .region = TN_REGION_NONE };
	if (need <= 0)
		return;
	if (at->scratch_bytes < need) {
		refuse_op(b, op, "its scratch is too small");
		return;
	}
	why = misplaced(
		b->plan, at->scratch_region, at->scratch_offset, need, TN_PROGRAM_ALIGN);
	if (why)
		refuse_op(b, op, "its scratch lies outside its region or is not aligned");
	else
		po->scratch = (struct tn_storage){ at->scratch_region, at->scratch_offset,
			need };
}

/* Does the kernel set know this variant of the op? An opaque op has the plain one only. */
static bool known_variant(const struct tn_graph *g, tn_op_id op, struct tn_variant v)
{
	struct tn_variant known[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(g, op, known);

	for (uint32_t i = 0; i < n; i++)
		if (known[i].descending == v.descending && known[i].hold == v.hold)
			return true;
	return n == 0 && !v.descending && v.hold == HOLD_NONE;
}

/* Every operand that the kernel writes must have memory of its own: a constant has none, nor has
 * a view of one. Validation lets them be written where the file marks them as mutated. */
static void check_written(struct builder *b, const struct tn_program_op *po)
{
	for (uint32_t k = 0; k < po->call.n_out; k++) {
		tn_tensor_id id = po->call.out[k].tensor, root;
		const struct tn_tensor *t;
		int64_t offset;

		if (id.i == TN_NONE || b->out->tensors[id.i].region != TN_REGION_NONE)
			continue;
		t = &b->g->tensors[id.i];
		/* else told of already, or without bytes */
		if (!tn_view_root(b->g, id, &root, &offset) ||
			!tn_tensor_is_constant(&b->g->tensors[root.i]))
			continue;
		tn_diag_at(b->diags, SEVERITY_ERROR, "exec/no-place", b->g->source,
			t->pointer, t->name,
			"op '%s' writes tensor '%s', which has a value from the file and "
			"no place in memory",
			b->g->ops[po->op.i].name, t->name);
		b->wrong = true;
	}
}

/* Rows of a tensor that its memory holds, `rows` if it is whole; 0: no number of rows. */
static int64_t rows_held(const struct builder *b, tn_tensor_id id, int64_t rows)
{
	const int64_t ring = b->plan->tensors[id.i].ring_bytes;
	const int64_t row = rows > 0 ? b->g->tensors[id.i].bytes / rows : 0;

	if (!ring)
		return rows;
	return row > 0 && ring % row == 0 && ring / row <= rows ? ring / row : 0;
}

static enum tn_status bind_row_op(struct builder *b, struct tn_program_op *po, bool last)
{
	const struct tn_op *op = &b->g->ops[po->op.i];
	struct tn_row_room room = { 0, 0 };
	struct tn_row_op rows;
	enum tn_status status;

	if (!tn_row_op_of(b->g, po->op, last, &rows)) {
		refuse_op(b, op, "it does not run row by row");
		return TN_ERR_INPUT;
	}
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		int64_t held;

		if (!tn_tensor_id_ok(b->g, op->inputs[k]) ||
			tn_tensor_is_constant(&b->g->tensors[op->inputs[k].i]))
			continue;
		held = rows_held(b, op->inputs[k], rows.in_h);
		if (!held)
			refuse_op(b, op, "its input is a ring of no whole rows");
		room.in = room.in ? room.in : held; /* of a window: it has no other */
	}
	room.out =
		rows.kind == ROWS_TOTAL ? rows.n : rows_held(b, op->outputs[0], rows.n);
	if (!room.out || (rows.kind == ROWS_TOTAL &&
				 b->plan->tensors[op->outputs[0].i].ring_bytes))
		refuse_op(b, op, "its output is a ring of no whole rows");
	if (b->wrong)
		return TN_ERR_INPUT;
	po->rows = TN_NEW(b->arena, struct tn_row_call);
	if (!po->rows)
		return TN_ERR_NOMEM;
	status = tn_bind_rows(
		b->g, po->op, po->variant, last, room, b->arena, b->diags, po->rows);
	po->call = po->rows->call;
	return status;
}

static enum tn_status bind_op(struct builder *b, uint32_t position)
{
	struct tn_program_op *po = &b->out->ops[position];
	const struct tn_plan_stream *stream;
	const struct tn_plan_op *at;
	enum tn_status status;

	po->op.i = b->plan->order[position];
	at = &b->plan->ops[po->op.i];
	po->elided = at->elided;
	po->variant = (struct tn_variant){ at->descending != 0, (enum tn_hold)at->hold };
	po->scratch.region = TN_REGION_NONE;
	if (po->elided)
		return TN_OK;
	if (!known_variant(b->g, po->op, po->variant)) {
		refuse_op(b, &b->g->ops[po->op.i], "no kernel has that variant");
		return TN_OK;
	}
	po->flow = b->flow && (b->g->ops[po->op.i].kind == OP_IF ||
				      b->g->ops[po->op.i].kind == OP_WHILE);
	if (po->flow)
		return TN_OK;
	stream = tn_plan_stream_at(b->plan, position);
	status = stream ? bind_row_op(b, po, stream->first + stream->n == position + 1)
			: tn_bind(b->g, po->op, po->variant, b->arena, b->diags,
				  &po->call);
	if (status == TN_ERR_REFUSED || status == TN_ERR_INPUT) {
		b->wrong = true; /* bind said why; say it of the other ops too */
		return TN_OK;
	}
	if (status != TN_OK)
		return status;
	place_scratch(b, po);
	check_written(b, po);
	return TN_OK;
}

/* ---- chains ---- */

/* Are the rows of the event, in all passes, among n? */
static bool are_rows(
	const struct tn_plan_loop *l, const struct tn_plan_event *e, int64_t n)
{
	int64_t last;

	return e->y >= 0 && e->rows >= 1 && tn_mul_i64(l->times - 1, e->step, &last) &&
	       tn_add_i64(last, e->y, &last) && last >= 0 && e->y <= n - e->rows &&
	       last <= n - e->rows;
}

/* Is there an input whose rows the caller can give to this chain? */
static bool can_feed(const struct builder *b, const struct tn_plan_stream *s)
{
	const struct tn_tensor *t;

	if (!s->fed || !tn_tensor_id_ok(b->g, (tn_tensor_id){ s->input }) ||
		!tn_graph_is_input(b->g, (tn_tensor_id){ s->input }))
		return false;
	t = &b->g->tensors[s->input];
	return t->shape.rank == 4 && t->shape.dim[0] == 1 && t->shape.dim[1] > 0 &&
	       b->out->tensors[s->input].region != TN_REGION_NONE;
}

static void check_caller(struct builder *b, const struct tn_plan_stream *s,
	const struct tn_plan_loop *l, const struct tn_plan_event *e)
{
	if (!can_feed(b, s) || !are_rows(l, e, b->g->tensors[s->input].shape.dim[1]))
		refuse_plan(b, "rows of an input come to a chain that has none such");
}

static void check_event(struct builder *b, const struct tn_plan_stream *s,
	const struct tn_plan_loop *l, const struct tn_plan_event *e,
	const uint32_t *position)
{
	const struct tn_row_call *rows;

	if (e->op == TN_PLAN_CALLER) {
		check_caller(b, s, l, e);
		return;
	}
	if (e->op >= b->g->n_ops || position[e->op] < s->first ||
		position[e->op] - s->first >= s->n) {
		refuse_plan(b, "an event of a chain is of an op that is not in it");
		return;
	}
	rows = b->out->ops[position[e->op]].rows;
	if (rows && !are_rows(l, e, rows->rows.n))
		refuse_op(b, &b->g->ops[e->op], "it has no such rows");
}

/* Rows are rows of their op, and rings belong to ops of one chain alone: that is what the
 * calls rely on. Whether the order is right is the verifier's to say. */
static enum tn_status check_streams(struct builder *b)
{
	const struct tn_plan *plan = b->plan;
	uint32_t *position = TN_NEW_ARRAY(b->arena, uint32_t, plan->n_ops);

	if (!position)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < plan->n_ops; i++)
		position[plan->order[i]] = i;
	for (uint32_t i = 0; i < plan->n_streams; i++) {
		const struct tn_plan_stream *s = &plan->streams[i];

		if (s->fed && !can_feed(b, s))
			refuse_plan(b, "a chain is for rows of an input that has none");
		for (uint32_t k = 0; k < s->n_loops; k++)
			for (uint32_t e = 0; e < s->loops[k].n_events; e++)
				check_event(b, s, &s->loops[k], &s->loops[k].events[e],
					position);
	}
	for (uint32_t i = 0; i < b->g->n_ops; i++) {
		const struct tn_op *op = &b->g->ops[i];

		for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
			tn_tensor_id id = k < op->n_inputs
						  ? op->inputs[k]
						  : op->outputs[k - op->n_inputs];

			if (tn_tensor_id_ok(b->g, id) && plan->tensors[id.i].ring_bytes &&
				!b->out->ops[position[i]].rows)
				refuse_op(b, op, "it uses a ring, and is in no chain");
		}
	}
	for (uint32_t k = 0; k < b->g->n_inputs; k++)
		if (plan->tensors[b->g->inputs[k].i].ring_bytes &&
			!tn_plan_is_fed(plan, b->g->inputs[k].i))
			refuse_tensor(b, &b->g->tensors[b->g->inputs[k].i],
				"an input that comes at once is a ring");
	for (uint32_t k = 0; k < b->g->n_outputs; k++)
		if (plan->tensors[b->g->outputs[k].i].ring_bytes)
			refuse_tensor(b, &b->g->tensors[b->g->outputs[k].i],
				"an output is a ring");
	return TN_OK;
}

int64_t tn_program_row(
	const struct tn_program *p, tn_tensor_id tensor, int64_t rows, int64_t y)
{
	const int64_t at = p->graph->tensors[tensor.i].bytes / rows * y;
	const int64_t ring = p->plan->tensors[tensor.i].ring_bytes;

	return ring ? at % ring : at;
}

enum tn_status tn_program_new(const struct tn_graph *g, const struct tn_plan *plan,
	bool flow, struct tn_arena *arena, struct tn_diags *diags, struct tn_program *out)
{
	struct builder b = { g, plan, arena, diags, out, plan != NULL, flow, false };
	enum tn_status status;

	if (!plan) {
		struct tn_plan *own = TN_NEW(arena, struct tn_plan);

		if (!own)
			return TN_ERR_NOMEM;
		status = tn_plan_unshared(g, NULL, arena, diags, own);
		if (status != TN_OK)
			return status;
		b.plan = own;
	}
	*out = (struct tn_program){ .graph = g, .plan = b.plan, .n_ops = g->n_ops };
	status = check_plan(&b);
	if (status != TN_OK || b.wrong)
		return status != TN_OK ? status : TN_ERR_INPUT;
	out->ops = TN_NEW_ARRAY(arena, struct tn_program_op, g->n_ops);
	if (!out->ops)
		return TN_ERR_NOMEM;
	status = place_all(&b);
	for (uint32_t i = 0; i < g->n_ops && status == TN_OK; i++)
		status = bind_op(&b, i);
	if (status == TN_OK)
		status = check_streams(&b);
	if (status == TN_OK && b.wrong)
		status = TN_ERR_INPUT;
	return status;
}

uint8_t tn_variable_byte(const struct tn_tensor *t)
{
	return t->dtype == DTYPE_I8 && t->quant.n ? (uint8_t)t->quant.zero_point[0] : 0;
}
