/* Decisions in words: what a verdict, a witness or a lifetime means to somebody who
 * writes firmware. Names in sentences are cut and safe to see; names alone are as the file
 * has them. */
#ifndef TN_REPORT_WORDS_H
#define TN_REPORT_WORDS_H

#include "report/view.h"

/* Columns of a name inside a sentence; longer ones are cut in the middle. */
#define TN_WORDS_NAME 48

/* "1x49x10x64"; "scalar" */
void tn_words_shape(const struct tn_shape *shape, struct tn_strbuf *out);

/* The type as files name it: the op table's name, or the file's for an unknown op. */
const char *tn_words_op_type(const struct tn_op *op);

/* "activation", "input", "output", "constant", "variable", "scratch" */
const char *tn_words_role(const struct tn_graph *g, tn_tensor_id id);

/* A name to print: "t7" when the file gives none. Into out. */
void tn_words_tensor(const struct tn_graph *g, tn_tensor_id id, struct tn_strbuf *out);

/* The same inside a sentence, quoted. Converters join names into ones of hundreds of letters:
 * a sentence takes the ends. */
void tn_words_quoted(const struct tn_view *v, tn_tensor_id id, struct tn_strbuf *out);

/* "'conv' (op 3)", by its place in the order. */
void tn_words_op(const struct tn_view *v, tn_op_id op, struct tn_strbuf *out);

/* Why the bytes stay: "read for the last time by 'add' (op 7)", "an output: the caller reads it
 * at the end". */
void tn_words_life(const struct tn_view *v, tn_tensor_id id, struct tn_strbuf *out);

/* "proved", "rejected", and for a rejected one with an overlap that is legal "overlap" */
const char *tn_words_verdict(const struct tn_candidate *c);

/* One sentence: why the op may write over its input, or who stops it. */
void tn_words_reason(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out);

/* "ascending", "descending, output pixel held back" */
void tn_words_variant(const struct tn_variant *variant, struct tn_strbuf *out);

/* What the variant below allows: "the input starts 48 B above the output, or more". */
void tn_words_rule(
	const struct tn_view *v, const struct tn_candidate *c, struct tn_strbuf *out);

/* Of an op in a chain of the plan (plan.h), whose verdict is that of the op alone: "ops 0
 * to 3 run row by row: the displacement of the whole chain holds, not the op's". False,
 * and nothing, for others. */
bool tn_words_chain(const struct tn_view *v, tn_op_id op, struct tn_strbuf *out);

/* The variant that the plan runs; without a plan one that makes in place legal, or else
 * the best one for an overlap. TN_NONE when there is none. */
uint32_t tn_candidate_variant(const struct tn_view *v, const struct tn_candidate *c);

/* Bytes that input and output share where the plan puts them; 0 without a plan. */
int64_t tn_candidate_shared(const struct tn_view *v, const struct tn_candidate *c);

/* Does the plan put the output where the input starts, and does it fit there? */
bool tn_candidate_in_place(const struct tn_view *v, const struct tn_candidate *c);

/* a - b; 0 when it does not fit (a foreign plan may hold anything). */
int64_t tn_difference(int64_t a, int64_t b);

/* part of whole in tenths of a percent, rounded down; 0 when whole is 0. */
int64_t tn_permille(int64_t part, int64_t whole);

#endif
