#include "import/sniff.h"

#include <string.h>

#include "base/banned.h"

enum format {
	NATIVE,
	TFLITE,
	TFLITE_JSON,
	ONNX,
	ONNX_JSON,
	EXECUTORCH,
	EXECUTORCH_JSON,
	TORCH_EXPORT,
	TVM,
	MXNET,
	XLA,
	TENSORRT,
	TENSORRT_PROFILE,
	ST_CUBEAI,
	ST_REPORT,
	MODEL_EXPLORER,
	KERAS,
	TFJS,
	TINYENGINE,
	OPENVINO,
	HDF5,
	ZIP,
	CHROME_TRACE,
	SARIF,
	TENURE_OTHER,
	OFFSETS,
	FORMATS,
	NO_FORMAT = FORMATS,
};

#define CONVERT "convert it to .tflite first"

static const struct tn_format formats[FORMATS] = {
	[NATIVE] = { "native", "a tenure graph", tn_import_native, NULL },
	[TFLITE] = { "tflite", "a TensorFlow Lite model", tn_import_tflite, NULL },
	[TFLITE_JSON] = { "tflite-json",
		"a TensorFlow Lite model as flatc writes it in JSON",
		tn_import_tflite_json, NULL },
	[ONNX] = { "onnx", "an ONNX model", tn_import_onnx, NULL },
	[ONNX_JSON] = { "onnx-json", "an ONNX model in JSON", tn_import_onnx_json, NULL },
	[EXECUTORCH] = { "executorch", "an ExecuTorch program", NULL,
		"write it as JSON with flatc and ExecuTorch's program.fbs" },
	[EXECUTORCH_JSON] = { "executorch-json", "an ExecuTorch program in JSON",
		tn_import_executorch, NULL },
	[TORCH_EXPORT] = { "torch-export", "a PyTorch export", tn_import_torch_export,
		NULL },
	[TVM] = { "tvm", "a TVM graph executor's graph", tn_import_tvm, NULL },
	[MXNET] = { "mxnet", "an MXNet or NNVM symbol", tn_import_tvm, NULL },
	[XLA] = { "xla", "an XLA HLO module", tn_import_xla, NULL },
	[TENSORRT] = { "tensorrt", "TensorRT layer information", tn_import_tensorrt,
		NULL },
	[TENSORRT_PROFILE] = { "tensorrt-profile", "a TensorRT profile", NULL,
		"read the layer information of the same engine" },
	[ST_CUBEAI] = { "st-cubeai", "an ST Edge AI network with its buffers (c_info)",
		tn_import_st_cubeai, NULL },
	[ST_REPORT] = { "st-report", "an ST Edge AI report without buffers", NULL,
		"read the c_info.json beside it" },
	[MODEL_EXPLORER] = { "model-explorer", "a Model Explorer graph",
		tn_import_model_explorer, NULL },
	[KERAS] = { "keras", "a Keras model's layers", NULL, CONVERT },
	[TFJS] = { "tfjs", "a TensorFlow.js model", NULL, CONVERT },
	[TINYENGINE] = { "tinyengine", "a TinyEngine graph", NULL, NULL },
	[OPENVINO] = { "openvino", "an OpenVINO network", tn_import_openvino, NULL },
	[HDF5] = { "hdf5", "an HDF5 file (a Keras model?)", NULL, CONVERT },
	[ZIP] = { "zip", "a zip archive (a .keras or .pt2 model?)", NULL, CONVERT },
	[CHROME_TRACE] = { "chrome-trace", "a Chrome trace, which holds no graph", NULL,
		NULL },
	[SARIF] = { "sarif", "a SARIF report, which holds no graph", NULL, NULL },
	[TENURE_OTHER] = { "tenure", "a file of tenure's that is no graph", NULL, NULL },
	[OFFSETS] = { "offsets", "an offset problem", NULL, "use 'tenure offsets'" },
};

/* A member of a JSON object, or an element of an array (key empty), found by a scan that
 * takes what flatc writes without --strict-json, too. */
struct member {
	const char *key;
	size_t key_len;
	size_t value; /* where its value starts */
};

struct scan {
	const char *text;
	size_t len, at;
};

static bool space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
}

static void skip_space(struct scan *s)
{
	while (s->at < s->len && space(s->text[s->at]))
		s->at++;
}

/* A string with its quotes, or a bare word. */
static void skip_token(struct scan *s)
{
	if (s->at < s->len && s->text[s->at] == '"') {
		for (s->at++; s->at < s->len && s->text[s->at] != '"'; s->at++)
			if (s->text[s->at] == '\\')
				s->at++;
		s->at = s->at < s->len ? s->at + 1 : s->len;
		return;
	}
	while (s->at < s->len && !space(s->text[s->at]) && s->text[s->at] != '"' &&
		!memchr("[]{}", s->text[s->at], 4))
		s->at++;
}

