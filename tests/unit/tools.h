/* Programs that a test runs. Where one is missing the test is left out, and says so. */
#ifndef TN_TESTS_TOOLS_H
#define TN_TESTS_TOOLS_H

#include <stdbool.h>

/* Is the program there? Prints that the test skips if not. */
bool tn_test_has(const char *tool);

/* All that validation needs for the target, "host" or a processor? */
bool tn_test_has_tools(const char *target);

#endif
