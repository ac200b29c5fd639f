/* What processor cores can do at most in a cycle, for the roofline: an op that needs fewer
 * multiplications for each byte than the core has for each byte that it can load or store
 * waits for memory, whatever its kernel. */
#ifndef TN_REPORT_CORES_H
#define TN_REPORT_CORES_H

#include <stdint.h>

struct tn_core {
	const char *name; /* as the emitter names it */
	/* per hundred cycles: 8-bit products that are added up, and bytes loaded or stored
	 * by the core; memories with wait states give less */
	int64_t macs, bytes;
	const char *source; /* of the two figures */
};

/* All of them; NULL after the last. */
const struct tn_core *tn_core_at(uint32_t i);

#endif
