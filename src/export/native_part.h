/* The parts of the native writer; for export/native*.c only. */
#ifndef TN_EXPORT_NATIVE_PART_H
#define TN_EXPORT_NATIVE_PART_H

#include "export/native.h"

struct tn_native_writer {
	const struct tn_graph *g;
	const struct tn_excuses *excuses; /* NULL: none */
	const struct tn_export_side *side;
	struct tn_strbuf *out;
	struct tn_arena scratch;
	const char **keys; /* by tensor: its unique name in the file */
	const char *indent;
};

/* Text as it is, and as a JSON string (what is no UTF-8 becomes U+FFFD). */
void tn_native_put(struct tn_native_writer *w, const char *text);
void tn_native_put_text(struct tn_native_writer *w, const char *text);

/* A member behind another one on the same line: the comma, the key, the colon. */
void tn_native_put_key(struct tn_native_writer *w, const char *key);
void tn_native_put_int_member(struct tn_native_writer *w, const char *key, int64_t value);

/* A member of the graph, on a line of its own. */
void tn_native_put_member(struct tn_native_writer *w, const char *key);

void tn_native_put_int(struct tn_native_writer *w, int64_t value);
void tn_native_put_ints(struct tn_native_writer *w, const int64_t *values, size_t n);

/* Nine significant digits name one float; what JSON has no number for goes as bits. */
void tn_native_put_float(struct tn_native_writer *w, float value);

/* Always a real number in JSON, so that it is not read as an integer. */
void tn_native_put_double(struct tn_native_writer *w, double value);

/* Names of tensors (TN_NONE: null) and ops. */
void tn_native_put_tensor_name(struct tn_native_writer *w, tn_tensor_id id);
void tn_native_put_tensor_list(
	struct tn_native_writer *w, const tn_tensor_id *ids, uint32_t n);
void tn_native_put_op_list(struct tn_native_writer *w, const tn_op_id *ids, uint32_t n);

void tn_native_put_claim(struct tn_native_writer *w, uint32_t i);

/* What the graph knows of control flow that was flattened. */
void tn_native_put_flow(struct tn_native_writer *w);

#endif
