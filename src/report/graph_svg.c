#include "report/graph_svg.h"

#include <string.h>

#include <graphviz/gvc.h>

#include "base/banned.h"

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

static enum tn_status render(GVC_t *gvc, Agraph_t *graph, struct tn_strbuf *out)
{
	enum tn_status status = TN_ERR_IO;
	char *svg = NULL;
	unsigned len = 0;

	if (gvLayout(gvc, graph, "dot") != 0)
		return TN_ERR_IO;
	if (gvRenderData(gvc, graph, "svg", &svg, &len) == 0 && svg)
		status = take(svg, len, out);
	gvFreeRenderData(svg);
	gvFreeLayout(gvc, graph);
	return status;
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
		status = gvc && graph ? render(gvc, graph, out) : TN_ERR_NOMEM;
	}
	if (graph)
		agclose(graph);
	if (gvc)
		gvFreeContext(gvc);
	agseterr(before);
	tn_strbuf_release(&dot);
	return status;
}
