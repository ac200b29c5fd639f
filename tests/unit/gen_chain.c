#include "gen_chain.h"

#include <stdio.h>
#include <string.h>

#include "suite.h"

struct maker {
	struct net *n;
	uint64_t state;
	enum tn_dtype dtype;
	int64_t dims[12][4];
	tn_tensor_id made[12];
	uint32_t n_made;
};

static int64_t draw(struct maker *m, int64_t low, int64_t high)
{
	m->state =
		m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return low + (int64_t)((m->state >> 33) % (uint64_t)(high - low + 1));
}

static tn_tensor_id add(
	struct maker *m, enum tn_role role, const int64_t *dims, uint32_t rank)
{
	char name[16];

	snprintf(name, sizeof(name), "t%zu", m->n->build.tensors.count);
	return net_tensor(m->n, name, m->dtype, role, dims, rank, 0.05f, 3);
}

static tn_tensor_id weights(
	struct maker *m, const int64_t *dims, uint32_t rank, bool bias)
{
	enum tn_dtype dtype = m->dtype == DTYPE_F32 ? DTYPE_F32
			      : bias		    ? DTYPE_I32
						    : DTYPE_I8;
	char name[16];

	snprintf(name, sizeof(name), "w%zu", m->n->build.tensors.count);
	return net_const(m->n, name, dtype, dims, rank, bias ? 0.0005f : 0.01f,
		(uint32_t)draw(m, 1, 1000));
}

static void name_op(struct maker *m, enum tn_op_kind kind, const tn_tensor_id *in,
	uint32_t n, tn_tensor_id out)
{
	char name[16];

	snprintf(name, sizeof(name), "op%zu", m->n->build.ops.count);
	net_op(m->n, kind, name, in, n, out);
}

static void made(struct maker *m, tn_tensor_id id, const int64_t *dims)
{
	memcpy(m->dims[m->n_made], dims, sizeof(m->dims[0]));
	m->made[m->n_made++] = id;
}

/* False: the window is larger than the plane. */
static bool put_window(struct maker *m, const struct chain_layer *l, enum tn_role role)
{
	const int64_t *in = m->dims[m->n_made - 1];
	const bool pool = l->kind == OP_AVERAGE_POOL_2D || l->kind == OP_MAX_POOL_2D;
	const bool deep = l->kind == OP_CONV_2D;
	int64_t out[4] = { 1, 0, 0, deep ? l->channels : in[3] }, k[2];
	tn_tensor_id ids[3] = { m->made[m->n_made - 1] }, id;

	for (int i = 0; i < 2; i++) {
		int64_t reach;

		k[i] = l->k[i] ? l->k[i] : in[1 + i];
		reach = (k[i] - 1) * l->dilation[i] + 1;
		if (!l->same && reach > in[1 + i])
			return false;
		out[1 + i] = l->same ? (in[1 + i] + l->stride[i] - 1) / l->stride[i]
				     : (in[1 + i] - reach) / l->stride[i] + 1;
	}
	if (!pool) {
		const int64_t filter[4] = { deep ? out[3] : 1, k[0], k[1], in[3] };

		ids[1] = weights(m, filter, 4, false);
		ids[2] = weights(m, &out[3], 1, true);
	}
	id = add(m, role, out, 4);
	name_op(m, l->kind, ids, pool ? 1 : 3, id);
	ck_assert(tn_build_attr_string(&m->n->build, "pad", l->same ? "SAME" : "VALID"));
	ck_assert(tn_build_attr_ints(&m->n->build, "stride", l->stride, 2));
	if (pool)
		ck_assert(tn_build_attr_ints(&m->n->build, "kernel", k, 2));
	else
		ck_assert(tn_build_attr_ints(&m->n->build, "dilation", l->dilation, 2));
	made(m, id, out);
	return true;
}

