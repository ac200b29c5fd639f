/* Ops with weights: windows over images, rows, products. */
#include <string.h>

#include "gen_op.h"
#include "gen_part.h"

/* Weights are int8 unless the values are floats. */
static int weights(struct gen_site *s, const struct gen_op_kind *k, uint32_t rank,
	const int64_t *dim, uint32_t axis)
{
	bool f32 = k->in == DTYPE_F32;
	int id = gen_add_const(s->gen, f32 ? DTYPE_F32 : DTYPE_I8, rank, dim);

	if (!f32)
		gen_set_quant(
			s->gen, gen_at(s->gen, id), (uint32_t)dim[axis], axis, 0.01f, 0);
	if (s->wide && !f32)
		gen_wide_weights(s, id, axis);
	return id;
}

/* A bias of the type k->arg, or none now and then. */
static int bias(struct gen_site *s, const struct gen_op_kind *k, int64_t n)
{
	return k->arg == DTYPE_I32 && k->in == DTYPE_I16
		       ? gen_add_const(s->gen, DTYPE_I32, 1, &n)
	       : tn_gen_random(s->gen, 6)
		       ? gen_add_const(s->gen, (enum tn_dtype)k->arg, 1, &n)
		       : -1;
}

static const char *activation(struct gen_site *s)
{
	if (s->wide)
		return gen_wide_activation(s);
	return tn_gen_random(s->gen, 4) ? "NONE" : "RELU";
}

struct spans {
	int64_t k[2], stride[2], dilation[2], pad[4]; /* top, left, bottom, right */
	const char *name; /* of the padding; NULL: the four numbers */
	int64_t out[2];
};

static void choose_window(
	struct gen_site *s, int64_t image, int i, bool dilates, struct spans *w)
{
	struct tn_gen *gen = s->gen;

	if (s->wide) {
		w->k[i] = gen_wide_span(s, i ? w->k[0] : 0, dilates ? 0 : image);
		w->stride[i] = gen_range(gen, 1, tn_gen_random(gen, 3) ? 2 : 3);
		w->dilation[i] =
			dilates && !tn_gen_random(gen, 6) ? gen_range(gen, 2, 3) : 1;
		return;
	}
	w->k[i] = gen_range(gen, 1, tn_gen_random(gen, 8) ? 3 : 5);
	w->stride[i] = gen_range(gen, 1, tn_gen_random(gen, 6) ? 2 : 3);
	w->dilation[i] = dilates && !tn_gen_random(gen, 4) ? 2 : 1;
}

static bool choose_spans(
	struct gen_site *s, const int64_t *image, bool dilates, struct spans *w)
{
	static const char *const names[] = { "SAME", "SAME", "VALID", NULL };

	w->name = names[tn_gen_random(s->gen, 4)];
	memset(w->pad, 0, sizeof(w->pad));
	for (int i = 0; i < 2; i++) {
		int64_t n = image[1 + i], reach;

		choose_window(s, n, i, dilates, w);
		reach = (w->k[i] - 1) * w->dilation[i] + 1;
		if (!w->name)
			for (int e = 0; e < 2; e++)
				w->pad[2 * e + i] =
					tn_gen_random(s->gen, (uint32_t)reach);
		n += w->pad[i] + w->pad[2 + i];
		if (w->name && strcmp(w->name, "SAME") == 0)
			w->out[i] = (n + w->stride[i] - 1) / w->stride[i];
		else
			w->out[i] = n < reach ? 0 : (n - reach) / w->stride[i] + 1;
	}
	return w->out[0] && w->out[1];
}

static void set_spans(struct gen_site *s, const struct spans *w, bool kernel)
{
	struct tn_gen *gen = s->gen;

	if (kernel)
		tn_gen_ints(gen, "kernel", 2, w->k);
	tn_gen_ints(gen, "stride", 2, w->stride);
	if (!kernel)
		tn_gen_ints(gen, "dilation", 2, w->dilation);
	if (w->name)
		gen_need(tn_build_attr_string(&gen->build, "pad", w->name));
	else
		tn_gen_ints(gen, "pad", 4, w->pad);
	gen_need(tn_build_attr_string(&gen->build, "activation", activation(s)));
}

