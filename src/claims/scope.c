#include "claims/scope.h"

#include <string.h>

#include "base/banned.h"

/* The part of a name that does not tell the scope. */
static size_t bare(const char *name, const char **out)
{
	static const char *const suffixes[] = { "_inner", "_outer", "_body", "_sub",
		"_then", "_else", "_loop", "_in", "_out" };
	const char *slash = strrchr(name, '/');
	size_t len;

	if (slash && slash[1])
		name = slash + 1;
	len = strcspn(name, "@:.'$#");
	if (!len)
		len = strlen(name);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && strncmp(name + len - n, suffixes[i], n) == 0) {
			len -= n;
			break;
		}
	}
	*out = name;
	return len;
}

bool tn_scope_shadows(const struct tn_model *m, uint32_t a, uint32_t b)
{
	const char *x, *y;
	size_t n, k;

	if (a == b || m->scope[a] == m->scope[b])
		return false;
	n = bare(m->g->tensors[a].name, &x);
	k = bare(m->g->tensors[b].name, &y);
	return n == k && strncmp(x, y, n) == 0;
}
