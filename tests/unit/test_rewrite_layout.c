/* Rewrites of random chains of transposes and of what they may move past: equal results,
 * nothing left for a second time, and fewer bytes transposed. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "exec/exec.h"
#include "gen_graph.h"
#include "loaded.h"
#include "rewritten.h"

#define STEPS 8

/* A chain while it is written. */
struct chain {
	struct tn_gen gen; /* for its numbers */
	struct tn_strbuf tensors, ops;
	const char *dtype;
	uint32_t rank, n;
	int64_t dim[4];
};

static uint32_t pick(struct chain *c, uint32_t n)
{
	return tn_gen_random(&c->gen, n);
}

static void put_shape(struct tn_strbuf *out, const int64_t *dim, uint32_t rank)
{
	tn_strbuf_puts(out, "[");
	for (uint32_t i = 0; i < rank; i++)
		tn_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)dim[i]);
	tn_strbuf_puts(out, "]");
}

static void put_tensor(struct chain *c, const char *name, const int64_t *dim,
	uint32_t rank, const char *more)
{
	tn_strbuf_printf(&c->tensors,
		"%s{\"name\": \"%s\", \"dtype\": \"%s\", \"shape\": ",
		c->tensors.len ? ",\n" : "", name, c->dtype);
	put_shape(&c->tensors, dim, rank);
	if (strcmp(c->dtype, "i8") == 0)
		tn_strbuf_puts(&c->tensors,
			", \"quantization\": {\"scale\": [0.05], \"zero_point\": [3]}");
	tn_strbuf_printf(&c->tensors, "%s}", more);
}

/* The tensor that the next op writes, of the shape that is current. */
static void put_result(struct chain *c, const char *more)
{
	char name[16];

	snprintf(name, sizeof(name), "t%u", c->n);
	put_tensor(c, name, c->dim, c->rank, more);
}

/* The op from the last tensor to a new one; what it has besides is already written. */
static void put_op(
	struct chain *c, const char *type, const char *operand, const char *attrs)
{
	tn_strbuf_printf(&c->ops,
		"%s{\"name\": \"op%u\", \"type\": \"%s\", \"inputs\": [\"t%u\"%s%s%s], "
		"\"outputs\": [\"t%u\"], \"attrs\": {%s}}",
		c->ops.len ? ",\n" : "", c->n, type, c->n - 1, *operand ? ", \"" : "",
		operand, *operand ? "\"" : "", c->n, attrs);
}

static void transpose(struct chain *c)
{
	int64_t perm[4], dim[4];
	struct tn_strbuf attrs;

	for (uint32_t i = 0; i < c->rank; i++) {
		uint32_t k = pick(c, i + 1);

		perm[i] = perm[k];
		perm[k] = i;
	}
	memcpy(dim, c->dim, sizeof(dim));
	for (uint32_t i = 0; i < c->rank; i++)
		c->dim[i] = dim[perm[i]];
	tn_strbuf_init(&attrs);
	tn_strbuf_puts(&attrs, "\"perm\": ");
	put_shape(&attrs, perm, c->rank);
	put_op(c, "TRANSPOSE", "", attrs.text);
	tn_strbuf_release(&attrs);
}

static void with_constant(struct chain *c)
{
	static const char *const types[] = { "ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM" };
	const uint32_t skip = pick(c, c->rank + 1), type = pick(c, 5);
	int64_t dim[4];
	char name[16], more[64];

	for (uint32_t i = 0; i < c->rank - skip; i++)
		dim[i] = pick(c, 2) ? c->dim[i + skip] : 1;
	snprintf(name, sizeof(name), "k%u", c->n);
	snprintf(more, sizeof(more), ", \"role\": \"const\", \"data\": {\"seed\": %u}",
		c->n);
	put_tensor(c, name, dim, c->rank - skip, more);
	put_op(c, types[type], name, type < 3 ? "\"activation\": \"RELU\"" : "");
}

