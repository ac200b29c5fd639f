/* Runs an emitted model and prints a digest of each activation: on the host, and bare on a
 * Cortex-M by semihosting. config.h says what model it is:
 *
 *   HARNESS_HEADER            "model.h"
 *   HARNESS_RUNS, HARNESS_SEED  invocations, and the seed of the input rule
 *   HARNESS_PATTERNS          { 0xA5, 0x5A }: what fills the memory at the start
 *   HARNESS_REGIONS(X)        X(name, bytes, align) for each memory
 *   HARNESS_INPUTS(X)         X(rule, width, bytes) for each input
 *   HARNESS_INIT(m) HARNESS_RUN(m) HARNESS_INPUT(m, k)    with m[i] the start of memory i
 *   HARNESS_STREAM, HARNESS_ROWS, HARNESS_ROW_BYTES, HARNESS_STATE, HARNESS_BEGIN(s, m),
 *   HARNESS_PUSH(s, rows, n), HARNESS_END(s)    when that input comes row by row
 *   HARNESS_DUMP              number of the layer whose bytes are printed, or -1
 *
 * Lines: "P pattern run", "L op tensor digest", "B hex" (bytes of the layer that is
 * dumped, 32 a line), "E code" when the run failed, "G" when a guard was overwritten, and
 * at the end "Z layers". */
#include <stdint.h>
#include <string.h>

#include <config.h>
#include HARNESS_HEADER

#define GUARD 64

void put_line(const char *text);

/* ---- text ---- */

static char line[160];
static unsigned used;

static void put_char(char c)
{
	if (used < sizeof(line) - 1)
		line[used++] = c;
}

static void put_text(const char *text)
{
	while (*text)
		put_char(*text++);
}

static void put_number(uint32_t value)
{
	char digits[10];
	unsigned n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	while (n)
		put_char(digits[--n]);
}

static void put_hex(uint64_t value, int digits)
{
	while (digits--)
		put_char("0123456789abcdef"[value >> (4 * digits) & 15]);
}

static void end_line(void)
{
	line[used] = '\0';
	put_line(line);
	used = 0;
}

/* ---- the hook ---- */

static uint32_t layers;

static void dump(const uint8_t *bytes, uint32_t size)
{
	for (uint32_t at = 0; at < size; at += 32) {
		put_text("B ");
		for (uint32_t i = at; i < size && i < at + 32; i++)
			put_hex(bytes[i], 2);
		end_line();
	}
}

