#include "base/xml.h"

#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <stdarg.h>
#include <string.h>

#include "base/banned.h"

void tn_xml_complain(struct tn_xml *x, long line, const char *fmt, ...)
{
	struct tn_diag *d;
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = tn_arena_vprintf(x->arena, fmt, args);
	va_end(args);
	d = text ? tn_diag_at(x->diags, SEVERITY_ERROR, x->rule, x->source, NULL, NULL,
			   "%.*s", (int)strcspn(text, "\n"), text)
		 : NULL;
	if (d && line > 0)
		d->line = (size_t)line;
	x->nomem = x->nomem || !d;
	x->wrong = true;
}

/* The validator does not say which attribute it is: show them all. */
static void complain_attributes(struct tn_xml *x, long line, const xmlNode *node)
{
	const char *all = "";

	for (xmlAttrPtr a = node->properties; a && all; a = a->next) {
		const xmlNode *text = a->children;

		all = tn_arena_printf(x->arena, "%s %s=\"%s\"", all,
			(const char *)a->name,
			text && text->content ? (const char *)text->content : "");
	}
	if (all)
		tn_xml_complain(x, line,
			"an attribute of '%s' is missing or has a wrong value:%s",
			(const char *)node->name, *all ? all : " there is none");
	else
		x->nomem = x->wrong = true;
}

static void complain_attribute(
	struct tn_xml *x, long line, const xmlNode *node, const char *name)
{
	const char *value = "";

	for (xmlAttrPtr a = node->properties; a; a = a->next)
		if (strcmp((const char *)a->name, name) == 0 && a->children &&
			a->children->content)
			value = (const char *)a->children->content;
	tn_xml_complain(x, line,
		"the attribute %s=\"%s\" of '%s' is unknown or has a wrong value", name,
		value, (const char *)node->name);
}

#if LIBXML_VERSION >= 21200
static void on_error(void *user, const xmlError *error)
#else
static void on_error(void *user, xmlError *error)
#endif
{
	struct tn_xml *x = user;
	const xmlNode *node = error->node;
	int code = error->code;

	/* a validator's complaint of a type has the same number */
	if (error->code == XML_ERR_NO_MEMORY &&
		(error->domain != XML_FROM_RELAXNGV || error->level == XML_ERR_FATAL))
		x->nomem = true;
	if (x->wrong || x->nomem) /* the first tells enough */
		return;
	/* the node is where the validator has got to, inside of the one that it means */
	while (code == XML_RELAXNG_ERR_ATTRVALID && node && error->str1 && node->parent &&
		strcmp((const char *)node->name, error->str1) != 0)
		node = node->parent;
	if (error->domain != XML_FROM_RELAXNGV || !node || node->type != XML_ELEMENT_NODE)
		code = XML_RELAXNG_OK;
	if (code == XML_RELAXNG_ERR_ATTRVALID)
		complain_attributes(x, error->line, node);
	else if (code == XML_RELAXNG_ERR_INVALIDATTR && error->str1)
		complain_attribute(x, error->line, node, error->str1);
	else if (code == XML_RELAXNG_ERR_NOELEM)
		tn_xml_complain(x, error->line, "'%s' %s", (const char *)node->name,
			node->children ? "lacks an element" : "is empty");
	else if (code == XML_RELAXNG_ERR_DATATYPE)
		tn_xml_complain(x, error->line,
			"the text of '%s' is missing or has a wrong value",
			(const char *)node->name);
	else
		tn_xml_complain(x, error->line, "%s",
			error->message ? error->message : "it is no XML");
}

/* Seen before anything of it is: there is nothing to expand yet. */
static void refuse_doctype(void *context, const xmlChar *name, const xmlChar *external,
	const xmlChar *system)
{
	xmlParserCtxtPtr parser = context;
	struct tn_xml *x = parser->_private;

	(void)name;
	(void)external;
	(void)system;
	if (!x->wrong)
		tn_xml_complain(x, parser->input ? parser->input->line : 1,
			"a document type is not allowed: no entities are read");
	xmlStopParser(parser);
}

static bool is_valid(struct tn_xml *x, xmlDocPtr doc, const char *text, size_t len)
{
	xmlRelaxNGParserCtxtPtr parser =
		len <= INT32_MAX ? xmlRelaxNGNewMemParserCtxt(text, (int)len) : NULL;
	xmlRelaxNGPtr schema = parser ? xmlRelaxNGParse(parser) : NULL;
	xmlRelaxNGValidCtxtPtr valid = schema ? xmlRelaxNGNewValidCtxt(schema) : NULL;
	int result = -1;

	x->nomem = x->nomem || !valid;
	if (valid) {
		xmlRelaxNGSetValidStructuredErrors(valid, on_error, x);
		result = xmlRelaxNGValidateDoc(valid, doc);
	}
	xmlRelaxNGFreeValidCtxt(valid);
	xmlRelaxNGFree(schema);
	xmlRelaxNGFreeParserCtxt(parser);
	if (result != 0 && !x->wrong && !x->nomem)
		tn_xml_complain(x, 1, "it is not what its format asks for");
	return result == 0;
}

