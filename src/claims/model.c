#include "claims/model.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "ir/validate.h"

int64_t tn_form_at(const struct tn_form *f, int64_t element)
{
	int64_t bit = f->start;

	if (f->dense)
		return bit + element * f->width;
	for (uint32_t d = f->rank; d-- > 0;) {
		bit += element % f->dim[d] * f->stride[d];
		element /= f->dim[d];
	}
	return bit;
}

bool tn_form_same_layout(const struct tn_form *a, const struct tn_form *b)
{
	uint32_t i = 0, k = 0;

	if (a->dense && b->dense)
		return a->n == b->n && a->width == b->width;
	if (a->width != b->width || a->n != b->n)
		return false;
	for (;;) { /* dimensions of one element do not count */
		while (i < a->rank && a->dim[i] == 1)
			i++;
		while (k < b->rank && b->dim[k] == 1)
			k++;
		if (i == a->rank || k == b->rank)
			return i == a->rank && k == b->rank;
		if (a->dim[i] != b->dim[k] || a->stride[i] != b->stride[k])
			return false;
		i++;
		k++;
	}
}

bool tn_form_may_overlap_itself(const struct tn_form *f)
{
	int64_t dim[TN_RANK_MAX], stride[TN_RANK_MAX], reach = f->width;
	uint32_t n = 0;

	if (f->dense || f->n < 2)
		return false;
	for (uint32_t d = 0; d < f->rank; d++) {
		int64_t s = f->stride[d] < 0 ? -f->stride[d] : f->stride[d];
		uint32_t at = n;

		if (f->dim[d] == 1)
			continue;
		for (; at > 0 && stride[at - 1] > s; at--) {
			stride[at] = stride[at - 1];
			dim[at] = dim[at - 1];
		}
		stride[at] = s;
		dim[at] = f->dim[d];
		n++;
	}
	for (uint32_t d = 0; d < n; d++) { /* each must step over all that is inside it */
		if (stride[d] < reach)
			return true;
		reach += (dim[d] - 1) * stride[d];
	}
	return false;
}

const struct tn_form *tn_model_operand(
	const struct tn_model *m, uint32_t op, uint32_t operand)
{
	uint32_t t = tn_model_tensor(m, op, operand);

	return t == TN_NONE ? NULL : &m->form[t];
}

uint32_t tn_model_tensor(const struct tn_model *m, uint32_t op, uint32_t operand)
{
	const struct tn_op *o = &m->g->ops[op];

	return operand < o->n_inputs ? o->inputs[operand].i
				     : o->outputs[operand - o->n_inputs].i;
}

bool tn_model_updates(const struct tn_model *m, uint32_t op, uint32_t operand)
{
	const struct tn_op *o = &m->g->ops[op];
	const struct tn_kernel *k = &m->kernel[op];
	const struct tn_form *f = tn_model_operand(m, op, operand);

	if (operand >= o->n_inputs || !k->any_time || k->kind != KERNEL_OPAQUE ||
		o->kind == OP_UNKNOWN || !f || m->role[f->root] != ROLE_VARIABLE)
		return false;
	for (uint32_t i = 0; i < o->n_outputs; i++)
		if (o->outputs[i].i != TN_NONE &&
			m->form[o->outputs[i].i].root == f->root)
			return false;
	return true;
}

uint32_t tn_model_producer(const struct tn_model *m, uint32_t tensor)
{
	const uint32_t own = m->producer[tensor];

	return own != TN_NONE ? own : m->root_producer[m->form[tensor].root];
}

/* Sizes and strides of the elements, as if the tensor were its own root. */
static bool measure(const struct tn_tensor *t, struct tn_form *f)
{
	int64_t reach, dense = tn_dtype_bits(t->dtype);

	*f = (struct tn_form){ .width = 8, .n = 1, .hi = 8, .dense = true };
	if (t->bytes < 0 || !tn_dtype_bits(t->dtype))
		return true; /* not known: one opaque element */
	f->known = true;
	f->width = dense;
	f->n = t->elements;
	f->hi = 0;
	f->rank = t->shape.rank;
	for (uint32_t d = f->rank; d-- > 0;) {
		int64_t s = dense;

		f->dim[d] = t->shape.dim[d];
		if (!f->n)
			continue;
		if (t->has_strides && !tn_mul_i64(t->stride[d], f->width, &s))
			return false;
		if (!tn_mul_i64(f->dim[d] - 1, s, &reach) ||
			!tn_add_i64(reach < 0 ? f->lo : f->hi, reach,
				reach < 0 ? &f->lo : &f->hi) ||
			!tn_mul_i64(dense, f->dim[d], &dense))
			return false;
		f->stride[d] = f->dim[d] == 1 ? 0 : s;
		if (t->has_strides && f->dim[d] != 1 && s != dense / f->dim[d])
			f->dense = false;
	}
	return !f->n || tn_add_i64(f->hi, f->width, &f->hi);
}

