#include "rules/baseline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/filename.h"
#include "base/utf8.h"
#include "base/xml.h"
#include "rules/packs.h"

#include "base/banned.h"

static int by_finding(const void *a, const void *b)
{
	const struct tn_known *x = a, *y = b;
	int files = strcmp(x->file, y->file);

	if (files)
		return files;
	return (x->fingerprint > y->fingerprint) - (x->fingerprint < y->fingerprint);
}

/* For people: the rule first. Equal findings have one message up to its numbers. */
static int by_rule(const void *a, const void *b)
{
	const struct tn_known *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (!order)
		order = strcmp(x->rule, y->rule);
	if (!order)
		order = strcmp(x->message, y->message);
	return order ? order : by_finding(a, b);
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* An exact text as it was; a backslash that starts nothing is one. */
static const char *unescape(struct tn_arena *arena, const char *text)
{
	char *made = text ? tn_arena_strdup(arena, text) : NULL;
	char *to = made;

	while (made && *text) {
		if (text[0] == '\\' && text[1] == '\\') {
			*to++ = '\\';
			text += 2;
		} else if (text[0] == '\\' && text[1] == 'x' && hex(text[2]) >= 0 &&
			   hex(text[3]) >= 0 && hex(text[2]) + hex(text[3]) > 0) {
			*to++ = (char)(hex(text[2]) * 16 + hex(text[3]));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	if (made)
		*to = '\0';
	return made;
}

static void read_findings(struct tn_xml *x, xmlNodePtr root, struct tn_baseline *out)
{
	TN_VEC(struct tn_known) list = { 0 };

	for (xmlNodePtr node = root->children; node; node = node->next) {
		struct tn_known k = { 0 };
		const char *print, *count;

		if (node->type != XML_ELEMENT_NODE)
			continue;
		k.file = unescape(x->arena, tn_xml_exact(x, node, "file"));
		k.rule = tn_xml_attribute(x, node, "rule");
		k.message = tn_xml_text(x, node);
		print = tn_xml_attribute(x, node, "fingerprint");
		count = tn_xml_attribute(x, node, "count");
		if (print)
			k.fingerprint = strtoull(print, NULL, 16);
		k.count = count ? (uint32_t)strtoul(count, NULL, 10) : 1;
		if (x->nomem || !k.file || !tn_vec_push(x->arena, &list, k))
			x->nomem = true;
	}
	if (x->nomem)
		return;
	out->items = list.items;
	out->n = list.count;
	tn_baseline_sort(out);
}

enum tn_status tn_baseline_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_baseline *out)
{
	const struct tn_embedded *schema =
		tn_embedded_find(tn_rule_packs, "baseline.rng");
	struct tn_xml x = { .arena = arena, .diags = diags, .rule = "baseline/invalid" };
	const char *absolute = tn_filename_absolute(arena, file);
	struct tn_source *source;
	enum tn_status status =
		tn_file_read_settled(arena, diags, file, tn_xml_fits, &source);
	xmlDocPtr doc;

	*out = (struct tn_baseline){ 0 };
	if (status != TN_OK)
		return status;
	source->is_text = true;
	x.source = source;
	out->folder = absolute ? tn_filename_folder(arena, absolute) : NULL;
	if (!out->folder || !schema)
		return TN_ERR_NOMEM;
	doc = tn_xml_read(&x, schema->text, schema->len);
	if (doc)
		read_findings(&x, xmlDocGetRootElement(doc), out);
	xmlFreeDoc(doc);
	return x.nomem ? TN_ERR_NOMEM : x.wrong ? TN_ERR_INPUT : TN_OK;
}

struct tn_known *tn_baseline_find(
	const struct tn_baseline *baseline, const char *file, uint64_t fingerprint)
{
	const struct tn_known key = { .file = file, .fingerprint = fingerprint };
	struct tn_known *known = baseline->n ? bsearch(&key, baseline->items, baseline->n,
						       sizeof(key), by_finding)
					     : NULL;

	return known && known->count ? known : NULL;
}

void tn_baseline_sort(struct tn_baseline *b)
{
	size_t n = 0;

	if (!b->n)
		return;
	qsort(b->items, b->n, sizeof(*b->items), by_rule); /* the message that stays */
	qsort(b->items, b->n, sizeof(*b->items), by_finding);
	for (size_t i = 1; i < b->n; i++) {
		if (by_finding(&b->items[n], &b->items[i]) == 0) {
			b->items[n].count =
				b->items[i].count > UINT32_MAX - b->items[n].count
					? UINT32_MAX
					: b->items[n].count + b->items[i].count;
			if (strcmp(b->items[i].message, b->items[n].message) < 0)
				b->items[n].message = b->items[i].message;
		} else {
			b->items[++n] = b->items[i];
		}
	}
	b->n = n + 1;
}

/* Any bytes as XML. What XML cannot hold becomes "\\xHH" in an exact text, where a
 * backslash is two, else a question mark. */
static void put_text(struct tn_strbuf *out, const char *text, bool exact)
{
	while (*text) {
		const size_t len = tn_utf8_char(text, strlen(text));
		const unsigned char c = (unsigned char)*text;
		const bool bad =
			!len || c < ' ' || c == 0x7f ||
			(len == 3 && memcmp(text, "\xef\xbf", 2) == 0 &&
				(unsigned char)text[2] >= 0xbe); /* U+FFFE, U+FFFF */

		if (c == '<')
			tn_strbuf_puts(out, "&lt;");
		else if (c == '>') /* "]]>" must not stand in a text */
			tn_strbuf_puts(out, "&gt;");
		else if (c == '&')
			tn_strbuf_puts(out, "&amp;");
		else if (c == '"')
			tn_strbuf_puts(out, "&quot;");
		else if (exact && c == '\\')
			tn_strbuf_puts(out, "\\\\");
		else if (exact && bad)
			for (size_t i = 0; i < (len ? len : 1); i++)
				tn_strbuf_printf(out, "\\x%02x", (unsigned char)text[i]);
		else if (bad)
			tn_strbuf_putc(out, '?');
		else
			tn_strbuf_add(out, text, len);
		text += len ? len : 1;
	}
}

void tn_baseline_write(const struct tn_baseline *b, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			    "<baseline format=\"tenure.baseline/1\">\n");
	if (b->n)
		qsort(b->items, b->n, sizeof(*b->items), by_rule);
	for (size_t i = 0; i < b->n; i++) {
		const struct tn_known *k = &b->items[i];

		tn_strbuf_puts(out, "  <finding file=\"");
		put_text(out, k->file, true);
		tn_strbuf_printf(out, "\" rule=\"%s\" fingerprint=\"%016" PRIx64 "\"",
			k->rule, k->fingerprint);
		if (k->count > 1)
			tn_strbuf_printf(out, " count=\"%" PRIu32 "\"", k->count);
		tn_strbuf_puts(out, ">");
		put_text(out, k->message, false);
		tn_strbuf_puts(out, "</finding>\n");
	}
	tn_strbuf_puts(out, "</baseline>\n");
}
