#include "report/cores.h"

#include <stddef.h>

static const struct tn_core cores[] = {
	{ "cortex-m0plus", 50, 200,
		"a product and an addition are an instruction each, one cycle each where "
		"the fast multiplier is there; a load takes two cycles" },
	{ "cortex-m3", 50, 400,
		"MLA takes two cycles; loads that follow each other, one a word" },
	{ "cortex-m4", 200, 400,
		"SMLAD adds two products in a cycle; loads that follow each other, one a "
		"word" },
	{ "cortex-m7", 200, 800,
		"SMLAD as on the M4, beside a 64-bit load from tightly coupled memory" },
	{ "cortex-m33", 200, 400, "SMLAD and loads as on the M4" },
	{ "cortex-m55", 800, 800,
		"two beats of 32 bits a cycle: eight 8-bit products, eight bytes" },
};

const struct tn_core *tn_core_at(uint32_t i)
{
	return i < sizeof(cores) / sizeof(*cores) ? &cores[i] : NULL;
}
