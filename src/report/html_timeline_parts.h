/* Geometry that the pieces of the timeline share. */
#ifndef TN_REPORT_HTML_TIMELINE_PARTS_H
#define TN_REPORT_HTML_TIMELINE_PARTS_H

#include "report/html_timeline.h"

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
	BOLD = 80, /* and of one in bold, rather more than less */
};

/* value / whole of `length`, without overflow; whole > 0, 0 <= value <= whole. */
int64_t tn_timeline_scale(int64_t value, int64_t whole, int64_t length);

/* Where an offset and a half-step are. */
int64_t tn_timeline_y(const struct tn_timeline *t, int64_t bytes);
int64_t tn_timeline_x(const struct tn_timeline *t, int64_t half_step);

xmlNodePtr tn_timeline_rect(const struct tn_timeline *t, xmlNodePtr parent,
	const char *class, int64_t x, int64_t y, int64_t width, int64_t height);
xmlNodePtr tn_timeline_line(const struct tn_timeline *t, xmlNodePtr parent,
	const char *class, int64_t x1, int64_t y1, int64_t x2, int64_t y2);
xmlNodePtr tn_timeline_label(const struct tn_timeline *t, xmlNodePtr parent,
	const char *class, int64_t x, int64_t y);

/* Boxes, what is lost between them, where one is written over another, views. */
void tn_timeline_boxes(const struct tn_timeline *t, xmlNodePtr svg);

#endif
