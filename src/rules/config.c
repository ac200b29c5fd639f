#define _POSIX_C_SOURCE 200809L
#include "rules/config.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/filename.h"
#include "base/glob.h"
#include "base/size.h"
#include "base/xml.h"
#include "rules/packs.h"

#include "base/banned.h"

struct reader {
	struct tn_xml xml;
	struct tn_config *out;
	TN_VEC(struct tn_config_pack) packs;
	TN_VEC(struct tn_config_rule) rules;
	TN_VEC(struct tn_config_budget) budgets;
	TN_VEC(struct tn_config_ignore) ignored;
	TN_VEC(struct tn_config_suppress) suppressions;
};

/* -1: it is not given, or wrong, reported. */
static int64_t size_of(struct reader *r, xmlNodePtr node, const char *name)
{
	const char *text = tn_xml_attribute(&r->xml, node, name);
	int64_t size = -1;

	if (text && !tn_size_parse(text, &size))
		tn_xml_complain(&r->xml, xmlGetLineNo(node),
			"%s=\"%s\" is no size, or too large", name, text);
	return size;
}

static void read_rule(struct reader *r, xmlNodePtr node)
{
	static const char *const words[] = { [SEVERITY_NOTE] = "note",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
		"off",
		NULL };
	const int severity =
		tn_xml_choice(&r->xml, node, "severity", words, SEVERITY_ERROR);
	struct tn_config_rule rule = { .id = tn_xml_attribute(&r->xml, node, "id"),
		.off = severity > SEVERITY_ERROR,
		.line = xmlGetLineNo(node) };

	if (!rule.off)
		rule.severity = (enum tn_severity)severity;
	if (!tn_vec_push(r->xml.arena, &r->rules, rule))
		r->xml.nomem = true;
}

static void read_suppression(struct reader *r, xmlNodePtr node)
{
	struct tn_config_suppress s = { .rule = tn_xml_attribute(&r->xml, node, "rule"),
		.name = tn_xml_exact(&r->xml, node, "name"),
		.models = tn_xml_exact(&r->xml, node, "models"),
		.reason = tn_xml_words(&r->xml, node),
		.line = xmlGetLineNo(node) };

	if (s.reason && !*s.reason)
		tn_xml_complain(&r->xml, s.line, "a suppression needs a reason");
	if (!tn_vec_push(r->xml.arena, &r->suppressions, s))
		r->xml.nomem = true;
}

static void read_element(struct reader *r, xmlNodePtr node)
{
	struct tn_xml *x = &r->xml;
	bool ok = true;

	if (tn_xml_is(node, "rule")) {
		read_rule(r, node);
	} else if (tn_xml_is(node, "suppress")) {
		read_suppression(r, node);
	} else if (tn_xml_is(node, "pack")) {
		const char *file = tn_xml_exact(x, node, "file");
		const struct tn_config_pack pack = {
			.file = file ? tn_filename_join(x->arena, r->out->folder, file)
				     : NULL,
			.line = xmlGetLineNo(node)
		};

		ok = pack.file && tn_vec_push(x->arena, &r->packs, pack);
	} else if (tn_xml_is(node, "ignore")) {
		const struct tn_config_ignore ignore = { .models = tn_xml_exact(
								 x, node, "models"),
			.line = xmlGetLineNo(node) };

		ok = ignore.models && tn_vec_push(x->arena, &r->ignored, ignore);
	} else if (tn_xml_is(node, "budget")) {
		const struct tn_config_budget budget = { .models = tn_xml_exact(
								 x, node, "models"),
			.ram = size_of(r, node, "ram"),
			.flash = size_of(r, node, "flash"),
			.line = xmlGetLineNo(node) };

		ok = tn_vec_push(x->arena, &r->budgets, budget);
	}
	x->nomem = x->nomem || !ok;
}

/* The attribute as one of the words; NULL: it is not given. */
static const char *word_of(
	struct reader *r, xmlNodePtr node, const char *name, const char *const *words)
{
	const int i = tn_xml_choice(&r->xml, node, name, words, -1);

	return i < 0 ? NULL : words[i];
}

