#define _POSIX_C_SOURCE 200809L
#include "report/graph_svg.h"

#include <pthread.h>
#include <string.h>

#include <graphviz/gvc.h>

#include "base/banned.h"
#include "base/hold.h"

/* From the root element on: what stands before it names a version and another host. */
static enum tn_status take(const char *svg, size_t len, struct tn_strbuf *out)
{
	const char *begin = len ? strstr(svg, "<svg") : NULL;

	if (!begin)
		return TN_ERR_IO;
	tn_strbuf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	tn_strbuf_add(out, begin, len - (size_t)(begin - svg));
	return out->failed ? TN_ERR_NOMEM : TN_OK;
}

struct drawing {
	GVC_t *gvc;
	Agraph_t *graph;
	struct tn_strbuf *out;
	enum tn_status status;
};

static void *render(void *user)
{
	struct drawing *d = user;
	char *svg = NULL;
	unsigned len = 0;

	if (gvLayout(d->gvc, d->graph, "dot") != 0)
		return NULL;
	if (gvRenderData(d->gvc, d->graph, "svg", &svg, &len) == 0 && svg)
		d->status = take(svg, len, d->out);
	gvFreeRenderData(svg);
	gvFreeLayout(d->gvc, d->graph);
	return NULL;
}

/* Pango leaves threads behind, which begin with the signals held that their parent holds. A
 * thread of ours starts them, so that no signal comes to one of them while a file is being
 * written, and this one can be interrupted although the layout takes long. */
static enum tn_status draw(GVC_t *gvc, Agraph_t *graph, struct tn_strbuf *out)
{
	struct drawing d = { gvc, graph, out, TN_ERR_IO };
	const unsigned held = tn_hold_begin();
	pthread_t thread;
	bool started = pthread_create(&thread, NULL, render, &d) == 0;

	if (!started)
		render(&d);
	tn_hold_end(held);
	if (started)
		pthread_join(thread, NULL);
	return d.status;
}

enum tn_status tn_graph_svg_write(const struct tn_view *v,
	const struct tn_dot_options *options, struct tn_strbuf *out)
{
	struct tn_strbuf dot;
	Agraph_t *graph = NULL;
	GVC_t *gvc = NULL;
	agerrlevel_t before = agseterr(AGMAX); /* its warnings are about looks */
	enum tn_status status;

	tn_strbuf_init(&dot);
	status = tn_dot_write(v, options, &dot);
	if (status == TN_OK) {
		gvc = gvContext();
		graph = agmemread(dot.text);
		status = gvc && graph ? draw(gvc, graph, out) : TN_ERR_NOMEM;
	}
	if (graph)
		agclose(graph);
	if (gvc)
		gvFreeContext(gvc);
	agseterr(before);
	tn_strbuf_release(&dot);
	return status;
}
