/* A plan's file, parsed once: what must be done to the graph before the plan fits it. */
#include <string.h>

#include "base/strbuf.h"
#include "import/plan_field.h"

#include "base/banned.h"

enum tn_status tn_plan_file_open(const struct tn_source *source, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_plan_file **out)
{
	struct tn_import im = { .arena = arena, .diags = diags, .source = source };
	struct tn_plan_file *file = TN_NEW(arena, struct tn_plan_file);
	enum tn_status status;

	*out = file;
	if (!file)
		return TN_ERR_NOMEM;
	file->source = source;
	status = tn_json_load(&im, source->text, source->len, NULL, NULL, &file->json);
	if (status == TN_ERR_INPUT)
		tn_diag_note(diags, "expected a plan, as 'tenure plan -o' writes it");
	return status;
}

void tn_plan_file_close(struct tn_plan_file *file)
{
	if (!file)
		return;
	tn_json_drop(&file->json);
}

bool tn_plan_copies(struct tn_plan_reader *r, const json_t *root,
	struct tn_plan_copy **out, uint32_t *out_n)
{
	const struct tn_path list_at = { NULL, "copies", 0 };
	const json_t *list = json_object_get(root, "copies");
	size_t n = json_array_size(list);

	*out = NULL;
	*out_n = 0;
	if (!list || !tn_json_want(&r->im, TN_PLAN_FORMAT, &list_at, list, JSON_ARRAY))
		return true;
	if (n > TN_PLAN_COPIES_MAX) {
		tn_json_error(&r->im, TN_PLAN_FORMAT, &list_at, "more than %d copies",
			TN_PLAN_COPIES_MAX);
		return true;
	}
	*out = TN_NEW_ARRAY(r->im.arena, struct tn_plan_copy, n);
	if (!*out)
		return false;
	*out_n = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct tn_path at = { &list_at, NULL, i };
		const json_t *o = json_array_get(list, i);
		struct tn_plan_copy *c = &(*out)[i];

		if (!tn_json_want(&r->im, TN_PLAN_FORMAT, &at, o, JSON_OBJECT))
			continue;
		(void)tn_plan_index(r, &at, o, "index", UINT32_MAX, &c->tensor);
		(void)tn_plan_index(r, &at, o, "before", UINT32_MAX, &c->before);
		(void)tn_plan_index(r, &at, o, "reader", UINT32_MAX, &c->reader);
	}
	return true;
}

/* Names with commas between them. */
static bool join_names(
	struct tn_plan_reader *r, const json_t *list, struct tn_strbuf *out)
{
	const struct tn_path at = { NULL, "rewrite", 0 };
	size_t i;
	json_t *name;

	if (list && !tn_json_want(&r->im, TN_PLAN_FORMAT, &at, list, JSON_ARRAY))
		return false;
	json_array_foreach(list, i, name)
	{
		const struct tn_path item = { &at, NULL, i };

		if (!tn_json_want(&r->im, TN_PLAN_FORMAT, &item, name, JSON_STRING))
			return false;
		tn_strbuf_printf(out, "%s%s", i ? "," : "", json_string_value(name));
	}
	if (!out->len)
		tn_strbuf_puts(out, "none");
	return true;
}

static enum tn_status read_changes(
	struct tn_plan_reader *r, const json_t *root, struct tn_plan_changes *out)
{
	const size_t before = r->im.diags->errors;
	struct tn_strbuf text;
	bool enough;

	tn_strbuf_init(&text);
	enough = tn_plan_copies(r, root, &out->copies, &out->n_copies);
	if (enough && join_names(r, json_object_get(root, "rewrite"), &text)) {
		out->rewrite =
			text.failed ? NULL
				    : tn_str_intern(r->im.strings, text.text, text.len);
		enough = out->rewrite;
	}
	tn_strbuf_release(&text);
	return !enough			      ? TN_ERR_NOMEM
	       : r->im.diags->errors > before ? TN_ERR_INPUT
					      : TN_OK;
}

enum tn_status tn_plan_file_changes(const struct tn_plan_file *file,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_plan_changes *out)
{
	struct tn_plan_reader r = { .im = { .arena = arena,
					    .strings = strings,
					    .diags = diags,
					    .source = file->source } };

	*out = (struct tn_plan_changes){ 0 };
	return read_changes(&r, file->json.root, out);
}

enum tn_status tn_plan_file_kernels(const struct tn_plan_file *file,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	const char **out_name)
{
	static const struct tn_path at = { NULL, "kernel_set", 0 };
	struct tn_import im = {
		.arena = arena, .strings = strings, .diags = diags, .source = file->source
	};
	const json_t *name = json_object_get(file->json.root, at.key);

	*out_name = NULL;
	if (!name)
		return TN_OK;
	if (!tn_json_want(&im, TN_PLAN_FORMAT, &at, name, JSON_STRING))
		return TN_ERR_INPUT;
	*out_name =
		tn_str_intern(strings, json_string_value(name), json_string_length(name));
	return *out_name ? TN_OK : TN_ERR_NOMEM;
}

#define ALIGN_USUAL 16
#define ALIGN_MAX   (1 << 20)

static int64_t asked_align(const json_t *root)
{
	const json_t *region = json_array_get(json_object_get(root, "regions"), 0);
	const json_t *value = json_object_get(root, "align");
	int64_t align;

	if (!value) /* an older file: what came of it */
		value = json_object_get(region, "align");
	align = json_integer_value(value);
	return align > 0 && align <= ALIGN_MAX && !(align & (align - 1)) ? align
									 : ALIGN_USUAL;
}

static bool says(const json_t *object, const char *key, const char *word)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && strcmp(text, word) == 0;
}

struct tn_plan_asked tn_plan_file_asked(const struct tn_plan_file *file)
{
	const json_t *root = file->json.root;
	const json_t *streams = json_object_get(root, "streams");
	struct tn_plan_asked asked = { .overlap = OVERLAP_FULL,
		.align = asked_align(root),
		.searched = says(json_object_get(root, "schedule"), "mode", "search"),
		.streams = json_array_size(streams) > 0,
		.placed = json_array_size(json_object_get(root, "regions")) > 1 ||
			  json_array_size(json_object_get(root, "pins")) > 0 };

	for (int i = OVERLAP_NONE; i <= OVERLAP_FULL; i++)
		if (says(root, "overlap", tn_overlap_names[i]))
			asked.overlap = (enum tn_overlap_mode)i;
	for (size_t i = 0; i < json_array_size(streams); i++)
		if (json_object_get(json_array_get(streams, i), "input"))
			asked.fed = true;
	return asked;
}
