#include "driver/verify_csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "import/minimalloc.h"
#include "import/sniff.h"
#include "plan/fixed.h"

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
	return TN_ERR_REFUSED;
}

enum tn_status tn_verify_csv(struct tn_run *run)
{
	const int64_t capacity = run->options->capacity;
	struct tn_minimalloc m;
	struct tn_pairs none;
	int64_t height;
	uint32_t at[2];
	bool clash = false;
	enum tn_status status = read(run, run->source, &m, &height);

	if (status == TN_OK)
		status = tn_pairs_build(&m.problem, &run->arena, &none);
	if (status == TN_OK)
		status = tn_fixed_clash(&m.problem, &none, &clash, at);
	if (status == TN_OK && clash)
		status = refuse_overlap(run, &m, at);
	if (status == TN_OK && capacity >= 0 && height > capacity) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/over-capacity", run->source,
			NULL, NULL,
			"the buffers end at %" PRId64 ", %" PRId64
			" B beyond the capacity",
			height, height - capacity);
		status = TN_ERR_REFUSED;
	}
	if (status == TN_OK)
		tn_strbuf_printf(&run->dumps,
			"%s: verified: %u buffers, height %" PRId64 "\n",
			run->source->name, m.problem.n_buffers, height);
	return status;
}

/* The id as plan --write-csv makes it: the name, '#', the tensor's number. */
static bool is_numbered(const char *id, const char *name, uint32_t index)
{
	const size_t n = strlen(name);
	uint64_t number = 0;

	if (strncmp(id, name, n) != 0 || id[n] != '#' || !id[n + 1])
		return false;
	for (const char *p = id + n + 1; *p; p++) {
		if (*p < '0' || *p > '9' || number > UINT32_MAX)
			return false;
		number = 10 * number + (uint64_t)(*p - '0');
	}
	return number == index;
}

/* A name may look like another one with its number, so that numbers come first. */
static uint32_t tensor_named(const struct tn_graph *g, const char *id)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (is_numbered(id, g->tensors[i].name, i))
			return i;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (strcmp(id, g->tensors[i].name) == 0)
			return i;
	return TN_NONE;
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

enum tn_status tn_verify_csv_claim(struct tn_run *run, const struct tn_source *source)
{
	struct tn_claim *claim = TN_NEW(&run->arena, struct tn_claim);
	struct tn_minimalloc m;
	int64_t height;
	enum tn_status status = read(run, source, &m, &height);

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
