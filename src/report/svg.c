#include "report/svg.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/assets.h"
#include "report/escape.h"
#include "report/html_timeline.h"

#include "base/banned.h"

/* Tenths of a pixel. */
enum { HEADING = 360, MARGIN = 120, HEADING_LETTER = 110 };

static xmlNodePtr moved(struct tn_html *h, xmlNodePtr parent, int64_t x, int64_t y)
{
	xmlNodePtr g = tn_node(h, parent, "g");
	char text[64];

	snprintf(
		text, sizeof(text), "translate(%" PRId64 " %" PRId64 ")", x / 10, y / 10);
	tn_attr(h, g, "transform", text);
	return g;
}

static void heading(const struct tn_view *v, uint32_t region, struct tn_strbuf *out)
{
	const char *name = v->plan->regions[region].name;

	tn_escape_short(out, tn_view_name(v), TN_WORD_COLUMNS);
	if (v->plan->n_regions > 1 && name) {
		tn_strbuf_puts(out, ", ");
		tn_escape_short(out, name, TN_WORD_COLUMNS / 2);
	}
	tn_strbuf_puts(out, v->verified	 ? ", verified plan"
			    : v->refusal ? ", REFUSED plan"
					 : ", plan NOT VERIFIED");
}

static void draw(struct tn_html *h, const struct tn_view *v, const struct tn_boxes *boxes,
	uint32_t peak)
{
	xmlNodePtr svg = tn_html_root(h, "svg"), style;
	struct tn_timeline t = { .h = h, .v = v, .boxes = boxes, .peak = peak };
	int64_t y = 0, width = 0;
	char box[64];

	tn_attr(h, svg, "xmlns", "http://www.w3.org/2000/svg");
	style = tn_node(h, svg, "style");
	tn_text_verbatim(h, style, tn_asset_timeline_css.text, tn_asset_timeline_css.len);
	tn_timeline_patterns(h, svg);
	for (t.region = 0; t.region < v->plan->n_regions; t.region++) {
		struct tn_strbuf words;
		xmlNodePtr text;

		tn_strbuf_init(&words);
		heading(v, t.region, &words);
		t.least_width = words.failed ? 0
					     : (int64_t)tn_escape_width(words.text) *
						       HEADING_LETTER;
		if (!tn_timeline_init(&t)) {
			tn_strbuf_release(&words);
			continue;
		}
		text = tn_node_text(h, moved(h, svg, MARGIN, y), "text",
			v->verified ? "tl-title" : "tl-title tl-title-bad", NULL);
		tn_attr(h, text, "y", "22");
		tn_text_taken(h, text, &words);
		tn_timeline_axis(&t, moved(h, svg, 0, y + HEADING));
		tn_timeline_plot(&t, moved(h, svg, t.axis_width, y + HEADING));
		y += HEADING + t.height + MARGIN;
		if (width < t.axis_width + t.plot_width + MARGIN)
			width = t.axis_width + t.plot_width + MARGIN;
	}
	snprintf(box, sizeof(box), "0 0 %" PRId64 " %" PRId64, width / 10, y / 10);
	tn_attr(h, svg, "viewBox", box);
	tn_attr(h, svg, "class", v->refusal ? "tl-file tl-refused" : "tl-file");
}

enum tn_status tn_svg_write(const struct tn_view *v, struct tn_strbuf *out)
{
	struct tn_boxes boxes;
	struct tn_load *loads;
	struct tn_arena arena;
	struct tn_html h;
	enum tn_status status;
	uint32_t peak;

	tn_arena_init(&arena);
	status = tn_boxes_find(v, &arena, &boxes);
	if (status == TN_OK)
		status = tn_loads_find(v, &arena, &loads, &peak);
	if (status == TN_OK) {
		status = TN_ERR_NOMEM;
		if (tn_html_init(&h, NULL, 0)) {
			draw(&h, v, &boxes, peak);
			status = tn_html_save(&h, TN_SAVE_XML, out);
		}
		tn_html_release(&h);
	}
	tn_arena_release(&arena);
	return status;
}
