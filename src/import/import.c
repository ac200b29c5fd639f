#include "import/import.h"

#include <string.h>

#include "base/banned.h"
#include "base/strbuf.h"
#include "import/sniff.h"
#include "ir/validate.h"

const char *tn_import_sniff(const struct tn_source *source)
{
	const struct tn_format *format = tn_format_sniff(source);

	return format ? format->name : NULL;
}

bool tn_import_is_graph(const struct tn_source *source)
{
	const struct tn_format *format = tn_format_sniff(source);

	return format && format->read;
}

static void list_formats(struct tn_import *im)
{
	const struct tn_format *format;

	for (size_t i = 0; (format = tn_format_readable(i)) != NULL; i++)
		tn_diag_note(
			im->diags, "can be read: %s, %s", format->name, format->title);
}

/* In a line: who gave no name of a format needs none of the titles. */
static void name_formats(struct tn_import *im)
{
	const struct tn_format *format;
	struct tn_strbuf names;

	tn_strbuf_init(&names);
	for (size_t i = 0; (format = tn_format_readable(i)) != NULL; i++)
		tn_strbuf_printf(&names, "%s%s", i ? ", " : "", format->name);
	if (names.failed)
		im->diags->failed = true;
	else
		tn_diag_note(im->diags, "can be read: %s", names.text);
	tn_strbuf_release(&names);
}

static bool looks_like_object(const struct tn_source *source)
{
	size_t at = 0;

	while (at < source->len && strchr(" \t\r\n", source->text[at]))
		at++;
	return at < source->len && source->text[at] == '{';
}

static const struct tn_format *choose(struct tn_import *im)
{
	const struct tn_format *format;

	if (im->from) {
		format = tn_format_named(im->from);
		if (!format) {
			tn_diag(im->diags, SEVERITY_ERROR, "import/format", im->source,
				NULL, "there is no format '%s'", im->from);
			list_formats(im);
		}
		return format;
	}
	format = tn_format_sniff(im->source);
	if (format)
		return format;
	if (!im->source->len) {
		tn_diag(im->diags, SEVERITY_ERROR, "import/empty", im->source, NULL,
			"the file is empty");
	} else if (looks_like_object(im->source)) {
		tn_diag(im->diags, SEVERITY_ERROR, "import/format", im->source, NULL,
			"this looks like JSON, but not like a graph");
		tn_diag_note(
			im->diags, "a native graph says \"format\": \"tenure.graph/1\"");
	} else {
		tn_diag(im->diags, SEVERITY_ERROR, "import/format", im->source, NULL,
			"the file's format is not recognised");
		name_formats(im);
	}
	return NULL;
}

static bool set_shape(struct tn_graph *g, const struct tn_import_shape *s)
{
	bool found = false;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		struct tn_tensor *t = &g->tensors[i];

		if (strcmp(t->name, s->tensor) != 0)
			continue;
		found = true;
		t->shape = s->shape;
		t->elements = t->bytes = -1;
		if (!tn_shape_elements(&t->shape, &t->elements) ||
			!tn_dtype_bytes(t->dtype, t->elements, &t->bytes))
			t->elements = t->bytes = -1;
	}
	return found;
}

static void set_shapes(struct tn_import *im, struct tn_graph *g)
{
	for (size_t i = 0; i < im->n_shapes; i++)
		if (!set_shape(g, &im->shapes[i]))
			tn_diag(im->diags, SEVERITY_WARNING, "import/shape", im->source,
				NULL, "there is no tensor '%s' to give a shape to",
				im->shapes[i].tensor);
}

enum tn_status tn_import(struct tn_import *im, struct tn_graph *out)
{
	const struct tn_format *format = choose(im);
	size_t errors = im->diags->errors;
	enum tn_status status;

	if (!format)
		return im->diags->failed ? TN_ERR_NOMEM : TN_ERR_INPUT;
	if (!format->read) {
		tn_diag(im->diags, SEVERITY_ERROR, "import/unsupported", im->source, NULL,
			"this is %s (%s): tenure does not read it", format->title,
			format->name);
		tn_diag_note(im->diags, "%s", format->advice);
		return im->diags->failed ? TN_ERR_NOMEM : TN_ERR_INPUT;
	}
	*out = (struct tn_graph){ 0 };
	status = format->read(im, out);
	if (status == TN_OK) {
		set_shapes(im, out);
		status = tn_validate(out, im->diags);
	}
	if (status == TN_OK && im->diags->errors > errors)
		status = TN_ERR_INPUT;
	return im->diags->failed ? TN_ERR_NOMEM : status;
}
