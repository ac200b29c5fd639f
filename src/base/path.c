#include "base/path.h"

#include <string.h>

#include "base/banned.h"
#include "base/digits.h"

/* Every tensor and op of a graph has a pointer: it is measured, then written. With no
 * text it is only measured. */
struct pen {
	char *text;
	size_t len;
};

static void put(struct pen *pen, const char *text, size_t len)
{
	if (pen->text)
		memcpy(pen->text + pen->len, text, len);
	pen->len += len;
}

static void put_index(struct pen *pen, size_t index)
{
	char text[TN_DIGITS_MAX];
	const char *digits = tn_digits(text, index);

	put(pen, digits, (size_t)(text + TN_DIGITS_MAX - 1 - digits));
}

static void put_path(struct pen *pen, const struct tn_path *path)
{
	if (!path)
		return;
	put_path(pen, path->up);
	put(pen, "/", 1);
	if (!path->key) {
		put_index(pen, path->index);
		return;
	}
	for (const char *c = path->key; *c;) {
		const size_t plain = strcspn(c, "~/");

		put(pen, c, plain);
		c += plain;
		if (*c)
			put(pen, *c++ == '~' ? "~0" : "~1", 2);
	}
}

char *tn_path_pointer(struct tn_arena *arena, const struct tn_path *path)
{
	struct pen pen = { NULL, 0 };

	put_path(&pen, path);
	pen.text = tn_arena_alloc(arena, pen.len + 1);
	pen.len = 0;
	if (pen.text)
		put_path(&pen, path);
	return pen.text;
}
