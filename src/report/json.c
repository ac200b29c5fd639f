#include "report/json.h"

#include "report/json_claims.h"

#include "base/banned.h"

static bool put_files(json_t *root, const struct tn_view *views, size_t n)
{
	json_t *files;

	if (n == 1)
		return tn_json_put(root, "file", tn_json_text(tn_view_file(views)));
	files = json_array();
	for (size_t i = 0; i < n; i++)
		if (!tn_json_push(files, tn_json_text(tn_view_file(&views[i])))) {
			json_decref(files);
			return false;
		}
	return tn_json_put(root, "files", files);
}

/* One list over all files. */
static bool put_list(
	json_t *root, const char *key, const struct tn_view *views, size_t n, bool claims)
{
	json_t *all = json_array();
	bool ok = all != NULL;

	for (size_t i = 0; i < n && ok; i++) {
		json_t *part = claims ? tn_json_claims(&views[i])
				      : tn_json_decisions(&views[i], true);

		ok = part && json_array_extend(all, part) == 0;
		json_decref(part);
	}
	if (!ok) {
		json_decref(all);
		return false;
	}
	return tn_json_put(root, key, all);
}

/* Most graphs carry no claims, and say nothing of them. */
static bool put_claims(json_t *root, const struct tn_view *views, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (views[i].claims)
			return put_list(root, "claims", views, n, true);
	return true;
}

/* Findings that somebody has accepted, with the reason; only where there are any. */
static bool put_suppressed(json_t *root, const struct tn_findings *suppressed)
{
	json_t *list = json_array();

	if (!suppressed->n) {
		json_decref(list);
		return true;
	}
	for (size_t i = 0; i < suppressed->n; i++) {
		const struct tn_finding *f = &suppressed->list[i];
		json_t *o = json_object();

		if (!tn_json_put(o, "finding", tn_json_finding(f)) ||
			!tn_json_put(o, "reason", tn_json_text(f->excuse->reason)) ||
			!tn_json_put(
				o, "in_source", json_boolean(f->excuse->in_source)) ||
			json_array_append(list, o) != 0) {
			json_decref(o);
			json_decref(list);
			return false;
		}
		json_decref(o);
	}
	return tn_json_put(root, "suppressed", list);
}

enum tn_status tn_json_lint(const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	json_t *root = json_object();
	struct tn_findings findings, suppressed;
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_findings_collect(views, n, &scratch, &findings);
	if (status == TN_OK)
		status = tn_findings_suppressed(views, n, false, &scratch, &suppressed);
	if (status == TN_OK &&
		!(tn_json_put(root, "format", json_string("tenure.lint/1")) &&
			put_files(root, views, n) &&
			tn_json_put(root, "findings", tn_json_findings(&findings)) &&
			put_suppressed(root, &suppressed) && put_claims(root, views, n) &&
			put_list(root, "candidates", views, n, false)))
		status = TN_ERR_NOMEM;
	tn_arena_release(&scratch);
	if (status != TN_OK) {
		json_decref(root);
		return status;
	}
	return tn_json_write(root, out);
}