static void pad(struct chain *c)
{
	struct tn_strbuf values;
	char name[16];

	snprintf(name, sizeof(name), "k%u", c->n);
	tn_strbuf_init(&values);
	for (uint32_t i = 0; i < c->rank; i++) {
		uint32_t before = pick(c, 2), behind = pick(c, 3) / 2;

		tn_strbuf_printf(&values, "%s%u, %u", i ? ", " : "", before, behind);
		c->dim[i] += before + behind;
	}
	tn_strbuf_printf(&c->tensors,
		",\n{\"name\": \"%s\", \"dtype\": \"i32\", \"shape\": [%u, 2], "
		"\"role\": \"const\", \"data\": {\"values\": [%s]}}",
		name, c->rank, values.text);
	put_op(c, "PAD", name, "");
	tn_strbuf_release(&values);
}

static void fold(struct chain *c)
{
	static const char *const types[] = { "MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN" };
	const uint32_t set = 1 + pick(c, (1u << c->rank) - 1), type = pick(c, 4);
	const bool keep = pick(c, 2) || set == (1u << c->rank) - 1;
	uint32_t rank = 0;
	char attrs[96] = "\"axes\": [";

	for (uint32_t i = 0; i < c->rank; i++) {
		if (set >> i & 1) {
			snprintf(attrs + strlen(attrs), sizeof(attrs) - strlen(attrs),
				"%s%u", attrs[strlen(attrs) - 1] == '[' ? "" : ", ", i);
			if (keep)
				c->dim[rank++] = 1;
		} else {
			c->dim[rank++] = c->dim[i];
		}
	}
	c->rank = rank;
	snprintf(attrs + strlen(attrs), sizeof(attrs) - strlen(attrs),
		"], \"keep_dims\": %s", keep ? "true" : "false");
	put_op(c, types[type], "", attrs);
}

static void convert(struct chain *c)
{
	const bool to_float = strcmp(c->dtype, "i8") == 0;

	put_op(c, to_float ? pick(c, 2) ? "DEQUANTIZE" : "CAST" : "QUANTIZE", "", "");
	c->dtype = to_float ? "f32" : "i8";
}

static void step(struct chain *c)
{
	static const char *const plain[] = { "ABS", "RELU", "TANH" };

	c->n++;
	switch (pick(c, 8)) {
	case 0:
	case 1:
		with_constant(c);
		break;
	case 2:
		pad(c);
		break;
	case 3:
		fold(c);
		break;
	case 4:
		convert(c);
		break;
	case 5:
		put_op(c, plain[pick(c, 3)], "", "");
		break;
	default:
		transpose(c);
		break;
	}
	/* now and then somebody sees it */
	put_result(c, c->n == STEPS || !pick(c, 12) ? ", \"role\": \"output\"" : "");
}

static void make(struct chain *c, uint32_t seed, struct loaded *l)
{
	struct tn_strbuf text;

	*c = (struct chain){ .rank = 4, .dim = { 2, 3, 4, 2 } };
	tn_gen_init(&c->gen, seed);
	tn_strbuf_init(&c->tensors);
	tn_strbuf_init(&c->ops);
	tn_strbuf_init(&text);
	c->dtype = pick(c, 2) ? "i8" : "f32";
	put_result(c, ", \"role\": \"input\", \"clobber\": true");
	while (c->n < STEPS)
		step(c);
	tn_strbuf_printf(&text,
		"{\"format\": \"tenure.graph/1\", \"name\": \"chain\", \"tensors\": "
		"[\n%s],"
		"\n\"ops\": [\n%s]}\n",
		c->tensors.text, c->ops.text);
	loaded_bytes(l, "chain.json", text.text, text.len, NULL);
	tn_strbuf_release(&c->tensors);
	tn_strbuf_release(&c->ops);
	tn_strbuf_release(&text);
	tn_gen_release(&c->gen);
}

static int64_t transposed_bytes(const struct tn_graph *g)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < g->n_ops; i++)
		if (g->ops[i].kind == OP_TRANSPOSE)
			sum += g->tensors[g->ops[i].outputs[0].i].bytes;
	return sum;
}

