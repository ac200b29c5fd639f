/* Loops that the file has unrolled: which op belongs to which iteration. */
#include <string.h>

#include "base/banned.h"
#include "claims/classify.h"

#define OPS_MAX 4096 /* the names of which are compared, each with each */

/* A name around the last number in it. */
struct parts {
	size_t head; /* length of what is before the number */
	const char *tail; /* behind it */
	int64_t number; /* -1: there is none */
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct parts split(const char *name)
{
	size_t end = strlen(name), begin;
	struct parts p = { .number = -1 };
	int64_t unit = 1;

	while (end > 0 && !digit(name[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && digit(name[begin - 1]))
		begin--;
	if (begin == end)
		return p;
	p.head = begin;
	p.tail = name + end;
	p.number = 0;
	for (size_t i = end; i > begin && unit <= INT64_C(100000000); i--, unit *= 10)
		p.number += (name[i - 1] - '0') * unit;
	return p;
}

/* Ops of a type whose names differ in a number, as many as iterations: it counts them. */
static int64_t by_name(const struct tn_graph *g, uint32_t op)
{
	const struct tn_op *me = &g->ops[op];
	struct parts mine = split(me->name);
	int64_t least = mine.number, count = 0;

	if (mine.number < 0)
		return -1;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *o = &g->ops[i];
		struct parts p = split(o->name);

		if (p.number < 0 || p.head != mine.head ||
			strncmp(o->name, me->name, p.head) != 0 ||
			strcmp(p.tail, mine.tail) != 0 || strcmp(o->type, me->type) != 0)
			continue;
		count++;
		if (p.number < least)
			least = p.number;
	}
	return count == g->trip_count ? mine.number - least : -1;
}

/* As many ops of a type as iterations: they follow each other. */
static int64_t by_type(const struct tn_graph *g, uint32_t op)
{
	int64_t before = 0, count = 0;
	bool passed = false;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *o = &g->ops[g->schedule[i].i];

		passed = passed || g->schedule[i].i == op;
		if (strcmp(o->type, g->ops[op].type) != 0)
			continue;
		count++;
		if (!passed)
			before++;
	}
	return count == g->trip_count ? before : -1;
}

int64_t tn_iteration_of(const struct tn_graph *g, uint32_t op)
{
	bool named = false;

	if (g->trip_count < 2 || op >= g->n_ops || g->n_ops > OPS_MAX)
		return -1;
	for (uint32_t i = 0; i < g->n_ops && !named; i++)
		named = by_name(g, i) >= 0;
	return named ? by_name(g, op) : by_type(g, op);
}
