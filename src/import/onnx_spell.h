/* Nodes of ONNX that the op table spells otherwise: with other attributes, with constants
 * made from theirs, or as several ops. For import/onnx_*.c only. */
#ifndef TN_IMPORT_ONNX_SPELL_H
#define TN_IMPORT_ONNX_SPELL_H

#include "import/onnx_infer.h"

struct tn_spell {
	struct tn_onnx *x;
	const struct tn_onnx_node *n;
	struct tn_foreign *f;
	const char *name; /* of the node's last op; the others have it and a word */
};

/* The operand, or NULL when it is absent. Valid until the next tensor is made. */
const struct tn_tensor *tn_spell_in(const struct tn_spell *s, uint32_t k);
/* Has the operand values that are known and never written? */
bool tn_spell_is_constant(const struct tn_tensor *t);

/* A tensor between the node's ops, and a constant; data NULL: its values are missing. */
tn_tensor_id tn_spell_tensor(struct tn_spell *s, const char *word, enum tn_dtype dtype,
	const struct tn_shape *shape);
tn_tensor_id tn_spell_constant(struct tn_spell *s, const char *word, enum tn_dtype dtype,
	const struct tn_shape *shape, const void *data);

/* An op of the table; word NULL: it has the node's name. Attributes may follow. */
void tn_spell_op(struct tn_spell *s, enum tn_op_kind kind, const char *word,
	const tn_tensor_id *in, uint32_t n_in, tn_tensor_id out);
void tn_spell_int(struct tn_spell *s, const char *name, int64_t value);
void tn_spell_ints(struct tn_spell *s, const char *name, const int64_t *values, size_t n);
void tn_spell_real(struct tn_spell *s, const char *name, double value);
void tn_spell_text(struct tn_spell *s, const char *name, const char *value);

/* A float attribute of the node. */
double tn_spell_attr_real(const struct tn_spell *s, const char *name, double otherwise);

/* Writes the node's ops; false when it is none that is spelled otherwise, or its operands
 * are not what that needs: nothing was made then. */
typedef bool tn_spell_fn(struct tn_spell *s);
tn_spell_fn tn_spell_gemm, tn_spell_max_pool;
tn_spell_fn tn_spell_conv, tn_spell_conv_transpose, tn_spell_pool, tn_spell_resize;
tn_spell_fn tn_spell_qlinear_add, tn_spell_qlinear_concat, tn_spell_qlinear_conv,
	tn_spell_qlinear_matmul, tn_spell_qlinear_mul, tn_spell_qlinear_pool,
	tn_spell_qlinear_unary;

/* The node, of the standard's domain or another one. */
bool tn_onnx_spell(struct tn_onnx *x, const struct tn_onnx_node *n, const char *domain,
	const char *name);

#endif
