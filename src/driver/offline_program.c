/* Plans in the form of ExecuTorch's programs. */
#include <inttypes.h>
#include <string.h>

#include "driver/any_kernels.h"
#include "driver/command.h"
#include "driver/offline.h"
#include "export/program.h"
#include "import/import.h"

#include "base/banned.h"

struct sheet {
	struct tn_program_place *places;
	int64_t *sizes;
	uint32_t n_memories;
	int64_t bytes; /* of all memories that were planned */
	int64_t before; /* the same in the plan that the file had; -1: it had none */
	bool whole; /* nothing lies in memory that the caller gives */
};

static bool start_sheet(
	struct sheet *s, struct tn_arena *arena, uint32_t n_tensors, uint32_t n_memories)
{
	s->n_memories = n_memories;
	s->bytes = 0;
	s->before = -1;
	s->whole = true;
	s->places = TN_NEW_ARRAY(arena, struct tn_program_place, n_tensors);
	s->sizes = TN_NEW_ARRAY(arena, int64_t, n_memories);
	if (!s->places || !s->sizes)
		return false;
	for (uint32_t i = 0; i < n_tensors; i++)
		s->places[i] = (struct tn_program_place){ 0, 0 };
	for (uint32_t i = 0; i < n_memories; i++)
		s->sizes[i] = -1;
	s->sizes[0] = 0;
	return true;
}

/* A tensor without a place is one that no op touches: it may lie anywhere, but inside. */
static void place(struct sheet *s, const struct tn_run *trial, const struct tn_graph *g,
	uint32_t i, uint32_t memory)
{
	const struct tn_plan_tensor *t = &trial->plan.tensors[i];
	int64_t *size = &s->sizes[memory];
	bool planned = t->region != TN_REGION_NONE;

	s->places[i] = (struct tn_program_place){ memory, planned ? t->offset : 0 };
	if (!planned && *size < g->tensors[i].bytes)
		*size = g->tensors[i].bytes;
}

/* "memory 2" */
static uint32_t number_of(const struct tn_claim *claim)
{
	uint32_t number = 0;

	for (const char *at = claim->id; *at; at++)
		if (*at >= '0' && *at <= '9' && number < 1000)
			number = number * 10 + (uint32_t)(*at - '0');
	return number;
}

static enum tn_status plan_memory(
	struct tn_run *run, struct sheet *s, const struct tn_claim *memory)
{
	const struct tn_any_kernels how = { .views = true, .memory = memory };
	const uint32_t number = number_of(memory);
	struct tn_trial t;
	enum tn_status status = tn_any_kernels_plan(&t, run, &how);

	if (status == TN_OK) {
		s->sizes[number] = t.run.plan.activation_bytes;
		s->bytes += t.run.plan.activation_bytes;
		s->before += memory->arena_bytes;
		for (uint32_t i = 0; i < memory->n_places; i++)
			place(s, &t.run, &run->read, memory->places[i].tensor.i, number);
	}
	tn_trial_end(&t);
	return status;
}

static enum tn_status copy_program(
	struct tn_run *run, struct sheet *s, struct tn_strbuf *out)
{
	const struct tn_graph *g = &run->read;
	uint32_t n = 1;
	enum tn_status status = TN_OK;

	for (uint32_t i = 0; i < g->n_claims; i++)
		if (number_of(&g->claims[i]) >= n)
			n = number_of(&g->claims[i]) + 1;
	if (n == 1) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/offsets", run->source,
			"/execution_plan/0", NULL,
			"no tensor of the program is in planned memory");
		return TN_ERR_INPUT;
	}
	if (!start_sheet(s, &run->arena, g->n_tensors, n))
		return TN_ERR_NOMEM;
	s->sizes[0] = -1;
	s->before = 0;
	for (uint32_t i = 0; i < g->n_claims && status == TN_OK; i++)
		status = plan_memory(run, s, &g->claims[i]);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		s->whole = s->whole &&
			   (s->places[i].memory || g->tensors[i].role == ROLE_CONST ||
				   g->tensors[i].bytes == 0);
	if (status == TN_OK)
		status = tn_export_program_copy(g,
			&(struct tn_program_plan){ s->places, s->sizes, n }, &run->arena,
			&run->diags, out);
	return status;
}

static enum tn_status make_program(
	struct tn_run *run, struct sheet *s, struct tn_strbuf *out)
{
	const struct tn_any_kernels how = { .reshapes_stay = true };
	const struct tn_graph *g = &run->read;
	struct tn_trial t;
	enum tn_status status = tn_any_kernels_plan(&t, run, &how);

	if (status == TN_OK && !start_sheet(s, &run->arena, g->n_tensors, 2))
		status = TN_ERR_NOMEM;
	if (status == TN_OK) {
		s->sizes[1] = s->bytes = t.run.plan.activation_bytes;
		for (uint32_t i = 0; i < g->n_tensors; i++)
			if (t.run.plan.tensors[i].region != TN_REGION_NONE)
				place(s, &t.run, g, i, 1);
		status = tn_export_program(g,
			&(struct tn_program_plan){ s->places, s->sizes, 2 }, &run->diags,
			out);
	}
	tn_trial_end(&t);
	return status;
}

/* Tenure's plan holds all tensors: it is no measure of memories that hold some. */
static void tell(struct tn_run *run, const struct sheet *s)
{
	const char *file = run->options->write_offsets;

	if (s->whole)
		tn_any_kernels_tell(run, "plan/offsets", file, s->bytes);
	else
		tn_diag_at(&run->diags, SEVERITY_NOTE, "plan/offsets", run->source, NULL,
			NULL,
			"the plan in '%s' needs %" PRId64
			" B: other kernels may read and write in any order, so nothing "
			"that is alive overlaps",
			file, s->bytes);
	if (s->before >= 0)
		tn_diag_note(
			&run->diags, "the file's own plan has %" PRId64 " B", s->before);
}

enum tn_status tn_offsets_write(struct tn_run *run)
{
	const char *from =
		run->options->from ? run->options->from : tn_import_sniff(run->source);
	bool is_program = from && strcmp(from, "executorch-json") == 0;
	struct sheet s;
	struct tn_strbuf text;
	enum tn_status status;

	tn_strbuf_init(&text);
	status = is_program ? copy_program(run, &s, &text) : make_program(run, &s, &text);
	if (status == TN_OK && text.failed)
		status = TN_ERR_NOMEM;
	if (status == TN_OK)
		status = tn_command_write(run, run->options->write_offsets, &text);
	if (status == TN_OK)
		tell(run, &s);
	tn_strbuf_release(&text);
	return status;
}