static void read_document(struct reader *r, xmlNodePtr root)
{
	static const char *const profiles[] = { "inference", "training", NULL };
	static const char *const executions[] = { "sequential", "parallel", NULL };
	static const char *const levels[] = { "error", "warning", "note", NULL };
	struct tn_config *out = r->out;

	out->profile = word_of(r, root, "profile", profiles);
	out->execution = word_of(r, root, "execution", executions);
	out->fail_on = word_of(r, root, "fail-on", levels);
	out->target = tn_xml_attribute(&r->xml, root, "target");
	out->line = xmlGetLineNo(root);
	for (xmlNodePtr node = root->children; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE)
			read_element(r, node);
	out->packs = r->packs.items;
	out->n_packs = r->packs.count;
	out->rules = r->rules.items;
	out->n_rules = r->rules.count;
	out->budgets = r->budgets.items;
	out->n_budgets = r->budgets.count;
	out->ignored = r->ignored.items;
	out->n_ignored = r->ignored.count;
	out->suppressions = r->suppressions.items;
	out->n_suppressions = r->suppressions.count;
}

enum tn_status tn_config_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_config *out)
{
	const struct tn_embedded *schema = tn_embedded_find(tn_rule_packs, "config.rng");
	struct reader r = {
		.xml = { .arena = arena, .diags = diags, .rule = "config/invalid" },
		.out = out
	};
	const char *absolute = tn_filename_absolute(arena, file);
	struct tn_source *source;
	enum tn_status status =
		tn_file_read_settled(arena, diags, file, tn_xml_fits, &source);
	xmlDocPtr doc;

	*out = (struct tn_config){ 0 };
	if (status != TN_OK)
		return status;
	source->is_text = true;
	r.xml.source = out->source = source;
	out->folder = absolute ? tn_filename_folder(arena, absolute) : NULL;
	if (!out->folder || !schema)
		return TN_ERR_NOMEM;
	doc = tn_xml_read(&r.xml, schema->text, schema->len);
	if (doc)
		read_document(&r, xmlDocGetRootElement(doc));
	xmlFreeDoc(doc);
	return r.xml.nomem ? TN_ERR_NOMEM : r.xml.wrong ? TN_ERR_INPUT : TN_OK;
}

static bool matches_any(const struct tn_rule_set *rules, const char *pattern)
{
	for (size_t i = 0; i < rules->n; i++)
		if (tn_glob(pattern, rules->items[i].id))
			return true;
	return false;
}

static bool check(const struct tn_config *config, const struct tn_rule_set *rules,
	const char *pattern, long line, struct tn_diags *diags)
{
	struct tn_diag *d;

	if (matches_any(rules, pattern))
		return true;
	d = tn_diag_at(diags, SEVERITY_ERROR, "config/unknown-rule", config->source, NULL,
		NULL, "there is no rule '%s'", pattern);
	if (d)
		d->line = (size_t)line;
	return false;
}

enum tn_status tn_config_check(const struct tn_config *config,
	const struct tn_rule_set *rules, struct tn_diags *diags)
{
	bool ok = true;

	for (size_t i = 0; i < config->n_rules; i++)
		ok = check(config, rules, config->rules[i].id, config->rules[i].line,
			     diags) &&
		     ok;
	for (size_t i = 0; i < config->n_suppressions; i++)
		ok = check(config, rules, config->suppressions[i].rule,
			     config->suppressions[i].line, diags) &&
		     ok;
	return ok ? TN_OK : TN_ERR_INPUT;
}

const char *tn_config_find(const char *absolute, struct tn_arena *arena, bool *out_nomem)
{
	const char *folder = tn_filename_folder(arena, absolute);
	struct stat info;

	/* a link to nowhere is one, too: somebody wanted it to count */
	while (folder) {
		const char *name = tn_filename_join(arena, folder, TN_CONFIG_NAME);

		if (!name)
			break;
		if (lstat(name, &info) == 0)
			return name;
		if (strcmp(folder, "/") == 0)
			return NULL;
		folder = tn_filename_folder(arena, folder);
	}
	*out_nomem = true;
	return NULL;
}
