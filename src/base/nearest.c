#include "base/nearest.h"

#include <string.h>

#include "base/banned.h"

#define LETTERS_MAX 48 /* longer words are names that nobody mistypes by hand */
#define PREFIX_MIN  3

void tn_nearest_init(struct tn_nearest *nearest, const char *word)
{
	*nearest = (struct tn_nearest){ .word = word, .distance = LETTERS_MAX };
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Of two words of LETTERS_MAX letters at most: row by row of the table of their prefixes,
 * with the two rows before it. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][LETTERS_MAX + 1];
	size_t n_a = strlen(a), n_b = strlen(b);

	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			row[j] = least(least(above[j], row[j - 1]) + 1,
				above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
				a[i - 2] == b[j - 1])
				row[j] = least(row[j], higher[j - 2] + 1);
		}
	}
	return rows[n_a % 3][n_b];
}

void tn_nearest_offer(struct tn_nearest *nearest, const char *candidate)
{
	size_t n_word = strlen(nearest->word), n_candidate = strlen(candidate), d;

	if (!n_word || n_word > LETTERS_MAX || n_candidate > LETTERS_MAX)
		return;
	d = distance(nearest->word, candidate);
	if (d > n_candidate / 3 &&
		(n_word < PREFIX_MIN || strncmp(nearest->word, candidate, n_word) != 0))
		return;
	if (d < nearest->distance) {
		nearest->best = candidate;
		nearest->distance = d;
	}
}
