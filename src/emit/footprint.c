#include "emit/footprint.h"

#include <string.h>

#include "base/banned.h"

static const struct tn_footprint table[] = {
#define FOOTPRINT(file, m0plus, m3, m4, m7, m33, m55, stack)                             \
	{ file, { m0plus, m3, m4, m7, m33, m55 }, stack },
#include "emit/footprint.def"
#undef FOOTPRINT
};

static const char *const cpus[TN_FOOTPRINT_CPUS] = { "cortex-m0plus", "cortex-m3",
	"cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55" };

#define OTHERWISE 4 /* the Cortex-M33 */

const struct tn_footprint *tn_footprint_find(const char *file)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strcmp(table[i].file, file) == 0)
			return &table[i];
	return NULL;
}

size_t tn_footprint_column(const char *cpu, const char **out_cpu)
{
	size_t column = OTHERWISE;

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++)
		if (strcmp(cpus[i], cpu) == 0)
			column = i;
	*out_cpu = cpus[column];
	return column;
}
