#include "report/html_node.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlsave.h>

#include "report/escape.h"
#include "report/words.h"

#include "base/banned.h"

#define X(text) ((const xmlChar *)(text))

bool tn_html_init(struct tn_html *h, const char *text, size_t len)
{
	*h = (struct tn_html){ 0 };
	xmlResetLastError();
	if (text)
		h->doc = xmlReadMemory(text, (int)len, NULL, NULL, XML_PARSE_NONET);
	else
		h->doc = xmlNewDoc(X("1.0"));
	return h->doc != NULL;
}

void tn_html_release(struct tn_html *h)
{
	xmlFreeDoc(h->doc);
	h->doc = NULL;
}

/* Not every function of libxml2 returns that it had no memory; the last error says it,
 * unless another came after it. */
static bool out_of_memory(void)
{
	const xmlError *error = xmlGetLastError();

	return error && error->code == XML_ERR_NO_MEMORY;
}

/* Nor does a node that got no memory for its name or its text. */
static bool is_whole(xmlNodePtr first)
{
	for (xmlNodePtr node = first; node; node = node->next) {
		if (node->type == XML_TEXT_NODE && !node->content)
			return false;
		if (node->type != XML_ELEMENT_NODE)
			continue;
		for (xmlAttrPtr a = node->properties; a; a = a->next)
			if (!a->name || (a->children && !a->children->content))
				return false;
		if (!node->name || !is_whole(node->children))
			return false;
	}
	return true;
}

xmlNodePtr tn_html_root(struct tn_html *h, const char *name)
{
	xmlNodePtr node = xmlNewDocNode(h->doc, NULL, X(name), NULL);

	if (node)
		xmlDocSetRootElement(h->doc, node);
	else
		h->failed = true;
	return node;
}

xmlNodePtr tn_node(struct tn_html *h, xmlNodePtr parent, const char *name)
{
	xmlNodePtr node;

	if (h->failed || !parent)
		return NULL;
	node = xmlNewDocNode(h->doc, NULL, X(name), NULL);
	if (!node || !xmlAddChild(parent, node)) {
		xmlFreeNode(node);
		h->failed = true;
		return NULL;
	}
	return node;
}

xmlNodePtr tn_node_text(struct tn_html *h, xmlNodePtr parent, const char *name,
	const char *class, const char *text)
{
	xmlNodePtr node = tn_node(h, parent, name);

	if (class)
		tn_attr(h, node, "class", class);
	if (text)
		tn_text(h, node, text);
	return node;
}

void tn_attr(struct tn_html *h, xmlNodePtr node, const char *name, const char *value)
{
	struct tn_strbuf safe;

	if (h->failed || !node)
		return;
	tn_strbuf_init(&safe);
	tn_escape_visible(&safe, value);
	if (safe.failed || !xmlNewProp(node, X(name), X(safe.text ? safe.text : "")))
		h->failed = true;
	tn_strbuf_release(&safe);
}

void tn_attr_int(struct tn_html *h, xmlNodePtr node, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	tn_attr(h, node, name, text);
}

void tn_attr_tenths(struct tn_html *h, xmlNodePtr node, const char *name, int64_t tenths)
{
	int64_t whole = tenths / 10, rest = tenths % 10;
	char text[32];

	if (rest < 0)
		rest = -rest;
	if (rest)
		snprintf(text, sizeof(text), "%s%" PRId64 ".%" PRId64,
			tenths < 0 && !whole ? "-" : "", whole, rest);
	else
		snprintf(text, sizeof(text), "%" PRId64, whole);
	tn_attr(h, node, name, text);
}

static void add_text(struct tn_html *h, xmlNodePtr node, const char *text, size_t len)
{
	xmlNodePtr child;

	if (h->failed || !node || !len)
		return;
	if (len > INT32_MAX) {
		h->failed = true;
		return;
	}
	child = xmlNewDocTextLen(h->doc, X(text), (int)len);
	if (!child || !xmlAddChild(node, child)) {
		xmlFreeNode(child);
		h->failed = true;
	}
}

void tn_text(struct tn_html *h, xmlNodePtr node, const char *text)
{
	struct tn_strbuf safe;

	tn_strbuf_init(&safe);
	tn_escape_visible(&safe, text);
	h->failed = h->failed || safe.failed;
	add_text(h, node, safe.text, safe.len);
	tn_strbuf_release(&safe);
}

