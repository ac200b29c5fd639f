#include "sim_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "contract/contract.h"
#include "sim_source.h"

/* What a byte holds: byte `at` of a value. Value 0 is nothing. */
struct cell {
	uint32_t value, at;
};

/* The bytes of an operand, one by one. */
struct bytes {
	uint32_t tensor, root;
	uint32_t n;
	int64_t *at; /* in the root's storage */
	bool reads, writes, strict;
	struct cell *before, *after;
};

struct sim {
	const struct tn_graph *g;
	const struct tn_plan *plan;
	bool exact;
	struct tn_arena arena;
	struct cell **own; /* by root: the memory without sharing */
	struct cell **region; /* by region: the memory of the plan */
	struct bytes **operand; /* by op: inputs, then outputs */
	uint32_t op;
	uint32_t invocation;
	const char *why;
};

static void *zeroed(struct sim *s, size_t n, size_t size)
{
	void *p = tn_arena_array(&s->arena, n, size);

	if (!p)
		exit(EXIT_FAILURE);
	return p;
}

static void wrong(struct sim *s, const char *why)
{
	if (!s->why)
		s->why = why;
}

/* Every value has a number: tensors' given contents, then 64 for each op. */
static uint32_t given(const struct sim *s, uint32_t tensor)
{
	return 1 + tensor + s->invocation * 1000000;
}

static uint32_t written(const struct sim *s, uint32_t op, uint32_t k)
{
	return 1 + s->g->n_tensors + 64 * op + k + s->invocation * 1000000;
}

static bool constant(const struct sim *s, uint32_t root)
{
	const struct tn_tensor *t = &s->g->tensors[root];

	return t->role == ROLE_CONST ||
	       (t->data_kind != DATA_NONE && t->role != ROLE_VARIABLE);
}

static struct bytes bytes_of(struct sim *s, uint32_t tensor)
{
	const struct tn_tensor *t = &s->g->tensors[tensor];
	int64_t width = tn_dtype_bits(t->dtype) / 8, start = 0, lo = INT64_MAX, hi = 0;
	struct bytes b = { .tensor = tensor, .root = tensor };
	int64_t stride[TN_RANK_MAX];
	int64_t *first = zeroed(s, (size_t)t->elements, sizeof(*first));

	while (s->g->tensors[b.root].view_of.i != TN_NONE) {
		start += s->g->tensors[b.root].view_offset *
			 (tn_dtype_bits(s->g->tensors[b.root].dtype) / 8);
		b.root = s->g->tensors[b.root].view_of.i;
	}
	tn_shape_strides(&t->shape, stride);
	for (int64_t e = 0; e < t->elements; e++) {
		int64_t rest = e, at = 0;

		for (uint32_t d = t->shape.rank; d-- > 0;) {
			at += rest % t->shape.dim[d] *
			      (t->has_strides ? t->stride[d] : stride[d]);
			rest /= t->shape.dim[d];
		}
		first[e] = start + at * width;
		lo = first[e] < lo ? first[e] : lo;
		hi = first[e] + width > hi ? first[e] + width : hi;
	}
	if (!t->elements)
		return b;
	if (s->exact || !t->has_strides) {
		b.n = (uint32_t)(t->elements * width);
		b.at = zeroed(s, b.n, sizeof(*b.at));
		for (uint32_t i = 0; i < b.n; i++)
			b.at[i] = first[i / width] + i % width;
	} else {
		b.n = (uint32_t)(hi - lo);
		b.at = zeroed(s, b.n, sizeof(*b.at));
		for (uint32_t i = 0; i < b.n; i++)
			b.at[i] = lo + i;
	}
	return b;
}

/* Behind the last of its bytes, in the root's storage. */
static int64_t last_of(const struct bytes *b)
{
	int64_t end = 0;

	for (uint32_t i = 0; i < b->n; i++)
		end = b->at[i] >= end ? b->at[i] + 1 : end;
	return end;
}

static struct cell *own(struct sim *s, const struct bytes *b, uint32_t i)
{
	return &s->own[b->root][b->at[i]];
}

