#include "driver/verify_csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "driver/csv_variants.h"
#include "import/minimalloc.h"
#include "import/sniff.h"
#include "plan/overlap.h"

#include "base/banned.h"

bool tn_verify_is_csv(const struct tn_source *source)
{
	return tn_format_sniff(source) == tn_format_named("offsets");
}

/* The buffers; each must have an offset. *out_height is the end of the last. */
static enum tn_status read(struct tn_run *run, const struct tn_source *source,
	struct tn_minimalloc *m, int64_t *out_height)
{
	enum tn_status status = tn_import_minimalloc(source, &run->arena, &run->diags, m);

	*out_height = 0;
	for (uint32_t i = 0; i < m->problem.n_buffers && status == TN_OK; i++) {
		const struct tn_buffer *b = &m->problem.buffers[i];

		if (b->fixed < 0) {
			tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/none", source, NULL,
				m->ids[i],
				"'%s' has no offset: 'tenure offsets' finds one",
				m->ids[i]);
			status = TN_ERR_INPUT;
		}
		*out_height = tn_max_i64(*out_height, b->fixed + b->size);
	}
	return status;
}

static enum tn_status refuse_overlap(
	struct tn_run *run, const struct tn_minimalloc *m, const uint32_t at[2])
{
	const struct tn_buffer *a = &m->problem.buffers[at[0]];
	const struct tn_buffer *b = &m->problem.buffers[at[1]];

	tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/overlap", run->source, NULL,
		m->ids[at[0]],
		"'%s' and '%s' are both alive from %" PRId64 " to %" PRId64
		" and share bytes %" PRId64 "..%" PRId64,
		m->ids[at[0]], m->ids[at[1]], tn_max_i64(a->begin, b->begin),
		tn_min_i64(a->end, b->end), tn_max_i64(a->fixed, b->fixed),
		tn_min_i64(a->fixed + a->size, b->fixed + b->size));
	if (m->variants)
		tn_diag_note(&run->diags,
			"kernels of the column 'variant' may allow that: 'tenure verify "
			"GRAPH %s' judges it",
			tn_diag_file(&run->diags, run->source->name));
	return TN_ERR_REFUSED;
}

struct clash {
	const struct tn_minimalloc *m;
	uint32_t at[2];
	bool found;
	bool shared; /* two that the file says are the same bytes are both alive */
};

static bool same_bytes(void *ctx, uint32_t x, uint32_t y)
{
	struct clash *c = ctx;

	if (c->m->roots[x] == c->m->roots[y]) {
		c->shared = true;
		return true;
	}
	c->found = true;
	c->at[0] = x < y ? x : y;
	c->at[1] = x < y ? y : x;
	return false;
}

static enum tn_status find_clash(
	struct tn_run *run, const struct tn_minimalloc *m, struct clash *out)
{
	const uint32_t n = m->problem.n_buffers;
	int64_t *offset = TN_NEW_ARRAY(&run->arena, int64_t, n);

	*out = (struct clash){ .m = m };
	if (!offset)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		offset[i] = m->problem.buffers[i].fixed;
	return tn_overlaps(&m->problem, offset, same_bytes, out);
}

enum tn_status tn_verify_csv(struct tn_run *run)
{
	const int64_t capacity = run->options->capacity;
	struct tn_minimalloc m;
	struct clash clash = { 0 };
	int64_t height;
	enum tn_status status = read(run, run->source, &m, &height);

	if (status == TN_OK)
		status = find_clash(run, &m, &clash);
	if (status == TN_OK && clash.found)
		status = refuse_overlap(run, &m, clash.at);
	if (status == TN_OK && capacity >= 0 && height > capacity) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/over-capacity", run->source,
			NULL, NULL,
			"the buffers end at %" PRId64 ", %" PRId64
			" B beyond the capacity",
			height, height - capacity);
		status = TN_ERR_REFUSED;
	}
	if (status == TN_OK) {
		tn_strbuf_printf(&run->dumps,
			"%s: verified: %u buffers, height %" PRId64 "\n",
			run->source->name, m.problem.n_buffers, height);
		if (clash.shared)
			tn_strbuf_puts(&run->dumps,
				"    assumed: buffers of one root are the same bytes\n");
	}
	return status;
}

/* The id as plan --write-csv makes it: the name, '#', the tensor's number. TN_NONE when it
 * is not such a one. */
static uint32_t tensor_numbered(const struct tn_graph *g, const char *id)
{
	const char *mark = strrchr(id, '#');
	uint64_t number = 0;
	const char *name;

	if (!mark || !mark[1])
		return TN_NONE;
	for (const char *p = mark + 1; *p; p++) {
		if (*p < '0' || *p > '9' || number > UINT32_MAX)
			return TN_NONE;
		number = 10 * number + (uint64_t)(*p - '0');
	}
	if (number >= g->n_tensors)
		return TN_NONE;
	name = g->tensors[number].name;
	return strlen(name) == (size_t)(mark - id) &&
			       memcmp(name, id, (size_t)(mark - id)) == 0
		       ? (uint32_t)number
		       : TN_NONE;
}

/* A name may look like another one with its number, so that numbers come first. */
static uint32_t tensor_named(const struct tn_graph *g, const char *id)
{
	uint32_t numbered = tensor_numbered(g, id);

	if (numbered != TN_NONE)
		return numbered;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (strcmp(id, g->tensors[i].name) == 0)
			return i;
	return TN_NONE;
}

/* Is each of them that needs memory among those that were seen? */
static bool all_seen(
	const struct tn_graph *g, const bool *seen, const tn_tensor_id *ids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_tensor *t =
			ids[i].i == TN_NONE ? NULL : &g->tensors[ids[i].i];

		if (t && t->role != ROLE_CONST && t->view_of.i == TN_NONE &&
			!seen[ids[i].i])
			return false;
	}
	return true;
}

