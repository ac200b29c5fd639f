/* Reads a FlatBuffer that nobody has checked. Every offset, vtable, length and index is
 * checked here before it is used, loads need no alignment, and what the file makes us
 * look at is limited: in a FlatBuffer many references may name the same bytes, so a small
 * file could otherwise unfold into a huge one. Knows no schema. */
#ifndef TN_BASE_FLATBUFFER_H
#define TN_BASE_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tn_fb {
	const uint8_t *data;
	size_t len; /* bytes */
	size_t budget; /* bytes of vectors and strings that may still be opened */
	const char *why; /* of the last FB_BAD */
};

struct tn_fb_table {
	size_t at; /* position in the file */
	size_t vtable; /* position in the file */
	uint32_t vtable_bytes;
	uint32_t bytes; /* of the table itself */
};

struct tn_fb_vec {
	size_t at; /* position of element 0 */
	size_t count; /* elements; all of them lie in the file */
};

enum tn_fb_found {
	FB_ABSENT, /* the field has its default; *out is untouched */
	FB_OK,
	FB_BAD, /* the file is damaged here: see why; *out is untouched */
};

void tn_fb_init(struct tn_fb *fb, const void *data, size_t len);

/* Never FB_ABSENT. */
enum tn_fb_found tn_fb_root(struct tn_fb *fb, struct tn_fb_table *out);

/* Where in the file the `bytes` bytes of field number `slot` of a table are. */
enum tn_fb_found tn_fb_field(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, uint32_t bytes, size_t *out);

/* Field number `slot` of a table; a scalar has `bytes` bytes (1, 2, 4 or 8). */
enum tn_fb_found tn_fb_scalar(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, uint32_t bytes, uint64_t *out);
enum tn_fb_found tn_fb_child(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, struct tn_fb_table *out);
enum tn_fb_found tn_fb_vector(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, uint32_t element_bytes, struct tn_fb_vec *out);
/* Not NUL-terminated. */
enum tn_fb_found tn_fb_string(struct tn_fb *fb, const struct tn_fb_table *table,
	uint32_t slot, const char **out_text, size_t *out_len);

/* Element `index` (< count) of a vector of tables; never FB_ABSENT. */
enum tn_fb_found tn_fb_table_at(struct tn_fb *fb, const struct tn_fb_vec *vec,
	size_t index, struct tn_fb_table *out);

/* Element `index` (< count) of a vector of scalars, zero-extended. */
uint64_t tn_fb_value_at(const struct tn_fb *fb, const struct tn_fb_vec *vec, size_t index,
	uint32_t element_bytes);

#endif
