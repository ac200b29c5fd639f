#include "emit/emit.h"

#include <stdio.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "base/file.h"
#include "base/hold.h"
#include "emit/text.h"
#include "emit/writer.h"

#define SIZE_LIMIT INT32_MAX /* of one memory: offsets are 32 bits on the target */

struct emission {
	const struct tn_emit_options *options;
	const char *dir;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_writer *ws;
	uint32_t n;
	struct tn_kernel_files files;
};

static enum tn_status refuse(
	struct emission *e, const struct tn_graph *g, const char *rule, const char *why)
{
	tn_diag_at(e->diags, SEVERITY_ERROR, rule, g ? g->source : NULL, NULL, NULL, "%s",
		why);
	return TN_ERR_INPUT;
}

/* ---- names ---- */

/* Headers of the C library, and what those include. A model's header has its own name among
 * several, in a directory that the compiler searches first: theirs would not be found. */
static bool is_system_header(const char *upper)
{
	static const char *const names[] = { "ALLOCA", "ASSERT", "COMPLEX", "CTYPE",
		"ENDIAN", "ERRNO", "FCNTL", "FEATURES", "FENV", "FLOAT", "INTTYPES",
		"ISO646", "LIMITS", "LOCALE", "MALLOC", "MATH", "MEMORY", "NEWLIB",
		"PTHREAD", "REENT", "SCHED", "SETJMP", "SIGNAL", "STDALIGN", "STDARG",
		"STDATOMIC", "STDBOOL", "STDDEF", "STDFIX", "STDINT", "STDIO", "STDLIB",
		"STDNORETURN", "STRING", "STRINGS", "TGMATH", "THREADS", "TIME", "UCHAR",
		"UNISTD", "WCHAR", "WCTYPE" };

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (strcmp(upper, names[k]) == 0)
			return true;
	return false;
}

static bool taken(const struct emission *e, uint32_t m, const char *upper)
{
	if (e->n > 1 && (strcmp(upper, "MODELS") == 0 || is_system_header(upper)))
		return true; /* models.h is the project's own */
	for (uint32_t k = 0; k < m; k++)
		if (strcmp(e->ws[k].upper, upper) == 0)
			return true;
	return false;
}

static bool name_model(struct emission *e, uint32_t m, const char *name)
{
	struct tn_writer *w = &e->ws[m];
	char *ident = tn_text_ident(e->arena, name, "model");
	char *base = ident;

	w->name = name;
	w->ident = ident;
	w->upper = ident ? tn_text_upper(e->arena, ident) : NULL;
	for (unsigned i = 2; w->upper && taken(e, m, w->upper); i++) {
		w->ident = tn_arena_printf(e->arena, "%s_%u", base, i);
		w->upper = w->ident ? tn_text_upper(e->arena, w->ident) : NULL;
	}
	if (!w->upper)
		return false;
	w->file = e->n == 1 ? "model" : w->ident;
	/* no identifier has a dot: these stems cannot meet another model's */
	w->weights =
		e->n == 1 ? "weights" : tn_arena_printf(e->arena, "%s.weights", w->ident);
	w->memory =
		e->n == 1 ? "memory" : tn_arena_printf(e->arena, "%s.memory", w->ident);
	return w->weights && w->memory;
}

/* A name for the graph: its own, or "kws" of "models/kws.tflite", whose graph is called
 * "main" as all of its kind are. */
static const char *default_name(struct tn_arena *arena, const struct tn_graph *g)
{
	const char *stem, *dot;

	if (g->format == FORMAT_NATIVE || !g->source || strcmp(g->source->name, "-") == 0)
		return g->name;
	stem = strrchr(g->source->name, '/');
	stem = stem ? stem + 1 : g->source->name;
	dot = strchr(stem, '.');
	return dot ? tn_arena_strndup(arena, stem, (size_t)(dot - stem)) : stem;
}

/* ---- regions ---- */