/* What an op that only gives a tensor another name says of its output: which input. */
static uint32_t renamed(const struct tn_op *op)
{
	int64_t k = tn_op_int(op, "returns_input", -1);

	if (!op->n_outputs || !op->n_inputs)
		return TN_NONE;
	if (k >= 0 && k < op->n_inputs)
		return op->inputs[k].i;
	return tn_kernel_may_be_view(op) && strcmp(op->type, "Transpose") != 0
		       ? op->inputs[0].i
		       : TN_NONE;
}

/* The tensor whose bytes these are: as the file says, or as an op that runs no code
 * implies. */
static void find_bases(const struct tn_graph *g, uint32_t *base)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		base[i] = g->tensors[i].view_of.i;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t in = renamed(&g->ops[i]), out;

		if (in == TN_NONE)
			continue;
		out = g->ops[i].outputs[0].i;
		if (out == TN_NONE || out == in || base[out] != TN_NONE ||
			(g->tensors[out].role != ROLE_ACT &&
				g->tensors[out].role != ROLE_OUTPUT) ||
			g->tensors[out].bytes != g->tensors[in].bytes ||
			g->tensors[out].has_strides || g->tensors[in].has_strides ||
			g->tensors[in].bytes < 0)
			continue;
		base[out] = in;
	}
}

/* Can its bits be counted, and rounded up to bytes: from its root, and from its own first? */
static bool is_countable(const struct tn_form *f)
{
	int64_t bits;

	return tn_sub_i64(f->hi, f->lo, &bits) && tn_add_i64(bits, 7, &bits) &&
	       tn_add_i64(f->hi, 7, &bits);
}

static enum tn_status bad_view(
	const struct tn_graph *g, uint32_t tensor, struct tn_diags *diags)
{
	const struct tn_tensor *t = &g->tensors[tensor];

	tn_diag_at(diags, SEVERITY_ERROR, "claims/view", g->source, t->pointer, t->name,
		"the claims cannot be judged: the view '%s' does not lie in the storage "
		"of another tensor",
		t->name);
	return TN_ERR_INPUT;
}

/* By tensor: its root and the bit of its first element there, a chain of views walked once.
 * `chain` has room for all tensors. False: it leads nowhere, or cannot be counted. */
static bool follow(
	struct tn_model *m, const uint32_t *base, uint32_t tensor, uint32_t *chain)
{
	const struct tn_graph *g = m->g;
	uint32_t at = tensor, n = 0;

	while (m->form[at].root == TN_NONE && base[at] != TN_NONE) {
		if (n == g->n_tensors || base[at] >= g->n_tensors)
			return false;
		chain[n++] = at;
		at = base[at];
	}
	if (m->form[at].root == TN_NONE)
		m->form[at].root = at;
	while (n > 0) {
		struct tn_form *f = &m->form[chain[--n]];
		const struct tn_tensor *t = &g->tensors[chain[n]];

		if (!tn_mul_i64(t->view_offset, tn_dtype_bits(t->dtype), &f->start) ||
			!tn_add_i64(f->start, m->form[base[chain[n]]].start, &f->start))
			return false;
		f->root = m->form[base[chain[n]]].root;
	}
	return true;
}

static enum tn_status resolve(struct tn_model *m, struct tn_diags *diags)
{
	const struct tn_graph *g = m->g;
	uint32_t *base = TN_NEW_ARRAY(m->arena, uint32_t, g->n_tensors);
	uint32_t *chain = TN_NEW_ARRAY(m->arena, uint32_t, g->n_tensors);

	if (!base || !chain)
		return TN_ERR_NOMEM;
	find_bases(g, base);
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		if (!measure(&g->tensors[i], &m->form[i]))
			return bad_view(g, i, diags);
		m->form[i].root = TN_NONE;
	}
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		struct tn_form *f = &m->form[i];

		if (!follow(m, base, i, chain) || !tn_add_i64(f->lo, f->start, &f->lo) ||
			!tn_add_i64(f->hi, f->start, &f->hi) || !is_countable(f))
			return bad_view(g, i, diags);
	}
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_form *f = &m->form[i], *root = &m->form[f->root];

		/* a value of unknown size is one token, and so are its views */
		if (f->root != i && f->known && root->known && f->n &&
			(f->lo < root->lo || f->hi > (root->hi + 7) / 8 * 8))
			return bad_view(g, i, diags);
		if (f->root != i && f->known != root->known)
			m->form[i] = (struct tn_form){ .root = f->root,
				.width = root->hi - root->lo,
				.start = root->lo,
				.lo = root->lo,
				.hi = root->hi,
				.n = 1,
				.dense = true };
	}
	return TN_OK;
}

