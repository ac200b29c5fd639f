/* Reads files of kernel contracts. Hostile input: no entities, no network, no more than
 * the schema allows. */
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"
#include "claims/declared.h"
#include "claims/packs.h"

#include "base/banned.h"

struct reader {
	struct tn_arena *arena;
	struct tn_diags *diags;
	const char *file;
	const char *runtime;
	TN_VEC(struct tn_declaration) list;
	bool nomem, wrong;
};

static void complain(struct reader *r, int line, const char *text)
{
	size_t len = text ? strcspn(text, "\n") : 0;
	struct tn_diag *d =
		tn_diag_at(r->diags, SEVERITY_ERROR, "contracts/invalid", NULL, NULL,
			NULL, "%s:%d: %.*s", r->file, line, (int)len, text ? text : "");

	(void)d;
	r->wrong = true;
}

#if LIBXML_VERSION >= 21200
static void on_error(void *user, const xmlError *error)
#else
static void on_error(void *user, xmlError *error)
#endif
{
	struct reader *r = user;

	if (!r->wrong) /* the first tells enough */
		complain(r, error->line, error->message);
}

static char *attribute(struct reader *r, xmlNodePtr node, const char *name)
{
	xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
	char *copy = value ? tn_arena_strdup(r->arena, (const char *)value) : NULL;

	r->nomem = r->nomem || (value && !copy);
	xmlFree(value);
	return copy;
}

/* The text without line breaks and double blanks. */
static const char *fact_of(struct reader *r, xmlNodePtr node)
{
	xmlChar *value = xmlNodeGetContent(node);
	char *copy = value ? tn_arena_strdup(r->arena, (const char *)value) : NULL;
	size_t n = 0;

	xmlFree(value);
	if (!copy) {
		r->nomem = true;
		return "";
	}
	for (const char *at = copy; *at; at++) {
		bool blank = *at == ' ' || *at == '\n' || *at == '\t' || *at == '\r';

		if (!blank)
			copy[n++] = *at;
		else if (n && copy[n - 1] != ' ')
			copy[n++] = ' ';
	}
	while (n && copy[n - 1] == ' ')
		n--;
	copy[n] = '\0';
	return copy;
}

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
	char *list = attribute(r, node, "types");
	char *word;

	while (list && (word = next_word(&list))) {
		enum tn_dtype t = tn_dtype_parse(word);

		if (t == DTYPE_INVALID)
			complain(r, d->line, "an element type is not known");
		else
			d->dtypes |= 1u << t;
	}
}

static void read_access(struct reader *r, xmlNodePtr node, struct tn_declaration *d)
{
	const char *reads = attribute(r, node, "reads");
	const char *bytes = attribute(r, node, "displacement");
	const char *order = attribute(r, node, "order");
	const char *hold = attribute(r, node, "hold");
	const char *window = attribute(r, node, "window");
	char *end;

	d->window = !window			 ? WINDOW_ANY
		    : strcmp(window, "1x1") == 0 ? WINDOW_1X1
		    : strcmp(window, "1xn") == 0 ? WINDOW_1XN
						 : WINDOW_KXK;
	d->descending = order && strcmp(order, "descending") == 0;
	d->hold = hold && strcmp(hold, "pixel") == 0 ? HOLD_PIXEL : HOLD_NONE;
	if (reads) {
		d->access = strcmp(reads, "element") == 0     ? DECLARED_ELEMENT
			    : strcmp(reads, "loop") == 0      ? DECLARED_LOOP
			    : strcmp(reads, "all-first") == 0 ? DECLARED_BUFFERED
							      : DECLARED_UNSAFE;
	} else if (bytes) {
		d->access = DECLARED_DISPLACEMENT;
		errno = 0;
		d->displacement = strtoll(bytes, &end, 10);
		if (errno || d->displacement > INT64_MAX / 16 ||
			d->displacement < -(INT64_MAX / 16))
			complain(r, d->line, "the displacement is too large");
	}
}

