#include "report/html_shell.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/banned.h"

xmlNodePtr tn_shell_slot(struct tn_html *h, const char *id)
{
	xmlNodePtr node =
		h->failed ? NULL : tn_node_find(xmlDocGetRootElement(h->doc), id);

	if (!node)
		h->failed = true;
	return node;
}

static void embed(struct tn_html *h, const struct tn_shell_asset *list, size_t n,
	struct tn_strbuf *policy)
{
	for (size_t i = 0; i < n; i++) {
		tn_strbuf_printf(policy, " 'sha256-%s'", list[i].asset->sha256);
		tn_text_verbatim(h, tn_shell_slot(h, list[i].slot), list[i].asset->text,
			list[i].asset->len);
	}
	if (!n)
		tn_strbuf_puts(policy, " 'none'");
}

void tn_shell_head(struct tn_html *h, const struct tn_shell_asset *styles,
	size_t n_styles, const struct tn_shell_asset *scripts, size_t n_scripts)
{
	struct tn_strbuf policy;

	tn_strbuf_init(&policy);
	tn_strbuf_puts(&policy, "default-src 'none'; style-src");
	embed(h, styles, n_styles, &policy);
	tn_strbuf_puts(&policy, "; script-src");
	embed(h, scripts, n_scripts, &policy);
	tn_strbuf_puts(&policy, "; base-uri 'none'; form-action 'none'");
	if (policy.failed)
		h->failed = true;
	else
		tn_attr(h, tn_shell_slot(h, "policy"), "content", policy.text);
	tn_strbuf_release(&policy);
}

void tn_shell_patterns(struct tn_html *h, xmlNodePtr parent)
{
	xmlNodePtr svg = tn_node_text(h, parent, "svg", "tl-defs", NULL);

	tn_attr(h, svg, "width", "0");
	tn_attr(h, svg, "height", "0");
	tn_attr(h, svg, "aria-hidden", "true");
	tn_timeline_patterns(h, svg);
}

static xmlNodePtr picture(
	const struct tn_timeline *t, xmlNodePtr parent, const char *class, int64_t width)
{
	xmlNodePtr svg = tn_node_text(t->h, parent, "svg", class, NULL);
	char box[64];

	snprintf(
		box, sizeof(box), "0 0 %" PRId64 " %" PRId64, width / 10, t->height / 10);
	tn_attr(t->h, svg, "viewBox", box);
	tn_attr_int(t->h, svg, "width", width / 10);
	tn_attr_int(t->h, svg, "height", t->height / 10);
	return svg;
}

void tn_shell_region(xmlNodePtr parent, struct tn_timeline *t)
{
	const struct tn_plan_region *r = &t->v->plan->regions[t->region];
	xmlNodePtr frame, svg;

	if (!tn_timeline_init(t))
		return;
	if (t->v->plan->n_regions > 1)
		tn_node_text(t->h, parent, "h3", "region-name", r->name ? r->name : "");
	frame = tn_node_text(t->h, parent, "div", "tl-frame tl-scrolls", NULL);
	tn_attr(t->h, frame, "tabindex", "0");
	tn_attr(t->h, frame, "role", "group");
	tn_attr(t->h, frame, "aria-label", "Buffers in memory over the steps of the run");
	svg = picture(t, frame, "tl-svg tl-axis-svg", t->axis_width);
	tn_attr(t->h, svg, "aria-hidden", "true");
	tn_timeline_axis(t, svg);
	tn_timeline_plot(t, picture(t, frame, "tl-svg", t->plot_width));
}
