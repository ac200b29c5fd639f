#include "base/path.h"

#include <stdio.h>
#include <string.h>

#include "base/banned.h"
#include "base/strbuf.h"

static void render(struct tn_strbuf *out, const struct tn_path *path)
{
	if (!path)
		return;
	render(out, path->up);
	if (!path->key) {
		tn_strbuf_printf(out, "/%zu", path->index);
		return;
	}
	tn_strbuf_putc(out, '/');
	for (const char *c = path->key; *c; c++) {
		if (*c == '~')
			tn_strbuf_puts(out, "~0");
		else if (*c == '/')
			tn_strbuf_puts(out, "~1");
		else
			tn_strbuf_putc(out, *c);
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
