/* What lies in a region, drawn to scale. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/escape.h"
#include "report/gaps.h"
#include "report/html_timeline_parts.h"
#include "report/stairs.h"

#include "base/banned.h"

int64_t tn_timeline_scale(int64_t value, int64_t whole, int64_t length)
{
	while (whole > INT64_MAX / (1 << 20)) {
		whole /= 2;
		value /= 2;
	}
	return value * length / whole;
}

int64_t tn_timeline_y(const struct tn_timeline *t, int64_t bytes)
{
	bytes = tn_max_i64(tn_min_i64(bytes, t->bytes), 0);
	return TOP + PLOT - tn_timeline_scale(bytes, t->bytes, PLOT);
}

int64_t tn_timeline_x(const struct tn_timeline *t, int64_t half_step)
{
	return half_step * t->step;
}

xmlNodePtr tn_timeline_rect(const struct tn_timeline *t, xmlNodePtr parent,
	const char *class, int64_t x, int64_t y, int64_t width, int64_t height)
{
	xmlNodePtr node = tn_node_text(t->h, parent, "rect", class, NULL);

	tn_attr_tenths(t->h, node, "x", x);
	tn_attr_tenths(t->h, node, "y", y);
	tn_attr_tenths(t->h, node, "width", width > 0 ? width : 0);
	tn_attr_tenths(t->h, node, "height", height > 0 ? height : 0);
	return node;
}

xmlNodePtr tn_timeline_line(const struct tn_timeline *t, xmlNodePtr parent,
	const char *class, int64_t x1, int64_t y1, int64_t x2, int64_t y2)
{
	xmlNodePtr node = tn_node_text(t->h, parent, "line", class, NULL);

	tn_attr_tenths(t->h, node, "x1", x1);
	tn_attr_tenths(t->h, node, "y1", y1);
	tn_attr_tenths(t->h, node, "x2", x2);
	tn_attr_tenths(t->h, node, "y2", y2);
	return node;
}

xmlNodePtr tn_timeline_label(const struct tn_timeline *t, xmlNodePtr parent,
	const char *class, int64_t x, int64_t y)
{
	xmlNodePtr node = tn_node_text(t->h, parent, "text", class, NULL);

	tn_attr_tenths(t->h, node, "x", x);
	tn_attr_tenths(t->h, node, "y", y);
	return node;
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

/* Converters join the names of all that they have fused, with semicolons: the first one is
 * that of the result, and says enough where there is little room. */
static void brief(struct tn_strbuf *name)
{
	char *end = name->text ? strchr(name->text, ';') : NULL;

	if (end && end > name->text)
		*end = '\0';
}

/* The name inside its box, where nothing is drawn over it: along it, upwards in a narrow
 * one, or not at all. */