static bool window(struct maker *m, enum tn_role role)
{
	static const enum tn_op_kind kinds[] = { OP_CONV_2D, OP_CONV_2D,
		OP_DEPTHWISE_CONV_2D, OP_AVERAGE_POOL_2D, OP_MAX_POOL_2D };
	const enum tn_op_kind kind = kinds[draw(m, 0, 4)];
	const bool pool = kind == OP_AVERAGE_POOL_2D || kind == OP_MAX_POOL_2D;
	struct chain_layer l = { .kind = kind };

	l.k[0] = draw(m, 1, 4);
	l.k[1] = draw(m, 1, 3);
	l.stride[0] = draw(m, 1, draw(m, 1, 3));
	l.stride[1] = draw(m, 1, 2);
	l.dilation[0] = pool ? 1 : draw(m, 0, 3) ? 1 : 2;
	l.dilation[1] = 1;
	l.channels = kind == OP_CONV_2D ? draw(m, 1, 6) : 0;
	l.same = draw(m, 0, 2) > 0;
	return put_window(m, &l, role);
}

/* The sum of the last value and an earlier one of its shape; else a RELU. */
static void element(struct maker *m, enum tn_role role)
{
	const int64_t *dims = m->dims[m->n_made - 1];
	tn_tensor_id ids[2] = { m->made[m->n_made - 1] };
	tn_tensor_id out;
	uint32_t n = 1;

	for (uint32_t i = 0; i + 1 < m->n_made && n == 1; i++)
		if (memcmp(m->dims[i], dims, sizeof(m->dims[0])) == 0)
			ids[n++] = m->made[i];
	out = add(m, role, dims, 4);
	name_op(m, n == 2 ? OP_ADD : OP_RELU, ids, n, out);
	made(m, out, dims);
}

static void put_mean(struct maker *m)
{
	const int64_t out[4] = { 1, 1, 1, m->dims[m->n_made - 1][3] }, axes[2] = { 1, 2 };
	tn_tensor_id from = m->made[m->n_made - 1];
	tn_tensor_id id = add(m, ROLE_OUTPUT, out, 4);

	name_op(m, OP_MEAN, &from, 1, id);
	ck_assert(tn_build_attr_ints(&m->n->build, "axes", axes, 2));
	ck_assert(tn_build_attr_int(&m->n->build, "keep_dims", 1));
	made(m, id, out);
}

static void total(struct maker *m)
{
	static const struct chain_layer pool = { OP_AVERAGE_POOL_2D, { 0, 0 }, { 1, 1 },
		{ 1, 1 }, 0, false };

	if (draw(m, 0, 1))
		ck_assert(put_window(m, &pool, ROLE_OUTPUT));
	else
		put_mean(m);
}

static void start(struct maker *m, struct net *n, uint32_t seed)
{
	memset(m, 0, sizeof(*m));
	m->n = n;
	m->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	net_start(n);
}

void make_chain(struct net *n, enum tn_dtype dtype, const int64_t dims[4],
	const struct chain_layer *layers, uint32_t n_layers)
{
	struct maker made_here, *m = &made_here;

	start(m, n, 1);
	m->dtype = dtype;
	made(m, add(m, ROLE_INPUT, dims, 4), dims);
	for (uint32_t i = 0; i < n_layers; i++) {
		enum tn_role role = i + 1 < n_layers ? ROLE_ACT : ROLE_OUTPUT;

		if (layers[i].kind == OP_MEAN)
			put_mean(m);
		else if (layers[i].kind == OP_RELU)
			element(m, role);
		else
			ck_assert(put_window(m, &layers[i], role));
	}
	net_finish(n, "made");
}

void gen_chain(struct net *n, uint32_t seed)
{
	struct maker made_here, *m = &made_here;
	int64_t dims[4];
	const bool ends = (seed & 3) == 3;
	int64_t ops;

	start(m, n, seed);
	m->dtype = draw(m, 0, 1) ? DTYPE_I8 : DTYPE_F32;
	dims[0] = 1;
	dims[1] = draw(m, 3, 17);
	dims[2] = draw(m, 2, 6);
	dims[3] = draw(m, 1, 5);
	made(m, add(m, ROLE_INPUT, dims, 4), dims);
	ops = draw(m, 2, 7);
	for (int64_t i = 0; i < ops; i++) {
		enum tn_role role = i + 1 < ops || ends ? ROLE_ACT : ROLE_OUTPUT;

		if (!draw(m, 0, 3) || !window(m, role))
			element(m, role);
	}
	if (ends)
		total(m);
	net_finish(m->n, "random");
}
