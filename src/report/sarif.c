#include "report/sarif.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"
#include "report/json_parts.h"
#include "report/rules.h"
#include "rules/fingerprint.h"

#include "base/banned.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static const char *level(enum tn_severity severity)
{
	return tn_severity_name(severity); /* SARIF has the same three words */
}

static json_t *message(const char *text)
{
	json_t *m = json_object();

	if (tn_json_put(m, "text", tn_json_text(text)))
		return m;
	json_decref(m);
	return NULL;
}

/* A path as a URI: relative ones stay relative, everything unusual is percent-encoded. */
static json_t *uri(const char *path)
{
	struct tn_strbuf text;
	json_t *value;

	tn_strbuf_init(&text);
	if (*path == '/')
		tn_strbuf_puts(&text, "file://");
	if (strcmp(path, "-") == 0)
		path = "stdin";
	if (strncmp(path, "./", 2) == 0)
		path += 2;
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || strchr("-._~/", c);

		if (plain)
			tn_strbuf_putc(&text, *path);
		else
			tn_strbuf_printf(&text, "%%%02X", c);
	}
	value = text.failed ? NULL : json_string(text.text ? text.text : "");
	tn_strbuf_release(&text);
	return value;
}

static json_t *region(const struct tn_finding *f)
{
	/* a binary file has no lines, but viewers insist on one */
	json_int_t line = f->line ? (json_int_t)f->line : 1;
	json_int_t column = f->line ? (json_int_t)f->character : 1;
	json_t *r = json_object();

	if (tn_json_put(r, "startLine", json_integer(line)) &&
		tn_json_put(r, "startColumn", json_integer(column)) &&
		tn_json_put(r, "endLine", json_integer(line)) &&
		tn_json_put(r, "endColumn", json_integer(column + 1)))
		return r;
	json_decref(r);
	return NULL;
}

static json_t *physical(const struct tn_finding *f)
{
	json_t *p = json_object(), *artifact = json_object();

	if (tn_json_put(artifact, "uri", uri(f->file)) &&
		json_object_set_nocheck(p, "artifactLocation", artifact) == 0 &&
		tn_json_put(p, "region", region(f))) {
		json_decref(artifact);
		return p;
	}
	json_decref(artifact);
	json_decref(p);
	return NULL;
}

static json_t *logical(const struct tn_finding *f)
{
	json_t *l = json_object(), *list = json_array();
	const char *pointer = f->diag->pointer;

	if (tn_json_put(l, "fullyQualifiedName",
		    tn_json_text(pointer && *pointer ? pointer : "/")) &&
		(!f->diag->subject || !*f->diag->subject ||
			tn_json_put(l, "name", tn_json_text(f->diag->subject))) &&
		json_array_append(list, l) == 0) {
		json_decref(l);
		return list;
	}
	json_decref(l);
	json_decref(list);
	return NULL;
}

static json_t *locations(const struct tn_finding *f)
{
	json_t *list = json_array(), *l;

	if (!*f->file)
		return list;
	l = json_object();
	if (tn_json_put(l, "physicalLocation", physical(f)) &&
		tn_json_put(l, "logicalLocations", logical(f)) &&
		json_array_append(list, l) == 0) {
		json_decref(l);
		return list;
	}
	json_decref(l);
	json_decref(list);
	return NULL;
}

/* "<hash>:<n>", n counting equal findings of one file. */
struct print {
	uint64_t hash;
	size_t file; /* number of the file */
	size_t i; /* the finding */
	size_t nth;
};

