#include "exec/stream.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

static const struct tn_program_op *op_at(const struct tn_exec *e, uint32_t position)
{
	return &e->program.ops[position];
}

/* Rows of the tensor that operand k of the op is. */
static int64_t height_of(const struct tn_row_op *rows, bool output)
{
	return output ? rows->n : rows->in_h;
}

/* ---- a new one ---- */

static bool unroll(
	struct tn_arena *arena, const uint32_t *position, struct tn_exec_stream *s)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < s->plan->n_loops; i++)
		n += s->plan->loops[i].times * s->plan->loops[i].n_events;
	s->events = n < UINT32_MAX ? TN_NEW_ARRAY(arena, struct tn_exec_event, (size_t)n)
				   : NULL;
	if (!s->events)
		return false;
	for (uint32_t i = 0; i < s->plan->n_loops; i++) {
		const struct tn_plan_loop *l = &s->plan->loops[i];

		for (int64_t t = 0; t < l->times; t++)
			for (uint32_t k = 0; k < l->n_events; k++) {
				const struct tn_plan_event *ev = &l->events[k];
				int64_t y = ev->y + t * ev->step;

				s->events[s->n_events++] = (struct tn_exec_event){
					ev->op == TN_PLAN_CALLER ? TN_NONE
								 : position[ev->op],
					y, y + ev->rows
				};
			}
	}
	return true;
}

static struct tn_exec_rows *rows_of(const struct tn_exec_stream *s, uint32_t tensor)
{
	for (uint32_t i = 0; i < s->n_rows; i++)
		if (s->rows[i].tensor == tensor)
			return &s->rows[i];
	return NULL;
}

static bool touch(const struct tn_exec *e, struct tn_exec_stream *s, tn_tensor_id id,
	int64_t height, struct tn_arena *arena)
{
	struct tn_exec_rows *r = &s->rows[s->n_rows];
	const uint32_t end = s->plan->first + s->plan->n;

	if (!tn_tensor_id_ok(e->graph, id) || rows_of(s, id.i) ||
		e->program.tensors[id.i].region == TN_REGION_NONE)
		return true;
	*r = (struct tn_exec_rows){ id.i, height,
		TN_NEW_ARRAY(arena, int64_t, (size_t)height),
		TN_NEW_ARRAY(arena, int64_t, (size_t)height) };
	if (!r->written || !r->read)
		return false;
	for (int64_t y = 0; y < height; y++) {
		r->written[y] = -1;
		r->read[y] = e->life[id.i].death >= end ? INT64_MAX : -1;
	}
	s->n_rows++;
	return true;
}

/* What the ops of the chain touch, and when. Outputs that come at once have one row. */
static bool note_rows(
	const struct tn_exec *e, struct tn_exec_stream *s, struct tn_arena *arena)
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->plan->n; i++) {
		const struct tn_op *op =
			&e->graph->ops[op_at(e, s->plan->first + i)->op.i];

		n += op->n_inputs + op->n_outputs;
	}
	s->rows = TN_NEW_ARRAY(arena, struct tn_exec_rows, n);
	if (!s->rows)
		return false;
	for (uint32_t i = 0; i < s->plan->n; i++) {
		const struct tn_program_op *po = op_at(e, s->plan->first + i);
		const struct tn_op *op = &e->graph->ops[po->op.i];

		if (!po->rows)
			continue;
		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (!touch(e, s, op->inputs[k], po->rows->rows.in_h, arena))
				return false;
		if (!touch(e, s, op->outputs[0],
			    po->rows->rows.kind == ROWS_TOTAL ? 1 : po->rows->rows.n,
			    arena))
			return false;
	}
	return true;
}