void tn_text_words(struct tn_html *h, xmlNodePtr node, const char *text)
{
	struct tn_strbuf safe;

	tn_strbuf_init(&safe);
	tn_escape_words(&safe, text, TN_WORD_COLUMNS);
	h->failed = h->failed || safe.failed;
	add_text(h, node, safe.text, safe.len);
	tn_strbuf_release(&safe);
}

void tn_text_verbatim(struct tn_html *h, xmlNodePtr node, const char *text, size_t len)
{
	add_text(h, node, text, len);
}

void tn_text_taken(struct tn_html *h, xmlNodePtr node, struct tn_strbuf *text)
{
	h->failed = h->failed || text->failed;
	tn_text(h, node, text->text ? text->text : "");
	tn_strbuf_release(text);
}

void tn_text_number(struct tn_html *h, xmlNodePtr node, int64_t value)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_escape_number(&text, value);
	tn_text_taken(h, node, &text);
}

void tn_text_bytes(struct tn_html *h, xmlNodePtr node, int64_t bytes)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_escape_number(&text, bytes);
	tn_strbuf_puts(&text, " B");
	tn_text_taken(h, node, &text);
}

void tn_text_tensor(struct tn_html *h, xmlNodePtr node, const struct tn_view *v,
	tn_tensor_id id, size_t columns)
{
	struct tn_strbuf name, text;

	tn_strbuf_init(&name);
	tn_strbuf_init(&text);
	tn_words_tensor(v->g, id, &name);
	tn_escape_short(&text, name.text ? name.text : "", columns);
	h->failed = h->failed || name.failed;
	tn_strbuf_release(&name);
	tn_text_taken(h, node, &text);
}

void tn_text_op(struct tn_html *h, xmlNodePtr node, const struct tn_view *v, tn_op_id id)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_escape_short(&text, v->g->ops[id.i].name, TN_WORDS_NAME);
	tn_strbuf_printf(&text, " (op %" PRIu32 ")", tn_view_position(v, id));
	tn_text_taken(h, node, &text);
}

/* Without memory libxml2 leaves names and contents out. */
static bool has_id(xmlNodePtr node, const char *id)
{
	for (xmlAttrPtr a = node->properties; a; a = a->next)
		if (a->name && strcmp((const char *)a->name, "id") == 0 && a->children &&
			a->children->content &&
			strcmp((const char *)a->children->content, id) == 0)
			return true;
	return false;
}

xmlNodePtr tn_node_find(xmlNodePtr root, const char *id)
{
	for (xmlNodePtr node = root; node; node = node->next) {
		xmlNodePtr found;

		if (node->type != XML_ELEMENT_NODE)
			continue;
		if (has_id(node, id))
			return node;
		found = tn_node_find(node->children, id);
		if (found)
			return found;
	}
	return NULL;
}

enum tn_status tn_html_save(struct tn_html *h, enum tn_save form, struct tn_strbuf *out)
{
	/* HTML without an encoding is written in ASCII with character references, and
	 * libxml2 adds no meta element of its own */
	static const struct {
		const char *encoding;
		int options;
	} forms[] = {
		[TN_SAVE_HTML] = { NULL, XML_SAVE_AS_HTML },
		[TN_SAVE_XML] = { "UTF-8", 0 },
		[TN_SAVE_XML_INDENTED] = { "UTF-8", XML_SAVE_FORMAT },
	};
	xmlBufferPtr buffer = NULL;
	xmlSaveCtxtPtr save = NULL;

	h->failed = h->failed || out_of_memory() || !is_whole(h->doc->children);
	if (!h->failed)
		buffer = xmlBufferCreate();
	if (buffer)
		save = xmlSaveToBuffer(buffer, forms[form].encoding, forms[form].options);
	if (!save || xmlSaveDoc(save, h->doc) < 0)
		h->failed = true;
	if (save && xmlSaveClose(save) < 0)
		h->failed = true;
	h->failed = h->failed || out_of_memory();
	if (buffer && !h->failed) {
		tn_strbuf_add(out, (const char *)xmlBufferContent(buffer),
			(size_t)xmlBufferLength(buffer));
		if (form == TN_SAVE_HTML)
			tn_strbuf_putc(out, '\n');
	}
	if (buffer)
		xmlBufferFree(buffer);
	return h->failed || out->failed ? TN_ERR_NOMEM : TN_OK;
}
