#include "import/tflite_schema.h"

#include <string.h>

/* clang-format off */
static const char *const op_names[] = {
	[0] = "ADD", "AVERAGE_POOL_2D", "CONCATENATION", "CONV_2D",
		"DEPTHWISE_CONV_2D", "DEPTH_TO_SPACE", "DEQUANTIZE",
		"EMBEDDING_LOOKUP", "FLOOR", "FULLY_CONNECTED",
	[10] = "HASHTABLE_LOOKUP", "L2_NORMALIZATION", "L2_POOL_2D",
		"LOCAL_RESPONSE_NORMALIZATION", "LOGISTIC", "LSH_PROJECTION", "LSTM",
		"MAX_POOL_2D", "MUL", "RELU",
	[20] = "RELU_N1_TO_1", "RELU6", "RESHAPE", "RESIZE_BILINEAR", "RNN", "SOFTMAX",
		"SPACE_TO_DEPTH", "SVDF", "TANH", "CONCAT_EMBEDDINGS",
	[30] = "SKIP_GRAM", "CALL", "CUSTOM", "EMBEDDING_LOOKUP_SPARSE", "PAD",
		"UNIDIRECTIONAL_SEQUENCE_RNN", "GATHER", "BATCH_TO_SPACE_ND",
		"SPACE_TO_BATCH_ND", "TRANSPOSE",
	[40] = "MEAN", "SUB", "DIV", "SQUEEZE", "UNIDIRECTIONAL_SEQUENCE_LSTM",
		"STRIDED_SLICE", "BIDIRECTIONAL_SEQUENCE_RNN", "EXP", "TOPK_V2",
		"SPLIT",
	[50] = "LOG_SOFTMAX", "DELEGATE", "BIDIRECTIONAL_SEQUENCE_LSTM", "CAST",
		"PRELU", "MAXIMUM", "ARG_MAX", "MINIMUM", "LESS", "NEG",
	[60] = "PADV2", "GREATER", "GREATER_EQUAL", "LESS_EQUAL", "SELECT", "SLICE",
		"SIN", "TRANSPOSE_CONV", "SPARSE_TO_DENSE", "TILE",
	[70] = "EXPAND_DIMS", "EQUAL", "NOT_EQUAL", "LOG", "SUM", "SQRT", "RSQRT",
		"SHAPE", "POW", "ARG_MIN",
	[80] = "FAKE_QUANT", "REDUCE_PROD", "REDUCE_MAX", "PACK", "LOGICAL_OR",
		"ONE_HOT", "LOGICAL_AND", "LOGICAL_NOT", "UNPACK", "REDUCE_MIN",
	[90] = "FLOOR_DIV", "REDUCE_ANY", "SQUARE", "ZEROS_LIKE", "FILL", "FLOOR_MOD",
		"RANGE", "RESIZE_NEAREST_NEIGHBOR", "LEAKY_RELU", "SQUARED_DIFFERENCE",
	[100] = "MIRROR_PAD", "ABS", "SPLIT_V", "UNIQUE", "CEIL", "REVERSE_V2",
		"ADD_N", "GATHER_ND", "COS", "WHERE",
	[110] = "RANK", "ELU", "REVERSE_SEQUENCE", "MATRIX_DIAG", "QUANTIZE",
		"MATRIX_SET_DIAG", "ROUND", "HARD_SWISH", "IF", "WHILE",
	[120] = "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "SCATTER_ND",
		"SELECT_V2", "DENSIFY", "SEGMENT_SUM", "BATCH_MATMUL",
		"PLACEHOLDER_FOR_GREATER_OP_CODES", "CUMSUM", "CALL_ONCE",
	[130] = "BROADCAST_TO", "RFFT2D", "CONV_3D", "IMAG", "REAL", "COMPLEX_ABS",
		"HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE",
	[140] = "REDUCE_ALL", "CONV_3D_TRANSPOSE", "VAR_HANDLE", "READ_VARIABLE",
		"ASSIGN_VARIABLE", "BROADCAST_ARGS", "RANDOM_STANDARD_NORMAL",
		"BUCKETIZE", "RANDOM_UNIFORM", "MULTINOMIAL",
	[150] = "GELU", "DYNAMIC_UPDATE_SLICE", "RELU_0_TO_1", "UNSORTED_SEGMENT_PROD",
		"UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_SUM", "ATAN2",
		"UNSORTED_SEGMENT_MIN", "SIGN", "BITCAST",
	[160] = "BITWISE_XOR", "RIGHT_SHIFT", "STABLEHLO_LOGISTIC", "STABLEHLO_ADD",
		"STABLEHLO_DIVIDE", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM",
		"STABLEHLO_RESHAPE", "STABLEHLO_CLAMP", "STABLEHLO_CONCATENATE",
	[170] = "STABLEHLO_BROADCAST_IN_DIM", "STABLEHLO_CONVOLUTION",
		"STABLEHLO_SLICE", "STABLEHLO_CUSTOM_CALL", "STABLEHLO_REDUCE",
		"STABLEHLO_ABS", "STABLEHLO_AND", "STABLEHLO_COSINE",
		"STABLEHLO_EXPONENTIAL", "STABLEHLO_FLOOR",
	[180] = "STABLEHLO_LOG", "STABLEHLO_MINIMUM", "STABLEHLO_NEGATE",
		"STABLEHLO_OR", "STABLEHLO_POWER", "STABLEHLO_REMAINDER",
		"STABLEHLO_RSQRT", "STABLEHLO_SELECT", "STABLEHLO_SUBTRACT",
		"STABLEHLO_TANH",
	[190] = "STABLEHLO_SCATTER", "STABLEHLO_COMPARE", "STABLEHLO_CONVERT",
		"STABLEHLO_DYNAMIC_SLICE", "STABLEHLO_DYNAMIC_UPDATE_SLICE",
		"STABLEHLO_PAD", "STABLEHLO_IOTA", "STABLEHLO_DOT_GENERAL",
		"STABLEHLO_REDUCE_WINDOW", "STABLEHLO_SORT",
	[200] = "STABLEHLO_WHILE", "STABLEHLO_GATHER", "STABLEHLO_TRANSPOSE", "DILATE",
		"STABLEHLO_RNG_BIT_GENERATOR", "REDUCE_WINDOW", "STABLEHLO_COMPOSITE",
		"STABLEHLO_SHIFT_LEFT", "STABLEHLO_CBRT", "STABLEHLO_CASE",
};
/* clang-format on */