void tenure_hook(uint32_t op, const char *op_name, uint32_t tensor,
	const char *tensor_name, const void *bytes, uint32_t size)
{
	const uint8_t *at = bytes;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	(void)op_name;
	(void)tensor_name;
	for (uint32_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	put_text("L ");
	put_number(op);
	put_text(" ");
	put_number(tensor);
	put_text(" ");
	put_hex(hash, 16);
	end_line();
	if (HARNESS_DUMP >= 0 && layers == (uint32_t)HARNESS_DUMP)
		dump(at, size);
	layers++;
}

/* ---- memory ---- */

/* Bytes in front: the guard, and as many that what follows is aligned. */
#define FRONT(align) ((align) > GUARD ? (align) : GUARD)
#define DECLARE(name, bytes, align)                                                      \
	static uint8_t name[FRONT(align) + (bytes) + GUARD]                              \
		__attribute__((aligned(FRONT(align)), section(".memory")));
HARNESS_REGIONS(DECLARE)

#define START(name, bytes, align) name + FRONT(align),
#define SIZE(name, bytes, align)  (bytes),
static const uint32_t sizes[] = { HARNESS_REGIONS(SIZE) };
#define REGIONS (sizeof(sizes) / sizeof(*sizes))

static void fill(uint8_t *const *memory, int pattern)
{
	for (unsigned i = 0; i < REGIONS; i++) {
		memset(memory[i] - GUARD, 0xC3, GUARD);
		memset(memory[i], pattern, sizes[i]);
		memset(memory[i] + sizes[i], 0xC3, GUARD);
	}
}

static void check_guards(uint8_t *const *memory)
{
	for (unsigned i = 0; i < REGIONS; i++) {
		for (int k = 0; k < GUARD; k++) {
			if (memory[i][k - GUARD] != 0xC3 ||
				memory[i][sizes[i] + k] != 0xC3) {
				put_text("G");
				end_line();
				return;
			}
		}
	}
}

/* ---- the input rule ---- */

enum rule { RULE_RAW, RULE_FLOAT, RULE_SMALL, RULE_BOOL };

static uint64_t value_of(enum rule rule, uint32_t x)
{
	float real;
	uint32_t bits;

	switch (rule) {
	case RULE_FLOAT:
		real = (float)(x >> 8) / 16777216.0f * 2 - 1;
		memcpy(&bits, &real, sizeof(bits));
		return bits;
	case RULE_SMALL:
		return (x >> 1) % 4;
	case RULE_BOOL:
		return x & 1;
	case RULE_RAW:
		break;
	}
	return x;
}

static void fill_input(
	uint8_t *to, uint32_t k, enum rule rule, uint32_t width, uint32_t bytes)
{
	uint32_t x = UINT32_C(0x9E3779B9) ^ (HARNESS_SEED + k);

	if (!x)
		x = 1;
	for (uint32_t at = 0; to && at < bytes; at += width) {
		uint64_t value;

		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		value = value_of(rule, x);
		for (uint32_t i = 0; i < width && at + i < bytes; i++)
			to[at + i] = (uint8_t)(value >> (8 * i));
	}
}

#define INPUT(rule, width, bytes) { rule, width, bytes },
static const struct {
	enum rule rule;
	uint32_t width, bytes;
} inputs[] = { HARNESS_INPUTS(INPUT){ RULE_RAW, 0, 0 } };
#define INPUTS (sizeof(inputs) / sizeof(*inputs) - 1)

#ifdef HARNESS_STREAM

static uint8_t given[HARNESS_ROWS * HARNESS_ROW_BYTES]
	__attribute__((section(".memory")));

/* One row, two, three, one, ... at a time. */
static int run_stream(uint8_t *const *m)
{
	HARNESS_STATE s;
	int code = HARNESS_BEGIN(&s, m);

	for (uint32_t row = 0, n = 1; !code && row < HARNESS_ROWS;
		row += n, n = n % 3 + 1) {
		if (n > HARNESS_ROWS - row)
			n = HARNESS_ROWS - row;
		code = HARNESS_PUSH(&s, given + row * HARNESS_ROW_BYTES, n);
	}
	return code ? code : HARNESS_END(&s);
}

static uint8_t *input_at(uint8_t *const *m, uint32_t k)
{
	return k == HARNESS_STREAM ? given : (uint8_t *)HARNESS_INPUT(m, k);
}

#else

static uint8_t *input_at(uint8_t *const *m, uint32_t k)
{
	return HARNESS_INPUT(m, k);
}

#endif

int main(void)
{
	static const int patterns[] = HARNESS_PATTERNS;
	uint8_t *const m[] = { HARNESS_REGIONS(START) };

	for (unsigned p = 0; p < sizeof(patterns) / sizeof(*patterns); p++) {
		fill(m, patterns[p]);
		HARNESS_INIT(m);
		for (uint32_t run = 0; run < HARNESS_RUNS; run++) {
			int code;

			put_text("P ");
			put_number((uint32_t)patterns[p]);
			put_text(" ");
			put_number(run);
			end_line();
			for (uint32_t k = 0; k < INPUTS; k++)
				fill_input(input_at(m, k), k, inputs[k].rule,
					inputs[k].width, inputs[k].bytes);
			code = HARNESS_RUN(m);
			if (code) {
				put_text("E ");
				put_number((uint32_t)code);
				end_line();
			}
		}
		check_guards(m);
	}
	put_text("Z ");
	put_number(layers);
	end_line();
	return 0;
}
