/* Reads files of boards. Hostile input: no entities, no network, no more than the schema
 * allows. */
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"
#include "board/board.h"
#include "emit/embedded.h"

#include "base/banned.h"

extern const struct tn_embedded tn_board_packs[];

struct reader {
	struct tn_arena *arena;
	struct tn_diags *diags;
	const char *file;
	TN_VEC(struct tn_board) list;
	bool nomem, wrong;
};

static void TN_PRINTF(3, 4) complain(struct reader *r, int line, const char *fmt, ...)
{
	va_list args;
	char *why;

	va_start(args, fmt);
	why = tn_arena_vprintf(r->arena, fmt, args);
	va_end(args);
	tn_diag_at(r->diags, SEVERITY_ERROR, "boards/invalid", NULL, NULL, NULL,
		"%s:%d: %.*s", r->file, line, why ? (int)strcspn(why, "\n") : 0,
		why ? why : "");
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
		complain(r, error->line, "%s", error->message ? error->message : "");
}

static const char *attribute(struct reader *r, xmlNodePtr node, const char *name)
{
	xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
	char *copy = value ? tn_arena_strdup(r->arena, (const char *)value) : NULL;

	r->nomem = r->nomem || (value && !copy);
	xmlFree(value);
	return copy;
}

/* A number that the schema has seen; 0x makes it hexadecimal. */
static int64_t number(
	struct reader *r, xmlNodePtr node, const char *name, int64_t otherwise)
{
	const char *text = attribute(r, node, name);

	return text ? (int64_t)strtoll(text, NULL, 0) : otherwise;
}

static bool says(struct reader *r, xmlNodePtr node, const char *name, const char *word)
{
	const char *text = attribute(r, node, name);

	return text && strcmp(text, word) == 0;
}

static bool is_element(xmlNodePtr node, const char *name)
{
	return node->type == XML_ELEMENT_NODE &&
	       strcmp((const char *)node->name, name) == 0;
}

static void read_memory(struct reader *r, xmlNodePtr node, struct tn_board *board)
{
	struct tn_board_memory *m = &board->memories[board->n_memories++];

	m->name = attribute(r, node, "name");
	m->is_flash = says(r, node, "kind", "flash");
	m->outside = says(r, node, "chip", "outside");
	m->bytes = number(r, node, "kib", 0) * 1024;
	m->base = number(r, node, "base", -1);
	m->has_base = m->base >= 0;
	m->cost = number(r, node, "cost", 1);
	for (size_t i = 0; m->name && i + 1 < board->n_memories; i++)
		if (board->memories[i].name &&
			strcmp(board->memories[i].name, m->name) == 0)
			complain(r, (int)xmlGetLineNo(node),
				"the board has two memories '%s'", m->name);
}

/* The text without line breaks and double blanks. */
static const char *sentence(struct reader *r, xmlNodePtr node)
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
		const bool blank = strchr(" \t\r\n", *at) != NULL;

		if (!blank)
			copy[n++] = *at;
		else if (n && copy[n - 1] != ' ')
			copy[n++] = ' ';
	}
	copy[n && copy[n - 1] == ' ' ? n - 1 : n] = '\0';
	return copy;
}

static void read_board(struct reader *r, xmlNodePtr node)
{
	const struct tn_boards known = { r->list.items, r->list.count };
	struct tn_board board = { 0 };
	size_t n = 0;

	board.id = attribute(r, node, "id");
	board.title = attribute(r, node, "title");
	board.cpu = attribute(r, node, "cpu");
	board.mhz = number(r, node, "mhz", 0);
	for (xmlNodePtr child = node->children; child; child = child->next)
		n += child->type == XML_ELEMENT_NODE;
	board.memories = TN_NEW_ARRAY(r->arena, struct tn_board_memory, n);
	board.sources = TN_NEW_ARRAY(r->arena, const char *, n);
	if (!board.id || !board.title || !board.cpu || !board.memories ||
		!board.sources) {
		r->nomem = true;
		return;
	}
	for (xmlNodePtr child = node->children; child; child = child->next) {
		if (is_element(child, "memory"))
			read_memory(r, child, &board);
		else if (is_element(child, "source"))
			board.sources[board.n_sources++] = sentence(r, child);
	}
	if (!tn_board_ram(&board))
		complain(r, (int)xmlGetLineNo(node), "the board '%s' has no RAM",
			board.id);
	if (tn_board_find(&known, board.id))
		complain(r, (int)xmlGetLineNo(node), "there are two boards '%s'",
			board.id);
	if (!tn_vec_push(r->arena, &r->list, board))
		r->nomem = true;
}

static const struct tn_embedded *packed(const char *name)
{
	return tn_embedded_find(tn_board_packs, name);
}

static bool is_valid(struct reader *r, xmlDocPtr doc)
{
	const struct tn_embedded *text = packed("boards.rng");
	xmlRelaxNGParserCtxtPtr parser =
		xmlRelaxNGNewMemParserCtxt(text->text, (int)text->len);
	xmlRelaxNGPtr schema = parser ? xmlRelaxNGParse(parser) : NULL;
	xmlRelaxNGValidCtxtPtr valid = schema ? xmlRelaxNGNewValidCtxt(schema) : NULL;
	int result = -1;

	if (valid) {
		xmlRelaxNGSetValidStructuredErrors(valid, on_error, r);
		result = xmlRelaxNGValidateDoc(valid, doc);
	} else {
		r->nomem = true;
	}
	xmlRelaxNGFreeValidCtxt(valid);
	xmlRelaxNGFree(schema);
	xmlRelaxNGFreeParserCtxt(parser);
	if (result != 0 && !r->wrong && !r->nomem)
		complain(r, 1, "it is no file of boards");
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
		for (xmlNodePtr node = xmlDocGetRootElement(doc)->children; node;
			node = node->next) {
			if (is_element(node, "board"))
				read_board(r, node);
		}
	else if (!doc && !r->wrong)
		complain(r, 1, "it is no XML");
	xmlSetStructuredErrorFunc(NULL, NULL);
	xmlFreeDoc(doc);
	xmlFreeParserCtxt(parser);
}

enum tn_status tn_boards_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_boards *io)
{
	struct reader r = { .arena = arena, .diags = diags };
	struct tn_source *source;
	enum tn_status status;

	for (size_t i = 0; i < io->n; i++)
		if (!tn_vec_push(arena, &r.list, io->list[i]))
			return TN_ERR_NOMEM;
	if (file) {
		r.file = file;
		status = tn_file_read(arena, diags, file, &source);
		if (status != TN_OK)
			return status;
		parse(&r, source->text, source->len);
	} else {
		const struct tn_embedded *pack = packed("boards.xml");

		r.file = "boards.xml";
		parse(&r, pack->text, pack->len);
	}
	if (r.nomem || diags->failed)
		return TN_ERR_NOMEM;
	*io = (struct tn_boards){ r.list.items, r.list.count };
	return r.wrong ? TN_ERR_INPUT : TN_OK;
}
