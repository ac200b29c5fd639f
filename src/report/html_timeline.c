#include "report/html_timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/escape.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

/* Tenths of a pixel. */
enum {
	PX = 10,
	TOP = 26 * PX, /* above the highest byte: labels of lines */
	PLOT = 400 * PX, /* the arena */
	RULER = 22 * PX, /* numbers of ops */
	STRIP_GAP = 16 * PX, /* between the ruler and the constants' bars */
	STRIP = 34 * PX, /* the constants' bars */
	BOTTOM = 6 * PX,
	AXIS = 78 * PX,
	WIDTH_WANTED = 1080 * PX,
	STEP_MIN = 10 * PX,
	STEP_MAX = 90 * PX,
	LETTER = 64, /* average width of a letter of a label */
};

static int64_t ruler_y(void)
{
	return TOP + PLOT;
}

static int64_t strip_y(void)
{
	return TOP + PLOT + RULER + STRIP_GAP;
}

/* value / whole of `length`, without overflow; whole > 0, 0 <= value <= whole. */
static int64_t scale(int64_t value, int64_t whole, int64_t length)
{
	while (whole > INT64_MAX / (1 << 20)) {
		whole /= 2;
		value /= 2;
	}
	return value * length / whole;
}

static int64_t y_of(const struct tn_timeline *t, int64_t bytes)
{
	bytes = tn_max_i64(tn_min_i64(bytes, t->bytes), 0);
	return TOP + PLOT - scale(bytes, t->bytes, PLOT);
}

static int64_t x_of(const struct tn_timeline *t, int64_t half_step)
{
	return half_step * t->step;
}

static bool lines_of_plan(const struct tn_timeline *t)
{
	return t->v->plan->n_regions == 1; /* bounds are of all regions together */
}

