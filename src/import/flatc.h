/* What flatc prints is not always JSON: without --strict-json its keys have no quotes, nan
 * and inf are bare words, bytes that are no text are \x escapes, and integers may be too
 * large for the parser. Here it becomes JSON, in one pass over the text. The constants,
 * one small number a line in lists of millions, are taken out on the way and never reach
 * the parser. */
#ifndef TN_IMPORT_FLATC_H
#define TN_IMPORT_FLATC_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "import/import.h"

struct tn_flatc_data {
	const uint8_t *bytes; /* NULL: the buffer has no data */
	size_t n;
};

struct tn_flatc {
	struct tn_strbuf
		json; /* strict JSON; every "data" of a buffer is an empty list */
	TN_VEC(struct tn_flatc_data) buffers; /* by index in the model's buffers */
};

/* The bytes go to the graph's arena. Reports constants that are no bytes. Release with
 * tn_flatc_release in any case. */
enum tn_status TN_MUST_CHECK tn_flatc_read(struct tn_import *im, struct tn_flatc *out);
void tn_flatc_release(struct tn_flatc *flatc);

/* The text as JSON for any other format: nothing is taken out but what stands where a
 * TFLite model has its constants. *out is initialised and released by the caller. */
enum tn_status TN_MUST_CHECK tn_flatc_clean(struct tn_import *im, struct tn_strbuf *out);

/* The offset in the source's text that an offset in the JSON comes from. */
size_t tn_flatc_origin(const struct tn_source *source, size_t offset);

#endif
