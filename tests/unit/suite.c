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
