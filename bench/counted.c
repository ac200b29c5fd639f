/* Runs an emitted model some times, each time with other inputs, between the marks of the
 * plugin that counts (count.c). MODEL is its prefix, HEADER its header. */
#include <stdint.h>

#include HEADER

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define F(name)	    JOIN(MODEL, name)

void put_line(const char *text);

static uint8_t arena[BYTES] __attribute__((aligned(64)));

static uint32_t next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

int main(void)
{
	uint32_t x = 1;

	F(_init)(arena);
	for (int run = 0; run < RUNS; run++) {
		uint8_t *in = F(_input)(arena, 0);
		int failed;

		for (uint32_t i = 0; i < INPUT_BYTES; i++)
			in[i] = (uint8_t)(next(&x) >> 13);
		__asm__ volatile("dbg #1" ::: "memory");
		failed = F(_run)(arena);
		__asm__ volatile("dbg #2" ::: "memory");
		if (failed)
			return 1;
	}
	return 0;
}
