/* Runs an emitted model once on a painted stack and says how many bytes of it were used.
 * MODEL is its prefix, HEADER its header. */
#include <stdint.h>

#include HEADER

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define F(name)	    JOIN(MODEL, name)

#define PAINT 0xC5
#define ROOM  4096 /* bytes below main's frame that are painted */

void put_line(const char *text);

static uint8_t arena[BYTES] __attribute__((aligned(64)));

static uint8_t *stack_pointer(void)
{
	uint8_t *sp;

	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return sp;
}

static void put_number(unsigned n)
{
	char text[12], *at = text + sizeof(text) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	put_line(at);
}

int main(void)
{
	uint8_t *volatile low = stack_pointer() - ROOM;
	uint8_t *top;
	uint32_t x = 1;

	F(_init)(arena);
	for (uint32_t i = 0; i < INPUT_BYTES; i++) {
		x = x * 1664525u + 1013904223u;
		((uint8_t *)F(_input)(arena, 0))[i] = (uint8_t)(x >> 24);
	}
	top = stack_pointer();
	for (volatile uint8_t *p = low; p < top; p++)
		*p = PAINT;
	if (F(_run)(arena))
		return 1;
	while (low < top && *low == PAINT)
		low++;
	put_number((unsigned)(top - low));
	return 0;
}