static void note_event(const struct tn_exec *e, struct tn_exec_stream *s, uint32_t k)
{
	const struct tn_exec_event *ev = &s->events[k];
	const struct tn_program_op *po;
	const struct tn_op *op;
	struct tn_exec_rows *out;

	if (ev->position == TN_NONE) {
		out = rows_of(s, s->plan->input);
		for (int64_t y = ev->y; out && y < ev->end && y < out->n; y++)
			out->written[y] = k;
		return;
	}
	po = op_at(e, ev->position);
	op = &e->graph->ops[po->op.i];
	if (!po->rows)
		return;
	out = rows_of(s, op->outputs[0].i);
	for (int64_t y = ev->y; y < ev->end; y++) {
		int64_t begin, end;

		tn_row_op_reads(&po->rows->rows, y, &begin, &end);
		for (uint32_t i = 0; i < op->n_inputs; i++) {
			struct tn_exec_rows *in = rows_of(s, op->inputs[i].i);

			for (int64_t r = begin; in && r < end && r < in->n; r++)
				in->read[r] = tn_max_i64(in->read[r], k);
		}
		if (out)
			out->written[po->rows->rows.kind == ROWS_TOTAL ? 0 : y] = k;
	}
}

static enum tn_status new_stream(struct tn_exec *e, const struct tn_plan_stream *plan,
	const uint32_t *position, struct tn_arena *arena, struct tn_exec_stream *s)
{
	*s = (struct tn_exec_stream){ .plan = plan,
		.params = TN_NEW_ARRAY(arena, void *, plan->n) };
	if (!s->params || !unroll(arena, position, s) || !note_rows(e, s, arena))
		return TN_ERR_NOMEM;
	for (uint32_t k = 0; plan->fed && k < e->graph->n_inputs; k++)
		if (e->graph->inputs[k].i == plan->input) {
			s->given = e->inputs[k];
			e->whole[plan->input] = e->inputs[k];
		}
	for (uint32_t k = 0; k < s->n_events; k++)
		note_event(e, s, k);
	for (uint32_t i = 0; i < plan->n; i++) {
		const struct tn_program_op *po = op_at(e, plan->first + i);
		const struct tn_tensor *t;
		size_t size;
		uint32_t out;

		if (!po->rows)
			continue;
		size = po->call.kernel->params->size;
		s->params[i] = tn_arena_alloc(arena, size);
		if (!s->params[i])
			return TN_ERR_NOMEM;
		memcpy(s->params[i], po->call.params, size);
		out = e->graph->ops[po->op.i].outputs[0].i;
		t = &e->graph->tensors[out];
		if (i + 1 == plan->n && !e->program.plan->tensors[out].ring_bytes)
			continue; /* it lasts in the plan's memory */
		e->whole[out] = tn_arena_alloc(arena, (size_t)t->bytes);
		if (!e->whole[out])
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

enum tn_status tn_exec_streams_new(struct tn_exec *e, struct tn_arena *arena)
{
	const struct tn_plan *plan = e->program.plan;
	uint32_t *position = TN_NEW_ARRAY(arena, uint32_t, e->graph->n_ops);
	enum tn_status status = TN_OK;

	e->whole = TN_NEW_ARRAY(arena, uint8_t *, e->graph->n_tensors);
	e->streams = TN_NEW_ARRAY(arena, struct tn_exec_stream, plan->n_streams);
	if (!position || !e->whole || !e->streams)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < e->program.n_ops; i++)
		position[e->program.ops[i].op.i] = i;
	for (uint32_t i = 0; i < plan->n_streams && status == TN_OK; i++)
		status =
			new_stream(e, &plan->streams[i], position, arena, &e->streams[i]);
	return status;
}

/* ---- an event ---- */

/* Operands of an op that runs element by element, at row y. */
static void run_elements(const struct tn_exec *e, uint32_t position, int64_t y)
{
	const struct tn_program_op *po = op_at(e, position);
	const struct tn_exec_op *x = &e->ops[position];
	const void **in = x->row_in;
	void **out = x->row_out;

	for (uint32_t k = 0; k < po->call.n_in; k++) {
		const tn_tensor_id id = po->call.in[k].tensor;

		in[k] = x->in[k];
		if (id.i != TN_NONE && e->program.tensors[id.i].region != TN_REGION_NONE)
			in[k] = (const uint8_t *)in[k] +
				tn_program_row(&e->program, id, po->rows->rows.n, y);
	}
	for (uint32_t k = 0; k < po->call.n_out; k++)
		out[k] = (uint8_t *)x->out[k] + tn_program_row(&e->program,
							po->call.out[k].tensor,
							po->rows->rows.n, y);
	po->call.kernel->run(po->call.params, in, out, x->scratch);
}

/* What is inside a chain is there for a while only: the next row may take its place. */
static void collect(const struct tn_exec *e, tn_tensor_id id, int64_t rows, int64_t y)
{
	const size_t size = (size_t)(e->graph->tensors[id.i].bytes / rows);

	if (e->whole[id.i])
		memcpy(e->whole[id.i] + (size_t)y * size,
			tn_exec_at(e, &e->program.tensors[id.i]) +
				tn_program_row(&e->program, id, rows, y),
			size);
}

/* The caller's rows, each where it belongs. */
static void give(const struct tn_exec *e, const struct tn_exec_stream *s, int64_t begin,
	int64_t end)
{
	const tn_tensor_id id = { s->plan->input };
	const struct tn_tensor *t = &e->graph->tensors[id.i];
	const int64_t n = t->shape.dim[1], row = t->bytes / n;

	for (int64_t y = begin; y < end; y++)
		memcpy(tn_exec_at(e, &e->program.tensors[id.i]) +
				tn_program_row(&e->program, id, n, y),
			s->given + y * row, (size_t)row);
}

static void run_row(const struct tn_exec *e, const struct tn_exec_stream *s,
	uint32_t position, int64_t y)
{
	const struct tn_program_op *po = op_at(e, position);
	const struct tn_exec_op *x = &e->ops[position];
	const int32_t rows[2] = { (int32_t)y, (int32_t)(y + 1) };
	char *params = s->params[position - s->plan->first];

	if (po->rows->rows.kind == ROWS_ELEMENTS) {
		run_elements(e, position, y);
	} else {
		memcpy(params + po->rows->rows_at, rows, sizeof(rows));
		po->call.kernel->run(params, x->in, x->out, x->scratch);
	}
	if (po->rows->rows.kind != ROWS_TOTAL)
		collect(e, e->graph->ops[po->op.i].outputs[0],
			height_of(&po->rows->rows, true), y);
}

void tn_exec_stream_run(
	const struct tn_exec *e, const struct tn_exec_stream *s, uint32_t k)
{
	const struct tn_exec_event *ev = &s->events[k];

	if (ev->position == TN_NONE)
		give(e, s, ev->y, ev->end);
	else if (op_at(e, ev->position)->rows)
		for (int64_t t = ev->y; t < ev->end; t++)
			run_row(e, s, ev->position,
				s->plan->descending ? ev->y + ev->end - 1 - t : t);
}

/* ---- what is needed behind it ---- */

static void mark_rows(const struct tn_exec *e, const struct tn_exec_rows *r, int64_t k)
{
	const struct tn_storage *s = &e->program.tensors[r->tensor];
	const int64_t row = e->graph->tensors[r->tensor].bytes / r->n;

	for (int64_t y = 0; y < r->n; y++)
		if (r->written[y] <= k && r->read[y] > k)
			memset(e->needed + s->offset +
					tn_program_row(&e->program,
						(tn_tensor_id){ r->tensor }, r->n, y),
				1, (size_t)row);
}

void tn_exec_stream_mark(const struct tn_exec *e, const struct tn_exec_stream *s,
	uint32_t k, uint32_t region)
{
	const uint32_t last = s->plan->first + s->plan->n - 1;

	for (uint32_t i = 0; i < e->graph->n_tensors; i++) {
		const struct tn_storage *at = &e->program.tensors[i];

		if (at->region == region && e->life[i].birth < s->plan->first &&
			e->life[i].death > last && !rows_of(s, i))
			memset(e->needed + at->offset, 1, (size_t)at->bytes);
	}
	for (uint32_t i = 0; i < s->n_rows; i++)
		if (e->program.tensors[s->rows[i].tensor].region == region)
			mark_rows(e, &s->rows[i], k);
	for (uint32_t i = 0; i < s->plan->n; i++) {
		const struct tn_program_op *po = op_at(e, s->plan->first + i);

		if (po->rows && po->rows->rows.kind == ROWS_TOTAL &&
			po->scratch.region == region)
			memset(e->needed + po->scratch.offset, 1,
				(size_t)po->scratch.bytes);
	}
}
