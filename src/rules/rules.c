#include "rules/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xml.h"
#include "rules/check.h"
#include "rules/packs.h"

#include "base/banned.h"

struct reader {
	struct tn_xml xml;
	bool shipped;
	TN_VEC(struct tn_rule) list;
};

static struct tn_rule_sample read_sample(struct tn_xml *x, xmlNodePtr node)
{
	return (struct tn_rule_sample){ .command = tn_xml_attribute(x, node, "command"),
		.edit = tn_xml_exact(x, node, "edit"),
		.options = tn_xml_exact(x, node, "options"),
		.file = tn_xml_exact(x, node, "file"),
		.text = tn_xml_text(x, node) };
}

static void read_grounds(struct tn_xml *x, xmlNodePtr rule, struct tn_rule *out)
{
	static const char *const kinds[] = { [GROUND_BUG] = "bug",
		[GROUND_FORMAT] = "format",
		[GROUND_BYTES] = "bytes",
		NULL };
	TN_VEC(struct tn_rule_ground) list = { 0 };

	for (xmlNodePtr node = rule->children; node; node = node->next) {
		struct tn_rule_ground g = { 0 };

		if (!tn_xml_is(node, "ground"))
			continue;
		g.kind = (enum tn_ground_kind)tn_xml_choice(
			x, node, "kind", kinds, GROUND_BYTES);
		g.ref = tn_xml_attribute(x, node, "ref");
		g.text = tn_xml_words(x, node);
		if (!tn_vec_push(x->arena, &list, g))
			x->nomem = true;
	}
	out->grounds = list.items;
	out->n_grounds = list.count;
}

/* Rules of others must say what they check, and say it well. */
static void check_own(struct tn_xml *x, const struct tn_rule *rule)
{
	const char *why;
	long line;

	if (x->nomem)
		return;
	if (!rule->context || !rule->assertion) {
		tn_xml_complain(x, rule->line, "the rule '%s' has no check", rule->id);
		return;
	}
	why = tn_rule_fault(rule, x->arena, &line, &x->nomem);
	if (why)
		tn_xml_complain(
			x, line, "the rule '%s' cannot be used: %s", rule->id, why);
}

static void read_rule(struct reader *r, xmlNodePtr rule)
{
	struct tn_xml *x = &r->xml;
	static const char *const severities[] = { [SEVERITY_NOTE] = "note",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
		NULL };
	struct tn_rule out = { .id = tn_xml_attribute(x, rule, "id"),
		.severity = (enum tn_severity)tn_xml_choice(
			x, rule, "severity", severities, SEVERITY_ERROR),
		.diagnostic = tn_xml_is(rule, "diagnostic"),
		.source = x->source,
		.line = xmlGetLineNo(rule) };

	for (xmlNodePtr node = rule->children; node; node = node->next) {
		if (tn_xml_is(node, "title"))
			out.title = tn_xml_words(x, node);
		else if (tn_xml_is(node, "message")) {
			out.message = tn_xml_words(x, node);
			out.message_line = xmlGetLineNo(node);
		} else if (tn_xml_is(node, "why"))
			out.why = tn_xml_words(x, node);
		else if (tn_xml_is(node, "fix"))
			out.fix = tn_xml_words(x, node);
		else if (tn_xml_is(node, "example"))
			out.example = read_sample(x, node);
		else if (tn_xml_is(node, "near-miss"))
			out.near_miss = read_sample(x, node);
		else if (tn_xml_is(node, "check")) {
			out.context = tn_xml_attribute(x, node, "context");
			out.assertion = tn_xml_attribute(x, node, "assert");
			out.check_line = xmlGetLineNo(node);
		}
	}
	read_grounds(x, rule, &out);
	if (!r->shipped)
		check_own(x, &out);
	if (!tn_vec_push(x->arena, &r->list, out))
		x->nomem = true;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct tn_rule *)a)->id, ((const struct tn_rule *)b)->id);
}

