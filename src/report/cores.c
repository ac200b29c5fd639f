#include "report/cores.h"

#include <stddef.h>

static const struct tn_core cores[] = {
	{ "cortex-m0plus", 50, 356, false,
		"Arm DDI 0484, Instruction set summary: MULS and ADDS take a cycle each, "
		"with "
		"the fast multiplier; LDM and STM of eight registers take nine" },
	{ "cortex-m3", 50, 400, false,
		"Arm DDI 0337, Processor instruction timings: MLA takes two cycles; "
		"loads that "
		"follow each other, and stores, one for each word" },
	{ "cortex-m4", 200, 400, false,
		"Arm 100166, Table of processor instructions: SMLAD adds two products in "
		"a "
		"cycle; loads that follow each other, and stores, one for each word" },
	{ "cortex-m7", 200, 800, true,
		"Arm publishes no cycles of it: SMLAD as on the M4, and its two 32-bit "
		"interfaces to tightly coupled memory (Arm DDI 0489)" },
	{ "cortex-m33", 200, 400, true,
		"Arm publishes no cycles of it: SMLAD and loads as on the M4" },
	{ "cortex-m55", 800, 800, true,
		"two beats of 32 bits in a cycle (Arm 101051, M-profile vector "
		"extension): "
		"eight products of 8 bits, or eight bytes" },
};

const struct tn_core *tn_core_at(uint32_t i)
{
	return i < sizeof(cores) / sizeof(*cores) ? &cores[i] : NULL;
}