START_TEST(chains_keep_their_results)
{
	const char *wish = getenv("TENURE_REWRITE_GRAPHS");
	const uint32_t n = wish ? (uint32_t)strtoul(wish, NULL, 10) : 200;
	int64_t fewer = 0, more = 0;
	struct tn_exec *x;

	for (uint32_t seed = 1; seed <= n; seed++) {
		struct rewritten once, twice;
		struct loaded l;
		struct chain c;

		make(&c, 1000 * (uint32_t)_i + seed, &l);
		loaded_ok(&l, "chain");
		if (tn_exec_new(&l.graph, NULL, &l.arena, &l.diags, &x) == TN_OK) {
			const int64_t before = transposed_bytes(&l.graph);
			int64_t after;

			once = rewritten_of(
				&l.graph, tn_passes_exact(), &l.arena, &l.strings);
			twice = rewritten_of(
				&once.graph, tn_passes_exact(), &l.arena, &l.strings);
			ck_assert_msg(rewritten_count(&twice.log, -1, true) == 0,
				"seed %u: %s is done again", seed,
				tn_pass_name(twice.log.list.items[0].pass));
			after = transposed_bytes(&once.graph);
			fewer += after < before;
			more += after > before;
			same_results("chain", seed, &l.graph, &once.graph);
		}
		loaded_release(&l);
	}
	ck_assert_int_gt(fewer, n / 4);
	ck_assert_int_eq(more, 0);
}
END_TEST

#define X(shape)                                                                         \
	"{\"name\": \"x\", \"dtype\": \"f32\", \"role\": \"input\", \"shape\": [" shape  \
	"]}"
#define Y(shape)                                                                         \
	", {\"name\": \"y\", \"dtype\": \"f32\", \"role\": \"output\", \"shape\": "      \
	"[" shape "]}"
#define W(shape)                                                                         \
	", {\"name\": \"w\", \"dtype\": \"f32\", \"role\": \"const\", \"data\": "        \
	"{\"seed\": "                                                                    \
	"1}, \"shape\": [" shape "]}"
#define CONV(attrs)	    "\"CONV_2D\", \"inputs\": [\"x\", \"w\"], \"attrs\": {" attrs
#define MAX_POOL(attrs)	    "\"MAX_POOL_2D\", \"inputs\": [\"x\"], \"attrs\": {" attrs
#define AVERAGE_POOL(attrs) "\"AVERAGE_POOL_2D\", \"inputs\": [\"x\"], \"attrs\": {" attrs
#define TWO		    "\"kernel\": [2, 2], "
#define IMAGE		    "1, 2, 4, 4"

/* Windows with channels first that stay as they are, each for one reason of its own, and
 * what is changed but for it (reason NULL). */
