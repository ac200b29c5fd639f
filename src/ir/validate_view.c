/* Views: each resolves to a root without a cycle, and its bytes lie in the root's. */
#include <inttypes.h>

#include "base/checked.h"
#include "ir/validate_part.h"

/* Byte offset of the view in the tensor that it names. */
static bool own_offset(const struct tn_tensor *t, int64_t *out)
{
	int64_t bits;

	if (!tn_mul_i64(t->view_offset, tn_dtype_bits(t->dtype), &bits) || bits % 8 != 0)
		return false;
	*out = bits / 8;
	return true;
}

static void report_cycle(struct tn_check *c, uint32_t start)
{
	const struct tn_tensor *t = &c->g->tensors[start];
	uint32_t i = start;

	tn_check_error(c, "graph/view-cycle", t->pointer, t->name,
		"the view '%s' is, in the end, a view of itself", t->name);
	do {
		uint32_t next = c->g->tensors[i].view_of.i;

		tn_diag_note(c->diags, "'%s' is a view of '%s'", c->g->tensors[i].name,
			c->g->tensors[next].name);
		i = next;
	} while (i != start);
}

/* Follows the chain from `start` to what is resolved, then resolves it backwards. */
static void resolve(struct tn_check *c, uint32_t start, uint8_t *state, uint32_t *stack)
{
	uint32_t depth = 0, i = start;

	while (state[i] == 0 && c->g->tensors[i].view_of.i != TN_NONE) {
		state[i] = 1;
		stack[depth++] = i;
		i = c->g->tensors[i].view_of.i;
	}
	if (state[i] == 1) {
		report_cycle(c, i);
		c->root_offset[i] = -1;
		state[i] = 2;
	} else if (state[i] == 0) {
		state[i] = 2;
		c->root[i] = i;
	}
	while (depth) {
		const struct tn_tensor *t = &c->g->tensors[stack[--depth]];
		uint32_t up = t->view_of.i, me = stack[depth];
		int64_t offset;

		if (state[me] == 2) /* closed the cycle */
			continue;
		state[me] = 2;
		c->root[me] = c->root[up];
		c->root_offset[me] = -1;
		if (c->root_offset[up] < 0)
			continue;
		if (!own_offset(t, &offset) ||
			!tn_add_i64(c->root_offset[up], offset, &offset) || offset < 0)
			tn_check_error(c, "graph/view-range", t->pointer, t->name,
				"the view '%s' does not start at a byte of '%s'", t->name,
				c->g->tensors[up].name);
		else
			c->root_offset[me] = offset;
	}
}

static void check_inside(struct tn_check *c, uint32_t i)
{
	const struct tn_tensor *t = &c->g->tensors[i];
	const struct tn_tensor *root = &c->g->tensors[c->root[i]];
	int64_t begin, end, first, last; /* of the view; of the root's elements */

	if (t->elements <= 0 || root->elements < 0)
		return; /* empty, or reported */
	if (tn_tensor_span(t, &begin, &end) && tn_add_i64(c->root_offset[i], end, &end) &&
		tn_tensor_span(root, &first, &last) &&
		c->root_offset[i] + begin >= first && end <= last)
		return;
	tn_check_error(c, "graph/view-range", t->pointer, t->name,
		"the view '%s' leaves the bytes of '%s'", t->name, root->name);
}

void tn_check_views(struct tn_check *c)
{
	uint32_t n = c->g->n_tensors;
	uint8_t *state = TN_NEW_ARRAY(&c->scratch, uint8_t, n); /* 1 on the way, 2 done */
	uint32_t *stack = TN_NEW_ARRAY(&c->scratch, uint32_t, n);

	c->root = TN_NEW_ARRAY(&c->scratch, uint32_t, n);
	c->root_offset = TN_NEW_ARRAY(&c->scratch, int64_t, n);
	if (!state || !stack || !c->root || !c->root_offset) {
		c->nomem = true;
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		c->root[i] = i;
	for (uint32_t i = 0; i < n; i++)
		if (state[i] == 0)
			resolve(c, i, state, stack);
	for (uint32_t i = 0; i < n; i++)
		if (c->g->tensors[i].view_of.i != TN_NONE && c->root_offset[i] >= 0)
			check_inside(c, i);
}