bool tn_timeline_init(struct tn_timeline *t)
{
	const struct tn_plan *plan = t->v->plan;
	int64_t most = 0;

	for (uint32_t i = 0; i < t->boxes->n; i++) {
		const struct tn_box *b = &t->boxes->list[i];

		if (b->region == t->region)
			most = tn_max_i64(most, b->offset + b->bytes);
	}
	if (most <= 0)
		return false;
	if (lines_of_plan(t)) {
		most = tn_max_i64(most, plan->disjoint_bound_bytes);
		most = tn_max_i64(most, plan->bound_bytes);
	}
	t->bytes = most;
	for (t->tick = 1; t->tick < most / 9 && t->tick <= INT64_MAX / 2;)
		t->tick *= 2;
	t->step = WIDTH_WANTED / t->boxes->steps;
	t->step = tn_min_i64(tn_max_i64(t->step, STEP_MIN), STEP_MAX);
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

static xmlNodePtr rect(const struct tn_timeline *t, xmlNodePtr parent, const char *class,
	int64_t x, int64_t y, int64_t width, int64_t height)
{
	xmlNodePtr node = tn_node_text(t->h, parent, "rect", class, NULL);

	tn_attr_tenths(t->h, node, "x", x);
	tn_attr_tenths(t->h, node, "y", y);
	tn_attr_tenths(t->h, node, "width", width > 0 ? width : 0);
	tn_attr_tenths(t->h, node, "height", height > 0 ? height : 0);
	return node;
}

static xmlNodePtr line(const struct tn_timeline *t, xmlNodePtr parent, const char *class,
	int64_t x1, int64_t y1, int64_t x2, int64_t y2)
{
	xmlNodePtr node = tn_node_text(t->h, parent, "line", class, NULL);

	tn_attr_tenths(t->h, node, "x1", x1);
	tn_attr_tenths(t->h, node, "y1", y1);
	tn_attr_tenths(t->h, node, "x2", x2);
	tn_attr_tenths(t->h, node, "y2", y2);
	return node;
}

static xmlNodePtr label(const struct tn_timeline *t, xmlNodePtr parent, const char *class,
	int64_t x, int64_t y)
{
	xmlNodePtr node = tn_node_text(t->h, parent, "text", class, NULL);

	tn_attr_tenths(t->h, node, "x", x);
	tn_attr_tenths(t->h, node, "y", y);
	return node;
}

void tn_timeline_axis(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr text, g = tn_node_text(t->h, svg, "g", "tl-axis", NULL);

	for (int64_t at = 0; at <= t->bytes; at += t->tick) {
		text = label(t, g, "tl-tick", AXIS - 8 * PX, y_of(t, at) + 4 * PX);
		tn_text_number(t->h, text, at);
		if (at > INT64_MAX - t->tick)
			break;
	}
	text = label(t, g, "tl-unit", AXIS - 8 * PX, 12 * PX);
	tn_text(t->h, text, "bytes");
	text = label(t, g, "tl-unit", AXIS - 8 * PX, ruler_y() + 15 * PX);
	tn_text(t->h, text, "op");
	if (t->most_const) {
		text = label(t, g, "tl-unit", AXIS - 8 * PX, strip_y() + 12 * PX);
		tn_text(t->h, text, "constants");
		text = label(t, g, "tl-unit", AXIS - 8 * PX, strip_y() + 25 * PX);
		tn_text(t->h, text, "read");
	}
}

static void grid(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-grid", NULL);

	for (int64_t at = 0; at <= t->bytes; at += t->tick) {
		line(t, g, at ? NULL : "tl-zero", 0, y_of(t, at), t->plot_width,
			y_of(t, at));
		if (at > INT64_MAX - t->tick)
			break;
	}
	for (uint32_t p = 0; p <= t->v->g->n_ops; p++)
		line(t, g, "tl-op", x_of(t, 2 * (int64_t)p), TOP, x_of(t, 2 * (int64_t)p),
			TOP + PLOT);
}

/* Numbers below the plot, as many as find room, and bars for the constants. */
static void ruler(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-ruler", NULL);
	int64_t free_from = 0;

	for (uint32_t p = 0; p < t->v->g->n_ops; p++) {
		const struct tn_op *op = &t->v->g->ops[tn_view_op_at(t->v, p).i];
		int64_t bytes = tn_traffic_of(t->v->g, op).const_bytes;
		int64_t x = x_of(t, 2 * (int64_t)p), high;
		char text[16];
		int len = snprintf(text, sizeof(text), "%" PRIu32, p);

		if (x + t->step - len * LETTER / 2 >= free_from) {
			tn_text(t->h,
				label(t, g,
					p == t->peak ? "tl-num tl-num-peak" : "tl-num",
					x + t->step, ruler_y() + 15 * PX),
				text);
			free_from = x + t->step + len * LETTER / 2 + 4 * PX;
		}
		if (!t->most_const || !bytes ||
			tn_view_elided(t->v, tn_view_op_at(t->v, p)))
			continue;
		high = tn_max_i64(scale(bytes, t->most_const, STRIP), PX);
		rect(t, g, "tl-const", x + 1 * PX, strip_y() + STRIP - high,
			2 * t->step - 2 * PX, high);
	}
	if (t->most_const)
		line(t, g, "tl-zero", 0, strip_y() + STRIP, t->plot_width,
			strip_y() + STRIP);
}

/* Is the box written over another? The overlaps are sorted by the upper one. */
static bool is_over(const struct tn_timeline *t, uint32_t box)
{
	uint32_t lo = 0, hi = t->boxes->n_overlaps;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->boxes->overlaps[mid].over < box)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->boxes->n_overlaps && t->boxes->overlaps[lo].over == box;
}

/* The name inside its box, where nothing is drawn over it: along it, upwards in a narrow
 * one, or not at all. */
static void box_label(
	const struct tn_timeline *t, xmlNodePtr g, uint32_t i, int64_t y, int64_t height)
{
	const struct tn_box *b = &t->boxes->list[i];
	int64_t x = x_of(t, b->begin + (is_over(t, i) ? 1 : 0));
	int64_t width = x_of(t, b->last + 1) - x;
	int64_t along = (width - 8 * PX) / LETTER, up = (height - 10 * PX) / LETTER, need;
	bool flat = along >= 5 && height >= 13 * PX, steep = up >= 5 && width >= 13 * PX;
	struct tn_strbuf name, text;
	xmlNodePtr node;
	char turn[64];

	tn_strbuf_init(&name);
	tn_strbuf_init(&text);
	tn_box_name(t->v, b, &name);
	t->h->failed = t->h->failed || name.failed;
	need = (int64_t)tn_escape_width(name.text ? name.text : "");
	flat = (flat || (need <= along && height >= 13 * PX)) &&
	       (need <= along || along >= 16 || !steep || up <= along);
	if (flat) {
		node = label(t, g, "tl-name", x + 5 * PX, y + height / 2 + 4 * PX);
	} else if (steep) {
		node = label(t, g, "tl-name", 0, 0);
		snprintf(turn, sizeof(turn),
			"translate(%" PRId64 " %" PRId64 ") rotate(-90)",
			(x + width / 2 + 4 * PX) / PX, (y + height - 5 * PX) / PX);
		tn_attr(t->h, node, "transform", turn);
	} else {
		tn_strbuf_release(&name);
		return;
	}
	tn_escape_short(&text, name.text ? name.text : "", (size_t)(flat ? along : up));
	tn_strbuf_release(&name);
	tn_text_taken(t->h, node, &text);
}