static bool region_taken(const struct tn_writer *w, uint32_t i, const char *upper)
{
	for (uint32_t k = 0; k < i; k++)
		if (strcmp(w->regions[k].upper, upper) == 0)
			return true;
	return false;
}

static bool name_region(struct tn_writer *w, uint32_t i, const char *name)
{
	struct tn_writer_region *r = &w->regions[i];
	const char *base =
		w->n_regions == 1 ? "arena" : tn_text_ident(w->arena, name, "memory");
	const char *ident = base;

	r->upper = base ? tn_text_upper(w->arena, base) : NULL;
	/* INPUT0 and OUTPUT0 have sizes of their own */
	for (unsigned k = 2; r->upper && (region_taken(w, i, r->upper) ||
						 strncmp(r->upper, "INPUT", 5) == 0 ||
						 strncmp(r->upper, "OUTPUT", 6) == 0);
		k++) {
		ident = tn_arena_printf(w->arena, "memory_%s_%u", base, k);
		r->upper = ident ? tn_text_upper(w->arena, ident) : NULL;
	}
	r->label = ident;
	/* the suffix keeps keywords and names of our own out of the parameters */
	if (r->upper)
		r->ident = w->n_regions == 1
				   ? ident
				   : tn_arena_printf(w->arena, "%s_memory", ident);
	return r->upper && r->ident;
}

static enum tn_status make_regions(struct emission *e, struct tn_writer *w)
{
	const struct tn_plan *plan = w->program.plan;

	w->n_regions = plan->n_regions ? plan->n_regions : 1;
	w->regions = TN_NEW_ARRAY(w->arena, struct tn_writer_region, w->n_regions);
	if (!w->regions)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < w->n_regions; i++) {
		const struct tn_plan_region *from =
			i < plan->n_regions ? &plan->regions[i] : NULL;
		struct tn_writer_region *r = &w->regions[i];

		if (!name_region(w, i, from && from->name ? from->name : "arena"))
			return TN_ERR_NOMEM;
		r->plan = from;
		r->bytes = from ? from->used : 0;
		r->align = from && from->align > 0 ? from->align : 1;
		if (r->bytes > SIZE_LIMIT || r->align > SIZE_LIMIT / TN_PROGRAM_ALIGN)
			return refuse(e, w->g, "emit/too-large",
				"a memory of more than 2 GiB, or its alignment, is more "
				"than "
				"a microcontroller can address");
		while (r->align % TN_PROGRAM_ALIGN != 0)
			r->align *= 2;
	}
	return TN_OK;
}

/* ---- one model ---- */

static bool has_state(const struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_VARIABLE)
			return true;
	return false;
}

static enum tn_status prepare(
	struct emission *e, uint32_t m, const struct tn_emit_model *model)
{
	struct tn_writer *w = &e->ws[m];
	const char *name =
		model->name ? model->name : default_name(e->arena, model->graph);
	enum tn_status status;

	w->g = model->graph;
	w->options = e->options;
	w->arena = e->arena;
	w->diags = e->diags;
	w->files = &e->files;
	w->alone = e->n == 1;
	w->pool.arena = e->arena;
	w->const_outputs = TN_NEW_ARRAY(e->arena, const char *, w->g->n_outputs);
	if (!w->const_outputs || !name || !name_model(e, m, name))
		return TN_ERR_NOMEM;
	if (e->options->shared_arena && e->n > 1 && has_state(w->g))
		return refuse(e, w->g, "emit/shared-state",
			"a model with state cannot share its arena: the other models "
			"would "
			"overwrite the state between its runs");
	status =
		tn_program_new(w->g, model->plan, false, e->arena, e->diags, &w->program);
	if (status == TN_OK)
		status = make_regions(e, w);
	if (status == TN_OK && e->options->debug)
		status = tn_plan_unshared(
			w->g, w->program.plan, e->arena, e->diags, &w->unshared_plan);
	if (status == TN_OK && e->options->debug)
		status = tn_program_new(
			w->g, &w->unshared_plan, false, e->arena, e->diags, &w->unshared);
	if (status == TN_OK && e->options->debug &&
		w->unshared_plan.regions[0].used > SIZE_LIMIT)
		status = refuse(e, w->g, "emit/too-large",
			"without sharing the memory is larger than 2 GiB");
	return status;
}

