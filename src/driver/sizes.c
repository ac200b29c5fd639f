#include "driver/sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A size and where it ends; false when there is none. */
static bool parse_size(const char *text, const char **out_end, int64_t *out)
{
	char *end;
	long long value;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoll(text, &end, 10);
	*out = value;
	*out_end = end;
	return !errno;
}

/* "1x3x224x224", or nothing at all for a scalar. */
static bool parse_shape(const char *text, struct tn_shape *out)
{
	*out = (struct tn_shape){ .rank = 0 };
	while (*text) {
		if (out->rank == TN_RANK_MAX ||
			!parse_size(text, &text, &out->dim[out->rank++]))
			return false;
		if (!*text)
			return true;
		if (*text++ != 'x' || !*text)
			return false;
	}
	return true;
}

static enum tn_status refuse(
	struct tn_diags *diags, const char *option, const char *text, const char *form)
{
	tn_diag(diags, SEVERITY_ERROR, "import/option", NULL, NULL,
		"--%s must be %s, not '%s'", option, form, text);
	return diags->failed ? TN_ERR_NOMEM : TN_ERR_INPUT;
}

enum tn_status tn_sizes_parse(const tenure_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_import *out)
{
	struct tn_import_dim *dims =
		TN_NEW_ARRAY(arena, struct tn_import_dim, options->dims.n);
	struct tn_import_shape *shapes =
		TN_NEW_ARRAY(arena, struct tn_import_shape, options->shapes.n);

	if (!dims || !shapes)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < options->dims.n; i++) {
		const char *text = options->dims.items[i], *end;
		const char *equals = strrchr(text, '=');

		if (!equals || equals == text ||
			!parse_size(equals + 1, &end, &dims[i].size) || *end)
			return refuse(diags, "dim", text, "NAME=N");
		dims[i].name = tn_arena_strndup(arena, text, (size_t)(equals - text));
		if (!dims[i].name)
			return TN_ERR_NOMEM;
	}
	for (size_t i = 0; i < options->shapes.n; i++) {
		const char *text = options->shapes.items[i];
		const char *equals = strrchr(text, '=');

		if (!equals || equals == text ||
			!parse_shape(equals + 1, &shapes[i].shape))
			return refuse(diags, "shape", text, "NAME=AxBxC");
		shapes[i].tensor = tn_arena_strndup(arena, text, (size_t)(equals - text));
		if (!shapes[i].tensor)
			return TN_ERR_NOMEM;
	}
	out->dims = dims;
	out->n_dims = options->dims.n;
	out->shapes = shapes;
	out->n_shapes = options->shapes.n;
	return TN_OK;
}
