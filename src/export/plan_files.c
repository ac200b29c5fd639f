#include "export/plan_files.h"

#include <inttypes.h>

#include "export/minimalloc.h"

#include "base/banned.h"

static bool has_memory(const struct tn_graph *g, const struct tn_plan *plan, uint32_t i)
{
	return plan->tensors[i].region != TN_REGION_NONE &&
	       g->tensors[i].view_of.i == TN_NONE;
}

static void put_id(const struct tn_graph *g, uint32_t i, struct tn_strbuf *out)
{
	struct tn_strbuf id;

	tn_strbuf_init(&id);
	tn_strbuf_printf(&id, "%s#%u", g->tensors[i].name, i);
	tn_export_csv_field(out, id.failed ? "" : id.text);
	out->failed = out->failed || id.failed;
	tn_strbuf_release(&id);
}

void tn_export_plan_csv(const struct tn_graph *g, const struct tn_plan *plan,
	const tn_tensor_id *roots, const char *const *variants, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "id,lower,upper,size,offset%s%s\n", roots ? ",root" : "",
		variants ? ",variant" : "");
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_plan_tensor *t = &plan->tensors[i];

		if (!has_memory(g, plan, i))
			continue;
		put_id(g, i, out);
		tn_strbuf_printf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
			t->first, t->last + (t->last % 2 ? 1 : 2), t->bytes, t->offset);
		if (roots)
			tn_strbuf_putc(out, ',');
		if (roots && roots[i].i != i)
			put_id(g, roots[i].i, out);
		if (variants)
			tn_strbuf_printf(out, ",%s", variants[i]);
		tn_strbuf_putc(out, '\n');
	}
}

/* What an identifier of C has for a character of a name. */
static char letter(char c)
{
	if (c >= 'a' && c <= 'z')
		return (char)(c - 'a' + 'A');
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || !c ? c : '_';
}

/* Letters, digits and underscores in capitals; never empty. */
static void put_identifier(struct tn_strbuf *out, const char *text)
{
	if (!*text)
		tn_strbuf_puts(out, "TENSOR");
	for (; *text; text++)
		tn_strbuf_putc(out, letter(*text));
}

static bool same_identifier(const char *a, const char *b)
{
	for (; *a && letter(*a) == letter(*b); a++)
		b++;
	return letter(*a) == letter(*b);
}

/* The region's name, and its number when an earlier one has the same identifier. */
static void put_region(struct tn_strbuf *out, const struct tn_plan *plan, uint32_t region)
{
	const char *name = plan->regions[region].name;
	uint32_t i = 0;

	while (i < region && !same_identifier(plan->regions[i].name, name))
		i++;
	put_identifier(out, name);
	if (i < region)
		tn_strbuf_printf(out, "_%u", region);
}

void tn_export_plan_header(
	const struct tn_graph *g, const struct tn_plan *plan, struct tn_strbuf *out)
{
	tn_strbuf_puts(out,
		"/* Made by tenure: where each tensor lies, in bytes from the "
		"start of its region. */\n#ifndef TENURE_OFFSETS_H\n#define "
		"TENURE_OFFSETS_H\n\n");
	for (uint32_t i = 0; i < plan->n_regions; i++) {
		tn_strbuf_puts(out, "#define TENURE_");
		put_region(out, plan, i);
		tn_strbuf_printf(out, "_BYTES %" PRId64 "\n#define TENURE_",
			plan->regions[i].used);
		put_region(out, plan, i);
		tn_strbuf_printf(out, "_ALIGN %" PRId64 "\n", plan->regions[i].align);
	}
	tn_strbuf_putc(out, '\n');
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_plan_tensor *t = &plan->tensors[i];

		if (!has_memory(g, plan, i))
			continue;
		tn_strbuf_printf(out, "#define TENURE_T%u_", i);
		put_identifier(out, g->tensors[i].name);
		tn_strbuf_printf(out, " %" PRId64, t->offset);
		if (plan->n_regions > 1) {
			tn_strbuf_puts(out, " /* in ");
			put_region(out, plan, t->region);
			tn_strbuf_puts(out, " */");
		}
		tn_strbuf_putc(out, '\n');
	}
	tn_strbuf_puts(out, "\n#endif\n");
}
