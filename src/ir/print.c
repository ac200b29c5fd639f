#include "ir/print.h"

#include <inttypes.h>

static const char *const role_names[] = {
	[ROLE_ACT] = "act",
	[ROLE_INPUT] = "input",
	[ROLE_OUTPUT] = "output",
	[ROLE_CONST] = "const",
	[ROLE_VARIABLE] = "variable",
	[ROLE_SCRATCH] = "scratch",
};

static void print_tensor(const struct tn_graph *g, uint32_t i, struct tn_strbuf *out)
{
	const struct tn_tensor *t = &g->tensors[i];

	tn_strbuf_printf(out, "t%u '%s' %s[", i, t->name, tn_dtype_name(t->dtype));
	for (uint32_t k = 0; k < t->shape.rank; k++)
		tn_strbuf_printf(out, "%s%" PRId64, k ? "," : "", t->shape.dim[k]);
	tn_strbuf_printf(out, "] %s %" PRId64 " B", role_names[t->role], t->bytes);
	if (t->clobber)
		tn_strbuf_puts(out, " clobber");
	if (t->mutated)
		tn_strbuf_puts(out, " mutated");
	if (t->observed)
		tn_strbuf_puts(out, " observed");
	if (t->view_of.i != TN_NONE)
		tn_strbuf_printf(
			out, " view of t%u + %" PRId64, t->view_of.i, t->view_offset);
	if (t->quant.n)
		tn_strbuf_printf(out, " quant %u%s", t->quant.n,
			t->quant.damaged ? " damaged" : "");
	tn_strbuf_putc(out, '\n');
}

static void print_ids(const tn_tensor_id *ids, uint32_t n, struct tn_strbuf *out)
{
	for (uint32_t k = 0; k < n; k++) {
		if (ids[k].i == TN_NONE)
			tn_strbuf_puts(out, " -");
		else
			tn_strbuf_printf(out, " t%u", ids[k].i);
	}
}

void tn_graph_print(const struct tn_graph *g, struct tn_strbuf *out)
{
	tn_strbuf_printf(
		out, "graph '%s': %u tensors, %u ops\n", g->name, g->n_tensors, g->n_ops);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		print_tensor(g, i, out);
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[g->schedule[i].i];

		tn_strbuf_printf(out, "%u: op%u %s '%s' (", i, g->schedule[i].i,
			op->kind == OP_UNKNOWN ? op->type : tn_op_info(op->kind)->name,
			op->name);
		print_ids(op->inputs, op->n_inputs, out);
		tn_strbuf_puts(out, " ) ->");
		print_ids(op->outputs, op->n_outputs, out);
		tn_strbuf_putc(out, '\n');
	}
	tn_strbuf_puts(out, "inputs:");
	print_ids(g->inputs, g->n_inputs, out);
	tn_strbuf_puts(out, "\noutputs:");
	print_ids(g->outputs, g->n_outputs, out);
	tn_strbuf_putc(out, '\n');
}
