#include "base/flatbuffer.h"

/* No honest file opens its bytes more than once or twice. */
#define BUDGET_FACTOR 4
#define BUDGET_MIN    4096

void tn_fb_init(struct tn_fb *fb, const void *data, size_t len)
{
	*fb = (struct tn_fb){ .data = data, .len = len, .why = "" };
	fb->budget = len < SIZE_MAX / BUDGET_FACTOR - BUDGET_MIN
			     ? len * BUDGET_FACTOR + BUDGET_MIN
			     : SIZE_MAX;
}

static enum tn_fb_found bad(struct tn_fb *fb, const char *why)
{
	fb->why = why;
	return FB_BAD;
}

/* [at, at + bytes) lies in the file. */
static bool inside(const struct tn_fb *fb, size_t at, size_t bytes)
{
	return at <= fb->len && bytes <= fb->len - at;
}

static uint64_t load(const struct tn_fb *fb, size_t at, uint32_t bytes)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < bytes; i++)
		value |= (uint64_t)fb->data[at + i] << (8 * i);
	return value;
}

/* The position that the offset stored at `at` leads to. */
static enum tn_fb_found follow(struct tn_fb *fb, size_t at, size_t *out)
{
	uint64_t offset;

	if (!inside(fb, at, 4))
		return bad(fb, "an offset lies outside of the file");
	offset = load(fb, at, 4);
	if (offset == 0 || offset > fb->len - at)
		return bad(fb, "an offset leads out of the file");
	*out = at + (size_t)offset;
	return FB_OK;
}

static enum tn_fb_found open_table(struct tn_fb *fb, size_t at, struct tn_fb_table *out)
{
	struct tn_fb_table table = { .at = at };
	int64_t vtable;

	if (!inside(fb, at, 4))
		return bad(fb, "a table lies outside of the file");
	vtable = (int64_t)at - (int32_t)(uint32_t)load(fb, at, 4);
	if (vtable < 0 || !inside(fb, (size_t)vtable, 4))
		return bad(fb, "a vtable lies outside of the file");
	table.vtable = (size_t)vtable;
	table.vtable_bytes = (uint32_t)load(fb, table.vtable, 2);
	table.bytes = (uint32_t)load(fb, table.vtable + 2, 2);
	if (table.vtable_bytes < 4 || table.vtable_bytes % 2 != 0 ||
		!inside(fb, table.vtable, table.vtable_bytes))
		return bad(fb, "a vtable has a wrong length");
	if (table.bytes < 4 || !inside(fb, at, table.bytes))
		return bad(fb, "a table has a wrong length");
	*out = table;
	return FB_OK;
}

enum tn_fb_found tn_fb_root(struct tn_fb *fb, struct tn_fb_table *out)
{
	size_t at = 0;

	if (follow(fb, 0, &at) != FB_OK)
		return FB_BAD;
	return open_table(fb, at, out);
}

enum tn_fb_found tn_fb_field(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, uint32_t bytes, size_t *out)
{
	uint64_t entry = 4 + 2 * (uint64_t)slot;
	uint32_t offset;

	if (entry + 2 > table->vtable_bytes)
		return FB_ABSENT;
	offset = (uint32_t)load(fb, table->vtable + (size_t)entry, 2);
	if (offset == 0)
		return FB_ABSENT;
	if (offset < 4 || offset + bytes > table->bytes)
		return bad(fb, "a field lies outside of its table");
	*out = table->at + offset;
	return FB_OK;
}

enum tn_fb_found tn_fb_scalar(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, uint32_t bytes, uint64_t *out)
{
	size_t at = 0;
	enum tn_fb_found found = tn_fb_field(fb, table, slot, bytes, &at);

	if (found == FB_OK)
		*out = load(fb, at, bytes);
	return found;
}

static enum tn_fb_found reference(
	struct tn_fb *fb, const struct tn_fb_table *table, uint32_t slot, size_t *out)
{
	size_t at = 0;
	enum tn_fb_found found = tn_fb_field(fb, table, slot, 4, &at);

	return found == FB_OK ? follow(fb, at, out) : found;
}

enum tn_fb_found tn_fb_child(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, struct tn_fb_table *out)
{
	size_t at = 0;
	enum tn_fb_found found = reference(fb, table, slot, &at);

	return found == FB_OK ? open_table(fb, at, out) : found;
}

enum tn_fb_found tn_fb_vector(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, uint32_t element_bytes, struct tn_fb_vec *out)
{
	size_t at = 0;
	uint64_t count, bytes;
	enum tn_fb_found found = reference(fb, table, slot, &at);

	if (found != FB_OK)
		return found;
	if (!inside(fb, at, 4))
		return bad(fb, "a vector lies outside of the file");
	count = load(fb, at, 4);
	bytes = count * element_bytes;
	if (bytes > fb->len - at - 4)
		return bad(fb, "a vector is longer than the file");
	/* bytes themselves are used where they lie: they cost nothing */
	if (element_bytes > 1) {
		if (bytes > fb->budget)
			return bad(fb, "too many references to the same bytes");
		fb->budget -= (size_t)bytes;
	}
	*out = (struct tn_fb_vec){ .at = at + 4, .count = (size_t)count };
	return FB_OK;
}

enum tn_fb_found tn_fb_string(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, const char **out_text, size_t *out_len)
{
	struct tn_fb_vec vec;
	enum tn_fb_found found = tn_fb_vector(fb, table, slot, 1, &vec);

	if (found != FB_OK)
		return found;
	if (vec.count > fb->budget)
		return bad(fb, "too many references to the same bytes");
	fb->budget -= vec.count;
	*out_text = (const char *)fb->data + vec.at;
	*out_len = vec.count;
	return FB_OK;
}

enum tn_fb_found tn_fb_table_at(struct tn_fb *fb, const struct tn_fb_vec *vec,
	size_t index, struct tn_fb_table *out)
{
	size_t at = 0;

	if (follow(fb, vec->at + 4 * index, &at) != FB_OK)
		return FB_BAD;
	return open_table(fb, at, out);
}

uint64_t tn_fb_value_at(const struct tn_fb *fb, const struct tn_fb_vec *vec, size_t index,
	uint32_t element_bytes)
{
	return load(fb, vec->at + index * element_bytes, element_bytes);
}
