#include "interpret.h"

#include <stdlib.h>
#include <string.h>

#include "ir/seed.h"

const char *interpreter_error(const struct interpreter *it)
{
	size_t n = it->file.diags.list.count;

	while (n-- > 0)
		if (it->file.diags.list.items[n].severity == SEVERITY_ERROR)
			return it->file.diags.list.items[n].message;
	return "no reason was given";
}

static tn_tensor_id root_of(const struct tn_graph *g, tn_tensor_id id, int64_t *offset)
{
	*offset = 0;
	while (tn_tensor_id_ok(g, g->tensors[id.i].view_of)) {
		*offset += g->tensors[id.i].view_offset *
			   tn_dtype_bits(g->tensors[id.i].dtype) / 8;
		id = g->tensors[id.i].view_of;
	}
	return id;
}

static bool allocate(struct interpreter *it)
{
	const struct tn_graph *g = &it->file.graph;
	int64_t offset;

	it->bytes = TN_NEW_ARRAY(&it->file.arena, uint8_t *, g->n_tensors);
	if (!it->bytes)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (tn_tensor_id_ok(g, t->view_of))
			continue;
		/* exactly as many bytes as the value has, so that a sanitizer sees more */
		it->bytes[i] = calloc(1, t->bytes > 0 ? (size_t)t->bytes : 1);
		if (!it->bytes[i])
			return false;
		if (t->data_kind == DATA_BYTES && t->data_bytes == t->bytes)
			memcpy(it->bytes[i], t->data, (size_t)t->bytes);
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (!it->bytes[i])
			it->bytes[i] =
				it->bytes[root_of(g, (tn_tensor_id){ i }, &offset).i] +
				offset;
	return true;
}

bool interpreter_bind(struct interpreter *it, uint32_t variant)
{
	const struct tn_graph *g = &it->file.graph;
	struct tn_variant all[TN_VARIANTS_MAX];
	int64_t scratch = 1;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		struct tn_variant v = { false, HOLD_NONE };
		uint32_t n = tn_contract_variants(g, (tn_op_id){ i }, all);

		if (n > 0)
			v = all[variant % n];
		if (tn_bind(g, (tn_op_id){ i }, v, &it->file.arena, &it->file.diags,
			    &it->calls[i]) != TN_OK)
			return false;
		if (tn_contract_scratch(g, (tn_op_id){ i }, v) > scratch)
			scratch = tn_contract_scratch(g, (tn_op_id){ i }, v);
	}
	free(it->scratch);
	it->scratch = malloc((size_t)scratch);
	return it->scratch != NULL;
}

bool interpreter_init(struct interpreter *it, const char *path)
{
	memset(it, 0, sizeof(*it));
	loaded_file(&it->file, path, NULL);
	if (it->file.status != TN_OK)
		return false;
	it->calls = TN_NEW_ARRAY(&it->file.arena, struct tn_call, it->file.graph.n_ops);
	return it->calls && allocate(it) && interpreter_bind(it, 0);
}

void interpreter_release(struct interpreter *it)
{
	for (uint32_t i = 0; it->bytes && i < it->file.graph.n_tensors; i++)
		if (!tn_tensor_id_ok(&it->file.graph, it->file.graph.tensors[i].view_of))
			free(it->bytes[i]);
	free(it->scratch);
	loaded_release(&it->file);
}

void interpreter_reset(struct interpreter *it, uint32_t seed)
{
	const struct tn_graph *g = &it->file.graph;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];
		bool zero_point = t->dtype == DTYPE_I8 && t->quant.n > 0;

		if (t->role == ROLE_VARIABLE && t->data_kind == DATA_BYTES &&
			t->data_bytes == t->bytes)
			memcpy(it->bytes[i], t->data, (size_t)t->bytes);
		else if (t->role == ROLE_VARIABLE)
			memset(it->bytes[i], zero_point ? (int)t->quant.zero_point[0] : 0,
				(size_t)t->bytes);
	}
	for (uint32_t i = 0; i < g->n_inputs; i++) {
		const struct tn_tensor *t = &g->tensors[g->inputs[i].i];

		tn_seed_input(seed + i, t->dtype, it->bytes[g->inputs[i].i], t->bytes);
	}
}

static void *address(const struct interpreter *it, const struct tn_operand *o)
{
	if (tn_tensor_id_ok(&it->file.graph, o->tensor))
		return it->bytes[o->tensor.i];
	return (void *)(uintptr_t)o->data;
}

void interpreter_run(struct interpreter *it, after_op_fn *after, void *user)
{
	const void *in[64];
	void *out[64];

	for (uint32_t i = 0; i < it->file.graph.n_ops; i++) {
		tn_op_id op = it->file.graph.schedule[i];
		const struct tn_call *call = &it->calls[op.i];

		for (uint32_t k = 0; k < call->n_in && k < 64; k++)
			in[k] = address(it, &call->in[k]);
		for (uint32_t k = 0; k < call->n_out && k < 64; k++)
			out[k] = address(it, &call->out[k]);
		call->kernel->run(call->params, in, out, it->scratch);
		if (after)
			after(user, it, op);
	}
}
