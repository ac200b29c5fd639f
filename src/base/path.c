#include "base/path.h"

#include <string.h>

#include "base/banned.h"
#include "base/strbuf.h"

/* Every tensor and op of a graph has one: this is where most pointers end. */
static void render_index(struct tn_strbuf *out, size_t index)
{
	char text[24];
	size_t at = sizeof(text);

	do {
		text[--at] = (char)('0' + index % 10);
		index /= 10;
	} while (index);
	text[--at] = '/';
	tn_strbuf_add(out, text + at, sizeof(text) - at);
}

static void render(struct tn_strbuf *out, const struct tn_path *path)
{
	if (!path)
		return;
	render(out, path->up);
	if (!path->key) {
		render_index(out, path->index);
		return;
	}
	tn_strbuf_putc(out, '/');
	for (const char *c = path->key; *c;) {
		const size_t plain = strcspn(c, "~/");

		tn_strbuf_add(out, c, plain);
		c += plain;
		if (*c)
			tn_strbuf_puts(out, *c++ == '~' ? "~0" : "~1");
	}
}

char *tn_path_pointer(struct tn_arena *arena, const struct tn_path *path)
{
	struct tn_strbuf out;
	char *text = NULL;

	tn_strbuf_init(&out);
	render(&out, path);
	if (!out.failed)
		text = tn_arena_strndup(arena, out.text ? out.text : "", out.len);
	tn_strbuf_release(&out);
	return text;
}
