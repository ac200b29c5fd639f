/* Decimal digits where printf would cost more than the rest. */
#ifndef TN_BASE_DIGITS_H
#define TN_BASE_DIGITS_H

#include <stdint.h>

#define TN_DIGITS_MAX 21 /* of 64 bits, and a NUL */

/* Writes the digits to the end of the buffer; the result is the first of them. */
static inline char *tn_digits(char text[TN_DIGITS_MAX], uint64_t value)
{
	char *at = &text[TN_DIGITS_MAX - 1];

	*at = '\0';
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return at;
}

#endif
