#include "report/columns.h"

#include "base/banned.h"

void tn_columns_init(struct tn_columns *c, struct tn_arena *arena,
	const char *const *names, size_t width, size_t records)
{
	*c = (struct tn_columns){ .arena = arena, .names = names, .width = width };
	if (!records)
		return;
	c->values.items = records <= SIZE_MAX / width
				  ? TN_NEW_ARRAY(arena, int64_t, records * width)
				  : NULL;
	c->values.capacity = c->values.items ? records * width : 0;
	c->failed = !c->values.items;
}

void tn_columns_add(struct tn_columns *c, const int64_t *record)
{
	for (size_t k = 0; k < c->width; k++)
		if (!tn_vec_push(c->arena, &c->values, record[k]))
			c->failed = true;
}

static size_t records_of(const struct tn_columns *c)
{
	return c->failed || !c->width ? 0 : c->values.count / c->width;
}

static int64_t value_at(const struct tn_columns *c, size_t record, size_t k)
{
	return c->values.items[record * c->width + k];
}

static uint64_t folded(int64_t value)
{
	return value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1;
}

static size_t digits_of(uint64_t n)
{
	size_t digits = 1;

	while (n >>= 5)
		digits++;
	return digits;
}

/* A script's numbers are exact up to here. */
#define EXACT (((int64_t)1 << 53) - 1)

/* Sums of what is not exact would be wrong ever after: only where all are, and where that
 * is shorter. */
static bool differences_pay(const struct tn_columns *c, size_t k)
{
	size_t plain = 0, differences = 0, n = records_of(c);
	int64_t last = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t value = value_at(c, i, k);

		if (value < -EXACT || value > EXACT)
			return false;
		plain += digits_of(folded(value));
		differences += digits_of(folded(value - last));
		last = value;
	}
	return differences < plain;
}

static bool all_alike(const struct tn_columns *c, size_t k)
{
	size_t n = records_of(c), i = 1;

	while (i < n && value_at(c, i, k) == value_at(c, 0, k))
		i++;
	return n > 0 && i == n;
}

static void put_number(struct tn_strbuf *out, int64_t value)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	uint64_t left = folded(value);
	char text[16];
	size_t n = 0;

	for (; left >= 32; left >>= 5)
		text[n++] = letters[32 + left % 32];
	text[n++] = letters[left];
	tn_strbuf_add(out, text, n);
}

static void put_column(
	const struct tn_columns *c, size_t k, const char *key, struct tn_json_stream *out)
{
	bool differences = differences_pay(c, k), alike = all_alike(c, k);
	size_t n = records_of(c);
	int64_t last = 0;

	tn_json_open(out, key, '"');
	tn_strbuf_putc(out->out, alike ? '*' : differences ? '+' : '=');
	for (size_t i = 0; i < (alike ? 1 : n); i++) {
		int64_t value = value_at(c, i, k);

		put_number(out->out, differences && !alike ? value - last : value);
		last = value;
	}
	tn_json_close(out, '"');
	if (c->failed)
		out->out->failed = true;
}

void tn_columns_members(const struct tn_columns *c, struct tn_json_stream *out)
{
	tn_json_member(out, "n", json_integer((json_int_t)records_of(c)));
	for (size_t k = 0; k < c->width; k++)
		put_column(c, k, c->names[k], out);
}

void tn_columns_put(
	const struct tn_columns *c, const char *key, struct tn_json_stream *out)
{
	tn_json_open(out, key, '{');
	tn_columns_members(c, out);
	tn_json_close(out, '{');
}

void tn_columns_list(
	const struct tn_columns *c, const char *key, struct tn_json_stream *out)
{
	tn_json_open(out, key, '[');
	for (size_t k = 0; k < c->width; k++)
		put_column(c, k, NULL, out);
	tn_json_close(out, '[');
}