static void skip_value(struct scan *s)
{
	size_t depth = 0;

	do {
		char c;

		skip_space(s);
		if (s->at >= s->len)
			return;
		c = s->text[s->at];
		if (c == '{' || c == '[') {
			depth++;
			s->at++;
		} else if (c == '}' || c == ']') {
			if (!depth)
				return;
			depth--;
			s->at++;
		} else {
			skip_token(s);
		}
	} while (depth);
}

/* The next member of the object, or element of the array, that the scan is in. */
static bool next(struct scan *s, bool object, struct member *out)
{
	*out = (struct member){ .key = "" };
	skip_space(s);
	if (s->at >= s->len || s->text[s->at] == '}' || s->text[s->at] == ']')
		return false;
	if (object) {
		size_t begin = s->at;

		skip_token(s);
		if (s->at == begin)
			return false;
		out->key = s->text + begin;
		out->key_len = s->at - begin;
		if (*out->key == '"' && out->key_len >= 2) {
			out->key++;
			out->key_len -= 2;
		}
		skip_space(s);
	}
	out->value = s->at;
	skip_value(s);
	return s->at > out->value;
}

/* A scan inside of the value at `at`, when that opens with `bracket`. */
static bool enter(
	const struct tn_source *source, size_t at, char bracket, struct scan *out)
{
	*out = (struct scan){ source->text, source->len, at };
	skip_space(out);
	if (out->at >= out->len || out->text[out->at] != bracket)
		return false;
	out->at++;
	return true;
}

#define MEMBERS_MAX 64 /* no format is told by a later key */

struct object {
	const struct tn_source *source;
	struct member members[MEMBERS_MAX];
	size_t n;
};

/* Does the string at `at` start like this? */
static bool starts(const struct tn_source *source, size_t at, const char *text)
{
	size_t n = strlen(text);

	return at < source->len && source->text[at] == '"' && source->len - at - 1 >= n &&
	       memcmp(source->text + at + 1, text, n) == 0;
}

/* A file of ours: what follows need not be looked at. */
static bool is_ours(const struct tn_source *source, const struct member *m)
{
	return m->key_len == 6 && memcmp(m->key, "format", 6) == 0 &&
	       starts(source, m->value, "tenure.");
}

/* One scan of the object at `at`; none when there is no object. */
static void scan_object(const struct tn_source *source, size_t at, struct object *out)
{
	struct scan s;

	out->source = source;
	out->n = 0;
	if (!enter(source, at, '{', &s))
		return;
	while (out->n < MEMBERS_MAX && next(&s, true, &out->members[out->n]))
		if (is_ours(source, &out->members[out->n++]))
			break;
}

static bool find(const struct object *o, const char *key, struct member *out)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->members[i].key_len == strlen(key) &&
			memcmp(o->members[i].key, key, o->members[i].key_len) == 0) {
			*out = o->members[i];
			return true;
		}
	}
	return false;
}

static bool has(const struct object *o, const char *key)
{
	struct member m;

	return find(o, key, &m);
}

/* Is there a member `key` that is an object with a member `inner`? */
static bool has_inside(const struct object *o, const char *key, const char *inner)
{
	struct object object;
	struct member m;

	if (!find(o, key, &m))
		return false;
	scan_object(o->source, m.value, &object);
	return has(&object, inner);
}

/* Is there a member `key` that is an array, and not an empty one? */
static bool has_elements(const struct object *o, const char *key)
{
	struct member m, first;
	struct scan s;

	return find(o, key, &m) && enter(o->source, m.value, '[', &s) &&
	       next(&s, false, &first);
}

static bool contains(const struct tn_source *source, const char *word)
{
	size_t n = strlen(word);
	const char *at = source->text, *end = source->text + source->len;

	while ((size_t)(end - at) >= n) {
		at = memchr(at, word[0], (size_t)(end - at) - n + 1);
		if (!at)
			return false;
		if (memcmp(at, word, n) == 0)
			return true;
		at++;
	}
	return false;
}

static bool is_keras(const struct object *o)
{
	struct member m;

	return find(o, "class_name", &m) &&
	       (starts(o->source, m.value, "Sequential\"") ||
		       starts(o->source, m.value, "Functional\"") ||
		       starts(o->source, m.value, "Model\""));
}

static enum format sniff_object(const struct tn_source *source, size_t at)
{
	struct object o;
	struct member m;

