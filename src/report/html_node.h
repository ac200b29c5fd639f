/* Building blocks of the HTML, SVG and JUnit reports: nodes of a libxml2 tree. Text enters as
 * text nodes and attribute values only, made safe to see, so that no name can be markup. */
#ifndef TN_REPORT_HTML_NODE_H
#define TN_REPORT_HTML_NODE_H

#include <libxml/tree.h>

#include <stdbool.h>

#include "base/status.h"
#include "base/strbuf.h"
#include "report/view.h"

struct tn_html {
	xmlDocPtr doc;
	bool failed; /* memory ran out; everything below then does nothing */
};

/* Starts a document: the template's text, or an empty one (NULL). False on lack of
 * memory. */
bool tn_html_init(struct tn_html *h, const char *text, size_t len);
void tn_html_release(struct tn_html *h);

/* The root of an empty document. */
xmlNodePtr tn_html_root(struct tn_html *h, const char *name);

/* A new last child; NULL when memory ran out. All functions take a NULL node. */
xmlNodePtr tn_node(struct tn_html *h, xmlNodePtr parent, const char *name);

/* The same with class and text; either may be NULL. */
xmlNodePtr tn_node_text(struct tn_html *h, xmlNodePtr parent, const char *name,
	const char *class, const char *text);

void tn_attr(struct tn_html *h, xmlNodePtr node, const char *name, const char *value);
void tn_attr_int(struct tn_html *h, xmlNodePtr node, const char *name, int64_t value);

/* Tenths as a decimal number: 125 is "12.5". Does not depend on the locale. */
void tn_attr_tenths(struct tn_html *h, xmlNodePtr node, const char *name, int64_t tenths);

void tn_text(struct tn_html *h, xmlNodePtr node, const char *text);

/* A sentence, with words of any length cut. */
void tn_text_words(struct tn_html *h, xmlNodePtr node, const char *text);

/* Text as it is, for style and script: only for our own files. */
void tn_text_verbatim(struct tn_html *h, xmlNodePtr node, const char *text, size_t len);

/* "36,864 B" */
void tn_text_bytes(struct tn_html *h, xmlNodePtr node, int64_t bytes);
void tn_text_number(struct tn_html *h, xmlNodePtr node, int64_t value);

/* What a builder of text has written; the buffer is released. */
void tn_text_taken(struct tn_html *h, xmlNodePtr node, struct tn_strbuf *text);

/* A tensor's name; an op's with its position. */
void tn_text_tensor(struct tn_html *h, xmlNodePtr node, const struct tn_view *v,
	tn_tensor_id id, size_t columns);
void tn_text_op(struct tn_html *h, xmlNodePtr node, const struct tn_view *v, tn_op_id id);

/* The node with this id attribute, or NULL. */
xmlNodePtr tn_node_find(xmlNodePtr root, const char *id);

enum tn_save { TN_SAVE_HTML, TN_SAVE_XML, TN_SAVE_XML_INDENTED };

/* Appends the document. */
enum tn_status TN_MUST_CHECK tn_html_save(
	struct tn_html *h, enum tn_save form, struct tn_strbuf *out);

#endif
