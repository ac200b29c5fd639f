/* Pieces of calls, for the run function and for the functions of chains. */
#ifndef TN_EMIT_CALLS_H
#define TN_EMIT_CALLS_H

#include "emit/writer.h"

/* Appends to w->params the constant `name`OP with the call's parameters. */
void tn_write_params(
	struct tn_writer *w, const char *name, uint32_t op, const struct tn_call *call);

/* The arrays `in` and `out` of an op's call; of an op that runs element by element in a
 * chain, at row y. Notes the kernel. */
void tn_write_operands(struct tn_writer *w, struct tn_strbuf *out, const char *indent,
	const struct tn_program_op *po);

/* The call, with these parameters (an expression) and those arrays. */
void tn_write_kernel_call(struct tn_strbuf *out, const char *indent, const char *params,
	const struct tn_program_op *po);

/* With debug: to the body, the hook for each output of the op; an output is at
 * `place`TENSOR. */
void tn_write_shows(struct tn_writer *w, tn_op_id op, const char *place);

/* "5: CONV_2D name", for a comment. */
void tn_write_title(struct tn_writer *w, struct tn_strbuf *out, tn_op_id op);

/* After a call: the hook that measures layers, nothing unless somebody defines it. */
void tn_write_layer_hook(const struct tn_writer *w, struct tn_strbuf *out,
	const char *indent, tn_op_id op);

/* With debug: the hook for graph input `id`, which is at `place`TENSOR. */
void tn_write_show_input(
	const struct tn_writer *w, uint32_t id, const char *place, struct tn_strbuf *out);

/* An event of a chain as the call of its op's function for rows; with a step, in pass t. */
void tn_write_event(const struct tn_writer *w, const struct tn_plan_stream *s,
	const struct tn_plan_event *e, struct tn_strbuf *out);

/* What the function of a fed chain does with row r of the input, at `row` (fed.c). */
void tn_write_fed(
	struct tn_writer *w, const struct tn_plan_stream *s, struct tn_strbuf *out);

/* The functions of a chain to w->streams, its call to the body (stream.c). */
void tn_write_chain(struct tn_writer *w, const struct tn_plan_stream *s);

#endif
