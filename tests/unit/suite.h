/* What every unit suite needs: a main that runs check suites and prints TAP. */
#ifndef TN_TESTS_SUITE_H
#define TN_TESTS_SUITE_H

#include <check.h>

/* Defined by the suite. */
Suite *tn_test_suite(void);

/* Path of a file in the source tree (tests set TENURE_SOURCE_ROOT); static buffer. */
const char *tn_test_path(const char *relative);

/* Path of a file in ../shared beside the source tree, or NULL when it is not there; the
 * test then prints that it skips. */
const char *tn_test_shared(const char *relative);

#endif
