#include "import/ready.h"

#include <jansson.h>

#include "import/json_heap.h"

void tn_import_ready(void)
{
	json_object_seed(0);
	tn_json_heap_install();
}
