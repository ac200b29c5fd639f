/* Reads the bytes of a .tflite file: the lossless route. Fields are fetched here and in
 * tflite_graph.c, by slot number; what they mean is in tflite_build.c. */
#include "import/import.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "import/tflite_bytes.h"

#include "base/banned.h"

/* Field numbers of the schema's tables. */
enum {
	MODEL_VERSION,
	MODEL_CODES,
	MODEL_SUBGRAPHS,
	MODEL_BUFFERS = 4,
	MODEL_METADATA = 6
};
enum { METADATA_NAME, METADATA_BUFFER };
enum { CODE_DEPRECATED, CODE_CUSTOM, CODE_BUILTIN = 3 };
enum { SUBGRAPH_TENSORS, SUBGRAPH_INPUTS, SUBGRAPH_OUTPUTS, SUBGRAPH_OPS, SUBGRAPH_NAME };
enum { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };

static void read_code(struct tn_tflb *r, const struct tn_path *path,
	const struct tn_fb_table *table, struct tn_tfl_code *out)
{
	int64_t deprecated = tn_tflb_number(
		r, table, CODE_DEPRECATED, 1, true, 0, path, "deprecated_builtin_code");
	int64_t builtin =
		tn_tflb_number(r, table, CODE_BUILTIN, 4, true, 0, path, "builtin_code");
	const char *custom;
	size_t len;

	tn_tflb_text(r, table, CODE_CUSTOM, path, "custom_code", &custom, &len);
	tn_tfl_add_code(&r->tfl, path, builtin, deprecated, custom, len, out);
}

static void read_buffer(struct tn_tflb *r, const struct tn_path *path,
	const struct tn_fb_table *table, struct tn_tfl_buffer *out)
{
	struct tn_fb_vec vec = { 0 };
	uint64_t offset, size;

	*out = (struct tn_tfl_buffer){ .kind = DATA_NONE };
	if (tn_fb_vector(&r->fb, table, BUFFER_DATA, 1, &vec) == FB_BAD)
		tn_tflb_damaged(r, path, "data");
	offset = (uint64_t)tn_tflb_number(
		r, table, BUFFER_OFFSET, 8, false, 0, path, "offset");
	size = (uint64_t)tn_tflb_number(r, table, BUFFER_SIZE, 8, false, 0, path, "size");
	/* 0 and 1 are placeholders: the data is inside */
	if (offset > 1 && size > 0) {
		if (offset > r->fb.len || size > r->fb.len - offset) {
			r->fb.why = "a buffer lies outside of the file";
			tn_tflb_damaged(r, path, "offset");
			return;
		}
		vec = (struct tn_fb_vec){ .at = (size_t)offset, .count = (size_t)size };
	}
	if (!vec.count || !tn_i64_from_size(vec.count, &out->bytes))
		return;
	out->kind = DATA_BYTES;
	out->data = r->fb.data + vec.at;
}

static enum tn_status read_subgraph(struct tn_tflb *r, struct tn_build *b,
	const struct tn_path *path, const struct tn_fb_table *table, struct tn_graph *out)
{
	const char *name;
	size_t len;

	*out = (struct tn_graph){ .format = FORMAT_TFLITE };
	tn_tflb_text(r, table, SUBGRAPH_NAME, path, "name", &name, &len);
	out->name = tn_tfl_text(&r->tfl, name, len);
	tn_tflb_tensors(r, b, path, table, SUBGRAPH_TENSORS);
	tn_tflb_ops(r, b, path, table, SUBGRAPH_OPS);
	tn_tflb_integers(r, table, SUBGRAPH_INPUTS, 4, &r->inputs, path, "inputs");
	tn_tflb_integers(r, table, SUBGRAPH_OUTPUTS, 4, &r->outputs, path, "outputs");
	if (!tn_tflb_gives_up(r) &&
		!tn_tfl_add_ends(&r->tfl, b, path, r->inputs.v.items, r->inputs.v.count,
			r->outputs.v.items, r->outputs.v.count))
		return TN_ERR_NOMEM;
	if (r->nomem || r->tfl.nomem)
		return TN_ERR_NOMEM;
	return tn_tflb_gives_up(r) ? TN_ERR_INPUT : TN_OK;
}

static enum tn_status read_subgraphs(
	struct tn_tflb *r, const struct tn_fb_table *model, struct tn_graph *out)
{
	struct tn_path root = { NULL, "subgraphs", 0 };
	struct tn_build main, sub;
	struct tn_fb_vec vec = { 0 };

	if (tn_fb_vector(&r->fb, model, MODEL_SUBGRAPHS, 4, &vec) == FB_BAD)
		tn_tflb_damaged(r, NULL, "subgraphs");
	else if (!vec.count)
		tn_diag(r->im->diags, SEVERITY_ERROR, "tflite/no-graph", r->im->source,
			&root, "the model has no subgraph");
	if (!vec.count)
		return TN_ERR_INPUT;
	tn_build_init(&main, r->im->arena, r->im->strings, r->im->diags, r->im->source);
	for (size_t i = 0; i < vec.count; i++) {
		struct tn_path at = { &root, NULL, i };
		struct tn_build *b = i ? &sub : &main;
		struct tn_fb_table table;
		struct tn_graph graph;
		enum tn_status status;

		if (tn_fb_table_at(&r->fb, &vec, i, &table) != FB_OK) {
			tn_tflb_damaged(r, &at, NULL);
			return TN_ERR_INPUT;
		}
		if (i)
			tn_build_init(&sub, r->im->arena, r->im->strings, r->im->diags,
				r->im->source);
		status = read_subgraph(r, b, &at, &table, &graph);
		if (status == TN_OK && i)
			status = tn_build_finish(b, &graph);
		if (status != TN_OK)
			return status;
		if (!i)
			*out = graph;
		else if (!tn_vec_push(r->im->arena, &main.subgraphs, graph))
			return TN_ERR_NOMEM;
	}
	return tn_build_finish(&main, out);
}

