/* Fields of a .tflite file's tables, fetched with reports of damage. */
#include "import/tflite_bytes.h"

#include <string.h>

#include "base/banned.h"

void tn_tflb_damaged(struct tn_tflb *r, const struct tn_path *path, const char *key)
{
	struct tn_path at = { path, key, 0 };

	if (r->damaged)
		return; /* of a file that was cut off everything would be told */
	r->damaged = true;
	if (!tn_diag(r->im->diags, SEVERITY_ERROR, "tflite/damaged", r->im->source,
		    key ? &at : path, "the file is damaged: %s", r->fb.why))
		r->nomem = true;
}

bool tn_tflb_gives_up(const struct tn_tflb *r)
{
	return r->nomem || r->tfl.nomem || r->damaged ||
	       r->im->diags->errors - r->errors_before > TN_TFLB_ERRORS_MAX;
}

int64_t tn_tflb_number(struct tn_tflb *r, const struct tn_fb_table *table, uint32_t slot,
	uint32_t bytes, bool is_signed, int64_t otherwise, const struct tn_path *path,
	const char *key)
{
	uint64_t value = 0;

	switch (tn_fb_scalar(&r->fb, table, slot, bytes, &value)) {
	case FB_OK:
		if (is_signed && bytes < 8 && value >> (8 * bytes - 1))
			value |= ~UINT64_C(0) << (8 * bytes);
		return (int64_t)value;
	case FB_BAD:
		tn_tflb_damaged(r, path, key);
		break;
	case FB_ABSENT:
		break;
	}
	return otherwise;
}

bool tn_tflb_present(struct tn_tflb *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key)
{
	struct tn_fb_table dummy;
	enum tn_fb_found found = tn_fb_child(&r->fb, table, slot, &dummy);

	if (found == FB_BAD)
		tn_tflb_damaged(r, path, key);
	return found == FB_OK;
}

enum tn_fb_found tn_tflb_integers(struct tn_tflb *r, const struct tn_fb_table *table,
	uint32_t slot, uint32_t bytes, struct tn_tflb_ints *out,
	const struct tn_path *path, const char *key)
{
	struct tn_fb_vec vec = { 0 };
	enum tn_fb_found found = tn_fb_vector(&r->fb, table, slot, bytes, &vec);

	out->v.count = 0;
	if (found == FB_BAD)
		tn_tflb_damaged(r, path, key);
	for (size_t i = 0; i < vec.count; i++) {
		uint64_t raw = tn_fb_value_at(&r->fb, &vec, i, bytes);
		int64_t value = bytes == 4 ? (int32_t)(uint32_t)raw : (int64_t)raw;

		if (!tn_vec_push(&r->scratch, &out->v, value)) {
			r->nomem = true;
			return FB_BAD;
		}
	}
	return found;
}

void tn_tflb_floats(struct tn_tflb *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key)
{
	struct tn_fb_vec vec = { 0 };

	r->scale.count = 0;
	if (tn_fb_vector(&r->fb, table, slot, 4, &vec) == FB_BAD)
		tn_tflb_damaged(r, path, key);
	for (size_t i = 0; i < vec.count; i++) {
		uint32_t bits = (uint32_t)tn_fb_value_at(&r->fb, &vec, i, 4);
		float value;

		memcpy(&value, &bits, sizeof(value));
		if (!tn_vec_push(&r->scratch, &r->scale, value)) {
			r->nomem = true;
			return;
		}
	}
}

void tn_tflb_text(struct tn_tflb *r, const struct tn_fb_table *table, uint32_t slot,
	const struct tn_path *path, const char *key, const char **out, size_t *out_len)
{
	*out = "";
	*out_len = 0;
	if (tn_fb_string(&r->fb, table, slot, out, out_len) == FB_BAD)
		tn_tflb_damaged(r, path, key);
}
