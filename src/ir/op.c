#include "ir/op.h"

#include <stddef.h>

#include <string.h>

static const struct tn_op_info infos[OP_COUNT] = {
#define OP(id, name, lo, hi, out, access) [id] = { name, lo, hi, out, access },
#include "ir/op.def"
#undef OP
};

/* Names of the same meaning in other vocabularies. Only ops whose operands, layout and
 * semantics agree belong here: ONNX's Conv is NCHW and does not. */
static const struct synonym {
	const char *name;
	enum tn_op_kind kind;
} synonyms[] = {
	{ "Abs", OP_ABS },
	{ "Add", OP_ADD },
	{ "AddN", OP_ADD_N },
	{ "Cast", OP_CAST },
	{ "Dequant", OP_DEQUANTIZE },
	{ "Div", OP_DIV },
	{ "Mul", OP_MUL },
	{ "Neg", OP_NEG },
	{ "Quant", OP_QUANTIZE },
	{ "Relu", OP_RELU },
	{ "Reshape", OP_RESHAPE },
	{ "Sigmoid", OP_LOGISTIC },
	{ "Sin", OP_SIN },
	{ "Sub", OP_SUB },
	{ "Tanh", OP_TANH },
	{ "Transpose", OP_TRANSPOSE },
};

const struct tn_op_info *tn_op_info(enum tn_op_kind kind)
{
	return &infos[kind];
}

enum tn_op_kind tn_op_kind_parse(const char *name)
{
	for (int i = OP_UNKNOWN + 1; i < OP_COUNT; i++)
		if (strcmp(infos[i].name, name) == 0)
			return (enum tn_op_kind)i;
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(*synonyms); i++)
		if (strcmp(synonyms[i].name, name) == 0)
			return synonyms[i].kind;
	return OP_UNKNOWN;
}
