/* Any bytes give a graph or an error with a report; what gives a graph can be written, and
 * what was written reads back to the same text. FUZZ_FROM: the one reader that is tried,
 * whatever the bytes look like; else the content decides. */
#include "fuzz.h"

#include "export/native.h"
#include "import/import.h"

#ifndef FUZZ_FROM
#define FUZZ_FROM NULL
#endif

struct reading {
	struct tn_arena run, arena;
	struct tn_strings strings;
	struct tn_diags diags;
};

static enum tn_status read_graph(struct reading *s, const struct tn_source *source,
	const char *from, struct tn_graph *out)
{
	struct tn_import im = { .arena = &s->arena,
		.strings = &s->strings,
		.diags = &s->diags,
		.source = source,
		.from = from };

	tn_diags_init(&s->diags, &s->run);
	return tn_import(&im, out);
}

static void check_round_trip(struct reading *s, const struct tn_graph *g)
{
	struct tn_strbuf once, twice;
	struct tn_source source = { .name = "once" };
	struct tn_graph again;

	tn_strbuf_init(&once);
	tn_strbuf_init(&twice);
	require(tn_export_native(g, NULL, NULL, &once) == TN_OK);
	source.text = once.text;
	source.len = once.len;
	require(read_graph(s, &source, NULL, &again) == TN_OK);
	require(tn_export_native(&again, NULL, NULL, &twice) == TN_OK);
	require(once.len == twice.len && memcmp(once.text, twice.text, once.len) == 0);
	tn_strbuf_release(&once);
	tn_strbuf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tn_source source = {
		.name = "fuzz", .text = (const char *)data, .len = size
	};
	struct reading s;
	struct tn_graph g;
	enum tn_status status;

	tn_arena_init(&s.run);
	tn_arena_init(&s.arena);
	tn_strings_init(&s.strings, &s.run);
	status = read_graph(&s, &source, FUZZ_FROM, &g);
	require(status == TN_OK || status == TN_ERR_INPUT);
	require((status == TN_OK) == (s.diags.errors == 0));
	if (status == TN_OK)
		check_round_trip(&s, &g);
	tn_arena_release(&s.arena);
	tn_arena_release(&s.run);
	return 0;
}