static int64_t address(const struct sim *s, const struct bytes *b, uint32_t i)
{
	return s->plan->tensors[b->root].offset + b->at[i];
}

static struct cell *placed(struct sim *s, const struct bytes *b, uint32_t i)
{
	return &s->region[s->plan->tensors[b->root].region][address(s, b, i)];
}

static bool same(struct cell a, struct cell b)
{
	return a.value == b.value && a.at == b.at;
}

static bool is_view(const struct sim *s, const struct tn_op *op)
{
	const struct bytes *b = s->operand[op - s->g->ops];
	bool equal = true;

	if (!op->n_inputs || op->n_outputs != 1 || b[0].tensor == TN_NONE ||
		s->g->tensors[op->outputs[0].i].view_of.i == TN_NONE ||
		b[0].root != b[op->n_inputs].root)
		return false;
	for (uint32_t i = 0; i < b[0].n; i++)
		equal = equal && b[0].n == b[op->n_inputs].n &&
			b[0].at[i] == b[op->n_inputs].at[i];
	return tn_op_int(op, "view", 0) || (tn_op_info(op->kind)->access == ACCESS_VIEW &&
						   equal && !tn_op_has_own_kernel(op));
}

static bool is_copy(const struct sim *s, const struct tn_op *op)
{
	return tn_op_info(op->kind)->access == ACCESS_VIEW && !tn_op_has_own_kernel(op) &&
	       s->g->tensors[op->inputs[0].i].bytes ==
		       s->g->tensors[op->outputs[0].i].bytes;
}

static bool opaque(const struct sim *s, uint32_t op)
{
	struct tn_variant v[TN_VARIANTS_MAX];

	return tn_contract_variants(s->g, (tn_op_id){ op }, v) == 0;
}

static struct cell made(
	const struct sim *s, const struct tn_op *op, uint32_t k, uint32_t i)
{
	uint32_t from;
	int64_t at;

	if (is_copy(s, op))
		return s->operand[op - s->g->ops][0].before[i];
	if (k >= op->n_inputs && !opaque(s, (uint32_t)(op - s->g->ops)) &&
		sim_source(s->g, op, k - op->n_inputs, i, &from, &at))
		return s->operand[op - s->g->ops][from].before[at];
	return (struct cell){ written(s, (uint32_t)(op - s->g->ops), k), i };
}

static void snapshot(struct sim *s, struct bytes *b, struct cell **out)
{
	*out = zeroed(s, b->n, sizeof(**out));
	for (uint32_t i = 0; i < b->n; i++)
		(*out)[i] = *own(s, b, i);
}

/* The graph in its own order, without sharing. */
static void run_reference(struct sim *s)
{
	const struct tn_graph *g = s->g;

	for (uint32_t p = 0; p < g->n_ops; p++) {
		uint32_t id = g->schedule[p].i;
		const struct tn_op *op = &g->ops[id];
		uint32_t n = op->n_inputs + op->n_outputs;
		struct bytes *b = s->operand[id] = zeroed(s, n, sizeof(*b));

		for (uint32_t k = 0; k < n; k++) {
			bool output = k >= op->n_inputs;
			tn_tensor_id t =
				output ? op->outputs[k - op->n_inputs] : op->inputs[k];

			b[k].tensor = TN_NONE;
			if (t.i == TN_NONE)
				continue;
			b[k] = bytes_of(s, t.i);
			b[k].strict = !output && !g->tensors[t.i].has_strides;
			b[k].reads =
				!output || opaque(s, id) || g->tensors[t.i].has_strides;
			b[k].writes =
				output || (opaque(s, id) && g->tensors[b[k].root].role ==
								    ROLE_VARIABLE);
			snapshot(s, &b[k], &b[k].before);
		}
		for (uint32_t k = 0; k < n && !is_view(s, op); k++)
			for (uint32_t i = 0; b[k].writes && i < b[k].n; i++)
				*own(s, &b[k], i) = made(s, op, k, i);
		for (uint32_t k = 0; k < n; k++)
			snapshot(s, &b[k], &b[k].after);
	}
}

