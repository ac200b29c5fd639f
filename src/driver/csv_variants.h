/* Why tensors share bytes in the CSV of a plan: which variant of a kernel runs, as a word
 * ("ascending"; with a slash, what it holds back), and what is a view of what. */
#ifndef TN_DRIVER_CSV_VARIANTS_H
#define TN_DRIVER_CSV_VARIANTS_H

#include "driver/pipeline.h"

/* By tensor: the word for the op that writes it first, "" where none does. *out is NULL
 * for a plan whose live values share no byte: then no kernel matters. */
enum tn_status TN_MUST_CHECK tn_csv_variants(struct tn_run *run, const char *const **out);

/* By tensor: the one with a line of its own whose bytes it has, itself where there is none.
 * *out is NULL when there is no view. */
enum tn_status TN_MUST_CHECK tn_csv_roots(struct tn_run *run, const tn_tensor_id **out);

/* False: it is no such word. */
bool tn_csv_variant_parse(const char *word, struct tn_variant *out);

#endif
