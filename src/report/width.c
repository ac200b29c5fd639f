#include "report/width.h"

#include "base/banned.h"

enum kind {
	PLAIN,
	NONE, /* onto the character before it; takes no column */
	SPACING, /* belongs to the one before it, and takes a column of its own */
	WIDE,
};

static const struct {
	uint32_t first, last;
	enum kind kind;
} ranges[] = {
#define RANGE(first, last, kind) { first, last, kind },
#include "report/width.def"
#undef RANGE
};

/* Nothing before combines, and nothing is wide. */
#define PLAIN_END 0x300

static enum kind kind_of(uint32_t cp)
{
	size_t lo = 0, n = sizeof(ranges) / sizeof(*ranges), hi = cp < PLAIN_END ? 0 : n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ranges[mid].last < cp)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && cp >= ranges[lo].first ? ranges[lo].kind : PLAIN;
}

size_t tn_width_of(uint32_t cp)
{
	enum kind kind = kind_of(cp);

	return kind == NONE ? 0 : kind == WIDE ? 2 : 1;
}

#define JOINER 0x200d

bool tn_width_flag(uint32_t cp)
{
	return cp >= 0x1f1e6 && cp <= 0x1f1ff;
}

bool tn_width_joins(uint32_t before, uint32_t cp, size_t flags)
{
	const bool skin = cp >= 0x1f3fb && cp <= 0x1f3ff;
	enum kind kind = kind_of(cp);

	if (cp == JOINER || skin || kind == NONE || kind == SPACING)
		return true;
	return (before == JOINER && kind == WIDE) ||
	       (tn_width_flag(cp) && flags % 2 == 1);
}
