/* Our own kinds of XML file, read with suspicion: no document type, so no entity is ever
 * defined, let alone expanded or fetched; then checked against a RELAX NG schema. Errors
 * name file and line. */
#ifndef TN_BASE_XML_H
#define TN_BASE_XML_H

#include <libxml/tree.h>

#include "base/arena.h"
#include "base/diag.h"

/* For tn_file_read: may a file that starts like this be XML? */
bool tn_xml_fits(const char *head, size_t len);

#define TN_XML_ATTRIBUTES_MAX                                                            \
	256 /* of an element: libxml2 compares each with all others */

/* The line where an element has more attributes; 0: none has. Asked before a document is
 * built. */
size_t tn_xml_too_many(const struct tn_source *source);

struct tn_xml {
	struct tn_arena *arena; /* of copied values */
	struct tn_diags *diags;
	const char *rule; /* of findings about the file: "rules/invalid" */
	const struct tn_source *source;
	bool wrong; /* something was reported */
	bool nomem;
};

/* The document, for xmlFreeDoc; NULL after a report (wrong) or on lack of memory (nomem).
 * `schema` NULL: the text is known to be valid. */
xmlDocPtr tn_xml_read(struct tn_xml *x, const char *schema, size_t schema_len);

/* An error at a line of the file. */
void tn_xml_complain(struct tn_xml *x, long line, const char *fmt, ...) TN_PRINTF(3, 4);

/* A copy of the attribute as the schemas' tokens are read: without white space at its ends,
 * each run of it inside as one blank. NULL when it is not there. */
char *tn_xml_attribute(struct tn_xml *x, xmlNodePtr node, const char *name);

/* A copy of the attribute as it is, for what may have any blank: the name of a file, of a
 * tensor. NULL when it is not there. */
char *tn_xml_exact(struct tn_xml *x, xmlNodePtr node, const char *name);

/* Which of the words, up to a NULL, the attribute is; `otherwise` when it is not there. Any
 * other word is reported, so that a reader cannot take it for a default. */
int tn_xml_choice(struct tn_xml *x, xmlNodePtr node, const char *name,
	const char *const *words, int otherwise);

/* The text in the element, with each run of blanks and line breaks as one blank. */
char *tn_xml_words(struct tn_xml *x, xmlNodePtr node);

/* The text as it is. */
char *tn_xml_text(struct tn_xml *x, xmlNodePtr node);

bool tn_xml_is(const xmlNode *node, const char *name);

#endif
