/* Runs an emitted model once, on zeros, and prints the layers that the hook is told of. */
#include <stdint.h>
#include <stdio.h>

#include HEADER

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define F(name)	    JOIN(MODEL, name)

static uint8_t arena[BYTES] __attribute__((aligned(64)));

void layer_done(uint32_t op, const char *type, const char *name);

void layer_done(uint32_t op, const char *type, const char *name)
{
	printf("%u %s %s\n", (unsigned)op, type, name);
}

int main(void)
{
	F(_init)(arena);
	return F(_run)(arena);
}
