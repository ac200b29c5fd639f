/* tenure check: plans that lie beside their models, are they still right, and no larger than
 * need be? X.plan.json is the plan of X.tflite, X.onnx or X.json. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/vec.h"
#include "driver/command.h"
#include "driver/files.h"
#include "import/import.h"
#include "import/plan_json.h"

#include "base/banned.h"

#define PLAN_ENDING ".plan.json"
#define ALIGN_USUAL 16 /* bytes */

static const char *const model_endings[] = { ".tflite", ".onnx", ".json" };

#define MODEL_ENDINGS (sizeof(model_endings) / sizeof(*model_endings))

/* A model and its plan. */
struct pair {
	const char *model, *plan;
	bool named; /* the model was, and not only its plan */
};

struct check {
	const tenure_options *options;
	struct tn_arena arena;
	struct tn_diags diags;
	TN_VEC(struct pair) pairs;
	bool nomem, wrong;
};

static bool is_there(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

static bool ends(const char *name, const char *ending, size_t *out_stem)
{
	const size_t len = strlen(name), end = strlen(ending);

	*out_stem = len > end ? len - end : 0;
	return len > end && strcmp(name + len - end, ending) == 0;
}

static char *with_ending(struct check *c, const char *name, size_t stem, const char *end)
{
	char *made = tn_arena_printf(&c->arena, "%.*s%s", (int)stem, name, end);

	c->nomem = c->nomem || !made;
	return made;
}

/* What was named is checked: a model that was only found beside its plan gives way. */
static void add(struct check *c, const char *model, const char *plan, bool named)
{
	for (size_t i = 0; i < c->pairs.count; i++) {
		struct pair *p = &c->pairs.items[i];

		if (strcmp(p->plan, plan) != 0)
			continue;
		if (!p->named) {
			p->model = model;
			p->named = named;
		}
		if (!named || strcmp(p->model, model) == 0)
			return;
	}
	if (!tn_vec_push(&c->arena, &c->pairs, ((struct pair){ model, plan, named })))
		c->nomem = true;
}

/* A hook is given all files that change: is this one a graph or a plan at all? */
static bool is_ours(struct check *c, const char *name)
{
	struct tn_diags silent;
	struct tn_source *source;
	const char *format;
	enum tn_status status;

	tn_diags_init(&silent, &c->arena);
	status = tn_file_read_settled(
		&c->arena, &silent, name, tn_import_fits_plan, &source);
	c->nomem = c->nomem || status == TN_ERR_NOMEM;
	if (status != TN_OK)
		return true; /* to be told of */
	format = tn_import_sniff(source);
	return tn_import_is_graph(source) || (format && strcmp(format, "tenure") == 0);
}

static void refuse(struct check *c, const char *name, const char *why)
{
	if (c->options->hook && (!tn_file_is_model(name) || is_ours(c, name)))
		return;
	if (c->options->hook)
		why = "is no graph that can be read";
	tn_diag_at(&c->diags, SEVERITY_ERROR, "command/check", NULL, NULL, name,
		"'%s' %s", name, why);
	c->wrong = true;
}

static void add_plan(struct check *c, const char *plan, size_t stem)
{
	const bool stranger = c->options->hook && !is_ours(c, plan);

	for (size_t i = 0; i < MODEL_ENDINGS && !c->nomem; i++) {
		const char *model = with_ending(c, plan, stem, model_endings[i]);

		if (model && is_there(model)) {
			if (!stranger || is_ours(c, model) || tn_file_is_model(model))
				add(c, model, plan, false);
			return;
		}
	}
	if (stranger)
		return;
	tn_diag_at(&c->diags, SEVERITY_ERROR, "plan/no-model", NULL, NULL, plan,
		"'%s' has no model beside it: %.*s.tflite, .onnx or .json", plan,
		(int)stem, plan);
	c->wrong = true;
}

static void add_model(struct check *c, const char *model)
{
	for (size_t i = 0; i < MODEL_ENDINGS && !c->nomem; i++) {
		const char *plan;
		size_t stem;

		if (!ends(model, model_endings[i], &stem))
			continue;
		plan = with_ending(c, model, stem, PLAN_ENDING);
		if (plan && is_there(plan)) {
			if (c->options->hook)
				add_plan(c, plan, stem);
			else
				add(c, model, plan, true);
			return;
		}
	}
	refuse(c, model, "has no plan beside it");
}

/* How a plan is made again: as the committed one was, as far as that is known. */
struct again {
	tenure_options options;
	struct tn_strbuf words; /* that differ from the defaults: " --overlap none" */
	bool placed; /* into regions, or with pins: not to be made again without them */
};

/* Exact passes that the plan was made with, when those are not all. */
static void ask_for_passes(struct again *a, const struct tn_run *old)
{
	const tn_pass_set exact = old->rewrites.passes & tn_passes_exact();
	struct tn_strbuf list;

	if (exact == tn_passes_exact())
		return;
	tn_strbuf_init(&list);
	for (int i = 0; i < PASS_COUNT; i++)
		if (exact & 1u << i)
			tn_strbuf_printf(&list, "%s%s", list.len ? "," : "",
				tn_pass_name((enum tn_pass)i));
	if (!exact)
		tn_strbuf_puts(&list, "none");
	a->words.failed = a->words.failed || list.failed;
	if (!list.failed) {
		const size_t at = a->words.len + strlen(" --rewrite ");

		tn_strbuf_printf(&a->words, " --rewrite %s", list.text);
		a->options.rewrite = a->words.failed ? NULL : a->words.text + at;
	}
	tn_strbuf_release(&list);
}

/* The plan's file has been read, its graph has been rewritten as it says. */
static void ask_again(struct again *a, const struct tn_run *old)
{
	const struct tn_plan_asked asked = tn_plan_file_asked(old->plan_parsed);
	tenure_options *o = &a->options;

	*o = *old->options;
	tn_strbuf_init(&a->words);
	a->placed = asked.placed;
	o->plan = NULL;
	o->overlap = (enum tenure_overlap)asked.overlap; /* the words are the same */
	o->align = asked.align;
	o->schedule = asked.searched ? TENURE_SCHEDULE_SEARCH : TENURE_SCHEDULE_GIVEN;
	o->stream = asked.streams && !asked.fed ? TENURE_STREAM_AUTO : TENURE_STREAM_NONE;
	o->stream_input = asked.fed;
	o->kernels = (enum tenure_kernels)(TENURE_KERNELS_REF + old->graph.kernels);
	if (o->keep_inputs)
		tn_strbuf_puts(&a->words, " --keep-inputs");
	if (asked.overlap != OVERLAP_FULL)
		tn_strbuf_printf(
			&a->words, " --overlap %s", tn_overlap_names[asked.overlap]);
	if (asked.align != ALIGN_USUAL)
		tn_strbuf_printf(&a->words, " --align %" PRId64, asked.align);
	if (asked.searched)
		tn_strbuf_puts(&a->words, " --schedule search");
	if (asked.fed)
		tn_strbuf_puts(&a->words, " --stream-input");
	else if (asked.streams)
		tn_strbuf_puts(&a->words, " --stream auto");
	if (old->graph.kernels != KERNELS_PORTABLE)
		tn_strbuf_printf(&a->words, " --kernels %s",
			tn_kernel_set_name(old->graph.kernels));
	if (o->allow_inexact)
		tn_strbuf_printf(&a->words, " --allow-inexact %s", o->allow_inexact);
	ask_for_passes(a, old);
}

static enum tn_status plan_anew(
	const struct again *a, const struct pair *p, int64_t *out_bytes)
{
	struct tn_run new;
	enum tn_status status;

	tn_run_init(&new, &a->options);
	status = tn_pipeline(&new, p->model, STAGE_PLAN);
	*out_bytes = new.plan.arena_bytes;
	tn_run_release(&new);
	return status;
}

static const char *words_of(const struct again *a)
{
	return a->words.text ? a->words.text : "";
}

static enum tn_status compare(
	struct tn_run *run, const struct again *a, const struct pair *p)
{
	const int64_t bytes = run->plan.arena_bytes;
	int64_t anew;
	enum tn_status status;

	if (a->placed)
		return TN_OK;
	status = plan_anew(a, p, &anew);
	if (status != TN_OK || anew >= bytes)
		return status;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/larger", run->source, "", p->plan,
		"the plan '%s' needs %" PRId64 " B, one that is made now %" PRId64
		" B: %" PRId64 " B less",
		p->plan, bytes, anew, bytes - anew);
	tn_diag_note(&run->diags, "tenure plan %s -o %s%s",
		tn_diag_file(&run->diags, p->model), tn_diag_file(&run->diags, p->plan),
		words_of(a));
	return TN_ERR_REFUSED;
}