static int by_hash(const void *a, const void *b)
{
	const struct print *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

static int by_finding(const void *a, const void *b)
{
	const struct print *x = a, *y = b;

	return (x->i > y->i) - (x->i < y->i);
}

static struct print *find_prints(const struct tn_findings *all, struct tn_arena *scratch)
{
	struct print *prints = TN_NEW_ARRAY(scratch, struct print, all->n);
	size_t file = 0;

	if (!prints || !all->n)
		return prints;
	for (size_t i = 0; i < all->n; i++) {
		if (i && strcmp(all->list[i].file, all->list[i - 1].file) != 0)
			file++;
		prints[i] =
			(struct print){ tn_fingerprint(all->list[i].g, all->list[i].diag),
				file, i, 1 };
	}
	qsort(prints, all->n, sizeof(*prints), by_hash);
	for (size_t i = 1; i < all->n; i++)
		if (prints[i].hash == prints[i - 1].hash &&
			prints[i].file == prints[i - 1].file)
			prints[i].nth = prints[i - 1].nth + 1;
	qsort(prints, all->n, sizeof(*prints), by_finding);
	return prints;
}

static json_t *fingerprints(const struct print *print)
{
	json_t *f = json_object();
	char text[48];

	snprintf(text, sizeof(text), "%016" PRIx64 ":%zu", print->hash, print->nth);
	if (tn_json_put(f, "primaryLocationLineHash", json_string(text)) &&
		tn_json_put(f, "tenure/v1", json_string(text)))
		return f;
	json_decref(f);
	return NULL;
}

/* Viewers show the message and little else: the notes follow it. */
static json_t *result_message(const struct tn_diag *d)
{
	struct tn_strbuf text;
	json_t *m;

	tn_strbuf_init(&text);
	tn_strbuf_puts(&text, d->message);
	for (size_t i = 0; i < d->notes.count; i++)
		tn_strbuf_printf(&text, "\n%s", d->notes.items[i]);
	m = text.failed ? NULL : message(text.text);
	tn_strbuf_release(&text);
	return m;
}

/* GitHub and others show a suppressed result as dismissed, with the reason. */
static json_t *suppressions(const struct tn_view_suppressed *excuse)
{
	json_t *s = json_object(), *list = json_array();

	if (tn_json_put(s, "kind",
		    json_string(excuse->in_source ? "inSource" : "external")) &&
		tn_json_put(s, "justification", tn_json_text(excuse->reason)) &&
		json_array_append(list, s) == 0) {
		json_decref(s);
		return list;
	}
	json_decref(s);
	json_decref(list);
	return NULL;
}

static json_t *result(const struct tn_finding *f, const struct print *print,
	const struct tn_rules *rules)
{
	const char *rule = tn_finding_rule(f);
	size_t index = tn_rules_index(rules, rule);
	json_t *r = json_object();

	if (tn_json_put(r, "ruleId", tn_json_text(rule)) &&
		tn_json_put(r, "ruleIndex", json_integer((json_int_t)index)) &&
		tn_json_put(r, "level", json_string(level(f->diag->severity))) &&
		tn_json_put(r, "message", result_message(f->diag)) &&
		tn_json_put(r, "locations", locations(f)) &&
		tn_json_put(r, "partialFingerprints", fingerprints(print)) &&
		(!f->excuse || tn_json_put(r, "suppressions", suppressions(f->excuse))))
		return r;
	json_decref(r);
	return NULL;
}

static json_t *results(const struct tn_findings *all, const struct tn_rules *rules,
	struct tn_arena *scratch)
{
	struct print *prints = find_prints(all, scratch);
	json_t *list = prints ? json_array() : NULL;

	for (size_t i = 0; i < all->n && list; i++)
		if (!tn_json_push(list, result(&all->list[i], &prints[i], rules))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *rule_object(const struct tn_view_rule *rule)
{
	json_t *r = json_object(), *defaults = json_object();
	bool ok = tn_json_put(defaults, "level", json_string(level(rule->severity))) &&
		  tn_json_put(r, "id", tn_json_text(rule->id)) &&
		  tn_json_put(r, "shortDescription",
			  message(rule->summary ? rule->summary : rule->id)) &&
		  (!rule->help || tn_json_put(r, "help", message(rule->help))) &&
		  json_object_set_nocheck(r, "defaultConfiguration", defaults) == 0;

	json_decref(defaults);
	if (ok)
		return r;
	json_decref(r);
	return NULL;
}

static json_t *driver(const struct tn_view *views, size_t n, const struct tn_rules *rules)
{
	json_t *d = json_object(), *list = json_array();
	bool ok = tn_json_put(d, "name", json_string("tenure"));

	if (ok && n && views[0].version)
		ok = tn_json_put(d, "semanticVersion", tn_json_text(views[0].version));
	for (size_t i = 0; i < rules->n && ok; i++)
		ok = tn_json_push(list, rule_object(&rules->list[i]));
	ok = ok && json_object_set_nocheck(d, "rules", list) == 0;
	json_decref(list);
	if (ok)
		return d;
	json_decref(d);
	return NULL;
}

/* An object of one member, which it takes over; NULL when that is NULL. */
static json_t *wrap(const char *key, json_t *value)
{
	json_t *o = json_object();

	if (tn_json_put(o, key, value))
		return o;
	json_decref(o);
	return NULL;
}

static json_t *run_object(const struct tn_view *views, size_t n,
	const struct tn_findings *all, const struct tn_rules *rules,
	struct tn_arena *scratch)
{
	json_t *run = wrap("tool", wrap("driver", driver(views, n, rules)));

	if (run && tn_json_put(run, "columnKind", json_string("unicodeCodePoints")) &&
		tn_json_put(run, "results", results(all, rules, scratch)))
		return run;
	json_decref(run);
	return NULL;
}

enum tn_status tn_sarif_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	struct tn_findings all;
	struct tn_rules rules;
	struct tn_arena scratch;
	json_t *root = json_object(), *runs = json_array();
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_findings_suppressed(views, n, true, &scratch, &all);
	if (status == TN_OK)
		status = tn_rules_collect(views, n, &all, &scratch, &rules);
	if (status == TN_OK &&
		!(tn_json_push(runs, run_object(views, n, &all, &rules, &scratch)) &&
			tn_json_put(root, "$schema", json_string(SCHEMA)) &&
			tn_json_put(root, "version", json_string("2.1.0")) &&
			json_object_set_nocheck(root, "runs", runs) == 0))
		status = TN_ERR_NOMEM;
	json_decref(runs);
	tn_arena_release(&scratch);
	if (status == TN_OK)
		return tn_json_write(root, out);
	json_decref(root);
	return status;
}
