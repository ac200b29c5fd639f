/* Reads files of boards. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"
#include "base/xml.h"
#include "board/board.h"
#include "emit/embedded.h"

#include "base/banned.h"

extern const struct tn_embedded tn_board_packs[];

struct reader {
	struct tn_xml xml;
	TN_VEC(struct tn_board) list;
};

/* A number that the schema has seen: only an address is hexadecimal. */
static int64_t number(
	struct reader *r, xmlNodePtr node, const char *name, int base, int64_t otherwise)
{
	const char *text = tn_xml_attribute(&r->xml, node, name);

	return text ? (int64_t)strtoll(text, NULL, base) : otherwise;
}

static void read_memory(struct reader *r, xmlNodePtr node, struct tn_board *board)
{
	static const char *const kinds[] = { "ram", "flash", NULL };
	static const char *const chips[] = { "inside", "outside", NULL };
	struct tn_board_memory *m = &board->memories[board->n_memories++];

	m->name = tn_xml_attribute(&r->xml, node, "name");
	m->is_flash = tn_xml_choice(&r->xml, node, "kind", kinds, 0) == 1;
	m->outside = tn_xml_choice(&r->xml, node, "chip", chips, 0) == 1;
	m->bytes = number(r, node, "kib", 10, 0) * 1024;
	m->base = number(r, node, "base", 16, -1);
	m->has_base = m->base >= 0;
	m->cost = number(r, node, "cost", 10, 1);
	for (size_t i = 0; m->name && i + 1 < board->n_memories; i++)
		if (board->memories[i].name &&
			strcmp(board->memories[i].name, m->name) == 0)
			tn_xml_complain(&r->xml, xmlGetLineNo(node),
				"the board has two memories '%s'", m->name);
}

static void read_board(struct reader *r, xmlNodePtr node)
{
	const struct tn_boards known = { r->list.items, r->list.count };
	struct tn_xml *xml = &r->xml;
	struct tn_board board = { 0 };
	size_t n = 0;

	board.id = tn_xml_attribute(xml, node, "id");
	board.title = tn_xml_attribute(xml, node, "title");
	board.cpu = tn_xml_attribute(xml, node, "cpu");
	board.mhz = number(r, node, "mhz", 10, 0);
	for (xmlNodePtr child = node->children; child; child = child->next)
		n += child->type == XML_ELEMENT_NODE;
	board.memories = TN_NEW_ARRAY(xml->arena, struct tn_board_memory, n);
	board.sources = TN_NEW_ARRAY(xml->arena, const char *, n);
	if (!board.id || !board.title || !board.cpu || !board.memories ||
		!board.sources) {
		xml->nomem = true;
		return;
	}
	for (xmlNodePtr child = node->children; child; child = child->next) {
		if (tn_xml_is(child, "memory"))
			read_memory(r, child, &board);
		else if (tn_xml_is(child, "source"))
			board.sources[board.n_sources++] = tn_xml_words(xml, child);
	}
	if (!tn_board_ram(&board))
		tn_xml_complain(
			xml, xmlGetLineNo(node), "the board '%s' has no RAM", board.id);
	if (tn_board_find(&known, board.id))
		tn_xml_complain(
			xml, xmlGetLineNo(node), "there are two boards '%s'", board.id);
	if (!tn_vec_push(xml->arena, &r->list, board))
		xml->nomem = true;
}

/* What comes with the program is known to be valid: a test reads it as a user's. */
static void read_source(struct reader *r, bool shipped)
{
	const struct tn_embedded *schema =
		shipped ? NULL : tn_embedded_find(tn_board_packs, "boards.rng");
	xmlDocPtr doc = tn_xml_read(
		&r->xml, schema ? schema->text : NULL, schema ? schema->len : 0);
	xmlNodePtr root = doc ? xmlDocGetRootElement(doc) : NULL;

	for (xmlNodePtr node = root ? root->children : NULL; node; node = node->next)
		if (tn_xml_is(node, "board"))
			read_board(r, node);
	xmlFreeDoc(doc);
}

enum tn_status tn_boards_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_boards *io)
{
	const struct tn_embedded *pack = tn_embedded_find(tn_board_packs, "boards.xml");
	struct reader r = {
		.xml = { .arena = arena, .diags = diags, .rule = "boards/invalid" }
	};
	struct tn_source *source = TN_NEW(arena, struct tn_source);
	enum tn_status status = source ? TN_OK : TN_ERR_NOMEM;

	for (size_t i = 0; i < io->n && status == TN_OK; i++)
		if (!tn_vec_push(arena, &r.list, io->list[i]))
			status = TN_ERR_NOMEM;
	if (status == TN_OK && file)
		status = tn_file_read_settled(arena, diags, file, tn_xml_fits, &source);
	if (status != TN_OK)
		return status;
	if (!file)
		*source = (struct tn_source){ "boards.xml", pack->text, pack->len, true };
	source->is_text = true;
	r.xml.source = source;
	read_source(&r, !file);
	if (r.xml.nomem || diags->failed)
		return TN_ERR_NOMEM;
	*io = (struct tn_boards){ r.list.items, r.list.count };
	return r.xml.wrong ? TN_ERR_INPUT : TN_OK;
}
