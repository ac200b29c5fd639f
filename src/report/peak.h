/* The op at which most memory is in use, and what is in it then. */
#ifndef TN_REPORT_PEAK_H
#define TN_REPORT_PEAK_H

#include "report/boxes.h"

#define TN_PEAK_NAMED 6 /* tensors that a sentence names */

struct tn_peak {
	const struct tn_view *v;
	const struct tn_boxes *boxes;
	const struct tn_load *loads; /* by position */
	uint32_t position; /* TN_NONE: there are no ops */
};

/* The boxes in use at the peak, largest first, at most n of them; their number. */
uint32_t tn_peak_boxes(const struct tn_peak *p, const struct tn_box **out, uint32_t n);

/* "'conv' (op 3), 33,296 B live: 'a' 16,384 B, ... and 2 more"; names are cut, but not yet
 * made safe to see. Needs a position. */
void tn_peak_words(const struct tn_peak *p, struct tn_strbuf *out);

#endif
