#include "import/ready.h"

#include <jansson.h>

void tn_import_ready(void)
{
	json_object_seed(0);
}