/* A plan of another version of the model: what would the new one be? */
static void note_anew(struct tn_run *run, const struct again *a, const struct pair *p)
{
	int64_t anew;

	if (!a->placed && plan_anew(a, p, &anew) == TN_OK)
		tn_diag_note(&run->diags,
			"a plan that is made now needs %" PRId64
			" B: tenure plan %s -o %s%s",
			anew, tn_diag_file(&run->diags, p->model),
			tn_diag_file(&run->diags, p->plan), words_of(a));
}

static int check_pair(const tenure_options *options, const struct pair *p)
{
	struct again again = { .placed = true };
	struct tn_run run;
	enum tn_status status;

	tn_run_init(&run, options);
	run.plan_file = p->plan;
	status = tn_pipeline(&run, p->model, STAGE_IMPORT);
	if (status == TN_OK) {
		ask_again(&again, &run);
		status = again.words.failed ? TN_ERR_NOMEM : tn_command_use_plan(&run);
	}
	if (status == TN_ERR_REFUSED)
		note_anew(&run, &again, p);
	if (status == TN_OK)
		status = compare(&run, &again, p);
	if (status == TN_OK && !options->hook)
		tn_strbuf_printf(&run.dumps, "%s: right for %s, %" PRId64 " B\n", p->plan,
			p->model, run.plan.arena_bytes);
	tn_strbuf_release(&again.words);
	return tn_command_end(&run, status);
}

