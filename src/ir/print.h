/* The graph as stable text, for --dump=graph and golden tests. */
#ifndef TN_IR_PRINT_H
#define TN_IR_PRINT_H

#include "base/strbuf.h"
#include "ir/graph.h"

void tn_graph_print(const struct tn_graph *g, struct tn_strbuf *out);

#endif
