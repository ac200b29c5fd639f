#include "import/aten.h"

#include <stdio.h>
#include <string.h>

#include "base/banned.h"

static const struct {
	const char *name;
	enum tn_aten_form form;
	enum tn_op_kind kind; /* OP_UNKNOWN: as the vocabulary says */
} forms[] = {
	{ "_log_softmax", ATEN_ROW, OP_UNKNOWN },
	{ "_native_batch_norm_legit_no_training", ATEN_NORM, OP_UNKNOWN },
	{ "_reshape_alias", ATEN_VIEW, OP_RESHAPE },
	{ "_softmax", ATEN_ROW, OP_UNKNOWN },
	{ "_unsafe_view", ATEN_VIEW, OP_RESHAPE },
	{ "alias", ATEN_VIEW, OP_RESHAPE },
	{ "avg_pool2d", ATEN_WINDOW, OP_UNKNOWN },
	{ "batch_norm", ATEN_NORM, OP_UNKNOWN },
	{ "cat", ATEN_CONCAT, OP_UNKNOWN },
	{ "conv2d", ATEN_WINDOW, OP_UNKNOWN },
	{ "convolution", ATEN_WINDOW, OP_UNKNOWN },
	{ "dequantize_per_tensor", ATEN_QUANT, OP_DEQUANTIZE },
	{ "detach", ATEN_VIEW, OP_RESHAPE },
	{ "et_view", ATEN_VIEW, OP_RESHAPE },
	{ "expand", ATEN_SLICE, OP_UNKNOWN },
	{ "fake_quantize_per_tensor_affine", ATEN_QUANT, OP_FAKE_QUANT },
	{ "flatten", ATEN_VIEW, OP_RESHAPE },
	{ "layer_norm", ATEN_NORM, OP_UNKNOWN },
	{ "lift_fresh", ATEN_VIEW, OP_RESHAPE },
	{ "max_pool2d", ATEN_WINDOW, OP_UNKNOWN },
	{ "mean", ATEN_REDUCE, OP_UNKNOWN },
	{ "native_batch_norm", ATEN_NORM, OP_UNKNOWN },
	{ "native_layer_norm", ATEN_NORM, OP_UNKNOWN },
	{ "narrow", ATEN_SLICE, OP_UNKNOWN },
	{ "permute", ATEN_TRANSPOSE, OP_TRANSPOSE },
	{ "quantize_per_tensor", ATEN_QUANT, OP_QUANTIZE },
	{ "reshape", ATEN_VIEW, OP_RESHAPE },
	{ "select", ATEN_SLICE, OP_UNKNOWN },
	{ "slice", ATEN_SLICE, OP_UNKNOWN },
	{ "squeeze", ATEN_VIEW, OP_RESHAPE },
	{ "sum", ATEN_REDUCE, OP_UNKNOWN },
	{ "t", ATEN_TRANSPOSE, OP_TRANSPOSE },
	{ "transpose", ATEN_TRANSPOSE, OP_TRANSPOSE },
	{ "unsqueeze", ATEN_VIEW, OP_RESHAPE },
	{ "view", ATEN_VIEW, OP_RESHAPE },
};

static bool strip(char *name, const char *ending)
{
	size_t n = strlen(name), e = strlen(ending);

	if (n <= e || strcmp(name + n - e, ending) != 0)
		return false;
	name[n - e] = '\0';
	return true;
}

struct tn_aten tn_aten_of(const char *name)
{
	struct tn_aten a = { .form = ATEN_PLAIN };

	snprintf(a.name, sizeof(a.name), "%s", name);
	/* "__and__" and the like are no in-place ops */
	if (strncmp(a.name, "__", 2) != 0)
		a.in_place = strip(a.name, "_");
	a.is_copy = strip(a.name, "_copy");
	a.kind = tn_vocabulary_kind(VOCABULARY_ATEN, a.name);
	if (a.is_copy && a.kind == OP_UNKNOWN && strcmp(a.name, "_to") == 0)
		a.kind = OP_CAST;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (strcmp(forms[i].name, a.name) != 0)
			continue;
		a.form = forms[i].form;
		if (forms[i].kind != OP_UNKNOWN)
			a.kind = forms[i].kind;
	}
	return a;
}

#define BATCH_OPERANDS                                                                   \
	{ { "input", 0 }, { "weight", 1 }, { "bias", 2 }, { "running_mean", 3 },         \
		{ "running_var", 4 } },                                                  \
		5, TN_ATEN_NONE
#define LAYER_OPERANDS                                                                   \
	{ { "input", 0 }, { "weight", 2 }, { "bias", 3 } }, 3, 1, TN_ATEN_NONE

static const struct tn_aten_norm norms[] = {
	{ "_native_batch_norm_legit_no_training", BATCH_OPERANDS, TN_ATEN_NONE, 6 },
	{ "batch_norm", BATCH_OPERANDS, 5, 7 },
	{ "layer_norm", LAYER_OPERANDS, 4 },
	{ "native_batch_norm", BATCH_OPERANDS, 5, 7 },
	{ "native_layer_norm", LAYER_OPERANDS, 4 },
};

const struct tn_aten_norm *tn_aten_norm_of(const struct tn_aten *a)
{
	for (size_t i = 0; i < sizeof(norms) / sizeof(*norms); i++)
		if (a->form == ATEN_NORM && strcmp(norms[i].name, a->name) == 0)
			return &norms[i];
	return NULL;
}

bool tn_aten_norm_takes(const struct tn_aten_norm *n, size_t place)
{
	for (size_t i = 0; i < n->n_operands; i++)
		if (n->operands[i].place == place)
			return true;
	return false;
}

/* Little-endian; false when the type does not hold the value. */
static bool encode(enum tn_dtype dtype, double value, uint8_t out[8])
{
	float f = (float)value;
	uint32_t f_bits;
	uint64_t bits;

	switch (dtype) {
	case DTYPE_F32:
		memcpy(&f_bits, &f, sizeof(f_bits));
		bits = f_bits;
		break;
	case DTYPE_F64:
		memcpy(&bits, &value, sizeof(bits));
		break;
	case DTYPE_I8:
	case DTYPE_U8:
	case DTYPE_I16:
	case DTYPE_I32:
	case DTYPE_I64:
		if (!(value >= -128 && value <= 127))
			return false;
		bits = (uint64_t)(int64_t)value;
		break;
	default:
		return false;
	}
	for (int i = 0; i < 8; i++)
		out[i] = (uint8_t)(bits >> (8 * i));
	return true;
}

void tn_aten_scalar(
	struct tn_foreign *f, const struct tn_at *at, enum tn_dtype dtype, double value)
{
	struct tn_shape scalar = { .rank = 0 };
	struct tn_tensor *t = tn_foreign_tensor(f, at, "", dtype, &scalar);
	uint8_t *data = TN_NEW_ARRAY(f->im->arena, uint8_t, 8);

	if (!t || !data) {
		f->tree->nomem = true;
		return;
	}
	t->role = ROLE_CONST;
	tn_foreign_data(
		f, t, encode(dtype, value, data) ? data : NULL, tn_dtype_bits(dtype) / 8);
	tn_foreign_in(f, tn_foreign_newest(f));
}
