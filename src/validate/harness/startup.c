/* Reset of a Cortex-M on QEMU, and lines by semihosting. */
#include <stdint.h>

extern uint32_t data_load, data_start, data_end, bss_start, bss_end, stack_top;

int main(void);
void put_line(const char *text);
void reset(void);
void fault(void);

#define CPACR ((volatile uint32_t *)0xE000ED88)
#define CCR   ((volatile uint32_t *)0xE000ED14)

static int semihost(int operation, const void *argument)
{
	register int r0 __asm__("r0") = operation;
	register const void *r1 __asm__("r1") = argument;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
	return r0;
}

static void finish(int code)
{
	uint32_t block[2];

	block[0] = 0x20026; /* the application ended by itself */
	block[1] = (uint32_t)code;
	semihost(0x20, block);
	for (;;)
		;
}

void put_line(const char *text)
{
	semihost(0x04, text);
	semihost(0x04, "\n");
}

void reset(void)
{
	const uint32_t *from = &data_load;

#ifdef __ARM_FP
	*CPACR |= UINT32_C(0xF) << 20; /* floating point and vector unit on */
	__asm__ volatile("dsb\n isb" ::: "memory");
#endif
#ifdef TENURE_TRAP_UNALIGNED
	*CCR |= UINT32_C(1) << 3; /* as a core without unaligned access would */
	__asm__ volatile("dsb\n isb" ::: "memory");
#endif
	for (uint32_t *to = &data_start; to < &data_end;)
		*to++ = *from++;
	for (uint32_t *to = &bss_start; to < &bss_end;)
		*to++ = 0;
	finish(main());
}

void fault(void)
{
	put_line("F");
	finish(99);
}

typedef void handler(void);

__attribute__((section(".vectors"), used)) static const struct {
	const void *stack;
	handler *handlers[15];
} vectors = {
	&stack_top,
	{ reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, 0, 0, fault,
		fault },
};
