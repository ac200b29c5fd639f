/* Places in a copy of an ExecuTorch program. The text is edited and not written anew: it
 * may hold what no JSON writer keeps (bare infinities, keys without quotes). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/place.h"
#include "export/program.h"

#include "base/banned.h"

#define METHOD "/execution_plan/0"

struct edit {
	size_t begin, end; /* bytes of the file, half-open */
	char *text; /* instead */
};

static enum tn_status lost(
	struct tn_diags *diags, const struct tn_graph *g, const char *pointer)
{
	tn_diag_at(diags, SEVERITY_ERROR, "plan/offsets", g->source, pointer, NULL,
		"there is no place for the plan here");
	return TN_ERR_INPUT;
}

/* The end of the object or list at `begin`: behind its closing bracket. 0: it has none. */
static size_t end_of(const struct tn_source *source, size_t begin, char open)
{
	size_t depth = 0;
	bool quoted = false;

	if (begin >= source->len || source->text[begin] != open)
		return 0;
	for (size_t i = begin; i < source->len; i++) {
		char c = source->text[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == '}' || c == ']') && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* Where each line starts, as far as the last place that is asked for. */
static size_t *line_starts(
	const struct tn_source *source, struct tn_arena *arena, size_t *out_n)
{
	size_t n = 1, *starts;

	for (size_t i = 0; i < source->len; i++)
		n += source->text[i] == '\n';
	starts = TN_NEW_ARRAY(arena, size_t, n);
	*out_n = n;
	n = 1;
	if (starts)
		starts[0] = 0;
	for (size_t i = 0; starts && i < source->len; i++)
		if (source->text[i] == '\n')
			starts[n++] = i + 1;
	return starts;
}

/* The list between `begin` and `end`, with the sizes of the plan. */
static char *sizes_text(const struct tn_program_plan *plan, struct tn_arena *arena,
	const struct tn_source *source, size_t begin, size_t end)
{
	struct tn_strbuf text;
	uint32_t m = 0;
	char *copy;

	tn_strbuf_init(&text);
	for (size_t at = begin; at < end;) {
		size_t digits = at;

		while (digits < end && strchr("0123456789-", source->text[digits]))
			digits++;
		if (digits == at) {
			tn_strbuf_putc(&text, source->text[at++]);
			continue;
		}
		if (m < plan->n_memories && plan->sizes[m] >= 0)
			tn_strbuf_printf(&text, "%" PRId64, plan->sizes[m]);
		else
			tn_strbuf_add(&text, source->text + at, digits - at);
		m++;
		at = digits;
	}
	copy = text.failed ? NULL : tn_arena_strdup(arena, text.text);
	tn_strbuf_release(&text);
	return copy;
}

struct editing {
	const struct tn_graph *g;
	const struct tn_program_plan *plan;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_place_query *queries; /* id: the tensor, or n_tensors for the sizes */
	size_t n;
	struct edit *edits;
};

static bool ask(struct editing *e)
{
	const struct tn_graph *g = e->g;

	e->queries = TN_NEW_ARRAY(e->arena, struct tn_place_query, g->n_tensors + 1);
	e->edits = TN_NEW_ARRAY(e->arena, struct edit, g->n_tensors + 1);
	if (!e->queries || !e->edits)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		if (!e->plan->places[i].memory)
			continue;
		e->queries[e->n].id = i;
		e->queries[e->n++].pointer = tn_arena_printf(
			e->arena, "%s/allocation_info", g->tensors[i].pointer);
	}
	e->queries[e->n].id = g->n_tensors;
	e->queries[e->n++].pointer = METHOD "/non_const_buffer_sizes";
	for (size_t i = 0; i < e->n; i++)
		if (!e->queries[i].pointer)
			return false;
	return true;
}

static enum tn_status make_edits(struct editing *e)
{
	const struct tn_source *source = e->g->source;
	size_t n_lines, *starts = line_starts(source, e->arena, &n_lines);

	if (!starts)
		return TN_ERR_NOMEM;
	if (!tn_place_find_all(source->text, source->len, e->queries, e->n))
		return lost(e->diags, e->g, METHOD);
	for (size_t i = 0; i < e->n; i++) {
		const struct tn_place_query *q = &e->queries[i];
		bool sizes = q->id == e->g->n_tensors;
		struct edit *edit = &e->edits[i];

		edit->begin = q->place.line <= n_lines
				      ? starts[q->place.line - 1] + q->place.column - 1
				      : 0;
		edit->end = end_of(source, edit->begin, sizes ? '[' : '{');
		if (!edit->end)
			return lost(e->diags, e->g, q->pointer);
		if (sizes) {
			edit->text = sizes_text(
				e->plan, e->arena, source, edit->begin, edit->end);
		} else {
			const struct tn_program_place *p = &e->plan->places[q->id];

			edit->text = tn_arena_printf(e->arena,
				"{\"memory_id\": %" PRId64
				", \"memory_offset_low\": %" PRId64
				", \"memory_offset_high\": %" PRId64 "}",
				p->memory, p->offset & UINT32_MAX, p->offset >> 32);
		}
		if (!edit->text)
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

static int by_begin(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

enum tn_status tn_export_program_copy(const struct tn_graph *g,
	const struct tn_program_plan *plan, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_strbuf *out)
{
	struct editing e = {
		.g = g, .plan = plan, .arena = arena, .diags = diags, .n = 0
	};
	const struct tn_source *source = g->source;
	enum tn_status status = ask(&e) ? make_edits(&e) : TN_ERR_NOMEM;
	size_t at = 0;

	if (status != TN_OK)
		return status;
	qsort(e.edits, e.n, sizeof(*e.edits), by_begin);
	for (size_t i = 0; i < e.n; i++) {
		if (e.edits[i].begin < at)
			return lost(diags, g, METHOD);
		tn_strbuf_add(out, source->text + at, e.edits[i].begin - at);
		tn_strbuf_puts(out, e.edits[i].text);
		at = e.edits[i].end;
	}
	tn_strbuf_add(out, source->text + at, source->len - at);
	return TN_OK;
}
