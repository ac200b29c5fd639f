#include "base/message.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/banned.h"
#include "base/digits.h"

/* Takes the argument of the directive at *fmt, which is behind its '%', and gives it as
 * text; NULL for a directive that is not known. */
static const char *next(const char **fmt, va_list *args, char digits[TN_DIGITS_MAX + 1])
{
	const char *at = *fmt;
	unsigned longs = 0;
	int64_t value;
	char *text;

	if (*at == 's') {
		*fmt = at + 1;
		return va_arg(*args, const char *);
	}
	if (at[0] == 'z' && at[1] == 'u') {
		*fmt = at + 2;
		return tn_digits(digits + 1, va_arg(*args, size_t));
	}
	while (*at == 'l' && longs < 2) {
		longs++;
		at++;
	}
	*fmt = at + 1;
	if (*at == 'u')
		return tn_digits(digits + 1, longs == 2
						     ? va_arg(*args, unsigned long long)
					     : longs == 1 ? va_arg(*args, unsigned long)
							  : va_arg(*args, unsigned));
	if (*at != 'd')
		return NULL;
	value = longs == 2   ? va_arg(*args, long long)
		: longs == 1 ? va_arg(*args, long)
			     : va_arg(*args, int);
	text = tn_digits(digits + 1, value < 0 ? -(uint64_t)value : (uint64_t)value);
	if (value < 0)
		*--text = '-';
	return text;
}

int tn_message(char *out, size_t room, const char *fmt, va_list args)
{
	char digits[TN_DIGITS_MAX + 1];
	va_list copy; /* which a pointer may lead to, as `args` may not */
	size_t len = 0;
	bool ok = room > 0;

	va_copy(copy, args);
	while (ok && *fmt) {
		const char *text = fmt;
		size_t more = strcspn(fmt, "%");

		fmt += more;
		if (!more) {
			fmt++;
			text = next(&fmt, &copy, digits);
			more = text ? strlen(text) : 0;
		}
		ok = text && more < room - len;
		if (ok)
			memcpy(out + len, text, more);
		len += ok ? more : 0;
	}
	va_end(copy);
	if (!ok || len > INT_MAX)
		return -1;
	out[len] = '\0';
	return (int)len;
}
