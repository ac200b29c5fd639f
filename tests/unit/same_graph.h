/* Are two graphs the same? For readers and writers. */
#ifndef TN_TESTS_SAME_GRAPH_H
#define TN_TESTS_SAME_GRAPH_H

#include "ir/graph.h"

enum {
	SAME_BUT_POINTERS = 1, /* places in the file, and the format itself, may differ */
	SAME_BUT_ROUNDED = 2, /* damaged floats of the second need only be near,
	                         and it may lack constants */
};

/* Ends the test, naming what differs. */
void same_graph(const char *what, const struct tn_graph *a, const struct tn_graph *b,
	unsigned flags);

#endif
