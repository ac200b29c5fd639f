/* Elements and attributes in an arena: libxml2's own take three allocations each. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fnv.h"
#include "base/utf8.h"
#include "rules/facts_part.h"

#include "base/banned.h"

static uint64_t hash(const xmlChar *text)
{
	return tn_fnv(TN_FNV_INIT, text, (size_t)xmlStrlen(text));
}

static xmlNodePtr new_text(struct tn_facts_builder *b, const char *value)
{
	xmlNodePtr text = TN_NEW(b->arena, xmlNode);

	if (!text)
		return NULL;
	text->type = XML_TEXT_NODE;
	text->name = (const xmlChar *)"text";
	text->doc = b->out->doc;
	text->content = (xmlChar *)tn_arena_strdup(b->arena, value);
	return text->content ? text : NULL;
}

/* The name lives as long as the document. Text nodes may belong to several attributes:
 * nobody asks them for their parents. */
static void attach(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, xmlNodePtr text)
{
	xmlAttrPtr attr = node && text ? TN_NEW(b->arena, xmlAttr) : NULL;

	if (!attr) {
		b->failed = true;
		return;
	}
	attr->type = XML_ATTRIBUTE_NODE;
	attr->name = (const xmlChar *)name;
	attr->children = attr->last = text;
	attr->parent = node;
	attr->doc = b->out->doc;
	attr->next = node->properties; /* their order means nothing */
	if (attr->next)
		attr->next->prev = attr;
	node->properties = attr;
}

/* The value just put is often the next one, too: types, roles, shapes. */
void tn_facts_put(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, const char *value)
{
	const size_t slot = hash((const xmlChar *)value) % RECENT;

	if (!b->recent[slot] ||
		strcmp((const char *)b->recent[slot]->content, value) != 0)
		b->recent[slot] = new_text(b, value);
	attach(b, node, name, b->recent[slot]);
}

void tn_facts_put_int(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, int64_t value)
{
	const bool small = value >= 0 && value < SMALL;
	xmlNodePtr text = small ? b->small[value] : NULL;
	char digits[24];

	if (!text) {
		snprintf(digits, sizeof(digits), "%" PRId64, value);
		text = new_text(b, digits);
	}
	if (small)
		b->small[value] = text;
	attach(b, node, name, text);
}

void tn_facts_put_text(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, const char *text)
{
	size_t len;
	const char *clean = tn_utf8_clean(b->arena, text, strlen(text), &len);

	if (clean)
		tn_facts_put(b, node, name, clean);
	else
		b->failed = true;
}

/* Kind and index in one: 0 is the model. */
xmlNodePtr tn_facts_add(struct tn_facts_builder *b, xmlNodePtr parent, const char *name,
	bool is_op, uint32_t index)
{
	xmlNodePtr node = parent ? TN_NEW(b->arena, xmlNode) : NULL;

	if (!node) {
		b->failed = true;
		return NULL;
	}
	node->type = XML_ELEMENT_NODE;
	node->name = (const xmlChar *)name;
	node->doc = b->out->doc;
	node->parent = parent;
	node->prev = parent->last;
	if (node->prev)
		node->prev->next = node;
	else
		parent->children = node;
	parent->last = node;
	node->_private = (void *)(((uintptr_t)index + 1) << 1 | is_op);
	return node;
}

bool tn_facts_subject(const xmlNode *node, struct tn_facts_subject *out)
{
	uintptr_t code;

	/* attributes and what they hold have no subject of their own */
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->parent;
	code = node ? (uintptr_t)node->_private : 0;
	*out = (struct tn_facts_subject){ code & 1,
		code ? (uint32_t)((code >> 1) - 1) : 0 };
	return code != 0;
}