static bool has_memory(const struct sim *s, const struct bytes *b)
{
	return b->n && !constant(s, b->root);
}

static void read_byte(struct sim *s, const struct bytes *b, uint32_t i)
{
	if (!b->before[i].value) {
		if (b->strict)
			wrong(s, "reads what nobody wrote");
	} else if (!same(*placed(s, b, i), b->before[i])) {
		wrong(s, "reads another value");
	}
}

static bool step(void *user, const struct tn_step *step)
{
	struct sim *s = user;
	const struct tn_op *op = &s->g->ops[s->op];
	const struct bytes *b = s->operand[s->op];

	for (uint32_t i = 0; i < step->n_reads; i++) {
		const struct bytes *in = &b[step->reads[i].operand];

		for (int64_t k = step->reads[i].begin; k < step->reads[i].end; k++)
			if (has_memory(s, in))
				read_byte(s, in, (uint32_t)k);
	}
	for (uint32_t i = 0; i < step->n_writes; i++) {
		uint32_t k = op->n_inputs + step->writes[i].operand;

		for (int64_t at = step->writes[i].begin; at < step->writes[i].end; at++)
			*placed(s, &b[k], (uint32_t)at) = made(s, op, k, (uint32_t)at);
	}
	return true;
}

/* What an op writes past the end of output k: garbage, in nobody's bytes that it touches. */
static void write_tail(struct sim *s, const struct tn_op *op, uint32_t k)
{
	const struct bytes *b = s->operand[s->op];
	const uint32_t n = op->n_inputs + op->n_outputs;
	const int64_t tail = tn_op_tail(op);
	struct cell *at;

	if (!tail || k < op->n_inputs || !b[k].n)
		return;
	at = &s->region[s->plan->tensors[b[k].root].region]
		       [s->plan->tensors[b[k].root].offset + last_of(&b[k])];
	for (uint32_t m = 0; m < n; m++)
		for (uint32_t i = 0; i < b[m].n && has_memory(s, &b[m]); i++)
			if (placed(s, &b[m], i) >= at && placed(s, &b[m], i) < at + tail)
				wrong(s, "the tail meets an operand");
	for (int64_t i = 0; i < tail; i++)
		at[i] = (struct cell){ written(s, s->op, 62), (uint32_t)i };
}

/* Any access may come at any time: a written byte must be nobody else's. */
static void run_opaque(struct sim *s, const struct tn_op *op)
{
	const struct bytes *b = s->operand[s->op];
	uint32_t n = op->n_inputs + op->n_outputs;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; b[k].reads && has_memory(s, &b[k]) && i < b[k].n;
			i++)
			read_byte(s, &b[k], i);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t m = 0; b[k].writes && m < n; m++)
			for (uint32_t i = 0; b[m].root != b[k].root && i < b[m].n &&
					     has_memory(s, &b[m]) && has_memory(s, &b[k]);
				i++)
				for (uint32_t j = 0; j < b[k].n; j++)
					if (placed(s, &b[m], i) == placed(s, &b[k], j))
						wrong(s, "an opaque op meets itself");
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; b[k].writes && i < b[k].n; i++)
			*placed(s, &b[k], i) = made(s, op, k, i);
	for (uint32_t k = 0; k < n; k++)
		write_tail(s, op, k);
}

