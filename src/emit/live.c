/* Addresses that the run function keeps from one call to the next. */
#include <stdlib.h>

#include "base/banned.h"
#include "emit/writer.h"

#define LOW_REGISTERS 4 /* r4 to r7: what a call keeps, and short instructions reach */

/* A value that a call needs: an address, or the 0 of a call without scratch. */
struct use {
	uint32_t region;
	int64_t offset;
	uint32_t call;
};

struct uses {
	struct use *list;
	size_t n;
	int32_t *
		begin; /* by call: values that live from it on, less those that end there */
	int64_t *constants; /* by call */
	uint32_t n_calls;
};

static int by_value(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

static void add_place(struct uses *u, const struct tn_storage *s)
{
	if (s->region == TN_REGION_NONE || s->offset)
		u->list[u->n++] = (struct use){ s->region, s->offset, u->n_calls };
}

static void add_operands(const struct tn_writer *w, struct uses *u,
	const struct tn_operand *list, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		const struct tn_storage *s =
			tn_tensor_id_ok(w->g, list[k].tensor)
				? &w->program.tensors[list[k].tensor.i]
				: NULL;

		if (s && s->region != TN_REGION_NONE)
			add_place(u, s);
		else
			u->constants[u->n_calls]++;
	}
}

static void collect(const struct tn_writer *w, struct uses *u)
{
	for (uint32_t i = 0; i < w->program.n_ops; i++) {
		const struct tn_program_op *po = &w->program.ops[i];
		const struct tn_storage none = { .region = TN_REGION_NONE };

		if (po->elided || !po->call.kernel)
			continue;
		add_operands(w, u, po->call.in, po->call.n_in);
		add_operands(w, u, po->call.out, po->call.n_out);
		add_place(u, po->scratch.bytes ? &po->scratch : &none);
		u->n_calls++;
	}
}

/* From its first call on, until the last one has it. */
static void find_lives(struct uses *u)
{
	for (size_t i = 0, end; i < u->n; i = end) {
		for (end = i + 1; end < u->n &&
				  u->list[end].region == u->list[i].region &&
				  u->list[end].offset == u->list[i].offset;)
			end++;
		u->begin[u->list[i].call]++;
		u->begin[u->list[end - 1].call]--;
	}
}

bool tn_pressed_constants(const struct tn_writer *w, int64_t *out)
{
	const size_t n = w->program.n_ops;
	size_t operands = n;
	int64_t live = w->n_regions;
	struct uses u = { 0 };

	*out = 0;
	for (size_t i = 0; i < n; i++)
		operands += w->program.ops[i].call.n_in + w->program.ops[i].call.n_out;
	u.list = TN_NEW_ARRAY(w->arena, struct use, operands + 1);
	u.begin = TN_NEW_ARRAY(w->arena, int32_t, n + 1);
	u.constants = TN_NEW_ARRAY(w->arena, int64_t, n + 1);
	if (!u.list || !u.begin || !u.constants)
		return false;
	collect(w, &u);
	qsort(u.list, u.n, sizeof(*u.list), by_value);
	find_lives(&u);
	for (uint32_t i = 0; i + 1 < u.n_calls; i++) {
		live += u.begin[i];
		if (live >= LOW_REGISTERS)
			*out += u.constants[i];
	}
	return true;
}
