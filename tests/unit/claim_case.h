/* Cases of claims with the verdicts that they should get: as in ../shared/cases, and in
 * fixtures/claims. */
#ifndef TN_TESTS_CLAIM_CASE_H
#define TN_TESTS_CLAIM_CASE_H

#include <jansson.h>
#include <stdbool.h>

#include "claims/claims.h"

/* Judges each item of a case and compares; mismatches are printed. `answers` is the list
 * of items. Returns how many items were judged, and adds the wrong ones to *out_wrong. */
int claim_case(const char *id, json_t *graph, json_t *answers, int *out_wrong);

#endif