#define N_OPS ((int)(sizeof(op_names) / sizeof(*op_names)))
_Static_assert(sizeof(op_names) / sizeof(*op_names) == 210, "operators 0 to 209");

/* clang-format off */
static const char *const options_names[] = {
	[0] = "NONE", "Conv2DOptions", "DepthwiseConv2DOptions",
		"ConcatEmbeddingsOptions", "LSHProjectionOptions", "Pool2DOptions",
		"SVDFOptions", "RNNOptions", "FullyConnectedOptions", "SoftmaxOptions",
	[10] = "ConcatenationOptions", "AddOptions", "L2NormOptions",
		"LocalResponseNormalizationOptions", "LSTMOptions",
		"ResizeBilinearOptions", "CallOptions", "ReshapeOptions",
		"SkipGramOptions", "SpaceToDepthOptions",
	[20] = "EmbeddingLookupSparseOptions", "MulOptions", "PadOptions",
		"GatherOptions", "BatchToSpaceNDOptions", "SpaceToBatchNDOptions",
		"TransposeOptions", "ReducerOptions", "SubOptions", "DivOptions",
	[30] = "SqueezeOptions", "SequenceRNNOptions", "StridedSliceOptions",
		"ExpOptions", "TopKV2Options", "SplitOptions", "LogSoftmaxOptions",
		"CastOptions", "DequantizeOptions", "MaximumMinimumOptions",
	[40] = "ArgMaxOptions", "LessOptions", "NegOptions", "PadV2Options",
		"GreaterOptions", "GreaterEqualOptions", "LessEqualOptions",
		"SelectOptions", "SliceOptions", "TransposeConvOptions",
	[50] = "SparseToDenseOptions", "TileOptions", "ExpandDimsOptions",
		"EqualOptions", "NotEqualOptions", "ShapeOptions", "PowOptions",
		"ArgMinOptions", "FakeQuantOptions", "PackOptions",
	[60] = "LogicalOrOptions", "OneHotOptions", "LogicalAndOptions",
		"LogicalNotOptions", "UnpackOptions", "FloorDivOptions",
		"SquareOptions", "ZerosLikeOptions", "FillOptions",
		"BidirectionalSequenceLSTMOptions",
	[70] = "BidirectionalSequenceRNNOptions", "UnidirectionalSequenceLSTMOptions",
		"FloorModOptions", "RangeOptions", "ResizeNearestNeighborOptions",
		"LeakyReluOptions", "SquaredDifferenceOptions", "MirrorPadOptions",
		"AbsOptions", "SplitVOptions",
	[80] = "UniqueOptions", "ReverseV2Options", "AddNOptions", "GatherNdOptions",
		"CosOptions", "WhereOptions", "RankOptions", "ReverseSequenceOptions",
		"MatrixDiagOptions", "QuantizeOptions",
	[90] = "MatrixSetDiagOptions", "HardSwishOptions", "IfOptions", "WhileOptions",
		"DepthToSpaceOptions", "NonMaxSuppressionV4Options",
		"NonMaxSuppressionV5Options", "ScatterNdOptions", "SelectV2Options",
		"DensifyOptions",
	[100] = "SegmentSumOptions", "BatchMatMulOptions", "CumsumOptions",
		"CallOnceOptions", "BroadcastToOptions", "Rfft2dOptions",
		"Conv3DOptions", "HashtableOptions", "HashtableFindOptions",
		"HashtableImportOptions",
	[110] = "HashtableSizeOptions", "VarHandleOptions", "ReadVariableOptions",
		"AssignVariableOptions", "RandomOptions", "BucketizeOptions",
		"GeluOptions", "DynamicUpdateSliceOptions",
		"UnsortedSegmentProdOptions", "UnsortedSegmentMaxOptions",
	[120] = "UnsortedSegmentMinOptions", "UnsortedSegmentSumOptions",
		"ATan2Options", "SignOptions", "BitcastOptions", "BitwiseXorOptions",
		"RightShiftOptions",
};
/* clang-format on */