static void run_plan_op(struct sim *s)
{
	const struct tn_op *op = &s->g->ops[s->op];
	const struct tn_plan_op *p = &s->plan->ops[s->op];
	const struct bytes *b = s->operand[s->op];
	struct tn_variant v = { p->descending, (enum tn_hold)p->hold };
	struct tn_variant list[TN_VARIANTS_MAX] = { { false, HOLD_NONE } };
	uint32_t n = tn_contract_variants(s->g, (tn_op_id){ s->op }, list);
	struct cell garbage = { written(s, s->op, 63), 0 };
	bool found = false;

	for (uint32_t i = 0; i < (n ? n : 1); i++)
		found = found ||
			(list[i].descending == v.descending && list[i].hold == v.hold);
	if (!p->elided &&
		(!found || p->scratch_bytes <
				   tn_contract_scratch(s->g, (tn_op_id){ s->op }, v))) {
		wrong(s, "no such variant");
		return;
	}
	if (is_view(s, op))
		return;
	if (p->elided) {
		for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++)
			for (uint32_t i = 0; b[k].writes && i < b[k].n; i++)
				if (has_memory(s, &b[k]) && made(s, op, k, i).value &&
					!same(*placed(s, &b[k], i), made(s, op, k, i)))
					wrong(s, "elided, and not in place");
		return;
	}
	for (int64_t i = 0; i < p->scratch_bytes; i++)
		s->region[p->scratch_region][p->scratch_offset + i] = garbage;
	if (n)
		(void)!tn_contract_walk(s->g, (tn_op_id){ s->op }, v, step, s);
	else
		run_opaque(s, op);
	for (int64_t i = 0; i < p->scratch_bytes; i++)
		if (!same(s->region[p->scratch_region][p->scratch_offset + i], garbage))
			wrong(s, "writes into its scratch");
}

static bool is_given(const struct sim *s, uint32_t i)
{
	const struct tn_tensor *t = &s->g->tensors[i];

	return t->role == ROLE_INPUT || t->role == ROLE_VARIABLE || constant(s, i) ||
	       tn_graph_is_input(s->g, (tn_tensor_id){ i });
}

/* New contents for inputs; variables keep theirs, in both memories; all else is lost. */
static void begin(struct sim *s)
{
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < s->g->n_tensors; i++) {
			const struct tn_tensor *t = &s->g->tensors[i];
			struct bytes b = bytes_of(s, i);
			bool fresh = t->role != ROLE_VARIABLE || s->invocation == 0;

			if (b.root != i)
				continue;
			for (uint32_t k = 0; k < b.n; k++) {
				struct cell c = { is_given(s, i) ? given(s, i) : 0, k };

				if (!fresh)
					c = s->own[i][k];
				if (pass == 0)
					s->own[i][k] = c;
				if (constant(s, i) || !is_given(s, i) ||
					s->plan->tensors[i].region == TN_REGION_NONE)
					continue;
				if (pass == 0 && fresh)
					*placed(s, &b, k) = c;
				else if (pass == 1 && !same(*placed(s, &b, k), c))
					wrong(s, "given contents meet");
			}
		}
	}
}

static void keep_variables(struct sim *s)
{
	for (uint32_t r = 0; r < s->plan->n_regions; r++) {
		struct cell *old = s->region[r];

		s->region[r] = zeroed(s, (size_t)s->plan->regions[r].used, sizeof(*old));
		for (uint32_t i = 0; i < s->g->n_tensors; i++) {
			const struct tn_plan_tensor *p = &s->plan->tensors[i];

			if (s->g->tensors[i].role == ROLE_VARIABLE && p->region == r)
				memcpy(&s->region[r][p->offset], &old[p->offset],
					(size_t)p->bytes * sizeof(*old));
		}
	}
}

/* Does an op write this byte of the root, be it with what lies there? */
static bool is_written(struct sim *s, uint32_t root, uint32_t byte)
{
	const bool *updated = tn_graph_updated_inputs(s->g, &s->arena);

	if (!updated)
		exit(EXIT_FAILURE);
	for (uint32_t t = 0; t < s->g->n_tensors; t++) {
		struct bytes b = bytes_of(s, t);

		for (uint32_t k = 0; updated[t] && b.root == root && k < b.n; k++)
			if (b.at[k] == byte)
				return true;
	}
	return false;
}

/* What the graph writes into an input that may be overwritten is a result. */
static void check_result(struct sim *s, uint32_t i)
{
	struct bytes b = bytes_of(s, i);

	for (uint32_t k = 0; k < b.n; k++)
		if ((!same(*own(s, &b, k), (struct cell){ given(s, i), k }) ||
			    is_written(s, i, k)) &&
			!same(*placed(s, &b, k), *own(s, &b, k)))
			wrong(s, "a result in an input does not last");
}

