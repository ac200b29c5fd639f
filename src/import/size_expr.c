#include "import/size_expr.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "import/json.h"

#include "base/banned.h"

#define DEPTH_MAX 32
#define POWER_MAX 16

/* num / den in lowest terms, den > 0. */
struct number {
	int64_t num, den;
};

struct expr {
	const struct tn_import *im;
	const char *text;
	int depth;
	bool wrong; /* not understood */
	char *missing; /* "": every name has a size */
};

static const struct number one = { 1, 1 };

static struct number sum(struct expr *e);
static struct number factor(struct expr *e);

static struct number fail(struct expr *e)
{
	e->wrong = true;
	return one;
}

static void skip(struct expr *e)
{
	while (*e->text == ' ')
		e->text++;
}

static bool take(struct expr *e, const char *token)
{
	size_t n = strlen(token);

	skip(e);
	if (e->wrong || strncmp(e->text, token, n) != 0)
		return false;
	e->text += n;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct number lowest(struct expr *e, int64_t num, int64_t den)
{
	int64_t a, b = den;

	if (!den || num == INT64_MIN || den == INT64_MIN)
		return fail(e);
	a = num < 0 ? -num : num;
	b = den < 0 ? -den : den;
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	a = den < 0 ? -a : a;
	return (struct number){ num / a, den / a };
}

static struct number add(struct expr *e, struct number a, struct number b)
{
	int64_t left, right, num, den;

	if (!tn_mul_i64(a.num, b.den, &left) || !tn_mul_i64(b.num, a.den, &right) ||
		!tn_add_i64(left, right, &num) || !tn_mul_i64(a.den, b.den, &den))
		return fail(e);
	return lowest(e, num, den);
}

static struct number mul(struct expr *e, struct number a, struct number b)
{
	int64_t num, den;

	if (!tn_mul_i64(a.num, b.num, &num) || !tn_mul_i64(a.den, b.den, &den))
		return fail(e);
	return lowest(e, num, den);
}

static struct number negative(struct expr *e, struct number a)
{
	return mul(e, a, (struct number){ -1, 1 });
}

static struct number divide(struct expr *e, struct number a, struct number b)
{
	return b.num ? mul(e, a, lowest(e, b.den, b.num)) : fail(e);
}

static struct number down(struct expr *e, struct number a)
{
	(void)e;
	return (struct number){ a.num / a.den - (a.num % a.den < 0), 1 };
}

static struct number up(struct expr *e, struct number a)
{
	(void)e;
	return (struct number){ a.num / a.den + (a.num % a.den > 0), 1 };
}

static struct number toward_zero(struct expr *e, struct number a)
{
	return a.num < 0 ? up(e, a) : down(e, a);
}

static struct number same(struct expr *e, struct number a)
{
	(void)e;
	return a;
}

static struct number floor_div(struct expr *e, struct number a, struct number b)
{
	return down(e, divide(e, a, b));
}

static struct number ceil_div(struct expr *e, struct number a, struct number b)
{
	return up(e, divide(e, a, b));
}

/* Python's: the sign is the divisor's. */
static struct number modulo(struct expr *e, struct number a, struct number b)
{
	return add(e, a, negative(e, mul(e, b, floor_div(e, a, b))));
}

static bool less(struct expr *e, struct number a, struct number b)
{
	return add(e, a, negative(e, b)).num < 0;
}

static struct number least(struct expr *e, struct number a, struct number b)
{
	return less(e, a, b) ? a : b;
}

static struct number most(struct expr *e, struct number a, struct number b)
{
	return less(e, a, b) ? b : a;
}

static struct number power(struct expr *e, struct number a, struct number b)
{
	struct number value = one;

	if (b.den != 1 || b.num < -POWER_MAX || b.num > POWER_MAX)
		return fail(e);
	for (int64_t i = b.num; i; i += i < 0 ? 1 : -1)
		value = b.num < 0 ? divide(e, value, a) : mul(e, value, a);
	return value;
}

static size_t word(struct expr *e, char out[TN_SIZE_NAME_BYTES])
{
	size_t n = strspn(e->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				   "0123456789.");

	if (!n || n >= TN_SIZE_NAME_BYTES) {
		fail(e);
		n = 0;
	}
	memcpy(out, e->text, n);
	out[n] = '\0';
	e->text += n;
	return n;
}

static const int64_t *find(const struct tn_import *im, const char *name)
{
	for (size_t i = 0; i < im->n_dims; i++)
		if (strcmp(im->dims[i].name, name) == 0)
			return &im->dims[i].size;
	return NULL;
}

static struct number symbol(struct expr *e, const char *name)
{
	const int64_t *size = find(e->im, name);

	if (size)
		return (struct number){ *size, 1 };
	if (!e->missing[0])
		memcpy(e->missing, name, strlen(name) + 1);
	return one;
}

/* Symbol('s0', positive=True): what follows the name is about the symbol. */
static struct number quoted_symbol(struct expr *e)
{
	char name[TN_SIZE_NAME_BYTES];

	if (!take(e, "'"))
		return fail(e);
	word(e, name);
	if (!take(e, "'"))
		return fail(e);
	e->text += strcspn(e->text, ")");
	return take(e, ")") ? symbol(e, name) : fail(e);
}

/* A function of one operand, or of two, which more than two are folded with. */
static struct number call(struct expr *e, const char *name)
{
	static const struct {
		const char *name;
		struct number (*unary)(struct expr *, struct number);
		struct number (*binary)(struct expr *, struct number, struct number);
	} rows[] = {
		{ "Add", NULL, add },
		{ "CeilDiv", NULL, ceil_div },
		{ "CeilToInt", up, NULL },
		{ "CleanDiv", NULL, floor_div },
		{ "FloorDiv", NULL, floor_div },
		{ "FloorToInt", down, NULL },
		{ "IntTrueDiv", NULL, divide },
		{ "Integer", same, NULL },
		{ "Max", same, most },
		{ "Min", same, least },
		{ "Mod", NULL, modulo },
		{ "Mul", NULL, mul },
		{ "Pow", NULL, power },
		{ "PythonMod", NULL, modulo },
		{ "Rational", NULL, divide },
		{ "ToFloat", same, NULL },
		{ "TruncToInt", toward_zero, NULL },
		{ "ceil", up, NULL },
		{ "ceiling", up, NULL },
		{ "floor", down, NULL },
		{ "max", same, most },
		{ "min", same, least },
	};
	const char *dot = strrchr(name, '.');
	const size_t n = sizeof(rows) / sizeof(*rows);
	struct number value;
	size_t i = 0;

	name = dot ? dot + 1 : name;
	if (strcmp(name, "Symbol") == 0)
		return quoted_symbol(e);
	while (i < n && strcmp(rows[i].name, name) != 0)
		i++;
	if (i == n)
		return fail(e);
	value = sum(e);
	if (take(e, ")"))
		return rows[i].unary ? rows[i].unary(e, value) : fail(e);
	if (!rows[i].binary)
		return fail(e);
	while (take(e, ","))
		value = rows[i].binary(e, value, sum(e));
	return take(e, ")") ? value : fail(e);
}

static struct number digits(struct expr *e)
{
	int64_t value = 0;

	while (is_digit(*e->text))
		if (!tn_mul_i64(value, 10, &value) ||
			!tn_add_i64(value, *e->text++ - '0', &value))
			return fail(e);
	return (struct number){ value, 1 };
}

static struct number atom(struct expr *e)
{
	char name[TN_SIZE_NAME_BYTES];
	struct number value;

	if (take(e, "(")) {
		value = sum(e);
		return take(e, ")") ? value : fail(e);
	}
	if (is_digit(*e->text))
		return digits(e);
	if (!word(e, name))
		return one;
	return take(e, "(") ? call(e, name) : symbol(e, name);
}

/* A power binds closer than the sign before it: -2**2 is -4. */
static struct number factor(struct expr *e)
{
	struct number value;

	if (e->depth >= DEPTH_MAX)
		return fail(e);
	e->depth++;
	if (take(e, "-")) {
		value = negative(e, factor(e));
	} else {
		value = atom(e);
		if (take(e, "**"))
			value = power(e, value, factor(e));
	}
	e->depth--;
	return value;
}

static struct number product(struct expr *e)
{
	struct number value = factor(e);

	for (;;) {
		if (take(e, "//"))
			value = floor_div(e, value, factor(e));
		else if (take(e, "/"))
			value = divide(e, value, factor(e));
		else if (take(e, "*"))
			value = mul(e, value, factor(e));
		else if (take(e, "%"))
			value = modulo(e, value, factor(e));
		else
			return value;
	}
}

static struct number sum(struct expr *e)
{
	struct number value = product(e);

	for (;;) {
		if (take(e, "+"))
			value = add(e, value, product(e));
		else if (take(e, "-"))
			value = add(e, value, negative(e, product(e)));
		else
			return value;
	}
}

enum tn_size_answer tn_size_expr(const struct tn_import *im, const char *text,
	int64_t *out, char missing[TN_SIZE_NAME_BYTES])
{
	struct expr e = { .im = im, .text = text, .missing = missing };
	const int64_t *given = find(im, text);
	struct number value;

	missing[0] = '\0';
	if (given) {
		*out = *given;
		return SIZE_KNOWN;
	}
	value = sum(&e);
	skip(&e);
	if (e.wrong || *e.text)
		return SIZE_UNREAD;
	if (missing[0])
		return SIZE_NAMELESS;
	if (value.den != 1 || value.num < 0)
		return SIZE_WRONG;
	*out = value.num;
	return SIZE_KNOWN;
}

int64_t tn_size_or_report(
	struct tn_import *im, const struct tn_path *at, const char *text)
{
	char missing[TN_SIZE_NAME_BYTES];
	int64_t size;

	switch (tn_size_expr(im, text, &size, missing)) {
	case SIZE_KNOWN:
		return size;
	case SIZE_WRONG:
		tn_json_error(im, "graph/dynamic-shape", at,
			"with the given sizes '%.80s' is no whole number from 0 up",
			text);
		break;
	case SIZE_NAMELESS:
		if (strcmp(missing, text) != 0) {
			tn_json_error(im, "graph/dynamic-shape", at,
				"the size of '%.80s' is not known: give '%s' one, or "
				"the whole, as --dim '%.80s=64'",
				text, missing, text);
			break;
		}
		/* fall through */
	default:
		tn_json_error(im, "graph/dynamic-shape", at,
			"the size of '%.80s' is not known: give it one, as --dim "
			"'%.80s=64'",
			text, text);
	}
	return TN_DIM_POISON;
}