#define N_OPTIONS (sizeof(options_names) / sizeof(*options_names))
_Static_assert(sizeof(options_names) / sizeof(*options_names) == 127, "NONE and 126");

const char *const tn_tfl_tensor_types[] = { "FLOAT32", "FLOAT16", "INT32", "UINT8",
	"INT64", "STRING", "BOOL", "INT16", "COMPLEX64", "INT8", "FLOAT64", "COMPLEX128",
	"UINT64", "RESOURCE", "VARIANT", "UINT32", "UINT16", "INT4", "BFLOAT16", "INT2",
	"UINT4", "FLOAT8_E4M3FN", "FLOAT8_E5M2", NULL };
static const char *const paddings[] = { "SAME", "VALID", NULL };
static const char *const activations[] = { "NONE", "RELU", "RELU_N1_TO_1", "RELU6",
	"TANH", "SIGN_BIT", NULL };
static const char *const mirrors[] = { "REFLECT", "SYMMETRIC", NULL };
static const char *const formats[] = { "DEFAULT", "SHUFFLED4x16INT8", NULL };

#define FIELD(slot, type, key, otherwise)                                                \
	{                                                                                \
		key, NULL, type, slot, otherwise                                         \
	}
#define PADDING(slot)                                                                    \
	{                                                                                \
		"pad", { "padding", paddings, TFL_I8, slot, 0 }, { 0 }, true             \
	}
#define ACTIVATION(slot)                                                                 \
	{                                                                                \
		"activation",                                                            \
			{ "fused_activation_function", activations, TFL_I8, slot, 0 },   \
			{ 0 }, true                                                      \
	}
#define DTYPE_OPTION(attr, slot, key)                                                    \
	{                                                                                \
		attr, { key, tn_tfl_tensor_types, TFL_I8, slot, 0 }, { 0 }, false        \
	}
#define BOOL_OPTION(slot, name, otherwise)                                               \
	{                                                                                \
		name, FIELD(slot, TFL_BOOL, name, otherwise), { 0 }, false               \
	}
