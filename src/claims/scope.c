#include "claims/scope.h"

#include <string.h>

#include "base/banned.h"

uint32_t tn_scope_of(const struct tn_graph *g, uint32_t tensor)
{
	for (uint32_t i = 0; i < g->n_scopes; i++)
		for (uint32_t k = 0; k < g->scopes[i].n_tensors; k++)
			if (g->scopes[i].tensors[k].i == tensor)
				return i;
	return TN_NONE;
}

uint32_t tn_branch_of(const struct tn_graph *g, uint32_t op)
{
	for (uint32_t i = 0; i < g->n_branches; i++)
		for (uint32_t k = 0; k < g->branches[i].n_ops; k++)
			if (g->branches[i].ops[k].i == op)
				return i;
	return TN_NONE;
}

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

bool tn_scope_shadows(const struct tn_graph *g, uint32_t a, uint32_t b)
{
	const char *x, *y;
	size_t n, k;

	if (a == b || tn_scope_of(g, a) == tn_scope_of(g, b))
		return false;
	n = bare(g->tensors[a].name, &x);
	k = bare(g->tensors[b].name, &y);
	return n == k && strncmp(x, y, n) == 0;
}
