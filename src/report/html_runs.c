/* What executing the graph has shown. */
#include <inttypes.h>
#include <stdio.h>

#include "report/html_parts.h"
#include "report/words.h"

#include "base/banned.h"

enum { DIGESTS_MAX = 2000 };

static xmlNodePtr cell(struct tn_page *p, xmlNodePtr row, const char *class)
{
	return tn_node_text(&p->h, row, "td", class, NULL);
}

static void run(struct tn_page *p, xmlNodePtr body, const struct tn_view_run *r)
{
	xmlNodePtr row = tn_node(&p->h, body, "tr");

	tn_node_text(&p->h, cell(p, row, NULL), "span",
		r->same && p->v->verified ? "tag tag-proved"
		: r->same		  ? "tag"
					  : "tag tag-error",
		r->same ? "same" : "not the same");
	tn_text(&p->h, cell(p, row, NULL), r->target);
	tn_text(&p->h, cell(p, row, NULL), r->options);
	tn_text(&p->h, cell(p, row, NULL), r->shared ? "over the plan" : "apart");
	tn_text_number(&p->h, cell(p, row, "num"), r->compared);
	tn_text(&p->h, cell(p, row, "why"), r->verdict);
}

static void digests(struct tn_page *p, xmlNodePtr parent)
{
	static const char *const columns[] = { ">run", "activation", "digest" };
	size_t n = p->v->n_digests;
	xmlNodePtr fold = tn_node(&p->h, parent, "details"), body;
	char text[64];

	snprintf(text, sizeof(text), "Digests of %zu activations", n);
	tn_node_text(&p->h, fold, "summary", NULL, text);
	body = tn_html_table(&p->h, fold, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < n && i < DIGESTS_MAX; i++) {
		const struct tn_view_digest *d = &p->v->digests[i];
		xmlNodePtr row = tn_node(&p->h, body, "tr");

		tn_text_number(&p->h, cell(p, row, "num"), d->run);
		tn_text_tensor(&p->h, tn_node(&p->h, cell(p, row, NULL), "code"), p->v,
			d->tensor, TN_WORDS_NAME);
		snprintf(text, sizeof(text), "%016" PRIx64, d->digest);
		tn_node_text(&p->h, cell(p, row, NULL), "code", NULL, text);
	}
}

void tn_html_runs(struct tn_page *p, xmlNodePtr parent)
{
	static const char *const columns[] = { "activations", "on", "built with",
		"memory", ">compared", "verdict" };
	xmlNodePtr body;

	tn_node_text(&p->h, parent, "p", "muted",
		"Every activation is compared with a run in which each tensor has memory "
		"of its own.");
	body = tn_html_table(&p->h, parent, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < p->v->n_runs; i++)
		run(p, body, &p->v->runs[i]);
	if (p->v->n_digests)
		digests(p, parent);
}