bool gen_make_window(struct gen_site *s, const struct gen_op_kind *k)
{
	bool conv = strcmp(k->type, "CONV_2D") == 0, pool = k->arg == 0;
	int in = gen_first(s, k, true), filter;
	int64_t dim[4], multiplier = 1;
	struct spans w;

	if (in < 0 || !choose_spans(s, gen_at(s->gen, in)->shape.dim, !pool, &w))
		return false;
	memcpy(dim, gen_at(s->gen, in)->shape.dim, sizeof(dim));
	dim[1] = w.out[0];
	dim[2] = w.out[1];
	if (conv && s->wide)
		dim[3] = gen_wide_outputs(s, w.k[0] * w.k[1] * dim[3]);
	else if (conv)
		dim[3] = gen_range(s->gen, 1, 6);
	else if (!pool && (!s->wide || !tn_gen_random(s->gen, 5)))
		multiplier = gen_range(s->gen, 1, s->wide ? 3 : 2);
	dim[3] *= multiplier;
	if (gen_out(s, k->out, 4, dim, pool ? in : -1) < 0)
		return false;
	if (pool) {
		gen_emit(s, k, GEN_IDS(in));
	} else {
		int64_t f[4] = { conv ? dim[3] : 1, w.k[0], w.k[1],
			conv ? gen_at(s->gen, in)->shape.dim[3] : dim[3] };

		filter = weights(s, k, 4, f, conv ? 0 : 3);
		gen_emit(s, k, GEN_IDS(in, filter, bias(s, k, dim[3])));
	}
	set_spans(s, &w, pool);
	if (!conv && !pool)
		gen_need(tn_build_attr_int(
			&s->gen->build, "depth_multiplier", multiplier));
	return true;
}

bool gen_make_connected(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), filter;
	int64_t units = gen_range(s->gen, 1, 24), n, dim[TN_RANK_MAX];
	struct tn_shape shape;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	memcpy(dim, shape.dim, sizeof(dim));
	n = shape.dim[shape.rank - 1];
	if (shape.rank != 2) {
		n = gen_elements(s->gen, in);
		dim[0] = 1;
	}
	dim[1] = s->wide ? gen_wide_outputs(s, n) : units;
	if (gen_out(s, k->out, 2, dim, -1) < 0)
		return false;
	filter = weights(s, k, 2, (int64_t[]){ dim[1], n }, 0);
	if (k->in != DTYPE_F32 && (!s->wide || tn_gen_random(s->gen, 2)))
		gen_at(s->gen, filter)->quant.n = 1;
	gen_emit(s, k, GEN_IDS(in, filter, bias(s, k, dim[1])));
	gen_need(tn_build_attr_string(&s->gen->build, "activation", activation(s)));
	return true;
}

bool gen_make_transpose_conv(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, true), filter, list;
	int64_t dim[4], f[4],
		stride[2] = { gen_range(s->gen, 1, 2), gen_range(s->gen, 1, 2) };

	if (in < 0)
		return false;
	memcpy(dim, gen_at(s->gen, in)->shape.dim, sizeof(dim));
	f[0] = gen_range(s->gen, 1, 3);
	f[1] = gen_range(s->gen, 1, 3);
	f[2] = gen_range(s->gen, 1, 3);
	f[3] = dim[3];
	dim[1] *= stride[0];
	dim[2] *= stride[1];
	dim[3] = f[0];
	if (gen_out(s, k->out, 4, dim, -1) < 0)
		return false;
	list = gen_add_ints(s->gen, 4, dim);
	filter = weights(s, k, 4, f, 0);
	gen_emit(s, k,
		GEN_IDS(list, filter, in,
			gen_add_const(s->gen, (enum tn_dtype)k->arg, 1, f)));
	tn_gen_ints(s->gen, "stride", 2, stride);
	gen_need(tn_build_attr_string(&s->gen->build, "pad", "SAME"));
	return true;
}

bool gen_make_matmul(struct gen_site *s, const struct gen_op_kind *k)
{
	int a = gen_first(s, k, false), b;
	bool adj_y = tn_gen_random(s->gen, 2);
	int64_t columns = gen_range(s->gen, 1, 5);
	struct tn_shape x, y;

	if (a < 0 || gen_at(s->gen, a)->shape.rank < 2)
		return false;
	x = y = gen_at(s->gen, a)->shape;
	y.dim[x.rank - 2] = adj_y ? columns : x.dim[x.rank - 1];
	y.dim[x.rank - 1] = adj_y ? x.dim[x.rank - 1] : columns;
	b = gen_another(s, k->in, &y, -1);
	x.dim[x.rank - 1] = columns;
	if (gen_out(s, k->out, x.rank, x.dim, -1) < 0)
		return false;
	gen_emit(s, k, GEN_IDS(a, b));
	gen_need(tn_build_attr_bool(&s->gen->build, "adj_x", false) &&
		 tn_build_attr_bool(&s->gen->build, "adj_y", adj_y));
	return true;
}
