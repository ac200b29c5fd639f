/* Which variant of a kernel runs, as a word in the CSV of a plan: "ascending", or
 * "descending/pixel". */
#ifndef TN_DRIVER_CSV_VARIANTS_H
#define TN_DRIVER_CSV_VARIANTS_H

#include "driver/pipeline.h"

/* By tensor: the word for the op that writes it first, "" where none does. *out is NULL
 * for a plan whose live values share no byte: then no kernel matters. */
enum tn_status TN_MUST_CHECK tn_csv_variants(struct tn_run *run, const char *const **out);

/* False: it is no such word. */
bool tn_csv_variant_parse(const char *word, struct tn_variant *out);

#endif