static void box_label(
	const struct tn_timeline *t, xmlNodePtr g, uint32_t i, int64_t y, int64_t height)
{
	const struct tn_box *b = &t->boxes->list[i];
	int64_t x = tn_timeline_x(t, b->begin + (is_over(t, i) ? 1 : 0));
	int64_t width = tn_timeline_x(t, b->last + 1) - x;
	int64_t along = (width - 8 * PX) / LETTER, up = (height - 10 * PX) / LETTER, need;
	bool flat = along >= 5 && height >= 13 * PX, steep = up >= 5 && width >= 13 * PX;
	struct tn_strbuf name, text;
	xmlNodePtr node;
	char turn[64];

	tn_strbuf_init(&name);
	tn_strbuf_init(&text);
	tn_box_name(t->v, b, &name);
	t->h->failed = t->h->failed || name.failed;
	brief(&name);
	need = (int64_t)tn_escape_width(name.text ? name.text : "");
	flat = (flat || (need <= along && height >= 13 * PX)) &&
	       (need <= along || along >= 16 || !steep || up <= along);
	if (flat) {
		node = tn_timeline_label(
			t, g, "tl-name", x + 5 * PX, y + height / 2 + 4 * PX);
	} else if (steep) {
		node = tn_timeline_label(t, g, "tl-name", 0, 0);
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
	if (b->ring_of) {
		tn_strbuf_puts(&text, ", a ring for ");
		tn_escape_number(&text, b->ring_of);
		tn_strbuf_puts(&text, " B");
	}
	tn_text_taken(t->h, tn_node(t->h, node, "title"), &text);
}

static void box(const struct tn_timeline *t, xmlNodePtr parent, uint32_t i)
{
	const struct tn_box *b = &t->boxes->list[i];
	int64_t x = tn_timeline_x(t, b->begin), width = tn_timeline_x(t, b->end) - x;
	int64_t y = tn_timeline_y(t, b->offset + b->bytes),
		height = tn_timeline_y(t, b->offset) - y;
	int64_t solid = tn_timeline_x(t, b->last + 1) - x;
	const char *ring = b->ring_of ? " tl-ring" : "";
	xmlNodePtr node = tn_node(t->h, parent, "g");
	char class[64];

	/* what is written in place of one another has one colour; others have another
	 * shade than their neighbours in time or place */
	if (b->chain != TN_NONE)
		snprintf(class, sizeof(class), "tl-box tl-%s tl-chain%u%s",
			tn_box_kind_name(b->kind), b->chain % TN_CHAIN_COLOURS, ring);
	else
		snprintf(class, sizeof(class), "tl-box tl-%s tl-shade%u%s",
			tn_box_kind_name(b->kind), i % 3, ring);
	tn_attr(t->h, node, "class", class);
	tooltip(t, node, b);
	height = tn_max_i64(height, 15); /* one that is too small to see is a line */
	tn_timeline_rect(t, node, "tl-body", x + 5, y + 5, width - 10, height - 5);
	if (b->kind != BOX_ACTIVATION)
		tn_timeline_rect(
			t, node, "tl-pattern", x + 5, y + 5, width - 10, height - 5);
	if (b->end == b->last + 2)
		tn_timeline_rect(t, node, "tl-dying", tn_timeline_x(t, b->last + 1),
			y + 5, width - solid - 5, height - 5);
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
		tn_timeline_rect(t, g, "tl-view", tn_timeline_x(t, begin) + 2 * PX,
			tn_timeline_y(t, p->offset + p->bytes) + 2 * PX,
			tn_timeline_x(t, end) - tn_timeline_x(t, begin) - 4 * PX,
			tn_timeline_y(t, p->offset) -
				tn_timeline_y(t, p->offset + p->bytes) - 4 * PX);
	}
}

/* Where a byte is, no further than the overlap goes. */
static int64_t y_within(
	const struct tn_timeline *t, const struct tn_box_overlap *o, int64_t byte)
{
	return tn_timeline_y(t, tn_max_i64(o->begin, tn_min_i64(o->end, byte)));
}

static void put_tenths(struct tn_strbuf *out, char command, int64_t tenths)
{
	tn_strbuf_printf(out, "%c%" PRId64, command, tenths / 10);
	if (tenths % 10)
		tn_strbuf_printf(out, ".%" PRId64, tenths % 10);
}

/* From the edge of the overlap at which the bytes begin, up or down to the stair. */
static void stair(const struct tn_timeline *t, xmlNodePtr g,
	const struct tn_box_overlap *o, const struct tn_stair *s, bool written)
{
	int64_t x = tn_timeline_x(t, t->boxes->list[o->over].begin) + 5;
	int64_t width = t->step - 10;
	bool from_below = written != s->descending;
	int64_t base = tn_timeline_y(t, from_below ? o->begin : o->end);
	xmlNodePtr path =
		tn_node_text(t->h, g, "path", written ? "tl-written" : "tl-unread", NULL);
	struct tn_strbuf d;

	tn_strbuf_init(&d);
	put_tenths(&d, 'M', x);
	put_tenths(&d, ' ', base);
	for (uint32_t k = 0; k < s->n; k++) {
		put_tenths(
			&d, 'V', y_within(t, o, written ? s->written[k] : s->unread[k]));
		put_tenths(&d, 'H', x + width * (k + 1) / s->n);
	}
	put_tenths(&d, 'V', base);
	tn_strbuf_putc(&d, 'Z');
	if (d.failed)
		t->h->failed = true;
	else
		tn_attr(t->h, path, "d", d.text);
	tn_strbuf_release(&d);
}