#define INT_OPTION(attr, slot, key)                                                      \
	{                                                                                \
		attr, FIELD(slot, TFL_I32, key, 0), { 0 }, false                         \
	}
#define FLOAT_OPTION(slot, name)                                                         \
	{                                                                                \
		name, FIELD(slot, TFL_F32, name, 0), { 0 }, false                        \
	}
#define LIST_OPTION(slot, name)                                                          \
	{                                                                                \
		name, FIELD(slot, TFL_I32_LIST, name, 0), { 0 }, false                   \
	}
#define TEXT_OPTION(slot, name)                                                          \
	{                                                                                \
		name, FIELD(slot, TFL_STRING, name, 0), { 0 }, false                     \
	}
#define PAIR_OPTION(attr, slot_h, key_h, slot_w, key_w, otherwise)                       \
	{                                                                                \
		attr, FIELD(slot_h, TFL_I32, key_h, otherwise),                          \
			FIELD(slot_w, TFL_I32, key_w, otherwise), false                  \
	}
#define STRIDE(slot_w, slot_h)                                                           \
	PAIR_OPTION("stride", slot_h, "stride_h", slot_w, "stride_w", 0)
#define DILATION(slot_w, slot_h)                                                         \
	PAIR_OPTION(                                                                     \
		"dilation", slot_h, "dilation_h_factor", slot_w, "dilation_w_factor", 1)

static const struct tn_tfl_option conv_2d[] = { PADDING(0), STRIDE(1, 2), DILATION(4, 5),
	ACTIVATION(3), DTYPE_OPTION("quantized_bias_type", 6, "quantized_bias_type") };
static const struct tn_tfl_option depthwise[] = { PADDING(0), STRIDE(1, 2),
	DILATION(5, 6), ACTIVATION(4),
	INT_OPTION("depth_multiplier", 3, "depth_multiplier") };
static const struct tn_tfl_option pool_2d[] = { PADDING(0),
	PAIR_OPTION("kernel", 4, "filter_height", 3, "filter_width", 0), STRIDE(1, 2),
	ACTIVATION(5) };
static const struct tn_tfl_option transpose_conv[] = { PADDING(0), STRIDE(1, 2),
	ACTIVATION(3), DTYPE_OPTION("quantized_bias_type", 4, "quantized_bias_type") };
static const struct tn_tfl_option fully_connected[] = { ACTIVATION(0),
	{ "weights_format", { "weights_format", formats, TFL_I8, 1, 0 }, { 0 }, false },
	BOOL_OPTION(2, "keep_num_dims", 0),
	BOOL_OPTION(3, "asymmetric_quantize_inputs", 0),
	DTYPE_OPTION("quantized_bias_type", 4, "quantized_bias_type") };
static const struct tn_tfl_option softmax[] = { FLOAT_OPTION(0, "beta") };
static const struct tn_tfl_option reducer[] = { BOOL_OPTION(0, "keep_dims", 0) };
static const struct tn_tfl_option only_activation[] = { ACTIVATION(0) };
static const struct tn_tfl_option add_sub[] = { ACTIVATION(0),
	BOOL_OPTION(1, "pot_scale_int16", 1) };
static const struct tn_tfl_option leaky_relu[] = { FLOAT_OPTION(0, "alpha") };
static const struct tn_tfl_option cast[] = { DTYPE_OPTION("from", 0, "in_data_type"),
	DTYPE_OPTION("to", 1, "out_data_type") };
static const struct tn_tfl_option reshape[] = { LIST_OPTION(0, "new_shape") };
static const struct tn_tfl_option squeeze[] = { LIST_OPTION(0, "squeeze_dims") };
static const struct tn_tfl_option mirror_pad[] = { { "mode",
	{ "mode", mirrors, TFL_I8, 0, 0 }, { 0 }, true } };
static const struct tn_tfl_option concatenation[] = { INT_OPTION("axis", 0, "axis"),
	ACTIVATION(1) };
