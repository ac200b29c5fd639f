/* What the pieces of the DOT writer share. cgraph's types are known to them only. */
#ifndef TN_REPORT_DOT_PARTS_H
#define TN_REPORT_DOT_PARTS_H

#include <graphviz/cgraph.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "report/boxes.h"

struct tn_dot_named {
	const char *name;
	uint32_t op;
};

struct tn_dot {
	const struct tn_view *v;
	struct tn_arena *arena;
	Agraph_t *graph;
	const struct tn_load *loads; /* by position; NULL: not known */
	uint32_t peak; /* position */
	bool *drawn; /* by op */
	bool whole; /* all ops are drawn */
	uint32_t *producer; /* by tensor: op, or TN_NONE */
	Agnode_t **tensor; /* by tensor: its own node, or NULL */
	Agnode_t **op; /* by op: its node, or NULL */
	struct tn_dot_named *by_name; /* n_ops of them, by name, then id */
	const struct tn_diag **finding; /* by op: the worst about it; NULL: none */
	bool failed; /* memory ran out */
};

/* An attribute of a node, an edge or a graph. */
void tn_dot_set(struct tn_dot *d, void *object, const char *name, const char *value);

/* Appends a name as part of a label, cut and made safe to see. */
void tn_dot_name(struct tn_strbuf *out, const char *name);

/* Sets the label and gives the buffer back. */
void tn_dot_label(struct tn_dot *d, void *object, struct tn_strbuf *label);

/* The node called <kind><i> in g, made if it is not there; NULL when memory ran out. */
Agnode_t *tn_dot_node(struct tn_dot *d, Agraph_t *g, const char *kind, uint32_t i);

/* A new edge; NULL when memory ran out, or when a node is. */
Agedge_t *tn_dot_edge(struct tn_dot *d, Agraph_t *g, Agnode_t *from, Agnode_t *to);

/* The first op of this name, or TN_NONE. */
uint32_t tn_dot_op_named(const struct tn_dot *d, const char *name);

/* Frames: chains, ops that were fused into another one, branches of control flow that stand
 * in the graph itself, and bodies that an op runs. Once all nodes are there. */
void tn_dot_groups(struct tn_dot *d);

/* Fills `by_name` and `finding`. */
void tn_dot_index(struct tn_dot *d);

#endif
