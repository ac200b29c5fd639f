#include "exec/exec.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/fnv.h"
#include "base/utf8.h"

struct dump {
	const struct tn_graph *g;
	struct tn_strbuf *out;
};

/* A JSON string. Names come from files: any bytes, well-formed UTF-8 or not. */
static void quote(struct tn_strbuf *out, const char *text)
{
	size_t left = strlen(text);

	tn_strbuf_putc(out, '"');
	while (left) {
		size_t len = tn_utf8_char(text, left);

		if (*text == '"' || *text == '\\')
			tn_strbuf_printf(out, "\\%c", *text);
		else if (len == 0)
			tn_strbuf_puts(out, "\\ufffd");
		else if ((unsigned char)*text < 0x20 || *text == 0x7f)
			tn_strbuf_printf(out, "\\u%04x", (unsigned)*text);
		else
			tn_strbuf_add(out, text, len);
		text += len ? len : 1;
		left -= len ? len : 1;
	}
	tn_strbuf_putc(out, '"');
}

static void print_layer(void *user, const struct tn_exec_layer *layer)
{
	const struct dump *d = user;
	const struct tn_tensor *t = &d->g->tensors[layer->tensor.i];

	tn_strbuf_printf(d->out, "{\"tensor\":%u,\"name\":", t->file_index);
	quote(d->out, t->name);
	tn_strbuf_puts(d->out, ",\"op\":");
	if (layer->op.i == TN_NONE)
		tn_strbuf_puts(d->out, "null");
	else
		quote(d->out, d->g->ops[layer->op.i].name);
	tn_strbuf_printf(d->out, ",\"bytes\":%zu,\"fnv1a64\":\"%016" PRIx64 "\"}\n",
		layer->size, tn_fnv(TN_FNV_INIT, layer->bytes, layer->size));
}

enum tn_status tn_exec_dump_layers(struct tn_exec *e, struct tn_strbuf *out)
{
	struct dump d = { e->graph, out };
	enum tn_status status = tn_exec_run(e, print_layer, &d);

	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