static void end(struct sim *s)
{
	for (uint32_t i = 0; i < s->g->n_tensors; i++) {
		const struct tn_tensor *t = &s->g->tensors[i];
		struct bytes b = bytes_of(s, i);
		bool output = t->role == ROLE_OUTPUT ||
			      tn_graph_is_output(s->g, (tn_tensor_id){ i });

		if (is_given(s, i) && t->role != ROLE_VARIABLE && t->clobber &&
			b.root == i && has_memory(s, &b) &&
			s->plan->tensors[i].region != TN_REGION_NONE)
			check_result(s, i);
		if (!(t->role == ROLE_VARIABLE || t->observed || output ||
			    (is_given(s, i) && !t->clobber)) ||
			!has_memory(s, &b) ||
			s->plan->tensors[b.root].region == TN_REGION_NONE)
			continue;
		for (uint32_t k = 0; k < b.n; k++)
			if (own(s, &b, k)->value
					? !same(*placed(s, &b, k), *own(s, &b, k))
					: output && !t->has_strides)
				wrong(s, "does not last");
	}
}

static bool range_ok(const struct tn_plan *plan, uint32_t region, int64_t offset,
	int64_t bytes, int64_t align)
{
	return region < plan->n_regions && offset >= 0 && bytes >= 0 &&
	       offset + bytes <= plan->regions[region].used && offset % align == 0;
}

static bool touches(const struct sim *s, uint32_t op, uint32_t root)
{
	for (uint32_t k = 0; k < s->g->ops[op].n_inputs + s->g->ops[op].n_outputs; k++)
		if (s->operand[op][k].tensor != TN_NONE && s->operand[op][k].root == root)
			return true;
	return false;
}

/* Offsets are multiples of the region's alignment, but for operands of ops that do not run:
 * they are parts of others. What the caller sees has no such excuse. */
static bool aligned(const struct sim *s, uint32_t tensor)
{
	const struct tn_plan_tensor *p = &s->plan->tensors[tensor];
	const struct tn_tensor *t = &s->g->tensors[tensor];
	tn_tensor_id id = { tensor };
	bool seen = t->role == ROLE_INPUT || t->role == ROLE_OUTPUT ||
		    tn_graph_is_input(s->g, id) || tn_graph_is_output(s->g, id);

	for (uint32_t i = 0; i < s->g->n_ops; i++)
		if (!seen && s->plan->ops[i].elided && touches(s, i, tensor))
			return true;
	return p->offset % s->plan->regions[p->region].align == 0;
}

static void check_layout(struct sim *s)
{
	const struct tn_plan *plan = s->plan;
	bool *seen = zeroed(s, s->g->n_ops, sizeof(*seen));
	int64_t total = 0;

	for (uint32_t r = 0; r < plan->n_regions; r++) {
		const struct tn_plan_region *region = &plan->regions[r];

		total += region->used;
		if (region->capacity >= 0 && region->capacity < region->used)
			wrong(s, "over capacity");
	}
	if (total > plan->arena_bytes)
		wrong(s, "the arena is too small");
	for (uint32_t i = 0; i < s->g->n_tensors; i++) {
		const struct tn_plan_tensor *p = &plan->tensors[i];
		struct bytes b = bytes_of(s, i);
		int64_t width = tn_dtype_bits(s->g->tensors[i].dtype) / 8;

		if (is_given(s, i) && has_memory(s, &b) &&
			plan->tensors[b.root].region == TN_REGION_NONE)
			wrong(s, "no place");
		if (p->region == TN_REGION_NONE)
			continue;
		if (p->bytes != s->g->tensors[i].bytes || constant(s, b.root))
			wrong(s, "another tensor");
		else if (b.root == i && !(range_ok(plan, p->region, p->offset, p->bytes,
						  width > 8 ? 8 : width) &&
						aligned(s, i)))
			wrong(s, "outside or misaligned");
		else if (b.root != i && b.n &&
			 (p->region != plan->tensors[b.root].region ||
				 p->offset != address(s, &b, 0)))
			wrong(s, "a view elsewhere");
	}
	for (uint32_t i = 0; i < s->g->n_ops; i++) {
		const struct tn_plan_op *p = &plan->ops[i];
		const struct tn_op *op = &s->g->ops[i];

		if (plan->order[i] >= s->g->n_ops || seen[plan->order[i]])
			wrong(s, "no permutation");
		else
			seen[plan->order[i]] = true;
		if (p->scratch_bytes &&
			(!range_ok(plan, p->scratch_region, p->scratch_offset,
				 p->scratch_bytes, 16) ||
				p->scratch_offset %
					plan->regions[p->scratch_region].align))
			wrong(s, "scratch outside");
		for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
			tn_tensor_id t = k < op->n_inputs ? op->inputs[k]
							  : op->outputs[k - op->n_inputs];
			struct bytes b;

			if (t.i == TN_NONE)
				continue;
			b = bytes_of(s, t.i);
			if (has_memory(s, &b) && !is_view(s, op) &&
				plan->tensors[b.root].region == TN_REGION_NONE)
				wrong(s, "no place");
			else if (k >= op->n_inputs && has_memory(s, &b) && !p->elided &&
				 !is_view(s, op) &&
				 !range_ok(plan, plan->tensors[b.root].region,
					 plan->tensors[b.root].offset,
					 last_of(&b) + tn_op_tail(op), 1))
				wrong(s, "a tail outside");
		}
	}
	if (!s->why)
		for (uint32_t i = 0; i < s->g->n_outputs; i++) {
			struct bytes b = bytes_of(s, s->g->outputs[i].i);

			if (has_memory(s, &b) &&
				plan->tensors[b.root].region == TN_REGION_NONE)
				wrong(s, "an output without a place");
		}
}

