#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *root(void)
{
	const char *dir = getenv("TENURE_SOURCE_ROOT");

	return dir ? dir : ".";
}

const char *tn_test_path(const char *relative)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", root(), relative);
	return path;
}

const char *tn_test_shared(const char *relative)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/../shared/%s", root(), relative);
	if (access(path, R_OK) == 0)
		return path;
	printf("# skip: ../shared/%s is not here\n", relative);
	return NULL;
}

/* check tells its parent of each assertion that holds, in a call of the system: half of the time
 * of suites with millions. The linker leads it here (tests/unit/meson.build), and a crash is told
 * with the start of its test; assertions that fail are told as ever. */
void __wrap__mark_point(const char *file, int line);

void __wrap__mark_point(const char *file, int line)
{
	(void)file;
	(void)line;
}

int main(void)
{
	SRunner *runner = srunner_create(tn_test_suite());
	int failed;

	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