/* ---- files ---- */

/* Reports what would be written over. */
static bool is_input(struct emission *e, const char *path)
{
	for (size_t i = 0; i < e->options->n_inputs; i++) {
		if (!tn_file_same(e->options->inputs[i], path))
			continue;
		tn_diag_at(e->diags, SEVERITY_ERROR, "emit/input", NULL, NULL, NULL,
			"'%s' is read, and '%s' would be written over it: name another "
			"folder",
			e->options->inputs[i], path);
		return true;
	}
	return false;
}

static enum tn_status put(struct emission *e, const char *name, struct tn_strbuf *text)
{
	char *path = tn_arena_printf(e->arena, "%s/%s", e->dir, name);
	enum tn_status status = TN_ERR_NOMEM;

	if (path && is_input(e, path))
		status = TN_ERR_INPUT;
	else if (path && !text->failed)
		status = tn_file_write(
			e->diags, path, text->text ? text->text : "", text->len);
	tn_strbuf_release(text);
	return status;
}

static enum tn_status put_named(
	struct emission *e, const char *stem, const char *suffix, struct tn_strbuf *text)
{
	char *name = tn_arena_printf(e->arena, "%s%s", stem, suffix);

	if (name)
		return put(e, name, text);
	tn_strbuf_release(text);
	return TN_ERR_NOMEM;
}

static enum tn_status write_memory(struct emission *e, struct tn_writer *w)
{
	struct tn_strbuf text;
	enum tn_status status;

	tn_strbuf_init(&text);
	tn_write_memory_header(w, &text);
	status = put_named(e, w->memory, ".h", &text);
	if (status != TN_OK)
		return status;
	tn_write_memory(w, &text);
	status = put_named(e, w->memory, ".c", &text);
	for (uint32_t i = 0; i < w->n_regions && status == TN_OK; i++) {
		char *suffix = tn_arena_printf(e->arena, ".%s.ld", w->regions[i].label);

		if (!tn_memory_placeable(&w->regions[i]))
			continue;
		tn_write_memory_region_script(&w->regions[i], &text);
		text.failed |= !suffix;
		status = put_named(e, w->memory, suffix ? suffix : "", &text);
	}
	if (status != TN_OK || !tn_memory_addressed(w))
		return status;
	tn_write_memory_script(w, &text);
	return put_named(e, w->memory, ".ld", &text);
}

static bool write_calls(struct tn_writer *w)
{
	tn_strbuf_init(&w->params);
	tn_strbuf_init(&w->streams);
	tn_strbuf_init(&w->body);
	tn_write_calls(w);
	return !w->params.failed && !w->streams.failed && !w->body.failed;
}

static void release_calls(struct tn_writer *w)
{
	tn_strbuf_release(&w->params);
	tn_strbuf_release(&w->streams);
	tn_strbuf_release(&w->body);
}

static enum tn_status write_model(struct emission *e, struct tn_writer *w)
{
	struct tn_strbuf text;
	enum tn_status status;

	tn_strbuf_init(&text);
	text.failed = !write_calls(w);
	tn_kernel_files_sort(&e->files);
	tn_write_source(w, &text);
	release_calls(w);
	status = put_named(e, w->file, ".c", &text);
	if (status != TN_OK)
		return status;
	tn_write_header(w, &text);
	status = put_named(e, w->file, ".h", &text);
	if (status != TN_OK)
		return status;
	tn_write_weights_header(w, &text);
	status = put_named(e, w->weights, ".h", &text);
	if (status != TN_OK)
		return status;
	tn_write_weights(w, &text);
	status = put_named(e, w->weights, ".c", &text);
	return status == TN_OK && tn_memory_given(w) ? write_memory(e, w) : status;
}