/* Are the buffers all that this graph's ops and callers need, and nothing else? */
static bool fits(const struct tn_graph *g, const struct tn_minimalloc *m,
	struct tn_arena *arena, bool *nomem)
{
	bool *seen = TN_NEW_ARRAY(arena, bool, g->n_tensors);

	*nomem = !seen;
	for (uint32_t i = 0; i < m->problem.n_buffers && seen; i++) {
		uint32_t tensor = tensor_numbered(g, m->ids[i]);

		if (tensor == TN_NONE ||
			g->tensors[tensor].bytes != m->problem.buffers[i].size)
			return false;
		seen[tensor] = true;
	}
	for (uint32_t i = 0; i < g->n_ops && seen; i++)
		if (!all_seen(g, seen, g->ops[i].inputs, g->ops[i].n_inputs) ||
			!all_seen(g, seen, g->ops[i].outputs, g->ops[i].n_outputs))
			return false;
	return seen && all_seen(g, seen, g->inputs, g->n_inputs) &&
	       all_seen(g, seen, g->outputs, g->n_outputs);
}

/* The graph that the plan is of: the file's, or what 'plan' makes of it. */
static enum tn_status choose_graph(struct tn_run *run, const struct tn_minimalloc *m)
{
	const struct tn_graph own = run->graph;
	enum tn_status status;
	bool nomem;

	run->graph.n_claims = 0;
	status = run->options->rewrite ? TN_OK : tn_pipeline_rewrite(run, "all");
	if (status != TN_OK || fits(&run->graph, m, &run->arena, &nomem))
		return status;
	run->graph = own;
	return nomem ? TN_ERR_NOMEM : TN_OK;
}

static enum tn_status read_variants(struct tn_run *run, const struct tn_source *source,
	const struct tn_minimalloc *m, const struct tn_said_variant **out)
{
	struct tn_said_variant *said =
		TN_NEW_ARRAY(&run->arena, struct tn_said_variant, run->graph.n_ops);
	enum tn_status status = TN_OK;
	uint32_t *writer = TN_NEW_ARRAY(&run->arena, uint32_t, run->graph.n_tensors);

	if (!said || !writer)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < run->graph.n_tensors; i++)
		writer[i] = TN_NONE;
	for (uint32_t i = run->graph.n_ops; i-- > 0;) {
		said[i] = (struct tn_said_variant){ .said = false };
		for (uint32_t k = 0; k < run->graph.ops[i].n_outputs; k++)
			if (run->graph.ops[i].outputs[k].i != TN_NONE)
				writer[run->graph.ops[i].outputs[k].i] = i;
	}
	for (uint32_t i = 0; i < m->problem.n_buffers; i++) {
		const uint32_t tensor = tensor_named(&run->graph, m->ids[i]);
		const uint32_t op = tensor == TN_NONE ? TN_NONE : writer[tensor];
		struct tn_diag *diag;
		struct tn_variant v;

		if (!m->variants[i][0])
			continue;
		if (tn_csv_variant_parse(m->variants[i], &v)) {
			if (op != TN_NONE)
				said[op] = (struct tn_said_variant){ true, v };
			continue;
		}
		diag = tn_diag_at(&run->diags, SEVERITY_ERROR, "csv/problem", source,
			NULL, m->ids[i], "'%.60s' is no variant of a kernel",
			m->variants[i]);
		if (diag)
			diag->line = m->lines[i];
		status = TN_ERR_INPUT;
	}
	*out = said;
	return status;
}

static enum tn_status place(struct tn_run *run, const struct tn_source *source,
	const struct tn_minimalloc *m, struct tn_claim_place *places)
{
	enum tn_status status = TN_OK;

	for (uint32_t i = 0; i < m->problem.n_buffers; i++) {
		const struct tn_buffer *b = &m->problem.buffers[i];
		uint32_t tensor = tensor_named(&run->graph, m->ids[i]);

		places[i] = (struct tn_claim_place){ { tensor }, b->fixed, b->size };
		if (tensor != TN_NONE)
			continue;
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/tensor", source, NULL,
			m->ids[i], "the graph has no tensor '%s'", m->ids[i]);
		status = TN_ERR_INPUT;
	}
	return status;
}

enum tn_status tn_verify_csv_claim(struct tn_run *run, const struct tn_source *source,
	const struct tn_said_variant **out_said)
{
	struct tn_claim *claim = TN_NEW(&run->arena, struct tn_claim);
	struct tn_minimalloc m;
	int64_t height;
	enum tn_status status = read(run, source, &m, &height);

	*out_said = NULL;
	if (status == TN_OK)
		status = choose_graph(run, &m);
	if (status == TN_OK && m.variants)
		status = read_variants(run, source, &m, out_said);
	if (status != TN_OK)
		return status;
	if (!claim)
		return TN_ERR_NOMEM;
	*claim = (struct tn_claim){ .id = source->name,
		.kind = "plan",
		.op = { TN_NONE },
		.in = { TN_NONE },
		.out = { TN_NONE },
		.tensor = { TN_NONE },
		.of = { TN_NONE },
		.byte_offset = -1,
		.bytes = -1,
		.arena_bytes =
			run->options->capacity >= 0 ? run->options->capacity : height,
		.align = -1,
		.base_address = -1,
		.places = TN_NEW_ARRAY(
			&run->arena, struct tn_claim_place, m.problem.n_buffers),
		.n_places = m.problem.n_buffers,
		.pointer = "" };
	if (!claim->places)
		return TN_ERR_NOMEM;
	run->graph.claims = claim;
	run->graph.n_claims = 1;
	return place(run, source, &m, claim->places);
}
