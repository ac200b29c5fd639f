#include "report/findings.h"

#include <string.h>

#include "base/place.h"
#include "base/qsort.h"

#include "base/banned.h"

const char *tn_severity_name(enum tn_severity severity)
{
	static const char *const names[] = {
		[SEVERITY_NOTE] = "note",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};

	return names[severity];
}

static bool seen_before(const struct tn_view *views, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (views[k].diags == views[i].diags)
			return true;
	return !views[i].diags;
}

static void count(struct tn_findings *out, enum tn_severity severity)
{
	if (severity == SEVERITY_ERROR)
		out->errors++;
	else if (severity == SEVERITY_WARNING)
		out->warnings++;
	else
		out->notes++;
}

static void take(struct tn_findings *out, const struct tn_view *v,
	const struct tn_diag *d, const struct tn_view_suppressed *excuse)
{
	struct tn_finding *f = &out->list[out->n];

	*f = (struct tn_finding){ .diag = d,
		.g = v->g,
		.file = d->source && d->source->name ? d->source->name : "",
		.line = d->line,
		.column = d->line && !d->column ? 1 : d->column,
		.reported = out->n,
		.excuse = excuse,
		.fails = !excuse && d->severity >= v->fail_on };
	f->character = f->column;
	if (!excuse)
		count(out, d->severity);
	out->n++;
}

/* Most findings of a run have one name in common. */
static int by_file(const struct tn_finding *a, const struct tn_finding *b)
{
	return a->file == b->file ? 0 : strcmp(a->file, b->file);
}

static int by_source(const void *a, const void *b)
{
	const struct tn_finding *fa = a, *fb = b;
	int files = by_file(fa, fb);

	return files ? files
		     : (fa->reported > fb->reported) - (fa->reported < fb->reported);
}

static int by_place(const void *a, const void *b)
{
	const struct tn_finding *fa = a, *fb = b;
	int files = by_file(fa, fb);

	if (files)
		return files;
	if (fa->line != fb->line)
		return fa->line < fb->line ? -1 : 1;
	if (fa->column != fb->column)
		return fa->column < fb->column ? -1 : 1;
	return (fa->reported > fb->reported) - (fa->reported < fb->reported);
}

static bool wants_place(const struct tn_finding *f)
{
	const struct tn_diag *d = f->diag;

	return !f->line && d->pointer && d->source && d->source->is_text;
}

/* All findings of one source in one scan of its text. */
static void locate(
	struct tn_findings *all, size_t begin, size_t end, struct tn_place_query *queries)
{
	const struct tn_source *source = all->list[begin].diag->source;
	size_t n = 0;

	for (size_t i = begin; i < end; i++)
		if (wants_place(&all->list[i]) && all->list[i].diag->source == source)
			queries[n++] = (struct tn_place_query){
				.pointer = all->list[i].diag->pointer, .id = i
			};
	if (!n || !tn_place_find_all(source->text, source->len, queries, n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct tn_finding *f = &all->list[queries[i].id];

		f->line = queries[i].place.line;
		f->column = queries[i].place.column;
		f->character = queries[i].character;
	}
}

static enum tn_status collect(const struct tn_view *views, size_t n, bool shown,
	bool suppressed, struct tn_arena *arena, struct tn_findings *out)
{
	struct tn_place_query *queries;
	size_t total = 0;

	*out = (struct tn_findings){ 0 };
	for (size_t i = 0; i < n; i++)
		if (!seen_before(views, i))
			total += (shown ? views[i].diags->list.count : 0) +
				 (suppressed ? views[i].n_suppressed : 0);
	out->list = TN_NEW_ARRAY(arena, struct tn_finding, total);
	queries = TN_NEW_ARRAY(arena, struct tn_place_query, total);
	if (!out->list || !queries)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		if (seen_before(views, i))
			continue;
		for (size_t k = 0; shown && k < views[i].diags->list.count; k++)
			take(out, &views[i], &views[i].diags->list.items[k], NULL);
		for (size_t k = 0; suppressed && k < views[i].n_suppressed; k++)
			take(out, &views[i], &views[i].suppressed[k].diag,
				&views[i].suppressed[k]);
	}
	if (!out->n)
		return TN_OK;
	tn_qsort(out->list, out->n, sizeof(*out->list), by_source);
	for (size_t begin = 0, end; begin < out->n; begin = end) {
		for (end = begin + 1;
			end < out->n &&
			out->list[end].diag->source == out->list[begin].diag->source;
			end++)
			;
		locate(out, begin, end, queries);
	}
	tn_qsort(out->list, out->n, sizeof(*out->list), by_place);
	return TN_OK;
}

enum tn_status tn_findings_collect(const struct tn_view *views, size_t n,
	struct tn_arena *arena, struct tn_findings *out)
{
	return collect(views, n, true, false, arena, out);
}

enum tn_status tn_findings_suppressed(const struct tn_view *views, size_t n, bool all,
	struct tn_arena *arena, struct tn_findings *out)
{
	return collect(views, n, all, true, arena, out);
}

struct tn_findings tn_findings_count(const struct tn_view *views, size_t n)
{
	struct tn_findings out = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (seen_before(views, i))
			continue;
		for (size_t k = 0; k < views[i].diags->list.count; k++)
			count(&out, views[i].diags->list.items[k].severity);
		out.n += views[i].diags->list.count + views[i].n_suppressed;
	}
	return out;
}