static enum tn_status make_dir(struct emission *e, const char *name, int len)
{
	char *path = tn_arena_printf(e->arena, "%s/%.*s", e->dir, len, name);

	return path ? tn_dir_make(e->diags, path) : TN_ERR_NOMEM;
}

static enum tn_status write_kernels(struct emission *e)
{
	const bool flat = e->options->flat;
	enum tn_status status = TN_OK;

	for (size_t i = 0; i < e->files.list.count && status == TN_OK; i++) {
		const struct tn_embedded *file = e->files.list.items[i];
		struct tn_strbuf path, text;

		tn_strbuf_init(&path);
		tn_strbuf_init(&text);
		tn_kernel_file_path(file->name, flat, &path);
		tn_kernel_file_text(file, flat, &text);
		if (path.failed)
			status = TN_ERR_NOMEM;
		else if (strrchr(path.text, '/'))
			status = make_dir(
				e, path.text, (int)(strrchr(path.text, '/') - path.text));
		if (status == TN_OK)
			status = put(e, path.text, &text);
		else
			tn_strbuf_release(&text);
		tn_strbuf_release(&path);
	}
	return status;
}

static enum tn_status make_dirs(struct emission *e)
{
	static const char *const dirs[] = { "kernels", "zephyr" };
	const char *name = dirs[e->options->flat];
	enum tn_status status = tn_dir_make(e->diags, e->dir);

	return status == TN_OK ? make_dir(e, name, (int)strlen(name)) : status;
}

/* What makes the directory a library of Arduino and a module of Zephyr. */
static enum tn_status write_frameworks(struct emission *e)
{
	struct tn_strbuf text;
	enum tn_status status;

	tn_strbuf_init(&text);
	tn_write_arduino(e->ws, e->n, &text);
	status = put(e, "library.properties", &text);
	if (status == TN_OK) {
		tn_write_zephyr_module(e->ws, e->n, &text);
		status = put(e, "zephyr/module.yml", &text);
	}
	if (status == TN_OK) {
		tn_write_zephyr_cmake(e->ws, e->n, &text);
		status = put(e, "zephyr/CMakeLists.txt", &text);
	}
	return status;
}

static enum tn_status write_all(struct emission *e)
{
	struct tn_strbuf text;
	enum tn_status status = make_dirs(e);

	for (uint32_t m = 0; m < e->n && status == TN_OK; m++)
		status = write_model(e, &e->ws[m]);
	if (status == TN_OK &&
		!tn_kernel_files_add(&e->files, e->arena, "tenure/kernels.h"))
		status = TN_ERR_NOMEM;
	tn_kernel_files_sort(&e->files);
	if (status == TN_OK)
		status = write_kernels(e);
	if (status != TN_OK)
		return status;
	tn_strbuf_init(&text);
	if (e->n > 1) {
		tn_write_models(e->ws, e->n, &text);
		status = put(e, "models.h", &text);
	}
	if (status == TN_OK) {
		tn_write_readme(e->ws, e->n, &text);
		status = put(e, "README.md", &text);
	}
	if (status == TN_OK) {
		tn_write_makefile(e->ws, e->n, &text);
		status = put(e, "Makefile", &text);
	}
	if (status == TN_OK) {
		tn_write_cmake(e->ws, e->n, &text);
		status = put(e, "CMakeLists.txt", &text);
	}
	return status == TN_OK && e->options->flat ? write_frameworks(e) : status;
}

/* ---- summary ---- */

