#include "base/utf8.h"

#include <string.h>

#include "base/banned.h"

#define REPLACEMENT "\xEF\xBF\xBD"

size_t tn_utf8_char(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;
	unsigned char low = 0x80, high = 0xBF; /* of the second byte */

	if (len == 0 || s[0] == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xC2 || s[0] > 0xF4)
		return 0;
	n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
	if (s[0] == 0xE0)
		low = 0xA0;
	else if (s[0] == 0xED)
		high = 0x9F;
	else if (s[0] == 0xF0)
		low = 0x90;
	else if (s[0] == 0xF4)
		high = 0x8F;
	if (len < n || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if (s[i] < 0x80 || s[i] > 0xBF)
			return 0;
	return n;
}

const char *tn_utf8_clean(
	struct tn_arena *arena, const char *text, size_t len, size_t *out_len)
{
	size_t wrong = 0, extra = strlen(REPLACEMENT) - 1, to = 0, step;
	char *clean;

	for (size_t i = 0; i < len; i += step ? step : 1) {
		step = tn_utf8_char(text + i, len - i);
		wrong += step == 0;
	}
	*out_len = len;
	if (!wrong)
		return text;
	if (len > (size_t)-1 / 4)
		return NULL;
	clean = tn_arena_alloc(arena, len + wrong * extra + 1);
	if (!clean)
		return NULL;
	for (size_t i = 0; i < len; i += step ? step : 1) {
		const char *from = text + i;
		size_t n;

		step = tn_utf8_char(from, len - i);
		n = step ? step : extra + 1;
		memcpy(clean + to, step ? from : REPLACEMENT, n);
		to += n;
	}
	*out_len = to;
	return clean;
}