static void box_data(const struct tn_timeline *t, xmlNodePtr node, uint32_t i)
{
	const struct tn_box *b = &t->boxes->list[i];

	tn_attr_int(t->h, node, "data-box", i);
	tn_attr_int(t->h, node, "data-begin", b->begin);
	tn_attr_int(t->h, node, "data-end", b->end);
	tn_attr_int(t->h, node, "data-offset", b->offset);
	tn_attr_int(t->h, node, "data-bytes", b->bytes);
}

static void tooltip(const struct tn_timeline *t, xmlNodePtr node, const struct tn_box *b)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_box_name(t->v, b, &text);
	tn_strbuf_puts(&text, ": ");
	tn_escape_number(&text, b->bytes);
	tn_strbuf_puts(&text, " B at ");
	tn_escape_number(&text, b->offset);
	tn_strbuf_printf(
		&text, ", half-steps %" PRId64 " to %" PRId64, b->begin, b->last);
	tn_text_taken(t->h, tn_node(t->h, node, "title"), &text);
}

static void box(const struct tn_timeline *t, xmlNodePtr parent, uint32_t i)
{
	const struct tn_box *b = &t->boxes->list[i];
	int64_t x = x_of(t, b->begin), width = x_of(t, b->end) - x;
	int64_t y = y_of(t, b->offset + b->bytes), height = y_of(t, b->offset) - y;
	int64_t solid = x_of(t, b->last + 1) - x;
	xmlNodePtr node = tn_node(t->h, parent, t->links ? "a" : "g");
	char class[48], href[24];

	/* a neighbour in time or place has another shade */
	snprintf(class, sizeof(class), "tl-box tl-%s tl-shade%u",
		tn_box_kind_name(b->kind), i % 3);
	tn_attr(t->h, node, "class", class);
	if (t->links) {
		snprintf(href, sizeof(href), "#b%" PRIu32, i);
		tn_attr(t->h, node, "href", href);
		box_data(t, node, i);
	}
	tooltip(t, node, b);
	height = tn_max_i64(height, 15); /* one that is too small to see is a line */
	rect(t, node, "tl-body", x + 5, y + 5, width - 10, height - 5);
	if (b->kind != BOX_ACTIVATION)
		rect(t, node, "tl-pattern", x + 5, y + 5, width - 10, height - 5);
	if (b->end == b->last + 2)
		rect(t, node, "tl-dying", x_of(t, b->last + 1), y + 5, width - solid - 5,
			height - 5);
	box_label(t, node, i, y, height);
}

/* Names of the root's views, dashed inside its box. */
static void views(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-views", NULL);

	for (uint32_t i = 0; i < t->v->g->n_tensors; i++) {
		const struct tn_plan_tensor *p = &t->v->plan->tensors[i];
		const struct tn_box *b;
		int64_t begin, end;

		if (t->boxes->of[i] == TN_NONE)
			continue;
		b = &t->boxes->list[t->boxes->of[i]];
		if (b->tensor.i == i || b->region != t->region)
			continue;
		begin = tn_max_i64(p->first, b->begin);
		end = tn_min_i64(p->last, b->last) + 1;
		if (begin >= end || p->bytes <= 0)
			continue;
		rect(t, g, "tl-view", x_of(t, begin) + 2 * PX,
			y_of(t, p->offset + p->bytes) + 2 * PX,
			x_of(t, end) - x_of(t, begin) - 4 * PX,
			y_of(t, p->offset) - y_of(t, p->offset + p->bytes) - 4 * PX);
	}
}

static void overlaps(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-overlaps", NULL);

	for (uint32_t i = 0; i < t->boxes->n_overlaps; i++) {
		const struct tn_box_overlap *o = &t->boxes->overlaps[i];
		int64_t step = t->boxes->list[o->over].begin;
		int64_t y = y_of(t, o->end), height = y_of(t, o->begin) - y;
		xmlNodePtr node;

		if (o->region != t->region)
			continue;
		node = rect(t, g, "tl-overlap", x_of(t, step) + 5, y + 5, t->step - 10,
			tn_max_i64(height, 15) - 5);
		if (t->links)
			tn_attr_int(t->h, node, "data-step", step);
	}
}