static bool is_output(const struct sim *s, uint32_t i)
{
	return s->g->tensors[i].role == ROLE_OUTPUT ||
	       tn_graph_is_output(s->g, (tn_tensor_id){ i });
}

/* No byte of an output is one of another output, of an input that is kept or of a variable;
 * storage that is one in the graph is declared. Variables and inputs own all of it. */
static void check_owners(struct sim *s)
{
	for (uint32_t i = 0; i < s->g->n_tensors; i++)
		for (uint32_t k = 0; k < s->g->n_tensors; k++) {
			struct bytes a = bytes_of(s, i), b = bytes_of(s, k);
			bool kept = is_given(s, k) && !s->g->tensors[k].clobber;

			if (!is_output(s, i) || !(is_output(s, k) || kept) ||
				a.root == b.root || !has_memory(s, &a) ||
				!has_memory(s, &b))
				continue;
			for (uint32_t n = 0; n < a.n * b.n; n++)
				if (placed(s, &a, n / b.n) == placed(s, &b, n % b.n))
					wrong(s, "an output is shared");
		}
}

bool sim_accepts(const struct tn_graph *g, const struct tn_plan *plan, bool exact,
	const char **out_why)
{
	struct sim s = { .g = g, .plan = plan, .exact = exact };

	tn_arena_init(&s.arena);
	s.own = zeroed(&s, g->n_tensors, sizeof(*s.own));
	s.region = zeroed(&s, plan->n_regions, sizeof(*s.region));
	s.operand = zeroed(&s, g->n_ops, sizeof(*s.operand));
	for (uint32_t i = 0; i < g->n_tensors; i++)
		s.own[i] = zeroed(&s, (size_t)g->tensors[i].bytes, sizeof(struct cell));
	run_reference(&s); /* once for the operands, with any contents */
	check_layout(&s);
	for (uint32_t r = 0; r < plan->n_regions && !s.why; r++)
		s.region[r] =
			zeroed(&s, (size_t)plan->regions[r].used, sizeof(struct cell));
	for (s.invocation = 0; s.invocation < 2 && !s.why; s.invocation++) {
		if (s.invocation)
			keep_variables(&s);
		begin(&s);
		run_reference(&s);
		for (uint32_t p = 0; p < g->n_ops; p++) {
			s.op = plan->order[p];
			run_plan_op(&s);
		}
		end(&s);
	}
	if (!s.why)
		check_owners(&s);
	tn_arena_release(&s.arena);
	*out_why = s.why;
	return !s.why;
}
