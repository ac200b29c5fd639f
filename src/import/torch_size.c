/* Sizes of torch.export. An expression is written as SymPy prints it ("2*s0 + 1") or
 * represents it ("Add(Mul(Integer(2), Symbol('s0', integer=True)), Integer(1))"). */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "import/torch.h"

#include "base/banned.h"

#define DEPTH_MAX  32
#define NAME_BYTES 64

struct expr {
	struct tn_foreign *f;
	const struct tn_at *at;
	const char *text;
	int depth;
	bool wrong; /* not understood */
	bool reported; /* a symbol without a value */
};

static void skip(struct expr *e)
{
	while (*e->text == ' ')
		e->text++;
}

static bool take(struct expr *e, char c)
{
	skip(e);
	if (*e->text != c)
		return false;
	e->text++;
	return true;
}

static int64_t sum(struct expr *e);

static int64_t fail(struct expr *e)
{
	e->wrong = true;
	return 0;
}

static int64_t floor_div(struct expr *e, int64_t a, int64_t b)
{
	if (b <= 0)
		return fail(e);
	return a / b - (a % b < 0);
}

static size_t word(struct expr *e, char out[NAME_BYTES])
{
	size_t n = strspn(e->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				   "0123456789.");

	if (!n || n >= NAME_BYTES) {
		fail(e);
		n = 0;
	}
	memcpy(out, e->text, n);
	out[n] = '\0';
	e->text += n;
	return n;
}

static int64_t symbol(struct expr *e, const char *name)
{
	int64_t size = tn_foreign_dim(e->f, e->at, name);

	e->reported = e->reported || size == TN_DIM_POISON;
	return size == TN_DIM_POISON ? 1 : size;
}

/* Symbol('s0', positive=True): what follows the name is about the symbol. */
static int64_t quoted_symbol(struct expr *e)
{
	char name[NAME_BYTES];
	int64_t value;

	if (!take(e, '\''))
		return fail(e);
	word(e, name);
	if (e->wrong || !take(e, '\''))
		return fail(e);
	value = symbol(e, name);
	while (*e->text && *e->text != ')')
		e->text++;
	return take(e, ')') ? value : fail(e);
}

static int64_t combine(struct expr *e, const char *name, int64_t a, int64_t b)
{
	int64_t out = 0;

	if (strcmp(name, "Add") == 0)
		return tn_add_i64(a, b, &out) ? out : fail(e);
	if (strcmp(name, "Mul") == 0)
		return tn_mul_i64(a, b, &out) ? out : fail(e);
	if (strcmp(name, "Max") == 0)
		return tn_max_i64(a, b);
	if (strcmp(name, "Min") == 0)
		return tn_min_i64(a, b);
	if (strstr(name, "FloorDiv") || strstr(name, "CleanDiv"))
		return floor_div(e, a, b);
	if (strstr(name, "Mod"))
		return b > 0 && a >= 0 ? a % b : fail(e);
	return fail(e);
}

static int64_t call(struct expr *e, const char *name)
{
	int64_t value;

	if (strcmp(name, "Symbol") == 0)
		return quoted_symbol(e);
	value = sum(e);
	while (!e->wrong && take(e, ','))
		value = combine(e, name, value, sum(e));
	return take(e, ')') ? value : fail(e);
}

static int64_t atom(struct expr *e)
{
	char name[NAME_BYTES];
	int64_t value = 0;

	skip(e);
	if (e->depth >= DEPTH_MAX)
		return fail(e);
	e->depth++;
	if (take(e, '(')) {
		value = sum(e);
		if (!take(e, ')'))
			fail(e);
	} else if (take(e, '-')) {
		value = -atom(e);
	} else if (*e->text >= '0' && *e->text <= '9') {
		while (*e->text >= '0' && *e->text <= '9' && !e->wrong)
			if (!tn_mul_i64(value, 10, &value) ||
				!tn_add_i64(value, *e->text++ - '0', &value))
				fail(e);
	} else if (word(e, name)) {
		value = take(e, '(') ? call(e, name) : symbol(e, name);
	}
	e->depth--;
	return value;
}

static int64_t product(struct expr *e)
{
	int64_t value = atom(e);

	while (!e->wrong) {
		skip(e);
		if (strncmp(e->text, "//", 2) == 0) {
			e->text += 2;
			value = floor_div(e, value, atom(e));
		} else if (*e->text == '*' && e->text[1] != '*') {
			e->text++;
			value = combine(e, "Mul", value, atom(e));
		} else {
			break;
		}
	}
	return value;
}

static int64_t sum(struct expr *e)
{
	int64_t value = product(e), other;

	while (!e->wrong) {
		if (take(e, '+')) {
			value = combine(e, "Add", value, product(e));
		} else if (take(e, '-')) {
			other = product(e);
			if (!tn_sub_i64(value, other, &value))
				fail(e);
		} else {
			break;
		}
	}
	return value;
}

int64_t tn_torch_size(struct tn_foreign *f, const struct tn_at *at)
{
	struct expr e = { .f = f, .at = at };
	struct tn_at expr;
	int64_t value;

	if (tn_at_key(f->tree, at, "as_int", &expr))
		return tn_at_as_int(f->tree, &expr, &value) ? tn_dim_given(value)
							    : TN_DIM_POISON;
	if (!tn_at_object(f->tree, at, "as_expr", &expr)) {
		tn_at_error(f->tree, at, "torch/value", "expected a size");
		return TN_DIM_POISON;
	}
	e.text = tn_at_text(f->tree, &expr, "expr_str", "");
	value = sum(&e);
	skip(&e);
	if (e.reported)
		return TN_DIM_POISON;
	if (!e.wrong && !*e.text)
		return tn_dim_given(value);
	tn_at_error(f->tree, &expr, "graph/dynamic-shape",
		"the size '%.80s' is not understood: give the tensor a shape",
		tn_at_text(f->tree, &expr, "expr_str", ""));
	return TN_DIM_POISON;
}
