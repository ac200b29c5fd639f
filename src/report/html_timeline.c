#include "report/html_timeline_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/escape.h"
#include "report/marks.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

static int64_t ruler_y(void)
{
	return TOP + PLOT;
}

static int64_t strip_y(void)
{
	return TOP + PLOT + RULER + STRIP_GAP;
}

static int64_t marks(const struct tn_timeline *t, xmlNodePtr g);

bool tn_timeline_init(struct tn_timeline *t)
{
	struct tn_mark lines[TN_MARKS_MAX];
	size_t n = tn_marks_of(t->v, t->region, lines);
	int64_t most = 0, room;

	for (uint32_t i = 0; i < t->boxes->n; i++) {
		const struct tn_box *b = &t->boxes->list[i];

		if (b->region == t->region)
			most = tn_max_i64(most, b->offset + b->bytes);
	}
	if (most <= 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(lines[i].kind, "peak") != 0 && lines[i].bytes / 3 <= most)
			most = tn_max_i64(most, lines[i].bytes);
	t->bytes = tn_max_i64(most, t->least_bytes);
	for (t->tick = 1; t->tick < t->bytes / 9 && t->tick <= INT64_MAX / 2;)
		t->tick *= 2;
	t->step = (t->width ? t->width : WIDTH_WANTED) / t->boxes->steps;
	t->step = tn_min_i64(
		tn_max_i64(t->step, t->width ? STEP_MIN / 4 : STEP_MIN), STEP_MAX);
	/* a few ops are as wide as what is written over them */
	room = tn_max_i64(marks(t, NULL), t->least_width - AXIS);
	if (t->boxes->steps < room / t->step + 1)
		t->step = (room + t->boxes->steps - 1) / t->boxes->steps;
	t->plot_width = t->boxes->steps * t->step;
	t->axis_width = AXIS;
	t->most_const = 0;
	/* constants lie in no region: one strip for all */
	for (uint32_t p = 0; p < t->v->g->n_ops && t->region == 0; p++) {
		const struct tn_op *op = &t->v->g->ops[tn_view_op_at(t->v, p).i];

		t->most_const =
			tn_max_i64(t->most_const, tn_traffic_of(t->v->g, op).const_bytes);
	}
	t->height = (t->most_const ? strip_y() + STRIP : ruler_y() + RULER) + BOTTOM;
	return true;
}

/* Long numbers are told in larger units, which divide the distance of grid lines. */
#define LONG 1000000000

static void tick_words(const struct tn_timeline *t, int64_t at, struct tn_strbuf *out)
{
	static const char *const units[] = { "", " KiB", " MiB", " GiB", " TiB", " PiB",
		" EiB" };
	size_t unit = 0;

	for (int64_t tick = t->tick; t->bytes >= LONG && at && tick >= 1024;
		tick /= 1024) {
		at /= 1024;
		unit++;
	}
	tn_escape_number(out, at);
	tn_strbuf_puts(out, units[unit]);
}

void tn_timeline_axis(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr text, g = tn_node_text(t->h, svg, "g", "tl-axis", NULL);
	struct tn_strbuf words;

	for (int64_t at = 0; at <= t->bytes; at += t->tick) {
		text = tn_timeline_label(t, g, "tl-tick", t->axis_width - 8 * PX,
			tn_timeline_y(t, at) + 4 * PX);
		tn_strbuf_init(&words);
		tick_words(t, at, &words);
		tn_text_taken(t->h, text, &words);
		if (at > INT64_MAX - t->tick)
			break;
	}
	text = tn_timeline_label(t, g, "tl-unit", t->axis_width - 8 * PX, 12 * PX);
	tn_text(t->h, text, "bytes");
	text = tn_timeline_label(
		t, g, "tl-unit", t->axis_width - 8 * PX, ruler_y() + 15 * PX);
	tn_text(t->h, text, "op");
	if (t->most_const) {
		text = tn_timeline_label(
			t, g, "tl-unit", t->axis_width - 8 * PX, strip_y() + 12 * PX);
		tn_text(t->h, text, "constants");
		text = tn_timeline_label(
			t, g, "tl-unit", t->axis_width - 8 * PX, strip_y() + 25 * PX);
		tn_text(t->h, text, "read");
	}
}

static void grid(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-grid", NULL);

	for (int64_t at = 0; at <= t->bytes; at += t->tick) {
		tn_timeline_line(t, g, at ? NULL : "tl-zero", 0, tn_timeline_y(t, at),
			t->plot_width, tn_timeline_y(t, at));
		if (at > INT64_MAX - t->tick)
			break;
	}
	for (uint32_t p = 0; p <= t->v->g->n_ops; p++)
		tn_timeline_line(t, g, "tl-op", tn_timeline_x(t, 2 * (int64_t)p), TOP,
			tn_timeline_x(t, 2 * (int64_t)p), TOP + PLOT);
}

