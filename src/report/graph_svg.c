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

/* Graphviz remembers the name of its last font, which lies in the context: were that freed,
 * the first label of the next would be compared with freed memory. So there is one, for as
 * long as the program runs, and it draws one graph at a time. */
static enum tn_status draw_text(const char *dot, struct tn_strbuf *out)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static GVC_t *gvc;
	enum tn_status status = TN_ERR_NOMEM;
	Agraph_t *graph;

	pthread_mutex_lock(&lock);
	if (!gvc)
		gvc = gvContext();
	graph = agmemread(dot);
	if (gvc && graph)
		status = draw(gvc, graph, out);
	if (graph)
		agclose(graph);
	pthread_mutex_unlock(&lock);
	return status;
}

enum tn_status tn_graph_svg_write(const struct tn_view *v,
	const struct tn_dot_options *options, struct tn_strbuf *out)
{
	struct tn_strbuf dot;
	agerrlevel_t before = agseterr(AGMAX); /* its warnings are about looks */
	enum tn_status status;

	tn_strbuf_init(&dot);
	status = tn_dot_write(v, options, &dot);
	if (status == TN_OK)
		status = draw_text(dot.text, out);
	agseterr(before);
	tn_strbuf_release(&dot);
	return status;
}
