/* Reads files of kernel contracts. Hostile input: no entities, no network, no more than
 * the schema allows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"
#include "base/xml.h"
#include "claims/declared.h"
#include "claims/packs.h"

#include "base/banned.h"

struct reader {
	struct tn_xml xml;
	const char *file;
	const char *runtime;
	TN_VEC(struct tn_declaration) list;
};

/* The next word of a list, ended; NULL: no more. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t\r\n");

	if (!*word)
		return NULL;
	*at = word + strcspn(word, " \t\r\n");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

static void read_types(struct reader *r, xmlNodePtr node, struct tn_declaration *d)
{
	char *list = tn_xml_attribute(&r->xml, node, "types");
	char *word;

	while (list && (word = next_word(&list))) {
		enum tn_dtype t = tn_dtype_parse(word);

		if (t == DTYPE_INVALID)
			tn_xml_complain(&r->xml, d->line, "an element type is not known");
		else
			d->dtypes |= 1u << t;
	}
}

static void read_access(struct reader *r, xmlNodePtr node, struct tn_declaration *d)
{
	static const char *const reads[] = { [DECLARED_ELEMENT] = "element",
		[DECLARED_LOOP] = "loop",
		[DECLARED_BUFFERED] = "all-first",
		[DECLARED_UPDATE] = "update",
		[DECLARED_UNSAFE] = "any-time",
		NULL };
	static const char *const orders[] = { "ascending", "descending", NULL };
	static const char *const holds[] = {
		[HOLD_NONE] = "none", [HOLD_PIXEL] = "pixel", NULL
	};
	static const char *const windows[] = { [WINDOW_ANY] = "",
		[WINDOW_1X1] = "1x1",
		[WINDOW_1XN] = "1xn",
		[WINDOW_KXK] = "kxk",
		NULL };
	const char *bytes = tn_xml_attribute(&r->xml, node, "displacement");
	struct tn_xml *x = &r->xml;

	d->window = (enum tn_declared_window)tn_xml_choice(
		x, node, "window", windows, WINDOW_ANY);
	d->descending = tn_xml_choice(x, node, "order", orders, 0) == 1;
	d->hold = (enum tn_hold)tn_xml_choice(x, node, "hold", holds, HOLD_NONE);
	d->access = (enum tn_declared_access)tn_xml_choice(
		x, node, "reads", reads, DECLARED_UNSAFE);
	if (bytes) {
		d->access = DECLARED_DISPLACEMENT;
		errno = 0;
		d->displacement = strtoll(bytes, NULL, 10);
		if (errno || d->displacement > INT64_MAX / 16 ||
			d->displacement < -(INT64_MAX / 16))
			tn_xml_complain(
				&r->xml, d->line, "the displacement is too large");
	}
}

static void read_kernel(struct reader *r, xmlNodePtr node)
{
	struct tn_declaration d = { .runtime = r->runtime, .file = r->file };
	char *ops = tn_xml_attribute(&r->xml, node, "op"), *word;

	d.line = (int)xmlGetLineNo(node);
	d.fact = tn_xml_words(&r->xml, node);
	read_types(r, node, &d);
	read_access(r, node, &d);
	while (ops && (word = next_word(&ops))) {
		d.op = word;
		if (!tn_vec_push(r->xml.arena, &r->list, d))
			r->xml.nomem = true;
	}
}

static void read_document(struct reader *r, xmlDocPtr doc)
{
	xmlNodePtr root = xmlDocGetRootElement(doc);

	r->runtime = tn_xml_attribute(&r->xml, root, "runtime");
	for (xmlNodePtr node = root->children; node; node = node->next)
		if (tn_xml_is(node, "kernel"))
			read_kernel(r, node);
}

static const struct tn_embedded *packed(const char *name, const char *ending)
{
	size_t len = strlen(name);

	for (const struct tn_embedded *e = tn_contract_packs; e->name; e++) {
		const char *base = strrchr(e->name, '/');

		base = base ? base + 1 : e->name;
		if (strncmp(base, name, len) == 0 && strcmp(base + len, ending) == 0)
			return e;
	}
	return NULL;
}

static enum tn_status read_source(struct reader *r)
{
	const struct tn_embedded *schema = packed("contracts", ".rng");
	xmlDocPtr doc = schema ? tn_xml_read(&r->xml, schema->text, schema->len) : NULL;

	if (doc)
		read_document(r, doc);
	xmlFreeDoc(doc);
	return r->xml.nomem || !schema ? TN_ERR_NOMEM
	       : r->xml.wrong	       ? TN_ERR_INPUT
				       : TN_OK;
}

enum tn_status tn_declared_read(const char *name, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_declared *io)
{
	const struct tn_embedded *pack = packed(name, ".xml");
	struct reader r = {
		.xml = { .arena = arena, .diags = diags, .rule = "contracts/invalid" },
		.file = name
	};
	struct tn_source *source = TN_NEW(arena, struct tn_source);
	enum tn_status status = source ? TN_OK : TN_ERR_NOMEM;

	for (size_t i = 0; i < io->n && status == TN_OK; i++)
		if (!tn_vec_push(arena, &r.list, io->items[i]))
			status = TN_ERR_NOMEM;
	if (status == TN_OK && !pack)
		status = tn_file_read_settled(arena, diags, name, tn_xml_fits, &source);
	if (status != TN_OK)
		return status;
	if (pack)
		*source = (struct tn_source){ name, pack->text, pack->len, true };
	source->is_text = true;
	r.xml.source = source;
	status = read_source(&r);
	if (status != TN_ERR_NOMEM)
		*io = (struct tn_declared){ r.list.items, r.list.count };
	return status;
}
