#include "base/size.h"

#include "base/checked.h"

bool tn_size_read(const char **at, int64_t *out)
{
	const char *text = *at;
	int64_t value = 0, unit = 1;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (!tn_mul_i64(value, 10, &value) ||
			!tn_add_i64(value, *text - '0', &value))
			return false;
	if (*text == 'K' || *text == 'k')
		unit = 1024;
	else if (*text == 'M' || *text == 'm')
		unit = 1024 * 1024;
	if (!tn_mul_i64(value, unit, &value))
		return false;
	if (unit > 1) {
		text++;
		if (text[0] == 'i' && text[1] == 'B')
			text += 2;
		else if (text[0] == 'B')
			text++;
	}
	*at = text;
	*out = value;
	return true;
}

bool tn_size_parse(const char *text, int64_t *out)
{
	int64_t value;

	if (!tn_size_read(&text, &value) || *text)
		return false;
	*out = value;
	return true;
}
