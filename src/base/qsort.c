/* Merges the runs that the list already consists of; qsort when there are many, or no
 * memory. */
#include "base/qsort.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define RUNS_MAX 64

typedef int compare_fn(const void *a, const void *b);

static void reverse(char *low, size_t n, size_t size)
{
	char *high = low + n * size;

	while (high - low > (ptrdiff_t)size) {
		high -= size;
		for (size_t i = 0; i < size; i++) {
			const char c = low[i];

			low[i] = high[i];
			high[i] = c;
		}
		low += size;
	}
}

/* Ends of the runs, of which those that fall are reversed; 0: there are too many. */
static size_t find_runs(
	char *items, size_t n, size_t size, compare_fn *compare, size_t ends[RUNS_MAX])
{
	size_t n_runs = 0;

	for (size_t begin = 0, end; begin < n; begin = end) {
		const char *last = items + begin * size;
		bool falls;

		if (n_runs == RUNS_MAX)
			return 0;
		end = begin + 1;
		falls = end < n && compare(last, last + size) > 0;
		while (end < n && (compare(last, last + size) > 0) == falls) {
			last += size;
			end++;
		}
		if (falls)
			reverse(items + begin * size, end - begin, size);
		ends[n_runs++] = end;
	}
	return n_runs;
}

/* [begin, middle) and [middle, end) of `from`, in bytes, to the same place of `to`. */
static void merge(const char *from, char *to, size_t begin, size_t middle, size_t end,
	size_t size, compare_fn *compare)
{
	size_t a = begin, b = middle;

	for (size_t at = begin; at < end; at += size) {
		const bool first =
			b == end || (a < middle && compare(from + a, from + b) <= 0);

		memcpy(to + at, from + (first ? a : b), size);
		a += first ? size : 0;
		b += first ? 0 : size;
	}
}

void tn_qsort(void *items, size_t n, size_t size, compare_fn *compare)
{
	size_t ends[RUNS_MAX];
	size_t n_runs = find_runs(items, n, size, compare, ends);
	char *from = items, *to, *spare;

	if (n_runs == 1 || n < 2)
		return;
	spare = n_runs ? malloc(n * size) : NULL;
	if (!spare) {
		qsort(items, n, size, compare);
		return;
	}
	for (to = spare; n_runs > 1; n_runs = (n_runs + 1) / 2) {
		char *const swap = from;

		for (size_t i = 0; i < n_runs; i += 2) {
			const size_t begin = i ? ends[i / 2 - 1] : 0, middle = ends[i];
			const size_t end = i + 1 < n_runs ? ends[i + 1] : middle;

			merge(from, to, begin * size, middle * size, end * size, size,
				compare);
			ends[i / 2] = end;
		}
		from = to;
		to = swap;
	}
	if (from == spare)
		memcpy(items, spare, n * size);
	free(spare);
}