static const struct tn_tfl_option split[] = { INT_OPTION("num_splits", 0, "num_splits") };
static const struct tn_tfl_option strided_slice[] = {
	INT_OPTION("begin_mask", 0, "begin_mask"), INT_OPTION("end_mask", 1, "end_mask"),
	INT_OPTION("ellipsis_mask", 2, "ellipsis_mask"),
	INT_OPTION("new_axis_mask", 3, "new_axis_mask"),
	INT_OPTION("shrink_axis_mask", 4, "shrink_axis_mask"), BOOL_OPTION(5, "offset", 0)
};
static const struct tn_tfl_option pack[] = {
	INT_OPTION("values_count", 0, "values_count"), INT_OPTION("axis", 1, "axis")
};
static const struct tn_tfl_option unpack[] = { INT_OPTION("num", 0, "num"),
	INT_OPTION("axis", 1, "axis") };
static const struct tn_tfl_option resize_nearest[] = { BOOL_OPTION(0, "align_corners", 0),
	BOOL_OPTION(1, "half_pixel_centers", 0) };
static const struct tn_tfl_option resize_bilinear[] = {
	BOOL_OPTION(2, "align_corners", 0), BOOL_OPTION(3, "half_pixel_centers", 0)
};
static const struct tn_tfl_option block_size[] = { INT_OPTION(
	"block_size", 0, "block_size") };
static const struct tn_tfl_option gather[] = { INT_OPTION("axis", 0, "axis"),
	INT_OPTION("batch_dims", 1, "batch_dims") };
static const struct tn_tfl_option arg[] = { DTYPE_OPTION(
	"output_type", 0, "output_type") };
static const struct tn_tfl_option batch_matmul[] = { BOOL_OPTION(0, "adj_x", 0),
	BOOL_OPTION(1, "adj_y", 0), BOOL_OPTION(2, "asymmetric_quantize_inputs", 0) };
static const struct tn_tfl_option svdf[] = { INT_OPTION("rank", 0, "rank"), ACTIVATION(1),
	BOOL_OPTION(2, "asymmetric_quantize_inputs", 0) };
static const struct tn_tfl_option lstm[] = { ACTIVATION(0), FLOAT_OPTION(1, "cell_clip"),
	FLOAT_OPTION(2, "proj_clip"), BOOL_OPTION(3, "time_major", 0),
	BOOL_OPTION(4, "asymmetric_quantize_inputs", 0),
	BOOL_OPTION(5, "diagonal_recurrent_tensors", 0) };
static const struct tn_tfl_option fake_quant[] = { FLOAT_OPTION(0, "min"),
	FLOAT_OPTION(1, "max"),
	{ "num_bits", FIELD(2, TFL_I32, "num_bits", 8), { 0 }, false },
	BOOL_OPTION(3, "narrow_range", 0) };
static const struct tn_tfl_option cumsum[] = { BOOL_OPTION(0, "exclusive", 0),
	BOOL_OPTION(1, "reverse", 0) };
static const struct tn_tfl_option branch[] = { INT_OPTION("then_subgraph", 0,
						       "then_subgraph_index"),
	INT_OPTION("else_subgraph", 1, "else_subgraph_index") };
static const struct tn_tfl_option loop[] = { INT_OPTION("cond_subgraph", 0,
						     "cond_subgraph_index"),
	INT_OPTION("body_subgraph", 1, "body_subgraph_index") };
static const struct tn_tfl_option once[] = { INT_OPTION(
	"init_subgraph", 0, "init_subgraph_index") };
static const struct tn_tfl_option var_handle[] = { TEXT_OPTION(0, "container"),
	TEXT_OPTION(1, "shared_name") };

#define ROW(table, tag, options)                                                         \
	{                                                                                \
		table, tag, sizeof(options) / sizeof(*options), options                  \
	}

