#include "tools.h"

#include <stdio.h>
#include <string.h>

#include "validate/process.h"

bool tn_test_has(const char *tool)
{
	if (tn_process_exists(tool))
		return true;
	printf("# skip: no %s\n", tool);
	return false;
}

bool tn_test_has_tools(const char *target)
{
	if (strcmp(target, "host") == 0)
		return tn_test_has("gcc");
	return tn_test_has("arm-none-eabi-gcc") && tn_test_has("qemu-system-arm");
}
