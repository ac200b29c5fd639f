#define _POSIX_C_SOURCE 200809L
#include "driver/tensor_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/banned.h"
#include "base/checked.h"
#include "base/file.h"
#include "base/strbuf.h"

static const char magic[] = "\x93NUMPY";
#define MAGIC_LEN  6
#define HEADER_MAX ((int64_t)1 << 20) /* bytes in front of the data of a .npy file */

/* NumPy's name of a type; NULL when it has none. */
static const char *descr_of(enum tn_dtype dtype)
{
	switch (dtype) {
	case DTYPE_I8:
		return "|i1";
	case DTYPE_U8:
		return "|u1";
	case DTYPE_BOOL:
		return "|b1";
	case DTYPE_I16:
		return "<i2";
	case DTYPE_U16:
		return "<u2";
	case DTYPE_I32:
		return "<i4";
	case DTYPE_U32:
		return "<u4";
	case DTYPE_I64:
		return "<i8";
	case DTYPE_U64:
		return "<u8";
	case DTYPE_F16:
		return "<f2";
	case DTYPE_F32:
		return "<f4";
	case DTYPE_F64:
		return "<f8";
	default:
		return NULL;
	}
}

static enum tn_status complain(struct tn_diags *diags, const char *name, const char *what)
{
	tn_diag_at(diags, SEVERITY_ERROR, "command/tensor-file", NULL, NULL, name,
		"'%s': %s", name, what);
	return TN_ERR_INPUT;
}

static bool has(const char *header, size_t len, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= len; i++)
		if (memcmp(header + i, text, n) == 0)
			return true;
	return false;
}

/* The dimensions of a header of so many bytes; false: it has none that fit. */
static bool npy_shape(const char *header, size_t len, struct tn_shape *out)
{
	static const char key[] = "'shape':";
	const char *at = header, *end = header + len;

	*out = (struct tn_shape){ .rank = 0 };
	while ((size_t)(end - at) >= sizeof(key) - 1 &&
		memcmp(at, key, sizeof(key) - 1) != 0)
		at++;
	at = (size_t)(end - at) < sizeof(key) - 1 ? end : at + sizeof(key) - 1;
	while (at < end && *at == ' ')
		at++;
	if (at == end || *at != '(')
		return false;
	for (at++; at < end && *at != ')'; at++) {
		int64_t *dim = &out->dim[out->rank];

		if (*at == ',' || *at == ' ')
			continue;
		if (out->rank++ == TN_RANK_MAX)
			return false;
		*dim = 0;
		for (; at < end && *at >= '0' && *at <= '9'; at++)
			if (!tn_mul_i64(*dim, 10, dim) ||
				!tn_add_i64(*dim, *at - '0', dim))
				return false;
		if (at == end || (*at != ',' && *at != ')'))
			return false;
		if (*at == ')')
			return true;
	}
	return at < end;
}

/* Dimensions of one element say nothing of where the others lie, nor does a plain list. */
static bool shapes_agree(const struct tn_shape *a, const struct tn_shape *b)
{
	uint32_t i = 0, k = 0;

	if (a->rank == 1)
		return true;
	for (;; i++, k++) {
		while (i < a->rank && a->dim[i] == 1)
			i++;
		while (k < b->rank && b->dim[k] == 1)
			k++;
		if (i == a->rank || k == b->rank)
			return i == a->rank && k == b->rank;
		if (a->dim[i] != b->dim[k])
			return false;
	}
}

/* Offset of the data, or 0 after a message. */
static size_t npy_data(struct tn_diags *diags, const char *name,
	const struct tn_source *file, const struct tn_tensor *t)
{
	const unsigned char *b = (const unsigned char *)file->text;
	const char *descr = descr_of(t->dtype);
	struct tn_shape shape;
	char quoted[8];
	size_t len, start;

	if (file->len < 12 || (b[6] != 1 && b[6] != 2)) {
		complain(diags, name, "this .npy version is not understood");
		return 0;
	}
	start = b[6] == 1 ? 10 : 12;
	len = (size_t)b[8] | (size_t)b[9] << 8;
	if (b[6] == 2)
		len |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
	if (len > file->len - start) {
		complain(diags, name, "the .npy header is cut off");
		return 0;
	}
	snprintf(quoted, sizeof(quoted), "'%s'", descr ? descr : "");
	if (!descr || !has(file->text + start, len, quoted)) {
		complain(diags, name, "the .npy element type is not the tensor's");
		return 0;
	}
	if (has(file->text + start, len, "True")) {
		complain(diags, name, "Fortran order is not understood");
		return 0;
	}
	if (!npy_shape(file->text + start, len, &shape)) {
		complain(diags, name, "the .npy shape is not understood");
		return 0;
	}
	if (!shapes_agree(&shape, &t->shape)) {
		complain(diags, name, "the .npy shape is not the tensor's");
		return 0;
	}
	return start + len;
}

