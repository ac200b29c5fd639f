/* tenure diff: what became of the memory between two versions of a model. */
#include <string.h>

#include "driver/command.h"
#include "report/diff.h"
#include "report/html_diff.h"

#include "base/banned.h"

typedef enum tn_status writer_fn(const struct tn_diff *d, struct tn_strbuf *out);

static enum tn_status plain_text(const struct tn_diff *d, struct tn_strbuf *out)
{
	return tn_diff_text(d, false, out);
}

static enum tn_status colored_text(const struct tn_diff *d, struct tn_strbuf *out)
{
	return tn_diff_text(d, true, out);
}

/* Letters of ASCII in either case, whatever the locale. */
static bool ends_with(const char *name, const char *ending)
{
	size_t n = strlen(name), len = strlen(ending);

	if (n <= len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = name[n - len + i];

		if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[i])
			return false;
	}
	return true;
}

/* Without --format by the name of the output: nobody reads text out of diff.html. */
static const char *format_of(const tenure_options *o)
{
	static const struct {
		const char *ending, *format;
	} rows[] = { { ".html", "html" }, { ".md", "markdown" }, { ".json", "json" } };

	if (o->format)
		return o->format;
	for (size_t i = 0; o->output && i < sizeof(rows) / sizeof(*rows); i++)
		if (ends_with(o->output, rows[i].ending))
			return rows[i].format;
	return "text";
}

/* NULL: there is no such format. */
static writer_fn *writer_of(const tenure_options *o)
{
	const char *format = format_of(o);

	if (strcmp(format, "json") == 0)
		return tn_diff_json;
	if (strcmp(format, "markdown") == 0)
		return tn_diff_markdown;
	if (strcmp(format, "html") == 0)
		return tn_diff_html;
	if (strcmp(format, "text") == 0)
		return o->color_out && !o->output ? colored_text : plain_text;
	return NULL;
}

/* Too large for the memories that were given is a finding, not an end. */
static enum tn_status read_version(struct tn_run *run, const char *file)
{
	enum tn_status status = tn_pipeline(run, file, STAGE_PLAN);

	if (status == TN_ERR_REFUSED)
		status = TN_OK;
	return tn_pipeline_claims(run, status);
}

/* What stopped the command; findings are in the diff itself. */
static bool complain(const struct tn_run *run)
{
	const struct tn_view view = tn_command_view(run);

	return tn_command_tell(run->options, &view);
}

static enum tn_status compare(struct tn_run *old, struct tn_run *new, writer_fn *write,
	const struct tn_diff_growth *growth, bool *out_grown)
{
	const struct tn_view before = tn_command_view(old), after = tn_command_view(new);
	struct tn_strbuf text;
	struct tn_diff d;
	enum tn_status status = tn_diff_find(&before, &after, &new->arena, &d);

	tn_strbuf_init(&text);
	if (status == TN_OK) {
		d.growth = *growth;
		d.growth.exceeded = growth->asked && tn_diff_grown(&d, growth);
		*out_grown = d.growth.exceeded;
		status = write(&d, &text);
	}
	if (status == TN_OK)
		status = tn_command_deliver(new, &text);
	tn_strbuf_release(&text);
	return status;
}

static int end(struct tn_run *old, struct tn_run *new, enum tn_status status, bool grown)
{
	int result = grown ? TENURE_FINDINGS : TENURE_OK;

	if (status != TN_OK && status != TN_ERR_NOMEM) {
		result = status == TN_ERR_INPUT ? TENURE_BAD_INPUT : TENURE_RESOURCES;
		if (!complain(old) || !complain(new))
			status = TN_ERR_NOMEM;
	}
	if (status == TN_ERR_NOMEM || old->diags.failed || new->diags.failed) {
		tn_command_nomem(new->options);
		result = TENURE_RESOURCES;
	}
	tn_run_release(old);
	tn_run_release(new);
	return result;
}

int tenure_diff(const tenure_options *options, const char *before, const char *after)
{
	struct tn_diff_growth growth = { false, -1, -1, false };
	writer_fn *write = writer_of(options);
	struct tn_run old, new;
	enum tn_status status;
	bool grown = false;

	if (!write) {
		fprintf(options->err,
			"tenure: --format of diff must be text, json, markdown or html, "
			"not '%s'\n",
			options->format);
		return TENURE_BAD_INPUT;
	}
	if (options->fail_on_growth &&
		!tn_diff_growth_parse(options->fail_on_growth, &growth)) {
		fprintf(options->err,
			"tenure: --fail-on-growth must be a size or a percentage, not "
			"'%s'\n",
			options->fail_on_growth);
		return TENURE_BAD_INPUT;
	}
	tn_run_init(&old, options);
	tn_run_init(&new, options);
	status = read_version(&old, before);
	if (status == TN_OK)
		status = read_version(&new, after);
	if (status == TN_OK)
		status = compare(&old, &new, write, &growth, &grown);
	return end(&old, &new, status, grown);
}