static bool owns_initially(const struct tn_tensor *t)
{
	return t->role == ROLE_INPUT || t->role == ROLE_CONST ||
	       t->role == ROLE_VARIABLE || tn_tensor_is_constant(t);
}

/* Who owns the bytes of each root, and what is there before the first op. */
static void find_owners(struct tn_model *m)
{
	const struct tn_graph *g = m->g;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		m->role[i] = tn_tensor_is_constant(&g->tensors[i]) ? ROLE_CONST
								   : g->tensors[i].role;
		m->output[i] = g->tensors[i].role == ROLE_OUTPUT;
	}
	for (uint32_t i = 0; i < g->n_outputs; i++)
		if (g->outputs[i].i < g->n_tensors)
			m->output[g->outputs[i].i] = true;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		uint32_t root = m->form[i].root;

		if (!owns_initially(&g->tensors[i]))
			continue;
		m->given[root] = true;
		if (m->role[root] == ROLE_ACT || m->role[root] == ROLE_OUTPUT)
			m->role[root] = m->role[i];
	}
}

static bool find_dead(struct tn_model *m)
{
	const struct tn_graph *g = m->g;
	bool *wanted = TN_NEW_ARRAY(m->arena, bool, g->n_tensors); /* by root */

	if (!wanted)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (m->output[i] || g->tensors[i].observed || m->given[m->form[i].root])
			wanted[m->form[i].root] = true;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_inputs; k++) {
			const struct tn_form *f = tn_model_operand(m, i, k);
			uint32_t out =
				g->ops[i].n_outputs ? g->ops[i].outputs[0].i : TN_NONE;

			/* an op that only renames does not look */
			if (f && !(tn_kernel_may_be_view(&g->ops[i]) && out != TN_NONE &&
					 m->form[out].root == f->root))
				wanted[f->root] = true;
		}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		m->dead[i] = !wanted[m->form[i].root];
	return true;
}

static void find_producers(struct tn_model *m)
{
	const struct tn_graph *g = m->g;

	for (uint32_t i = 0; i < g->n_tensors; i++)
		m->producer[i] = m->root_producer[i] = TN_NONE;
	for (uint32_t i = g->n_ops; i-- > 0;) {
		const struct tn_op *op = &g->ops[g->schedule[i].i];

		for (uint32_t k = 0; k < op->n_outputs; k++) {
			const uint32_t t = op->outputs[k].i;

			if (t == TN_NONE)
				continue;
			m->producer[t] = g->schedule[i].i;
			m->root_producer[m->form[t].root] = g->schedule[i].i;
		}
	}
}

/* Bodies of control flow: who is in them. */
static void find_bodies(struct tn_model *m)
{
	const struct tn_graph *g = m->g;

	for (uint32_t i = 0; i < g->n_tensors; i++)
		m->scope[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++)
		m->branch[i] = TN_NONE;
	for (uint32_t i = g->n_scopes; i-- > 0;)
		for (uint32_t k = 0; k < g->scopes[i].n_tensors; k++)
			if (g->scopes[i].tensors[k].i < g->n_tensors)
				m->scope[g->scopes[i].tensors[k].i] = i;
	for (uint32_t i = g->n_branches; i-- > 0;)
		for (uint32_t k = 0; k < g->branches[i].n_ops; k++)
			if (g->branches[i].ops[k].i < g->n_ops)
				m->branch[g->branches[i].ops[k].i] = i;
}

/* What ops write into inputs is a result for the caller, whatever was there before. */
static void find_updated(struct tn_model *m)
{
	for (uint32_t i = 0; i < m->g->n_ops; i++) {
		const struct tn_op *op = &m->g->ops[i];

		for (uint32_t k = 0; k < op->n_outputs; k++) {
			const uint32_t t = op->outputs[k].i;

			if (t != TN_NONE && m->kernel[i].kind != KERNEL_VIEW &&
				m->role[m->form[t].root] == ROLE_INPUT &&
				!tn_op_names_anew(m->g, op, t))
				m->updated[t] = true;
		}
	}
}