static void overlap(const struct tn_timeline *t, xmlNodePtr g, uint32_t i)
{
	const struct tn_box_overlap *o = &t->boxes->overlaps[i];
	int64_t x = tn_timeline_x(t, o->from) + 5;
	int64_t width = tn_timeline_x(t, o->to) - tn_timeline_x(t, o->from) - 10;
	int64_t y = tn_timeline_y(t, o->end), height = tn_timeline_y(t, o->begin) - y;
	struct tn_stair s;

	if (tn_stair_find(t->v, t->boxes, i, &s) != TN_OK) {
		t->h->failed = true;
		return;
	}
	if (s.straight)
		tn_stair_fill(o, &s);
	tn_timeline_rect(t, g, s.n ? "tl-overlap" : "tl-overlap tl-whole", x, y + 5,
		width, tn_max_i64(height, 15) - 5);
	if (s.n) {
		stair(t, g, o, &s, true);
		stair(t, g, o, &s, false);
	}
}

static void gaps(const struct tn_timeline *t, xmlNodePtr svg, struct tn_arena *arena)
{
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-gaps", NULL);
	struct tn_gaps found;

	if (tn_gaps_find(t->v, t->boxes, arena, &found) != TN_OK) {
		t->h->failed = true;
		return;
	}
	for (uint32_t i = 0; i < found.n; i++) {
		const struct tn_gap *gap = &found.list[i];
		int64_t x = tn_timeline_x(t, gap->begin);
		int64_t y = tn_timeline_y(t, gap->offset + gap->bytes);

		if (gap->region == t->region)
			tn_timeline_rect(t, g, "tl-gap", x, y,
				tn_timeline_x(t, gap->end) - x,
				tn_timeline_y(t, gap->offset) - y);
	}
}

/* What alignment adds to a buffer, as far as nobody else has it: boxes cover the rest. */
static void paddings(const struct tn_timeline *t, xmlNodePtr svg)
{
	xmlNodePtr g = tn_node_text(t->h, svg, "g", "tl-paddings", NULL);
	int64_t align = t->v->plan->regions[t->region].align;

	for (uint32_t i = 0; i < t->boxes->n && align > 1; i++) {
		const struct tn_box *b = &t->boxes->list[i];
		int64_t end = b->offset + b->bytes, up, x = tn_timeline_x(t, b->begin);
		int64_t y;

		if (b->region != t->region || !tn_align_up_i64(end, align, &up) ||
			up == end)
			continue;
		y = tn_timeline_y(t, up);
		tn_timeline_rect(t, g, "tl-padding", x + 5, y,
			tn_timeline_x(t, b->end) - x - 10, tn_timeline_y(t, end) - y);
	}
}

void tn_timeline_boxes(const struct tn_timeline *t, xmlNodePtr svg)
{
	struct tn_arena arena;
	xmlNodePtr g;

	tn_arena_init(&arena);
	gaps(t, svg, &arena);
	paddings(t, svg);
	g = tn_node_text(t->h, svg, "g", "tl-boxes", NULL);
	for (uint32_t i = 0; i < t->boxes->n; i++)
		if (t->boxes->list[i].region == t->region)
			box(t, g, i);
	g = tn_node_text(t->h, svg, "g", "tl-overlaps", NULL);
	for (uint32_t i = 0; i < t->boxes->n_overlaps; i++)
		if (t->boxes->overlaps[i].region == t->region)
			overlap(t, g, i);
	views(t, svg);
	tn_arena_release(&arena);
}