static bool summarise(
	const struct emission *e, const struct tn_writer *w, struct tn_emit_summary *out)
{
	const char **sources =
		TN_NEW_ARRAY(e->arena, const char *, e->files.list.count + 2);
	const char **regions = TN_NEW_ARRAY(e->arena, const char *, w->n_regions);

	if (!sources || !regions)
		return false;
	for (uint32_t i = 0; i < w->n_regions; i++)
		regions[i] = w->regions[i].upper;
	*out = (struct tn_emit_summary){ .ident = w->ident,
		.upper = w->upper,
		.file = w->file,
		.constant_bytes = (int64_t)tn_pool_bytes(&w->pool),
		.regions = regions,
		.n_regions = w->n_regions,
		.sources = sources };
	for (uint32_t i = 0; i < w->n_regions; i++)
		out->memory_bytes += w->regions[i].bytes;
	if (e->options->debug)
		out->unshared_bytes = w->unshared_plan.regions[0].used;
	out->hook_bytes = w->hook_bytes;
	for (uint32_t k = 0; w->fed && k < w->g->n_inputs; k++) {
		const struct tn_tensor *t = &w->g->tensors[w->fed->input];

		if (w->g->inputs[k].i != w->fed->input)
			continue;
		out->fed = true;
		out->fed_input = k;
		out->fed_rows = t->shape.dim[1];
		out->fed_row_bytes = t->bytes / t->shape.dim[1];
	}
	sources[out->n_sources++] = tn_arena_printf(e->arena, "%s.c", w->file);
	sources[out->n_sources++] = tn_arena_printf(e->arena, "%s.c", w->weights);
	for (size_t i = 0; i < e->files.list.count; i++) {
		struct tn_strbuf path;

		if (!tn_kernel_file_is_source(e->files.list.items[i]))
			continue;
		tn_strbuf_init(&path);
		tn_kernel_file_path(
			e->files.list.items[i]->name, e->options->flat, &path);
		sources[out->n_sources++] =
			path.failed ? NULL : tn_arena_strdup(e->arena, path.text);
		tn_strbuf_release(&path);
	}
	for (uint32_t i = 0; i < out->n_sources; i++)
		if (!sources[i])
			return false;
	return true;
}

enum tn_status tn_emit(const struct tn_emit_model *models, uint32_t n_models,
	const struct tn_emit_options *options, const char *dir, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_emit_summary *out)
{
	struct emission e = { .options = options,
		.dir = dir,
		.arena = arena,
		.diags = diags,
		.ws = TN_NEW_ARRAY(arena, struct tn_writer, n_models),
		.n = n_models };
	const char *const *flags;
	enum tn_status status = TN_OK;

	if (!e.ws)
		return TN_ERR_NOMEM;
	if (options->cpu && !tn_emit_cpu_find(options->cpu, &flags)) {
		tn_diag_at(diags, SEVERITY_ERROR, "emit/cpu", NULL, NULL, NULL,
			"processor '%s' is not known", options->cpu);
		for (uint32_t i = 0; tn_emit_cpu_name(i); i++)
			tn_diag_note(diags, "known: %s", tn_emit_cpu_name(i));
		return TN_ERR_INPUT;
	}
	for (uint32_t m = 0; m < n_models && status == TN_OK; m++)
		status = prepare(&e, m, &models[m]);
	if (status == TN_OK) { /* all files are of one emission, or none is new */
		const unsigned held = tn_hold_begin();

		status = write_all(&e);
		tn_hold_end(held);
	}
	for (uint32_t m = 0; m < n_models && status == TN_OK; m++)
		if (!summarise(&e, &e.ws[m], &out[m]))
			status = TN_ERR_NOMEM;
	return status;
}

/* ---- sizes ---- */

enum tn_status tn_emit_measure(const struct tn_emit_model *model, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_emit_sizes *out)
{
	const struct tn_emit_options options = { 0 };
	struct emission e = { .options = &options,
		.arena = arena,
		.diags = diags,
		.ws = TN_NEW(arena, struct tn_writer),
		.n = 1 };
	enum tn_status status;

	*out = (struct tn_emit_sizes){ 0 };
	if (!e.ws)
		return TN_ERR_NOMEM;
	status = prepare(&e, 0, model);
	if (status != TN_OK)
		return status;
	if (!write_calls(e.ws))
		status = TN_ERR_NOMEM;
	release_calls(e.ws);
	out->constant_bytes = (int64_t)tn_pool_bytes(&e.ws->pool);
	if (!tn_measure_code(e.ws, out))
		status = TN_ERR_NOMEM;
	return status;
}
