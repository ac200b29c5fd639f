/* What processor cores can do at most in a cycle, for the roofline: an op that needs fewer
 * multiplications for each byte than the core has for each byte that it can load or store
 * waits for memory, whatever its kernel. */
#ifndef TN_REPORT_CORES_H
#define TN_REPORT_CORES_H

#include <stdbool.h>
#include <stdint.h>

struct tn_core {
	const char *name; /* as the emitter names it */
	/* per hundred cycles: 8-bit products that are added up, and bytes loaded or stored
	 * by the core; memories with wait states give less */
	int64_t macs, bytes;
	bool estimate; /* the vendor publishes no counts of cycles */
	const char *source; /* of the two figures, and how they come about */
};

/* All of them; NULL after the last. */
const struct tn_core *tn_core_at(uint32_t i);

#endif
