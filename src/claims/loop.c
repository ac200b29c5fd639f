/* Loops that the file has unrolled: which op belongs to which iteration. */
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"
#include "claims/model.h"

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

/* An op among those that may be its like in other iterations. */
struct entry {
	struct parts parts;
	const char *name, *type;
	uint32_t op, position; /* in the schedule */
};

/* By type, what is around the number, and place in the schedule. */
static int by_name(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int order = strcmp(a->type, b->type);

	if (order)
		return order;
	if ((a->parts.number < 0) != (b->parts.number < 0))
		return a->parts.number < 0 ? 1 : -1;
	if (a->parts.number >= 0) {
		if (a->parts.head != b->parts.head)
			return a->parts.head < b->parts.head ? -1 : 1;
		order = strncmp(a->name, b->name, a->parts.head);
		if (!order)
			order = strcmp(a->parts.tail, b->parts.tail);
		if (order)
			return order;
	}
	return a->position < b->position ? -1 : a->position > b->position;
}

static int by_type(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int order = strcmp(a->type, b->type);

	return order ? order : a->position < b->position ? -1 : a->position > b->position;
}

/* Are the two alike but for the number? */
static bool one_name(const struct entry *a, const struct entry *b)
{
	return a->parts.number >= 0 && b->parts.number >= 0 &&
	       a->parts.head == b->parts.head && strcmp(a->type, b->type) == 0 &&
	       strncmp(a->name, b->name, a->parts.head) == 0 &&
	       strcmp(a->parts.tail, b->parts.tail) == 0;
}

static bool one_type(const struct entry *a, const struct entry *b)
{
	return strcmp(a->type, b->type) == 0;
}

/* Ops of a type whose names differ in a number, as many as iterations: it counts them.
 * False: there are none. */
static bool number_by_name(struct tn_model *m, const struct entry *list)
{
	const uint32_t n = m->g->n_ops;
	bool any = false;

	for (uint32_t i = 0, end; i < n; i = end) {
		int64_t least = list[i].parts.number;

		for (end = i + 1; end < n && one_name(&list[i], &list[end]); end++)
			if (list[end].parts.number < least)
				least = list[end].parts.number;
		if (least < 0 || end - i != (uint64_t)m->g->trip_count)
			continue;
		any = true;
		for (uint32_t k = i; k < end; k++)
			m->iteration[list[k].op] = list[k].parts.number - least;
	}
	return any;
}

/* As many ops of a type as iterations: they follow each other. */
static void number_by_type(struct tn_model *m, const struct entry *list)
{
	const uint32_t n = m->g->n_ops;

	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && one_type(&list[i], &list[end]);)
			end++;
		for (uint32_t k = i; k < end && end - i == (uint64_t)m->g->trip_count;
			k++)
			m->iteration[list[k].op] = k - i;
	}
}

bool tn_loop_init(struct tn_model *m)
{
	const struct tn_graph *g = m->g;
	struct entry *list;

	m->iteration = TN_NEW_ARRAY(m->arena, int64_t, g->n_ops);
	for (uint32_t i = 0; m->iteration && i < g->n_ops; i++)
		m->iteration[i] = -1;
	if (!m->iteration || g->trip_count < 2)
		return m->iteration;
	list = TN_NEW_ARRAY(m->arena, struct entry, g->n_ops);
	if (!list)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const uint32_t op = g->schedule[i].i;

		list[i] = (struct entry){ split(g->ops[op].name), g->ops[op].name,
			g->ops[op].type, op, i };
	}
	qsort(list, g->n_ops, sizeof(*list), by_name);
	if (number_by_name(m, list))
		return true;
	qsort(list, g->n_ops, sizeof(*list), by_type);
	number_by_type(m, list);
	return true;
}