static const struct {
	const char *name, *tensors, *op, *reason;
} windows[] = {
	{ "a convolution", X(IMAGE) W("3, 2, 3, 3") Y("1, 3, 2, 2"), CONV(""), NULL },
	{ "a pool", X(IMAGE) Y("1, 2, 3, 3"), MAX_POOL(TWO), NULL },
	{ "an average", X(IMAGE) Y("1, 2, 5, 5"),
		AVERAGE_POOL(TWO "\"pad\": [1, 1, 1, 1], "), NULL },
	{ "one dimension", X("1, 2, 4") W("3, 2, 3") Y("1, 3, 2"), CONV(""),
		"an operand is not of four dimensions, has views or several writers" },
	{ "a view",
		X(IMAGE) Y("1, 2, 3, 3") ", {\"name\": \"v\", \"dtype\": \"f32\", "
					 "\"shape\": [4], \"view_of\": \"x\"}",
		MAX_POOL(TWO),
		"an operand is not of four dimensions, has views or several writers" },
	{ "an attribute", X(IMAGE) W("3, 2, 3, 3") Y("1, 3, 2, 2"),
		CONV("\"padding_mode\": \"circular\", "),
		"an attribute of it is not understood" },
	{ "computed weights",
		X(IMAGE) Y("1, 3, 2, 2") ", {\"name\": \"w\", \"dtype\": \"f32\", "
					 "\"role\": \"input\", \"shape\": [3, 2, 3, 3]}",
		CONV(""), "its weights are not constant" },
	{ "too few channels in the filter", X(IMAGE) W("3, 1, 3, 3") Y("1, 3, 2, 2"),
		CONV(""), "the filter does not fit the operands" },
	{ "too few filters", X(IMAGE) W("2, 2, 3, 3") Y("1, 3, 2, 2"), CONV(""),
		"the filter does not fit the operands" },
	{ "groups", X(IMAGE) W("4, 1, 3, 3") Y("1, 4, 2, 2"), CONV("\"group\": 3, "),
		"the filter does not fit the operands" },
	{ "another kernel", X(IMAGE) W("3, 2, 3, 3") Y("1, 3, 2, 2"), CONV(TWO),
		"the filter does not fit the operands" },
	{ "a dimension", X("1, 1, 1073741824, 1") Y("1, 1, 1073741823, 1"),
		MAX_POOL("\"kernel\": [2, 1], "), "a dimension is 2^30 or more" },
	{ "a pool over channels", X(IMAGE) Y("1, 1, 3, 3"), MAX_POOL(TWO),
		"the channels do not fit" },
	{ "a stride of 0", X(IMAGE) Y("1, 2, 3, 3"), MAX_POOL(TWO "\"stride\": [1, 0], "),
		"kernel, stride or dilation is not two positive numbers" },
	{ "no kernel", X(IMAGE) Y("1, 2, 3, 3"), MAX_POOL(""),
		"kernel, stride or dilation is not two positive numbers" },
	{ "three strides", X(IMAGE) W("3, 2, 3, 3") Y("1, 3, 2, 2"),
		CONV("\"stride\": [1, 1, 1], "),
		"kernel, stride or dilation is not two positive numbers" },
	{ "a dilated pool", X(IMAGE) Y("1, 2, 2, 2"),
		MAX_POOL(TWO "\"dilation\": [2, 2], "),
		"no kernel pools with a dilation" },
	{ "an unknown padding", X(IMAGE) Y("1, 2, 3, 3"),
		MAX_POOL(TWO "\"pad\": \"FULL\", "), "its padding is not understood" },
	{ "less than nothing around", X(IMAGE) Y("1, 2, 1, 1"),
		MAX_POOL(TWO "\"pad\": [-1, -1, -1, -1], "),
		"its padding is not understood" },
	{ "another batch", X("2, 2, 4, 4") Y("1, 2, 3, 3"), MAX_POOL(TWO),
		"the batches do not fit" },
	{ "another height", X(IMAGE) Y("1, 2, 2, 3"), MAX_POOL(TWO),
		"the output's height or width is not what stride and padding give" },
	{ "a window of padding", X(IMAGE) Y("1, 2, 7, 7"),
		MAX_POOL(TWO "\"pad\": [2, 2, 2, 2], "), "a window lies in the padding" },
	{ "an average of padding", X(IMAGE) Y("1, 2, 5, 5"),
		AVERAGE_POOL(TWO "\"pad\": [1, 1, 1, 1], \"count_include_pad\": 1, "),
		"no kernel counts the padding in an average" },
};

START_TEST(windows_stay_for_their_reasons)
{
	char text[2048];
	const struct tn_rewrite *entry = NULL;
	struct rewritten r;
	struct loaded l;

	snprintf(text, sizeof(text),
		"{\"format\": \"tenure.graph/1\", \"tensors\": [%s], \"ops\": "
		"[{\"name\": "
		"\"op\", \"type\": %s\"layout\": \"NCHW\"}, \"outputs\": [\"y\"]}]}",
		windows[_i].tensors, windows[_i].op);
	loaded_bytes(&l, "window.json", text, strlen(text), NULL);
	loaded_ok(&l, windows[_i].name);
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	for (size_t i = 0; i < r.log.list.count; i++)
		if (r.log.list.items[i].pass == PASS_LAYOUT)
			entry = &r.log.list.items[i];
	ck_assert_msg(entry != NULL, "%s: nothing is said", windows[_i].name);
	ck_assert_msg(entry->done == !windows[_i].reason, "%s: %s", windows[_i].name,
		entry->why ? entry->why : "is done");
	if (windows[_i].reason) {
		ck_assert_msg(strcmp(entry->why, windows[_i].reason) == 0, "%s: '%s'",
			windows[_i].name, entry->why);
		same_text(windows[_i].name, &l.graph, &r.graph);
	}
	loaded_release(&l);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("rewrite_layout");
	TCase *t = tcase_create("rewrite_layout");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, chains_keep_their_results, 0, 2);
	tcase_add_loop_test(t, windows_stay_for_their_reasons, 0,
		(int)(sizeof(windows) / sizeof(*windows)));
	suite_add_tcase(s, t);
	return s;
}