static const struct tn_tfl_options by_kind[OP_COUNT] = {
	[OP_CONV_2D] = ROW("Conv2DOptions", 1, conv_2d),
	[OP_DEPTHWISE_CONV_2D] = ROW("DepthwiseConv2DOptions", 2, depthwise),
	[OP_AVERAGE_POOL_2D] = ROW("Pool2DOptions", 5, pool_2d),
	[OP_MAX_POOL_2D] = ROW("Pool2DOptions", 5, pool_2d),
	[OP_L2_POOL_2D] = ROW("Pool2DOptions", 5, pool_2d),
	[OP_TRANSPOSE_CONV] = ROW("TransposeConvOptions", 49, transpose_conv),
	[OP_FULLY_CONNECTED] = ROW("FullyConnectedOptions", 8, fully_connected),
	[OP_SOFTMAX] = ROW("SoftmaxOptions", 9, softmax),
	[OP_L2_NORMALIZATION] = ROW("L2NormOptions", 12, only_activation),
	[OP_MEAN] = ROW("ReducerOptions", 27, reducer),
	[OP_SUM] = ROW("ReducerOptions", 27, reducer),
	[OP_REDUCE_MAX] = ROW("ReducerOptions", 27, reducer),
	[OP_REDUCE_MIN] = ROW("ReducerOptions", 27, reducer),
	[OP_REDUCE_ALL] = ROW("ReducerOptions", 27, reducer),
	[OP_REDUCE_ANY] = ROW("ReducerOptions", 27, reducer),
	[OP_ADD] = ROW("AddOptions", 11, add_sub),
	[OP_SUB] = ROW("SubOptions", 28, add_sub),
	[OP_MUL] = ROW("MulOptions", 21, only_activation),
	[OP_DIV] = ROW("DivOptions", 29, only_activation),
	[OP_LEAKY_RELU] = ROW("LeakyReluOptions", 75, leaky_relu),
	[OP_CAST] = ROW("CastOptions", 37, cast),
	[OP_RESHAPE] = ROW("ReshapeOptions", 17, reshape),
	[OP_SQUEEZE] = ROW("SqueezeOptions", 30, squeeze),
	[OP_MIRROR_PAD] = ROW("MirrorPadOptions", 77, mirror_pad),
	[OP_CONCATENATION] = ROW("ConcatenationOptions", 10, concatenation),
	[OP_SPLIT] = ROW("SplitOptions", 35, split),
	[OP_SPLIT_V] = ROW("SplitVOptions", 79, split),
	[OP_STRIDED_SLICE] = ROW("StridedSliceOptions", 32, strided_slice),
	[OP_PACK] = ROW("PackOptions", 59, pack),
	[OP_UNPACK] = ROW("UnpackOptions", 64, unpack),
	[OP_RESIZE_NEAREST_NEIGHBOR] =
		ROW("ResizeNearestNeighborOptions", 74, resize_nearest),
	[OP_RESIZE_BILINEAR] = ROW("ResizeBilinearOptions", 15, resize_bilinear),
	[OP_SPACE_TO_DEPTH] = ROW("SpaceToDepthOptions", 19, block_size),
	[OP_DEPTH_TO_SPACE] = ROW("DepthToSpaceOptions", 94, block_size),
	[OP_GATHER] = ROW("GatherOptions", 23, gather),
	[OP_ARG_MAX] = ROW("ArgMaxOptions", 40, arg),
	[OP_ARG_MIN] = ROW("ArgMinOptions", 57, arg),
	[OP_BATCH_MATMUL] = ROW("BatchMatMulOptions", 101, batch_matmul),
	[OP_SVDF] = ROW("SVDFOptions", 6, svdf),
	[OP_UNIDIRECTIONAL_SEQUENCE_LSTM] =
		ROW("UnidirectionalSequenceLSTMOptions", 71, lstm),
	[OP_CUMSUM] = ROW("CumsumOptions", 102, cumsum),
	[OP_FAKE_QUANT] = ROW("FakeQuantOptions", 58, fake_quant),
	[OP_IF] = ROW("IfOptions", 92, branch),
	[OP_WHILE] = ROW("WhileOptions", 93, loop),
	[OP_CALL_ONCE] = ROW("CallOnceOptions", 103, once),
	[OP_VAR_HANDLE] = ROW("VarHandleOptions", 111, var_handle),
};

const char *tn_tfl_op_name(int64_t number)
{
	return number >= 0 && number < N_OPS ? op_names[number] : NULL;
}

int tn_tfl_op_number(const char *name)
{
	for (int i = 0; i < N_OPS; i++)
		if (strcmp(op_names[i], name) == 0)
			return i;
	return -1;
}

const struct tn_tfl_options *tn_tfl_options(enum tn_op_kind kind)
{
	return &by_kind[kind];
}

const char *tn_tfl_options_name(uint64_t tag)
{
	return tag < N_OPTIONS ? options_names[tag] : NULL;
}