/* Numbers below the plot, as many as find room, and bars for the constants. */
static void ruler(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-ruler", NULL);
	int64_t free_from = 0;

	for (uint32_t p = 0; p < t->v->g->n_ops; p++) {
		const struct tn_op *op = &t->v->g->ops[tn_view_op_at(t->v, p).i];
		int64_t bytes = tn_traffic_of(t->v->g, op).const_bytes;
		int64_t x = tn_timeline_x(t, 2 * (int64_t)p), high;
		char text[16];
		int len = snprintf(text, sizeof(text), "%" PRIu32, p);

		if (x + t->step - len * LETTER / 2 >= free_from) {
			tn_text(t->h,
				tn_timeline_label(t, g,
					p == t->peak ? "tl-num tl-num-peak" : "tl-num",
					x + t->step, ruler_y() + 15 * PX),
				text);
			free_from = x + t->step + len * LETTER / 2 + 4 * PX;
		}
		if (!t->most_const || bytes <= 0 ||
			tn_view_elided(t->v, tn_view_op_at(t->v, p)))
			continue;
		high = tn_max_i64(tn_timeline_scale(bytes, t->most_const, STRIP), PX);
		tn_timeline_rect(t, g, "tl-const", x + 1 * PX, strip_y() + STRIP - high,
			2 * t->step - 2 * PX, high);
	}
	if (t->most_const)
		tn_timeline_line(t, g, "tl-zero", 0, strip_y() + STRIP, t->plot_width,
			strip_y() + STRIP);
}

static const char *mark_class(const char *kind)
{
	static const char *const kinds[][2] = {
		{ "budget", "tl-mark tl-budget" },
		{ "disjoint", "tl-mark tl-disjoint" },
		{ "peak", "tl-mark tl-peak" },
		{ "bound", "tl-mark tl-bound" },
	};
	size_t i = 0;

	while (strcmp(kinds[i][0], kind) != 0)
		i++;
	return kinds[i][1];
}

/* A budget that is many times what the plan takes would leave nothing to see of it. */
static int64_t mark_beyond(
	const struct tn_timeline *t, xmlNodePtr g, const struct tn_mark *mark)
{
	struct tn_strbuf text;
	int64_t width;

	tn_strbuf_init(&text);
	tn_strbuf_puts(&text, mark->name);
	tn_strbuf_putc(&text, ' ');
	tn_escape_number(&text, mark->bytes);
	tn_strbuf_puts(&text, " B, above the picture");
	width = (int64_t)text.len * LETTER + 6 * PX;
	if (g)
		tn_text_taken(t->h,
			tn_timeline_label(t, g, "tl-mark-name",
				tn_max_i64(t->plot_width - width, 0), 13 * PX),
			&text);
	else
		tn_strbuf_release(&text);
	return width;
}

/* Lines across the plot, each with its label above; equal ones share a label. Gives where
 * the last label ends; draws nothing without a node. */
static int64_t marks(const struct tn_timeline *t, xmlNodePtr g)
{
	struct tn_mark all[TN_MARKS_MAX];
	size_t n = tn_marks_of(t->v, t->region, all);
	int64_t last_y = -1000 * PX, last_end = 0, end = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t y = tn_timeline_y(t, all[i].bytes), x = 6 * PX;
		struct tn_strbuf text;

		if (i && all[i].bytes == all[i - 1].bytes)
			continue;
		if (all[i].bytes > t->bytes) {
			end = tn_max_i64(end, mark_beyond(t, g, &all[i]));
			continue;
		}
		if (g)
			tn_timeline_line(
				t, g, mark_class(all[i].kind), 0, y, t->plot_width, y);
		tn_strbuf_init(&text);
		for (size_t k = i; k < n && all[k].bytes == all[i].bytes; k++)
			tn_strbuf_printf(&text, "%s%s", k > i ? " = " : "", all[k].name);
		tn_strbuf_putc(&text, ' ');
		tn_escape_number(&text, all[i].bytes);
		tn_strbuf_puts(&text, " B");
		if (y - last_y < 14 * PX && last_y - y < 14 * PX)
			x = last_end + 14 * PX;
		last_y = y;
		last_end = x + (int64_t)text.len * LETTER;
		end = tn_max_i64(end, x + (int64_t)text.len * BOLD);
		if (g)
			tn_text_taken(t->h,
				tn_timeline_label(t, g, "tl-mark-name", x, y - 5 * PX),
				&text);
		else
			tn_strbuf_release(&text);
	}
	return end;
}

