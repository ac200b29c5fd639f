/* Where an emitted program can run: this machine, and the boards that QEMU models. */
#ifndef TN_VALIDATE_TARGET_H
#define TN_VALIDATE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct tn_target_memory {
	uint32_t origin;
	uint32_t bytes;
};

struct tn_target {
	const char *name; /* as the emitter names the processor */
	const char *machine; /* QEMU's; NULL: this machine, without emulation */
	struct tn_target_memory code; /* where it boots */
	struct tn_target_memory data; /* variables and stack */
	struct tn_target_memory large; /* for what does not fit in those two */
	bool trap_unaligned; /* the board's core is a larger one, which would forgive */
};

/* What of an image goes to the large memory. */
struct tn_target_layout {
	bool weights_in_large;
	bool memory_in_large;
};

/* NULL when there is no such target. "m4" is "cortex-m4". */
const struct tn_target *tn_target_find(const char *name);

/* All of them; NULL after the last. */
const struct tn_target *tn_target_at(uint32_t i);

/* Chooses where constants and memory go; false when the board cannot hold them. */
bool tn_target_fit(const struct tn_target *t, int64_t constant_bytes,
	int64_t memory_bytes, struct tn_target_layout *out);

/* The linker script. */
void tn_target_script(const struct tn_target *t, const struct tn_target_layout *layout,
	struct tn_strbuf *out);

#endif