struct mark {
	const char *name, *class;
	int64_t bytes;
};

/* Lines across the plot, each with its label above; equal ones share a label. */
static void marks(const struct tn_timeline *t, xmlNodePtr svg)
{
	const struct tn_plan *plan = t->v->plan;
	const struct mark all[] = {
		{ "without overlap at least", "tl-mark tl-disjoint",
			plan->disjoint_bound_bytes },
		{ "plan", "tl-mark tl-peak", plan->activation_bytes },
		{ "lower bound", "tl-mark tl-bound", plan->bound_bytes },
	};
	enum { N = sizeof(all) / sizeof(*all) };
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-marks", NULL);
	int64_t last_y = -1000 * PX, last_end = 0;

	for (int i = 0; i < N; i++) {
		int64_t y = y_of(t, all[i].bytes), x = 6 * PX;
		struct tn_strbuf text;

		if (i && all[i].bytes == all[i - 1].bytes)
			continue;
		line(t, g, all[i].class, 0, y, t->plot_width, y);
		tn_strbuf_init(&text);
		for (int k = i; k < N && all[k].bytes == all[i].bytes; k++)
			tn_strbuf_printf(&text, "%s%s", k > i ? " = " : "", all[k].name);
		tn_strbuf_putc(&text, ' ');
		tn_escape_number(&text, all[i].bytes);
		tn_strbuf_puts(&text, " B");
		if (y - last_y < 14 * PX && last_y - y < 14 * PX)
			x = last_end + 14 * PX;
		last_y = y;
		last_end = x + (int64_t)text.len * LETTER;
		tn_text_taken(t->h, label(t, g, "tl-mark-name", x, y - 5 * PX), &text);
	}
}

void tn_timeline_plot(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr g;

	if (t->peak != TN_NONE)
		rect(t, svg, "tl-peak-op", x_of(t, 2 * (int64_t)t->peak), TOP - 10 * PX,
			2 * t->step, PLOT + RULER + 10 * PX);
	grid(t, svg);
	g = tn_node_text(t->h, svg, "g", "tl-boxes", NULL);
	for (uint32_t i = 0; i < t->boxes->n; i++)
		if (t->boxes->list[i].region == t->region)
			box(t, g, i);
	overlaps(t, svg);
	views(t, svg);
	ruler(t, svg);
	if (lines_of_plan(t))
		marks(t, svg);
	if (t->links)
		tn_attr_tenths(t->h, rect(t, svg, "tl-cursor", 0, TOP, t->step, PLOT),
			"data-width", t->step);
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
	stroke(h, pattern(h, defs, "overlap", 6), "M0 0L6 6M0 6L6 0");
	dot = tn_node_text(h, pattern(h, defs, "scratch", 6), "circle", "tl-dot", NULL);
	tn_attr(h, dot, "cx", "3");
	tn_attr(h, dot, "cy", "3");
	tn_attr(h, dot, "r", "1.2");
}

void tn_timeline_swatch(struct tn_html *h, xmlNodePtr parent, const char *kind)
{
	static const struct {
		const char *kind, *body, *pattern;
	} looks[] = {
		{ "overlap", "tl-overlap", NULL },
		{ "view", "tl-view", NULL },
		{ "constant", "tl-const", NULL },
	};
	struct tn_timeline t = { .h = h };
	xmlNodePtr svg = tn_node_text(h, parent, "svg", "swatch", NULL), g;
	char class[32];

	tn_attr(h, svg, "viewBox", "0 0 26 14");
	tn_attr(h, svg, "width", "26");
	tn_attr(h, svg, "height", "14");
	tn_attr(h, svg, "aria-hidden", "true");
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		if (strcmp(looks[i].kind, kind) == 0) {
			rect(&t, svg, looks[i].body, 10, 10, 240, 120);
			return;
		}
	}
	snprintf(class, sizeof(class), "tl-box tl-%s tl-shade0", kind);
	g = tn_node_text(h, svg, "g", class, NULL);
	rect(&t, g, "tl-body", 10, 10, 240, 120);
	if (strcmp(kind, "activation") != 0)
		rect(&t, g, "tl-pattern", 10, 10, 240, 120);
}