static void read_kernel(struct reader *r, xmlNodePtr node)
{
	struct tn_declaration d = { .runtime = r->runtime, .file = r->file };
	char *ops = attribute(r, node, "op"), *word;

	d.line = (int)xmlGetLineNo(node);
	d.fact = fact_of(r, node);
	read_types(r, node, &d);
	read_access(r, node, &d);
	while (ops && (word = next_word(&ops))) {
		d.op = word;
		if (!tn_vec_push(r->arena, &r->list, d))
			r->nomem = true;
	}
}

static void read_document(struct reader *r, xmlDocPtr doc)
{
	xmlNodePtr root = xmlDocGetRootElement(doc);

	r->runtime = attribute(r, root, "runtime");
	for (xmlNodePtr node = root->children; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE &&
			strcmp((const char *)node->name, "kernel") == 0)
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

static xmlRelaxNGPtr schema_of(struct reader *r)
{
	const struct tn_embedded *text = packed("contracts", ".rng");
	xmlRelaxNGParserCtxtPtr parser =
		text && text->len <= INT32_MAX
			? xmlRelaxNGNewMemParserCtxt(text->text, (int)text->len)
			: NULL;
	xmlRelaxNGPtr schema = parser ? xmlRelaxNGParse(parser) : NULL;

	xmlRelaxNGFreeParserCtxt(parser);
	r->nomem = r->nomem || !schema;
	return schema;
}

static bool is_valid(struct reader *r, xmlDocPtr doc)
{
	xmlRelaxNGPtr schema = schema_of(r);
	xmlRelaxNGValidCtxtPtr valid = schema ? xmlRelaxNGNewValidCtxt(schema) : NULL;
	int result = -1;

	if (valid) {
		xmlRelaxNGSetValidStructuredErrors(valid, on_error, r);
		result = xmlRelaxNGValidateDoc(valid, doc);
	}
	xmlRelaxNGFreeValidCtxt(valid);
	xmlRelaxNGFree(schema);
	if (result != 0 && !r->wrong && !r->nomem)
		complain(r, 1, "it is no file of kernel contracts");
	return result == 0;
}

static void parse(struct reader *r, const char *text, size_t len)
{
	xmlParserCtxtPtr parser = len <= INT32_MAX ? xmlNewParserCtxt() : NULL;
	xmlDocPtr doc;

	if (!parser) {
		r->nomem = true;
		return;
	}
	xmlSetStructuredErrorFunc(r, on_error);
	doc = xmlCtxtReadMemory(parser, text, (int)len, r->file, NULL,
		XML_PARSE_NONET | XML_PARSE_BIG_LINES);
	if (doc && doc->intSubset)
		complain(r, 1, "a document type is not allowed");
	else if (doc && is_valid(r, doc))
		read_document(r, doc);
	else if (!doc && !r->wrong)
		complain(r, 1, "it is no XML");
	xmlSetStructuredErrorFunc(NULL, NULL);
	xmlFreeDoc(doc);
	xmlFreeParserCtxt(parser);
}

enum tn_status tn_declared_read(const char *name, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_declared *io)
{
	const struct tn_embedded *pack = packed(name, ".xml");
	struct reader r = { .arena = arena, .diags = diags, .file = name };
	struct tn_source *source;
	enum tn_status status;

	for (size_t i = 0; i < io->n; i++)
		if (!tn_vec_push(arena, &r.list, io->items[i]))
			return TN_ERR_NOMEM;
	if (pack) {
		parse(&r, pack->text, pack->len);
	} else {
		status = tn_file_read(arena, diags, name, &source);
		if (status != TN_OK)
			return status;
		parse(&r, source->text, source->len);
	}
	if (r.nomem)
		return TN_ERR_NOMEM;
	*io = (struct tn_declared){ r.list.items, r.list.count };
	return r.wrong ? TN_ERR_INPUT : TN_OK;
}