static int by_id_and_line(const void *a, const void *b)
{
	const struct tn_rule *x = a, *y = b;
	int ids = by_id(a, b);

	return ids ? ids : (x->line > y->line) - (x->line < y->line);
}

/* Sorts; ids that are taken, by this pack or by one before, are errors. */
static void join(struct reader *r, struct tn_rule_set *io)
{
	const struct tn_rule_set old = *io;
	struct tn_rule *all =
		TN_NEW_ARRAY(r->xml.arena, struct tn_rule, old.n + r->list.count);

	if (!all) {
		r->xml.nomem = true;
		return;
	}
	if (r->list.count)
		qsort(r->list.items, r->list.count, sizeof(*r->list.items),
			by_id_and_line);
	for (size_t i = 0; i < r->list.count; i++) {
		const struct tn_rule *rule = &r->list.items[i];

		if (tn_rule_find(&old, rule->id) ||
			(i && strcmp(rule[-1].id, rule->id) == 0))
			tn_xml_complain(&r->xml, rule->line,
				"there is a rule '%s' already", rule->id);
	}
	for (size_t i = 0; i < old.n; i++)
		all[i] = old.items[i];
	for (size_t i = 0; i < r->list.count; i++)
		all[old.n + i] = r->list.items[i];
	*io = (struct tn_rule_set){ all, old.n + r->list.count };
	qsort(all, io->n, sizeof(*all), by_id);
}

static enum tn_status read_pack(struct reader *r, struct tn_rule_set *io)
{
	const struct tn_embedded *schema =
		r->shipped ? NULL : tn_embedded_find(tn_rule_packs, "rules.rng");
	xmlDocPtr doc = tn_xml_read(
		&r->xml, schema ? schema->text : NULL, schema ? schema->len : 0);

	if (doc) {
		xmlNodePtr root = xmlDocGetRootElement(doc);

		for (xmlNodePtr node = root->children; node; node = node->next)
			if (node->type == XML_ELEMENT_NODE)
				read_rule(r, node);
		xmlFreeDoc(doc);
	}
	if (!r->xml.nomem && !r->xml.wrong)
		join(r, io);
	return r->xml.nomem ? TN_ERR_NOMEM : r->xml.wrong ? TN_ERR_INPUT : TN_OK;
}

enum tn_status tn_rules_shipped(
	struct tn_arena *arena, struct tn_diags *diags, struct tn_rule_set *out)
{
	enum tn_status status = TN_OK;

	*out = (struct tn_rule_set){ 0 };
	for (const struct tn_embedded *e = tn_rule_packs; e->name && status == TN_OK;
		e++) {
		struct tn_source *source = TN_NEW(arena, struct tn_source);
		struct reader r = { .xml = { .arena = arena,
					    .diags = diags,
					    .rule = "rules/invalid",
					    .source = source },
			.shipped = true };

		if (!source)
			return TN_ERR_NOMEM;
		if (strncmp(e->name, "packs/", 6) != 0)
			continue;
		*source = (struct tn_source){ e->name, e->text, e->len, true };
		status = read_pack(&r, out);
	}
	return status;
}

enum tn_status tn_rules_read(const char *file, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_rule_set *io)
{
	struct reader r = {
		.xml = { .arena = arena, .diags = diags, .rule = "rules/invalid" }
	};
	struct tn_source *source;
	enum tn_status status =
		tn_file_read_settled(arena, diags, file, tn_xml_fits, &source);

	if (status != TN_OK)
		return status;
	source->is_text = true;
	r.xml.source = source;
	return read_pack(&r, io);
}

const struct tn_rule *tn_rule_find(const struct tn_rule_set *rules, const char *id)
{
	const struct tn_rule key = { .id = id };

	return rules->n ? bsearch(&key, rules->items, rules->n, sizeof(key), by_id)
			: NULL;
}
