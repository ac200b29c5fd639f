/* Two emitted models take turns in one memory, and must give what each gives alone. A and B
 * are their prefixes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "models.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#define RUNS 3

static uint8_t shared[TENURE_ARENA_BYTES] __attribute__((aligned(TENURE_ARENA_ALIGN)));
static uint8_t alone_a[TENURE_ARENA_BYTES] __attribute__((aligned(TENURE_ARENA_ALIGN)));
static uint8_t alone_b[TENURE_ARENA_BYTES] __attribute__((aligned(TENURE_ARENA_ALIGN)));
static uint8_t results[4][1 << 16];

#define DEFINE(prefix, input_bytes, output_bytes)                                        \
	static int JOIN(try_, prefix)(uint8_t * memory, uint32_t seed, uint8_t * result) \
	{                                                                                \
		uint8_t *in = JOIN(prefix, _input)(memory, 0);                           \
                                                                                         \
		for (uint32_t i = 0; i < input_bytes; i++) {                             \
			seed = seed * 69069u + 1;                                        \
			in[i] = (uint8_t)(seed >> 24);                                   \
		}                                                                        \
		if (JOIN(prefix, _run)(memory))                                          \
			return 1;                                                        \
		memcpy(result, JOIN(prefix, _output)(memory, 0), output_bytes);          \
		return 0;                                                                \
	}
DEFINE(A, A_INPUT, A_OUTPUT)
DEFINE(B, B_INPUT, B_OUTPUT)

int main(void)
{
	JOIN(A, _init)(shared);
	JOIN(B, _init)(shared);
	JOIN(A, _init)(alone_a);
	JOIN(B, _init)(alone_b);
	for (uint32_t run = 1; run <= RUNS; run++) {
		if (JOIN(try_, A)(shared, run, results[0]) ||
			JOIN(try_, B)(shared, run, results[1]) ||
			JOIN(try_, A)(alone_a, run, results[2]) ||
			JOIN(try_, B)(alone_b, run, results[3]))
			return 2;
		if (memcmp(results[0], results[2], A_OUTPUT) != 0 ||
			memcmp(results[1], results[3], B_OUTPUT) != 0)
			return 3;
	}
	printf("%d runs, %d B\n", RUNS, (int)sizeof(shared));
	return 0;
}