static enum tn_status other_size(struct tn_diags *diags, const char *name, int64_t bytes,
	const struct tn_tensor *t)
{
	tn_diag_at(diags, SEVERITY_ERROR, "command/tensor-file", NULL, NULL, name,
		"'%s' holds %" PRId64 " bytes, but the tensor '%s' has %" PRId64, name,
		bytes, t->name, t->bytes);
	return TN_ERR_INPUT;
}

enum tn_status tn_tensor_file_read(struct tn_arena *arena, struct tn_diags *diags,
	const char *name, const struct tn_tensor *t, const uint8_t **out_bytes)
{
	struct tn_source *file;
	enum tn_status status;
	struct stat info;
	size_t at = 0;

	/* longer than any header and the tensor: not worth reading */
	if (stat(name, &info) == 0 && S_ISREG(info.st_mode) &&
		info.st_size - HEADER_MAX > t->bytes)
		return other_size(diags, name, (int64_t)info.st_size, t);
	status = tn_file_read(arena, diags, name, NULL, &file);
	if (status != TN_OK)
		return status;
	if (file->len >= MAGIC_LEN && memcmp(file->text, magic, MAGIC_LEN) == 0) {
		at = npy_data(diags, name, file, t);
		if (!at)
			return TN_ERR_INPUT;
	}
	if ((int64_t)(file->len - at) != t->bytes)
		return other_size(diags, name, (int64_t)(file->len - at), t);
	*out_bytes = (const uint8_t *)file->text + at;
	return TN_OK;
}

static void npy_header(struct tn_strbuf *out, const struct tn_tensor *t)
{
	struct tn_strbuf dict;
	size_t len;

	tn_strbuf_init(&dict);
	tn_strbuf_printf(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (",
		descr_of(t->dtype));
	for (uint32_t d = 0; d < t->shape.rank; d++)
		tn_strbuf_printf(&dict, "%s%" PRId64, d ? ", " : "", t->shape.dim[d]);
	tn_strbuf_puts(&dict, t->shape.rank == 1 ? ",), }" : "), }");
	while ((MAGIC_LEN + 4 + dict.len + 1) % 64 && !dict.failed)
		tn_strbuf_putc(&dict, ' ');
	tn_strbuf_putc(&dict, '\n');
	len = dict.len;
	tn_strbuf_add(out, magic, MAGIC_LEN);
	tn_strbuf_putc(out, 1);
	tn_strbuf_putc(out, 0);
	tn_strbuf_putc(out, (char)(len & 0xff));
	tn_strbuf_putc(out, (char)(len >> 8));
	if (dict.failed)
		out->failed = true;
	else
		tn_strbuf_add(out, dict.text, dict.len);
	tn_strbuf_release(&dict);
}

enum tn_status tn_tensor_file_write(struct tn_diags *diags, const char *name,
	const struct tn_tensor *t, const uint8_t *bytes)
{
	size_t len = strlen(name), size = (size_t)t->bytes;
	enum tn_status status;
	struct tn_strbuf out;

	if (len < 4 || strcmp(name + len - 4, ".npy") != 0)
		return tn_file_write(diags, name, bytes, size);
	if (!descr_of(t->dtype))
		return complain(diags, name, ".npy has no such element type");
	tn_strbuf_init(&out);
	npy_header(&out, t);
	tn_strbuf_add(&out, (const char *)bytes, size);
	status =
		out.failed ? TN_ERR_NOMEM : tn_file_write(diags, name, out.text, out.len);
	tn_strbuf_release(&out);
	return status;
}