/* What storages hold: their own elements, and what kernels write behind them. */
static bool find_storage(struct tn_model *m)
{
	const struct tn_graph *g = m->g;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		m->storage_hi[i] = m->form[i].hi;
		if (!tn_align_up_i64(m->storage_hi[i], 8, &m->storage_hi[i]))
			return false;
	}
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++) {
			const struct tn_form *f =
				tn_model_operand(m, i, g->ops[i].n_inputs + k);
			int64_t end;

			if (!f)
				continue;
			if (!tn_align_up_i64(f->hi, 8, &end) ||
				!tn_add_i64(end, m->kernel[i].tail, &end))
				return false;
			m->storage_hi[f->root] = tn_max_i64(m->storage_hi[f->root], end);
		}
	return true;
}

static enum tn_status check_schedule(struct tn_model *m, struct tn_diags *diags)
{
	const struct tn_graph *g = m->g;
	bool *seen = TN_NEW_ARRAY(m->arena, bool, g->n_ops);

	if (!seen)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t op = g->schedule[i].i;

		if (op < g->n_ops && !seen[op]) {
			seen[op] = true;
			continue;
		}
		tn_diag_at(diags, SEVERITY_ERROR, "claims/schedule", g->source,
			"/schedule", NULL,
			"the claims cannot be judged: the schedule is not an order of "
			"the "
			"ops");
		return TN_ERR_INPUT;
	}
	return TN_OK;
}

static bool allocate(struct tn_model *m)
{
	uint32_t n = m->g->n_tensors;

	m->form = TN_NEW_ARRAY(m->arena, struct tn_form, n);
	m->kernel = TN_NEW_ARRAY(m->arena, struct tn_kernel, m->g->n_ops);
	m->storage_hi = TN_NEW_ARRAY(m->arena, int64_t, n);
	m->role = TN_NEW_ARRAY(m->arena, enum tn_role, n);
	m->given = TN_NEW_ARRAY(m->arena, bool, n);
	m->dead = TN_NEW_ARRAY(m->arena, bool, n);
	m->output = TN_NEW_ARRAY(m->arena, bool, n);
	m->updated = TN_NEW_ARRAY(m->arena, bool, n);
	m->yielded = TN_NEW_ARRAY(m->arena, bool, n);
	m->scope = TN_NEW_ARRAY(m->arena, uint32_t, n);
	m->branch = TN_NEW_ARRAY(m->arena, uint32_t, m->g->n_ops);
	m->producer = TN_NEW_ARRAY(m->arena, uint32_t, n);
	m->root_producer = TN_NEW_ARRAY(m->arena, uint32_t, n);
	m->work = TN_NEW(m->arena, struct tn_work);
	if (m->work)
		m->work->left = JUDGE_WORK_MAX;
	return m->form && m->kernel && m->storage_hi && m->role && m->given && m->dead &&
	       m->output && m->updated && m->yielded && m->scope && m->branch &&
	       m->producer && m->root_producer && m->work;
}

enum tn_status tn_model_init(struct tn_model *m, const struct tn_graph *g,
	const struct tn_declared *declared, const struct tn_said_variant *said,
	struct tn_arena *arena, struct tn_diags *diags)
{
	struct tn_diags unheard;
	enum tn_status status;
	bool valid;

	*m = (struct tn_model){
		.g = g, .declared = declared, .said = said, .arena = arena
	};
	if (!allocate(m))
		return TN_ERR_NOMEM;
	status = check_schedule(m, diags);
	if (status == TN_OK)
		status = resolve(m, diags);
	if (status != TN_OK)
		return status;
	find_owners(m);
	find_producers(m);
	find_bodies(m);
	if (!find_dead(m) || !tn_loop_init(m))
		return TN_ERR_NOMEM;
	/* contracts speak of valid graphs only */
	tn_diags_init(&unheard, arena);
	status = tn_validate(g, &unheard);
	if (status == TN_ERR_NOMEM)
		return status;
	valid = m->valid = status == TN_OK;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		status = tn_kernel_init(m, i, valid);
		if (status != TN_OK)
			return status;
		m->has_gradient = m->has_gradient || m->kernel[i].gradient;
		for (uint32_t k = 0; m->kernel[i].yields && k < g->ops[i].n_inputs; k++)
			if (g->ops[i].inputs[k].i != TN_NONE)
				m->yielded[g->ops[i].inputs[k].i] = true;
	}
	find_updated(m);
	if (!find_storage(m)) {
		tn_diag_at(diags, SEVERITY_ERROR, "claims/size", g->source, NULL, NULL,
			"the claims cannot be judged: a size overflows");
		return TN_ERR_INPUT;
	}
	return TN_OK;
}
