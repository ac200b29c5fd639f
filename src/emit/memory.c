/* memory.h, memory.c and memory.ld: the memories of a plan as arrays that a linker can
 * place. */
#include "emit/writer.h"

#include <inttypes.h>

#include "base/banned.h"
#include "emit/text.h"

bool tn_memory_given(const struct tn_writer *w)
{
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_plan_region *p = w->regions[i].plan;

		if (p && (p->capacity >= 0 || p->has_base))
			return true;
	}
	return false;
}

/* Ours to define? What the caller owns is somewhere else already. */
static bool defines(const struct tn_writer_region *r)
{
	return !r->plan || !r->plan->owned;
}

static void print_place(const struct tn_writer *w, const struct tn_writer_region *r,
	struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "\n#ifndef %s_%s_MEMORY\n", w->upper, r->upper);
	if (defines(r))
		tn_strbuf_printf(out,
			"extern uint8_t %s_%s[];\n#define %s_%s_MEMORY %s_%s\n", w->ident,
			r->ident, w->upper, r->upper, w->ident, r->ident);
	else if (r->plan->has_base)
		tn_strbuf_printf(out,
			"#define %s_%s_MEMORY ((uint8_t *)(uintptr_t)0x%08" PRIx64 "u)\n",
			w->upper, r->upper, (uint64_t)r->plan->base);
	else
		tn_strbuf_printf(out,
			"#error \"define %s_%s_MEMORY: where your own memory is\"\n",
			w->upper, r->upper);
	tn_strbuf_puts(out, "#endif\n");
}

void tn_write_memory_header(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"/* Made by tenure: the memories of the model. Define a macro before to "
		"put a memory\n * somewhere else. */\n"
		"#ifndef %s_MEMORY_H\n#define %s_MEMORY_H\n\n#include <stdint.h>\n\n"
		"#include \"%s.h\"\n",
		w->upper, w->upper, w->file);
	for (uint32_t i = 0; i < w->n_regions; i++)
		print_place(w, &w->regions[i], out);
	tn_strbuf_printf(out,
		"\n/* All of them, in the order of the parameters. */\n"
		"#define %s_MEMORY",
		w->upper);
	for (uint32_t i = 0; i < w->n_regions; i++)
		tn_strbuf_printf(out, "%s %s_%s_MEMORY", i ? "," : "", w->upper,
			w->regions[i].upper);
	tn_strbuf_puts(out, "\n\n#endif\n");
}

/* GCC makes sections whose names start with .bss such that take no room in the image. */
void tn_write_memory(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"/* Made by tenure: the memories of the model, each in a section of its "
		"own. */\n"
		"#include <stdint.h>\n\n#include \"%s.h\"\n\n"
		"/* At least a byte: C has no empty arrays. */\n"
		"#define MEMORY(name, bytes, align) \\\n"
		"\tuint8_t name[(bytes) > 0 ? (bytes) : 1] \\\n"
		"\t__attribute__((aligned(align)",
		w->file);
	tn_strbuf_puts(out, "))\n");
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_writer_region *r = &w->regions[i];

		if (!defines(r))
			continue;
		tn_strbuf_printf(out,
			"\nextern uint8_t %s_%s[];\n"
			"MEMORY(%s_%s, %s_%s_BYTES, %s_%s_ALIGN)\n"
			"__attribute__((section(\".bss.tenure.%s\")));\n",
			w->ident, r->ident, w->ident, r->ident, w->upper, r->upper,
			w->upper, r->upper, r->label);
	}
}

static bool has_address(const struct tn_writer_region *r)
{
	return defines(r) && r->plan && r->plan->has_base;
}

bool tn_memory_addressed(const struct tn_writer *w)
{
	for (uint32_t i = 0; i < w->n_regions; i++)
		if (has_address(&w->regions[i]))
			return true;
	return false;
}

void tn_write_memory_script(const struct tn_writer *w, struct tn_strbuf *out)
{
	tn_strbuf_puts(out,
		"/* Made by tenure: the memories that have an address. Give it to the "
		"linker in front of\n * your own script, -T memory.ld -T yours.ld: it "
		"adds "
		"to that one. */\n"
		"MEMORY\n{\n");
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_writer_region *r = &w->regions[i];

		if (has_address(r))
			tn_strbuf_printf(out,
				"\tTENURE_%s (rw) : ORIGIN = 0x%08" PRIx64
				", LENGTH = %" PRId64 "\n",
				r->upper, (uint64_t)r->plan->base, r->bytes);
	}
	tn_strbuf_puts(out, "}\nSECTIONS\n{\n");
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_writer_region *r = &w->regions[i];

		if (has_address(r))
			tn_strbuf_printf(out,
				"\t.tenure.%s (NOLOAD) : { *(.bss.tenure.%s) } > "
				"TENURE_%s\n",
				r->label, r->label, r->upper);
	}
	tn_strbuf_puts(out, "}\nINSERT BEFORE .bss;\n");
}

bool tn_memory_placeable(const struct tn_writer_region *r)
{
	return defines(r) && !has_address(r);
}

void tn_write_memory_region_script(
	const struct tn_writer_region *r, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"/* Made by tenure: a memory of %" PRId64 " bytes, aligned to %" PRId64
		", that has no address yet. In your own\n * script say which of your "
		"memories it is, REGION_ALIAS(\"TENURE_%s\", RAM), and include this\n"
		" * in SECTIONS, in front of .bss. */\n"
		".tenure.%s (NOLOAD) : { *(.bss.tenure.%s) } > TENURE_%s\n",
		r->bytes, r->align, r->upper, r->label, r->label, r->upper);
}