	scan_object(source, at, &o);
	if (find(&o, "format", &m) && starts(source, m.value, "tenure."))
		return starts(source, m.value, "tenure.graph/") ? NATIVE : TENURE_OTHER;
	if (has(&o, "subgraphs") && (has(&o, "operator_codes") || has(&o, "buffers")))
		return TFLITE_JSON;
	if (has_inside(&o, "graph", "node"))
		return ONNX_JSON;
	if (has(&o, "execution_plan"))
		return EXECUTORCH_JSON;
	if (has(&o, "graph_module") && has(&o, "schema_version"))
		return TORCH_EXPORT;
	if (has(&o, "nodes") && has(&o, "arg_nodes") && has(&o, "heads"))
		return contains(source, "\"tvm_op\"") ||
				       has_inside(&o, "attrs", "storage_id")
			       ? TVM
			       : MXNET;
	if (has(&o, "hloModule") || has(&o, "hlo_module") ||
		(has(&o, "computations") && has(&o, "entryComputationName")))
		return XLA;
	if (has_elements(&o, "Layers") || (has(&o, "Layers") && has(&o, "Bindings")))
		return TENSORRT;
	if (has(&o, "json_schema_version") && has(&o, "memory_pools"))
		return ST_CUBEAI;
	if ((has(&o, "c_layers") && has(&o, "c_arrays")) || has(&o, "report_version"))
		return ST_REPORT;
	if (has(&o, "label") && has(&o, "graphs"))
		return MODEL_EXPLORER;
	if (has(&o, "modelTopology"))
		return TFJS;
	if (is_keras(&o))
		return KERAS;
	if (has(&o, "traceEvents"))
		return CHROME_TRACE;
	return has(&o, "runs") && has(&o, "version") ? SARIF : NO_FORMAT;
}

/* An array is known by its first element. */
static enum format sniff_array(const struct tn_source *source, size_t at)
{
	struct scan s;
	struct member first;
	struct object o;

	if (!enter(source, at, '[', &s) || !next(&s, false, &first))
		return NO_FORMAT;
	scan_object(source, first.value, &o);
	if (has(&o, "count"))
		return TENSORRT_PROFILE;
	if ((has(&o, "id") && has(&o, "nodes")) ||
		(has(&o, "label") && has(&o, "subgraphs")))
		return MODEL_EXPLORER;
	if (has(&o, "type") && has(&o, "inputs") && has(&o, "outputs"))
		return TINYENGINE;
	return NO_FORMAT;
}

static bool at_start(
	const struct tn_source *source, size_t at, const char *magic, size_t n)
{
	return source->len >= at + n && memcmp(source->text + at, magic, n) == 0;
}

static enum format sniff(const struct tn_source *source)
{
	size_t at = 0;

	if (at_start(source, 4, "TFL3", 4))
		return TFLITE;
	if (at_start(source, 4, "ET", 2) && source->len > 8 && source->text[6] >= '0' &&
		source->text[6] <= '9')
		return EXECUTORCH;
	if (at_start(source, 0, "PK\3\4", 4))
		return ZIP;
	if (at_start(source, 0, "\x89HDF\r\n\x1a\n", 8))
		return HDF5;
	/* a protocol buffer whose first field is the number 1 to 31, as ir_version is, and
	 * whose next one is a text of the producer, the graph or the opsets */
	if (source->len > 2 && source->text[0] == 8 && source->text[1] > 0 &&
		source->text[1] < 32 && source->text[2] &&
		strchr("\x12\x1A\x22\x3A\x42", source->text[2]))
		return ONNX;
	if (at_start(source, 0, "\xEF\xBB\xBF", 3)) /* some editors start with it */
		at = 3;
	while (at < source->len && space(source->text[at]))
		at++;
	if (at_start(source, at, "id,lower,upper,size", 19))
		return OFFSETS;
	if (at >= source->len)
		return NO_FORMAT;
	switch (source->text[at]) {
	case '{':
		return sniff_object(source, at);
	case '[':
		return sniff_array(source, at);
	case '<':
		return contains(source, "<net") && contains(source, "<layers")
			       ? OPENVINO
			       : NO_FORMAT;
	default:
		return NO_FORMAT;
	}
}

const struct tn_format *tn_format_sniff(const struct tn_source *source)
{
	enum format format = sniff(source);

	return format < FORMATS ? &formats[format] : NULL;
}

const struct tn_format *tn_format_named(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

const struct tn_format *tn_format_readable(size_t index)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].read && index-- == 0)
			return &formats[i];
	return NULL;
}
