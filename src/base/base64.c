#include "base/base64.h"

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void tn_base64_encode(struct tn_strbuf *out, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t word = (uint32_t)data[i] << 16;
		char quad[4] = { '=', '=', '=', '=' };

		if (n > 1)
			word |= (uint32_t)data[i + 1] << 8;
		if (n > 2)
			word |= data[i + 2];
		for (size_t k = 0; k <= n; k++)
			quad[k] = alphabet[(word >> (18 - 6 * k)) & 63];
		tn_strbuf_add(out, quad, 4);
	}
}

static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

bool tn_base64_size(const char *text, size_t len, size_t *out_bytes)
{
	size_t padding = 0;

	if (len % 4 != 0)
		return false;
	while (padding < 2 && padding < len && text[len - 1 - padding] == '=')
		padding++;
	*out_bytes = len / 4 * 3 - padding;
	return true;
}

bool tn_base64_decode(const char *text, size_t len, uint8_t *out, size_t *out_wrong)
{
	size_t bytes = 0, at = 0;

	*out_wrong = len;
	if (!tn_base64_size(text, len, &bytes))
		return false;
	for (size_t i = 0; i < len; i += 4) {
		size_t n = bytes - at < 3 ? bytes - at : 3;
		uint32_t word = 0;

		for (size_t k = 0; k < 4; k++) {
			int value = k <= n ? digit(text[i + k]) : 0;

			if (value < 0) {
				*out_wrong = i + k;
				return false;
			}
			word |= (uint32_t)value << (18 - 6 * k);
		}
		for (size_t k = 0; k < n; k++)
			out[at++] = (uint8_t)(word >> (16 - 8 * k));
	}
	return true;
}
