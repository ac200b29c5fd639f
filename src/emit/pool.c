#include "emit/pool.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/fnv.h"

#define LINE 88 /* columns */

static const struct {
	const char *type;
	size_t width;
} elements[] = {
	[ELEMENT_U8] = { "uint8_t", 1 },
	[ELEMENT_I8] = { "int8_t", 1 },
	[ELEMENT_I16] = { "int16_t", 2 },
	[ELEMENT_I32] = { "int32_t", 4 },
	[ELEMENT_U32] = { "uint32_t", 4 },
	[ELEMENT_I64] = { "int64_t", 8 },
	[ELEMENT_F32] = { "float", 4 },
};

bool tn_pool_add(struct tn_pool *pool, enum tn_element element, const uint8_t *bytes,
	size_t size, const char *what, uint32_t *out_index)
{
	struct tn_constant c = { .element = element,
		.bytes = bytes,
		.size = size,
		.hash = tn_fnv(TN_FNV_INIT, bytes, size),
		.what = what };

	if (size % elements[element].width != 0)
		c.element = ELEMENT_U8;
	for (size_t i = 0; i < pool->list.count; i++) {
		const struct tn_constant *old = &pool->list.items[i];

		if (old->hash == c.hash && old->size == size &&
			old->element == c.element &&
			memcmp(old->bytes, bytes, size) == 0) {
			*out_index = (uint32_t)i;
			return true;
		}
	}
	*out_index = (uint32_t)pool->list.count;
	return tn_vec_push(pool->arena, &pool->list, c);
}

uint64_t tn_pool_bytes(const struct tn_pool *pool)
{
	uint64_t total = 0;

	for (size_t i = 0; i < pool->list.count; i++)
		total += (pool->list.items[i].size + 15) / 16 * 16;
	return total;
}

void tn_pool_declare(const struct tn_pool *pool, uint32_t index, const char *ident,
	struct tn_strbuf *out)
{
	const struct tn_constant *c = &pool->list.items[index];
	size_t width = elements[c->element].width;

	tn_strbuf_printf(out, "const %s %s_c%u[%zu]", elements[c->element].type, ident,
		index, c->size ? c->size / width : 1);
}

static uint64_t load(const uint8_t *bytes, size_t width)
{
	uint64_t raw = 0;

	for (size_t i = 0; i < width; i++)
		raw |= (uint64_t)bytes[i] << (8 * i);
	return raw;
}

static int64_t sign_extend(uint64_t raw, size_t width)
{
	uint64_t sign;
	int64_t value;

	assert(width >= 1 && width <= sizeof(sign));
	sign = UINT64_C(1) << (8 * width - 1);
	raw = (raw ^ sign) - sign;
	memcpy(&value, &raw, sizeof(value));
	return value;
}

void tn_print_int(int64_t value, struct tn_strbuf *out)
{
	if (value == INT64_MIN)
		tn_strbuf_puts(out, "(-INT64_C(9223372036854775807) - 1)");
	else if (value == INT32_MIN)
		tn_strbuf_puts(out, "(-2147483647 - 1)");
	else if (value > INT32_MAX || value < INT32_MIN)
		tn_strbuf_printf(out, "%sINT64_C(%" PRIu64 ")", value < 0 ? "-" : "",
			value < 0 ? -(uint64_t)value : (uint64_t)value);
	else
		tn_strbuf_printf(out, "%" PRId64, value);
}

void tn_print_float(float value, struct tn_strbuf *out)
{
	uint32_t bits, mantissa;
	int exponent;

	memcpy(&bits, &value, sizeof(bits));
	mantissa = bits & 0x7fffff;
	exponent = (int)(bits >> 23 & 0xff);
	if (bits >> 31)
		tn_strbuf_putc(out, '-');
	if (exponent == 0xff) {
		/* overflows to infinity on purpose; a NaN keeps no payload */
		tn_strbuf_puts(out, mantissa ? "TENURE_NAN" : "TENURE_INFINITY");
		return;
	}
	if (exponent)
		mantissa |= 0x800000;
	else
		exponent = 1;
	exponent -= 150;
	if (!mantissa) {
		tn_strbuf_puts(out, "0.0f");
		return;
	}
	for (; mantissa % 2 == 0; mantissa /= 2)
		exponent++;
	tn_strbuf_printf(out, "0x%" PRIx32 "p%df", mantissa, exponent);
}

static void print_element(const struct tn_constant *c, size_t at, struct tn_strbuf *out)
{
	size_t width = elements[c->element].width;
	uint64_t raw = load(c->bytes + at, width);

	switch (c->element) {
	case ELEMENT_U8:
		tn_strbuf_printf(out, "0x%02" PRIx64, raw);
		return;
	case ELEMENT_U32:
		tn_strbuf_printf(out, "0x%08" PRIx64, raw);
		return;
	case ELEMENT_F32: {
		uint32_t bits = (uint32_t)raw;
		float value;

		memcpy(&value, &bits, sizeof(value));
		tn_print_float(value, out);
		return;
	}
	case ELEMENT_I8:
	case ELEMENT_I16:
	case ELEMENT_I32:
	case ELEMENT_I64:
		tn_print_int(sign_extend(raw, width), out);
		return;
	}
}

void tn_pool_define(const struct tn_pool *pool, uint32_t index, const char *ident,
	struct tn_strbuf *out)
{
	const struct tn_constant *c = &pool->list.items[index];
	size_t line = out->len;

	tn_pool_declare(pool, index, ident, out);
	tn_strbuf_puts(out, " TENURE_CONST = {");
	if (!c->size)
		tn_strbuf_puts(out, " 0");
	for (size_t at = 0; at < c->size; at += elements[c->element].width) {
		if (at == 0 || out->len - line > LINE - 12) {
			tn_strbuf_puts(out, "\n\t");
			line = out->len;
		}
		print_element(c, at, out);
		tn_strbuf_puts(out, ",");
	}
	tn_strbuf_puts(out, "\n};\n");
}