void tn_timeline_plot(const struct tn_timeline *t, xmlNodePtr svg)
{
	if (t->peak != TN_NONE)
		tn_timeline_rect(t, svg, "tl-peak-op",
			tn_timeline_x(t, 2 * (int64_t)t->peak), TOP - 10 * PX,
			2 * t->step, PLOT + RULER + 10 * PX);
	for (uint32_t i = 0; i < t->v->plan->n_streams; i++) {
		const struct tn_plan_stream *s = &t->v->plan->streams[i];

		tn_timeline_rect(t, svg, "tl-stream",
			tn_timeline_x(t, 2 * (int64_t)s->first), TOP - 10 * PX,
			2 * (int64_t)s->n * t->step, PLOT + 10 * PX);
	}
	grid(t, svg);
	tn_timeline_boxes(t, svg);
	ruler(t, svg);
	marks(t, tn_node_text(t->h, svg, "g", "tl-marks", NULL));
}

static xmlNodePtr pattern(struct tn_html *h, xmlNodePtr defs, const char *kind, int size)
{
	xmlNodePtr node = tn_node(h, defs, "pattern");
	char id[32];

	snprintf(id, sizeof(id), "tl-p-%s", kind);
	tn_attr(h, node, "id", id);
	tn_attr_int(h, node, "width", size);
	tn_attr_int(h, node, "height", size);
	tn_attr(h, node, "patternUnits", "userSpaceOnUse");
	return node;
}

static void stroke(struct tn_html *h, xmlNodePtr parent, const char *d)
{
	xmlNodePtr path = tn_node_text(h, parent, "path", "tl-ink", NULL);

	tn_attr(h, path, "d", d);
}

void tn_timeline_patterns(struct tn_html *h, xmlNodePtr svg)
{
	xmlNodePtr defs = tn_node(h, svg, "defs"), dot;

	stroke(h, pattern(h, defs, "input", 8), "M-2 2L2 -2M0 8L8 0M6 10L10 6");
	stroke(h, pattern(h, defs, "output", 8), "M-2 6L2 10M0 0L8 8M6 -2L10 2");
	stroke(h, pattern(h, defs, "variable", 8), "M0 4H8M4 0V8");
	stroke(h, pattern(h, defs, "constant", 6), "M0 3H6");
	stroke(h, pattern(h, defs, "overlap", 5), "M0 5L5 0M-1 1L1 -1M4 6L6 4");
	stroke(h, pattern(h, defs, "gap", 9), "M0 9L9 0M-2 2L2 -2M7 11L11 7");
	dot = tn_node_text(h, pattern(h, defs, "scratch", 6), "circle", "tl-dot", NULL);
	tn_attr(h, dot, "cx", "3");
	tn_attr(h, dot, "cy", "3");
	tn_attr(h, dot, "r", "1.2");
}

void tn_timeline_swatch(struct tn_html *h, xmlNodePtr parent, const char *kind)
{
	static const struct {
		const char *kind, *body;
	} looks[] = {
		{ "overlap", "tl-overlap tl-whole" },
		{ "view", "tl-view" },
		{ "constant", "tl-const" },
		{ "gap", "tl-gap" },
		{ "padding", "tl-padding" },
		{ "stream", "tl-stream" },
	};
	struct tn_timeline t = { .h = h };
	xmlNodePtr svg = tn_node_text(h, parent, "svg", "swatch", NULL), g;
	char class[48];

	tn_attr(h, svg, "viewBox", "0 0 26 14");
	tn_attr(h, svg, "width", "26");
	tn_attr(h, svg, "height", "14");
	tn_attr(h, svg, "aria-hidden", "true");
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		if (strcmp(looks[i].kind, kind) == 0) {
			tn_timeline_rect(&t, svg, looks[i].body, 10, 10, 240, 120);
			return;
		}
	}
	if (strcmp(kind, "chain") == 0)
		snprintf(class, sizeof(class), "tl-box tl-activation tl-chain0");
	else if (strcmp(kind, "ring") == 0)
		snprintf(class, sizeof(class), "tl-box tl-activation tl-shade0 tl-ring");
	else
		snprintf(class, sizeof(class), "tl-box tl-%s tl-shade0", kind);
	g = tn_node_text(h, svg, "g", class, NULL);
	tn_timeline_rect(&t, g, "tl-body", 10, 10, 240, 120);
	if (strcmp(kind, "activation") != 0 && strcmp(kind, "chain") != 0 &&
		strcmp(kind, "ring") != 0)
		tn_timeline_rect(&t, g, "tl-pattern", 10, 10, 240, 120);
}
