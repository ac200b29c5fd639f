#include "validate/target.h"

#include <stddef.h>
#include <string.h>

#include "base/banned.h"

#define KB 1024u
#define MB (1024u * 1024u)

#define CODE_RESERVE  (192 * KB) /* kernels, harness, library */
#define DATA_RESERVE  (64 * KB) /* stack and the harness's own data */
#define GUARD_RESERVE (4 * KB) /* around each memory, and its alignment */

/* The boards' memories as QEMU models them (MPS2 and MPS3 FPGA images). Secure aliases on
 * those with TrustZone: they boot in the secure state. The Cortex-M0+ has no board of
 * enough memory; its code runs on the Cortex-M3, whose instruction set contains it. */
static const struct tn_target targets[] = {
	{ .name = "host" },
	{ "cortex-m0plus", "mps2-an385", { 0x00000000, 4 * MB }, { 0x20000000, 4 * MB },
		{ 0x21000000, 16 * MB }, true },
	{ "cortex-m3", "mps2-an385", { 0x00000000, 4 * MB }, { 0x20000000, 4 * MB },
		{ 0x21000000, 16 * MB }, false },
	{ "cortex-m4", "mps2-an386", { 0x00000000, 4 * MB }, { 0x20000000, 4 * MB },
		{ 0x21000000, 16 * MB }, false },
	{ "cortex-m7", "mps2-an500", { 0x00000000, 4 * MB }, { 0x20000000, 4 * MB },
		{ 0x60000000, 16 * MB }, false },
	{ "cortex-m33", "mps2-an505", { 0x10000000, 4 * MB }, { 0x38000000, 2 * MB },
		{ 0x80000000, 16 * MB }, false },
	{ "cortex-m55", "mps3-an547", { 0x10000000, 512 * KB }, { 0x30000000, 512 * KB },
		{ 0x70000000, 256 * MB }, false },
};

const struct tn_target *tn_target_at(uint32_t i)
{
	return i < sizeof(targets) / sizeof(*targets) ? &targets[i] : NULL;
}

const struct tn_target *tn_target_find(const char *name)
{
	static const char family[] = "cortex-";

	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		const char *known = targets[i].name;

		if (strcmp(known, name) == 0 ||
			(strncmp(known, family, sizeof(family) - 1) == 0 &&
				strcmp(known + sizeof(family) - 1, name) == 0))
			return &targets[i];
	}
	return NULL;
}

bool tn_target_fit(const struct tn_target *t, int64_t constant_bytes,
	int64_t memory_bytes, struct tn_target_layout *out)
{
	int64_t large = 0;

	*out = (struct tn_target_layout){ false, false };
	if (!t->machine)
		return true;
	if (constant_bytes < 0 || memory_bytes < 0 || constant_bytes > UINT32_MAX ||
		memory_bytes > UINT32_MAX)
		return false;
	if (constant_bytes + CODE_RESERVE > t->code.bytes) {
		out->weights_in_large = true;
		large += constant_bytes + GUARD_RESERVE;
	}
	if (memory_bytes + DATA_RESERVE > t->data.bytes) {
		out->memory_in_large = true;
		large += memory_bytes + GUARD_RESERVE;
	}
	return large <= t->large.bytes;
}

static void print_memory(struct tn_strbuf *out, const char *name, const char *access,
	const struct tn_target_memory *m)
{
	tn_strbuf_printf(out, "\t%s (%s) : ORIGIN = 0x%08x, LENGTH = 0x%x\n", name,
		access, m->origin, m->bytes);
}

void tn_target_script(const struct tn_target *t, const struct tn_target_layout *layout,
	struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "ENTRY(reset)\nMEMORY {\n");
	print_memory(out, "CODE", "rx", &t->code);
	print_memory(out, "DATA", "rw", &t->data);
	print_memory(out, "LARGE", "rw", &t->large);
	tn_strbuf_printf(out,
		"}\nREGION_ALIAS(\"WEIGHTS\", %s)\nREGION_ALIAS(\"ARENA\", %s)\n",
		layout->weights_in_large ? "LARGE" : "CODE",
		layout->memory_in_large ? "LARGE" : "DATA");
	tn_strbuf_puts(out,
		"SECTIONS {\n"
		"\t.vectors : { KEEP(*(.vectors)) } > CODE\n"
		"\t.text : { *(.text .text.*)\n"
		"\t\t*(EXCLUDE_FILE(*weights.o) .rodata EXCLUDE_FILE(*weights.o) "
		".rodata.*)\n"
		"\t\t. = ALIGN(8); } > CODE\n"
		"\t.ARM.exidx : { *(.ARM.exidx* .gnu.linkonce.armexidx.*) } > CODE\n"
		"\t.weights : { . = ALIGN(16); *weights.o(.rodata .rodata.*) "
		"*(.constants)\n"
		"\t\t. = ALIGN(8); } > WEIGHTS\n"
		"\tdata_load = LOADADDR(.data);\n"
		"\t.data : { . = ALIGN(8); data_start = .; *(.data .data.*)\n"
		"\t\t. = ALIGN(8); data_end = .; } > DATA AT > CODE\n"
		"\t.bss (NOLOAD) : { . = ALIGN(8); bss_start = .; *(.bss .bss.* COMMON)\n"
		"\t\t. = ALIGN(8); bss_end = .; } > DATA\n"
		"\t.memory (NOLOAD) : { . = ALIGN(64); *(.memory) } > ARENA\n"
		"\tstack_top = ORIGIN(DATA) + LENGTH(DATA);\n"
		"}\n");
}