int tenure_check(const tenure_options *options, const char *const *names, size_t n)
{
	struct check c = { .options = options };
	struct tn_file_names files;
	enum tn_status status;
	int worst = TENURE_OK;

	tn_arena_init(&c.arena);
	tn_diags_init(&c.diags, &c.arena);
	status = tn_files_find(names, n, &c.arena, &c.diags, &files);
	for (size_t i = 0; i < files.n && status == TN_OK; i++) {
		size_t stem;

		if (ends(files.list[i].name, PLAN_ENDING, &stem))
			add_plan(&c, files.list[i].name, stem);
		else if (!files.list[i].found || options->hook)
			add_model(&c, files.list[i].name);
	}
	if (!tn_command_tell(options, &(struct tn_view){ .diags = &c.diags }) ||
		status == TN_ERR_NOMEM)
		c.nomem = true;
	if (status != TN_OK || c.wrong)
		worst = status == TN_OK || status == TN_ERR_INPUT ? TENURE_BAD_INPUT
								  : TENURE_RESOURCES;
	for (size_t i = 0; i < c.pairs.count && !c.nomem; i++) {
		const int one = check_pair(options, &c.pairs.items[i]);

		worst = one > worst ? one : worst;
	}
	if (c.nomem || c.diags.failed) {
		tn_command_nomem(options);
		worst = TENURE_RESOURCES;
	}
	tn_arena_release(&c.arena);
	return worst;
}