/* Operator codes and buffers, which the subgraphs refer to. */
static enum tn_status read_tables(struct tn_tflb *r, const struct tn_fb_table *model)
{
	struct tn_path codes = { NULL, "operator_codes", 0 };
	struct tn_path buffers = { NULL, "buffers", 0 };
	struct tn_fb_vec vec = { 0 };
	struct tn_fb_table table;

	if (tn_fb_vector(&r->fb, model, MODEL_CODES, 4, &vec) == FB_BAD)
		tn_tflb_damaged(r, NULL, "operator_codes");
	r->tfl.codes = TN_NEW_ARRAY(&r->scratch, struct tn_tfl_code, vec.count);
	if (!r->tfl.codes)
		return TN_ERR_NOMEM;
	r->tfl.n_codes = vec.count;
	for (size_t i = 0; i < vec.count && !tn_tflb_gives_up(r); i++) {
		struct tn_path at = { &codes, NULL, i };

		if (tn_fb_table_at(&r->fb, &vec, i, &table) == FB_OK)
			read_code(r, &at, &table, &r->tfl.codes[i]);
		else
			tn_tflb_damaged(r, &at, NULL);
	}
	vec.count = 0;
	if (tn_fb_vector(&r->fb, model, MODEL_BUFFERS, 4, &vec) == FB_BAD)
		tn_tflb_damaged(r, NULL, "buffers");
	r->tfl.buffers = TN_NEW_ARRAY(&r->scratch, struct tn_tfl_buffer, vec.count);
	if (!r->tfl.buffers)
		return TN_ERR_NOMEM;
	r->tfl.n_buffers = vec.count;
	for (size_t i = 0; i < vec.count && !tn_tflb_gives_up(r); i++) {
		struct tn_path at = { &buffers, NULL, i };

		if (tn_fb_table_at(&r->fb, &vec, i, &table) == FB_OK)
			read_buffer(r, &at, &table, &r->tfl.buffers[i]);
		else
			tn_tflb_damaged(r, &at, NULL);
	}
	return TN_OK;
}

/* Of the metadata only a memory plan matters. */
static bool read_metadata(
	struct tn_tflb *r, const struct tn_fb_table *model, struct tn_graph *g)
{
	struct tn_path path = { NULL, "metadata", 0 };
	struct tn_fb_vec vec = { 0 };

	if (tn_fb_vector(&r->fb, model, MODEL_METADATA, 4, &vec) == FB_BAD)
		tn_tflb_damaged(r, NULL, "metadata");
	for (size_t i = 0; i < vec.count && !tn_tflb_gives_up(r); i++) {
		struct tn_path at = { &path, NULL, i };
		struct tn_fb_table table;
		const char *name;
		size_t len;

		if (tn_fb_table_at(&r->fb, &vec, i, &table) != FB_OK) {
			tn_tflb_damaged(r, &at, NULL);
			continue;
		}
		tn_tflb_text(r, &table, METADATA_NAME, &at, "name", &name, &len);
		if (len != strlen(TN_TFL_OFFLINE_PLAN) ||
			memcmp(name, TN_TFL_OFFLINE_PLAN, len) != 0)
			continue;
		return tn_tfl_add_offline_plan(&r->tfl, g, &at,
			(uint64_t)tn_tflb_number(
				r, &table, METADATA_BUFFER, 4, false, 0, &at, "buffer"));
	}
	return true;
}

static enum tn_status read_model(struct tn_tflb *r, struct tn_graph *out)
{
	struct tn_fb_table model;
	enum tn_status status;
	int64_t version;

	if (tn_fb_root(&r->fb, &model) != FB_OK) {
		tn_tflb_damaged(r, NULL, NULL);
		return r->nomem ? TN_ERR_NOMEM : TN_ERR_INPUT;
	}
	version = tn_tflb_number(r, &model, MODEL_VERSION, 4, false, 0, NULL, "version");
	if (version != 3) {
		struct tn_path at = { NULL, "version", 0 };

		tn_diag(r->im->diags, SEVERITY_ERROR, "tflite/version", r->im->source,
			&at,
			"version %" PRId64 " of the schema is not supported, only 3 is",
			version);
		return TN_ERR_INPUT;
	}
	status = read_tables(r, &model);
	if (status == TN_OK && tn_tflb_gives_up(r))
		status = r->nomem || r->tfl.nomem ? TN_ERR_NOMEM : TN_ERR_INPUT;
	if (status == TN_OK)
		status = read_subgraphs(r, &model, out);
	if (status == TN_OK &&
		(!read_metadata(r, &model, out) || !tn_tfl_resolve_state(&r->tfl, out)))
		status = TN_ERR_NOMEM;
	if (status == TN_OK && r->damaged)
		status = TN_ERR_INPUT;
	if (r->im->diags->errors - r->errors_before > TN_TFLB_ERRORS_MAX)
		tn_diag_note(r->im->diags, "there are more errors; reading stopped here");
	return status;
}

enum tn_status tn_import_tflite(struct tn_import *im, struct tn_graph *out)
{
	struct tn_tflb r = { .im = im, .errors_before = im->diags->errors };
	enum tn_status status;

	tn_arena_init(&r.scratch);
	tn_fb_init(&r.fb, im->source->text, im->source->len);
	r.tfl.im = im;
	status = read_model(&r, out);
	if (status == TN_OK && (r.nomem || r.tfl.nomem || im->diags->failed))
		status = TN_ERR_NOMEM;
	tn_arena_release(&r.scratch);
	return status;
}
