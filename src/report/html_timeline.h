/* The timeline of one region as SVG: half-steps across, bytes upwards, every buffer a
 * rectangle to scale. Two pieces, an axis and a plot of the same height, so that a page
 * can scroll the plot and keep the axis in sight. */
#ifndef TN_REPORT_HTML_TIMELINE_H
#define TN_REPORT_HTML_TIMELINE_H

#include "report/boxes.h"
#include "report/html_node.h"

#define TN_CHAIN_COLOURS 6

struct tn_timeline {
	struct tn_html *h;
	const struct tn_view *v;
	const struct tn_boxes *boxes;
	uint32_t peak; /* position */
	uint32_t region;
	int64_t least_bytes; /* that the height stands for; 0: what there is */
	int64_t width; /* that is wished for, tenths of a pixel; 0: of a page */
	int64_t least_width; /* of axis and plot, tenths of a pixel; 0: what labels need */

	/* geometry, filled by tn_timeline_init; lengths in tenths of a pixel */
	int64_t bytes; /* that the height stands for */
	int64_t tick; /* bytes between two grid lines */
	int64_t step; /* width of a half-step */
	int64_t plot_width;
	int64_t axis_width;
	int64_t height; /* of both pieces, all rows included */
	int64_t most_const; /* bytes: largest constants that one op reads */
};

/* The fields above the geometry are set by the caller. False when the region is empty. */
bool tn_timeline_init(struct tn_timeline *t);

/* Both fill an <svg> or <g> with what belongs at its origin. */
void tn_timeline_axis(const struct tn_timeline *t, xmlNodePtr svg);
void tn_timeline_plot(const struct tn_timeline *t, xmlNodePtr svg);

/* The patterns that boxes are filled with; once in a document. */
void tn_timeline_patterns(struct tn_html *h, xmlNodePtr svg);

/* A sample of a box kind, `kind` or "chain", "constant", "overlap", "view", "gap" or
 * "padding", for the legend. */
void tn_timeline_swatch(struct tn_html *h, xmlNodePtr parent, const char *kind);

#endif
