/* Output compared byte for byte with a file under tests/golden/. TN_UPDATE_GOLDEN=1
 * writes the files instead; the difference is then reviewed like code. */
#ifndef TN_TESTS_GOLDEN_H
#define TN_TESTS_GOLDEN_H

#include "base/strbuf.h"

/* `name` is relative to tests/golden. Fails the test when the text differs. */
void tn_test_golden(const char *name, const struct tn_strbuf *text);

#endif
