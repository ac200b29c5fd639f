#include "ir/digest.h"

#include <string.h>

#include "base/banned.h"
#include "base/fnv.h"

/* Enumerations go in by name: their numbers may change, files may not notice. */
static const char *const roles[] = {
	[ROLE_ACT] = "act",
	[ROLE_INPUT] = "input",
	[ROLE_OUTPUT] = "output",
	[ROLE_CONST] = "const",
	[ROLE_VARIABLE] = "variable",
	[ROLE_SCRATCH] = "scratch",
};

static uint64_t text(uint64_t hash, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	return tn_fnv(tn_fnv_u64(hash, len), s ? s : "", len);
}

static uint64_t float_bits(uint64_t hash, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return tn_fnv_u64(hash, bits);
}

static uint64_t double_bits(uint64_t hash, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return tn_fnv_u64(hash, bits);
}

static uint64_t tensor(uint64_t hash, const struct tn_tensor *t)
{
	hash = text(hash, t->name);
	hash = text(hash, tn_dtype_name(t->dtype));
	hash = text(hash, roles[t->role]);
	hash = tn_fnv_u64(hash, t->shape.rank);
	for (uint32_t i = 0; i < t->shape.rank; i++)
		hash = tn_fnv_u64(hash, (uint64_t)t->shape.dim[i]);
	hash = tn_fnv_u64(hash, t->mutated);
	hash = tn_fnv_u64(hash, t->data_kind == DATA_NONE);
	hash = tn_fnv_u64(hash, t->quant.n);
	hash = tn_fnv_u64(hash, t->quant.n > 1 ? t->quant.axis : 0);
	for (uint32_t i = 0; i < t->quant.n; i++) {
		hash = float_bits(hash, t->quant.scale[i]);
		hash = tn_fnv_u64(hash, (uint64_t)t->quant.zero_point[i]);
	}
	hash = tn_fnv_u64(hash, t->view_of.i);
	hash = tn_fnv_u64(hash, (uint64_t)t->view_offset);
	hash = tn_fnv_u64(hash, t->has_strides);
	for (uint32_t i = 0; t->has_strides && i < t->shape.rank; i++)
		hash = tn_fnv_u64(hash, (uint64_t)t->stride[i]);
	return hash;
}

static uint64_t attribute(uint64_t hash, const struct tn_attr *a)
{
	hash = text(hash, a->name);
	hash = tn_fnv_u64(hash, a->n);
	switch (a->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		return tn_fnv_u64(text(hash, "int"), (uint64_t)a->v.i);
	case ATTR_FLOAT:
		return double_bits(text(hash, "float"), a->v.f);
	case ATTR_STRING:
		return text(text(hash, "string"), a->v.s);
	case ATTR_INTS:
		hash = text(hash, "ints");
		for (size_t i = 0; i < a->n; i++)
			hash = tn_fnv_u64(hash, (uint64_t)a->v.ints[i]);
		return hash;
	case ATTR_FLOATS:
		hash = text(hash, "floats");
		for (size_t i = 0; i < a->n; i++)
			hash = double_bits(hash, a->v.floats[i]);
		return hash;
	case ATTR_STRINGS:
		hash = text(hash, "strings");
		for (size_t i = 0; i < a->n; i++)
			hash = text(hash, a->v.strings[i]);
		return hash;
	}
	return hash;
}

static uint64_t ids(uint64_t hash, const tn_tensor_id *list, uint32_t n)
{
	hash = tn_fnv_u64(hash, n);
	for (uint32_t i = 0; i < n; i++)
		hash = tn_fnv_u64(hash, list[i].i);
	return hash;
}

static uint64_t op(uint64_t hash, const struct tn_op *o)
{
	hash = text(hash, o->name);
	hash = text(hash, o->type);
	hash = ids(hash, o->inputs, o->n_inputs);
	hash = ids(hash, o->outputs, o->n_outputs);
	hash = tn_fnv_u64(hash, o->n_attrs);
	for (uint32_t i = 0; i < o->n_attrs; i++)
		hash = attribute(hash, &o->attrs[i]);
	return hash;
}

uint64_t tn_digest_graph(const struct tn_graph *g)
{
	uint64_t hash = tn_fnv_u64(TN_FNV_INIT, g->n_tensors);

	for (uint32_t i = 0; i < g->n_tensors; i++)
		hash = tensor(hash, &g->tensors[i]);
	hash = tn_fnv_u64(hash, g->n_ops);
	for (uint32_t i = 0; i < g->n_ops; i++)
		hash = op(hash, &g->ops[i]);
	for (uint32_t i = 0; i < g->n_ops; i++)
		hash = tn_fnv_u64(hash, g->schedule[i].i);
	hash = ids(hash, g->inputs, g->n_inputs);
	return ids(hash, g->outputs, g->n_outputs);
}

uint64_t tn_digest_constants(const struct tn_graph *g)
{
	uint64_t hash = TN_FNV_INIT;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (t->data_kind != DATA_BYTES)
			continue;
		hash = tn_fnv_u64(hash, i);
		hash = tn_fnv_u64(hash, (uint64_t)t->data_bytes);
		hash = tn_fnv(hash, t->data, (size_t)t->data_bytes);
	}
	return hash;
}