/* What is behind a comment, a section of text, or an instruction that begins here; else `at`. */
static const char *behind_markup(const char *at, const char *end)
{
	static const char *const pairs[][2] = { { "<!--", "-->" }, { "<![CDATA[", "]]>" },
		{ "<?", "?>" } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const size_t first = strlen(pairs[i][0]), last = strlen(pairs[i][1]);

		if ((size_t)(end - at) < first || memcmp(at, pairs[i][0], first) != 0)
			continue;
		for (at += first; (size_t)(end - at) >= last; at++)
			if (memcmp(at, pairs[i][1], last) == 0)
				return at + last;
		return end;
	}
	return at;
}

/* No "<" stands in a value, so that each begins a tag. */
size_t tn_xml_too_many(const struct tn_source *source)
{
	const char *text = source->text, *end = text + source->len;
	char quote = 0;
	bool in_tag = false;
	size_t line = 1;
	int count = 0;

	for (const char *at = text; at < end; at++) {
		const char *next = *at == '<' ? behind_markup(at, end) : at;

		for (; at < next; at++)
			line += *at == '\n';
		if (at == end)
			break;
		if (*at == '<') {
			in_tag = true;
			quote = 0;
			count = 0;
			continue;
		}
		line += *at == '\n';
		if (!in_tag)
			continue;
		if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '>')
			in_tag = false;
		else if (*at == '=' && ++count > TN_XML_ATTRIBUTES_MAX)
			return line;
	}
	return 0;
}

bool tn_xml_fits(const char *head, size_t len)
{
	/* blanks, the marks of UTF-8 and of UTF-16, and half a character of that */
	static const char before[] = "\t\n\r \0\xEF\xBB\xBF\xFE\xFF";
	size_t at = 0;

	while (at < len && memchr(before, head[at], sizeof(before) - 1))
		at++;
	return at < len && head[at] == '<' && memchr(head + at, '>', len - at);
}

xmlDocPtr tn_xml_read(struct tn_xml *x, const char *schema, size_t schema_len)
{
	const struct tn_source *source = x->source;
	xmlParserCtxtPtr parser = source->len <= INT32_MAX ? xmlNewParserCtxt() : NULL;
	xmlDocPtr doc;

	if (!parser) {
		x->nomem = true;
		return NULL;
	}
	if (tn_xml_too_many(source)) {
		tn_xml_complain(x, (long)tn_xml_too_many(source),
			"an element has more than %d attributes", TN_XML_ATTRIBUTES_MAX);
		xmlFreeParserCtxt(parser);
		return NULL;
	}
	parser->_private = x;
	parser->sax->internalSubset = refuse_doctype;
	xmlSetStructuredErrorFunc(x, on_error);
	doc = xmlCtxtReadMemory(parser, source->text, (int)source->len, source->name,
		NULL, XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
	if (!doc && !x->wrong && !x->nomem)
		tn_xml_complain(x, 1, "it is no XML");
	if (doc && (x->wrong || x->nomem ||
			   (schema && !is_valid(x, doc, schema, schema_len)))) {
		xmlFreeDoc(doc);
		doc = NULL;
	}
	xmlSetStructuredErrorFunc(NULL, NULL);
	xmlFreeParserCtxt(parser);
	return doc;
}

static char *keep(struct tn_xml *x, xmlChar *value)
{
	char *copy = value ? tn_arena_strdup(x->arena, (const char *)value) : NULL;

	x->nomem = x->nomem || (value && !copy);
	xmlFree(value);
	return copy;
}

/* In place, as XML Schema's whiteSpace="collapse". */
static char *collapse(char *text)
{
	size_t n = 0;

	if (!text)
		return NULL;
	for (const char *at = text; *at; at++) {
		bool blank = strchr(" \n\t\r", *at) != NULL;

		if (!blank)
			text[n++] = *at;
		else if (n && text[n - 1] != ' ')
			text[n++] = ' ';
	}
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	return text;
}

char *tn_xml_exact(struct tn_xml *x, xmlNodePtr node, const char *name)
{
	return keep(x, xmlGetNoNsProp(node, (const xmlChar *)name));
}

char *tn_xml_attribute(struct tn_xml *x, xmlNodePtr node, const char *name)
{
	return collapse(tn_xml_exact(x, node, name));
}

int tn_xml_choice(struct tn_xml *x, xmlNodePtr node, const char *name,
	const char *const *words, int otherwise)
{
	const char *text = tn_xml_attribute(x, node, name);

	if (!text)
		return otherwise;
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], text) == 0)
			return i;
	complain_attribute(x, xmlGetLineNo(node), node, name);
	return otherwise;
}

char *tn_xml_text(struct tn_xml *x, xmlNodePtr node)
{
	char *text = keep(x, xmlNodeGetContent(node));

	x->nomem = x->nomem || !text;
	return text;
}

char *tn_xml_words(struct tn_xml *x, xmlNodePtr node)
{
	return collapse(tn_xml_text(x, node));
}

bool tn_xml_is(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE &&
	       strcmp((const char *)node->name, name) == 0;
}
