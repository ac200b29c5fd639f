#include "import/sniff.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "base/banned.h"
#include "import/json.h"

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

/* Is there a member `results`, and a value in its first member? */
static bool has_results(const struct object *o)
{
	struct object results, node;
	struct member m;

	if (!find(o, "results", &m))
		return false;
	scan_object(o->source, m.value, &results);
	if (!results.n)
		return false;
	scan_object(o->source, results.members[0].value, &node);
	return has(&node, "value");
}

/* Results by node, of one graph or of several. */
static bool is_overlay(const struct object *o)
{
	struct object graph;

	if (!o->n || has_results(o))
		return o->n > 0;
	scan_object(o->source, o->members[0].value, &graph);
	return has_results(&graph);
}

static enum tn_import_format sniff_object(const struct tn_source *source, size_t at)
{
	struct object o;
	struct member m;

	scan_object(source, at, &o);
	if (find(&o, "format", &m) && starts(source, m.value, "tenure."))
		return starts(source, m.value, "tenure.graph/") ? IMPORT_NATIVE
								: IMPORT_TENURE_OTHER;
	if (has(&o, "subgraphs") && (has(&o, "operator_codes") || has(&o, "buffers")))
		return IMPORT_TFLITE_JSON;
	if (has_inside(&o, "graph", "node"))
		return IMPORT_ONNX_JSON;
	if (has(&o, "execution_plan"))
		return IMPORT_EXECUTORCH_JSON;
	if (has(&o, "graph_module") && has(&o, "schema_version"))
		return IMPORT_TORCH_EXPORT;
	if (has(&o, "nodes") && has(&o, "arg_nodes") && has(&o, "heads"))
		return contains(source, "\"tvm_op\"") ||
				       has_inside(&o, "attrs", "storage_id")
			       ? IMPORT_TVM
			       : IMPORT_MXNET;
	if (has(&o, "hloModule") || has(&o, "hlo_module") ||
		(has(&o, "computations") && has(&o, "entryComputationName")))
		return IMPORT_XLA;
	if (has_elements(&o, "Layers") || (has(&o, "Layers") && has(&o, "Bindings")))
		return IMPORT_TENSORRT;
	if (has(&o, "json_schema_version") && has(&o, "memory_pools"))
		return IMPORT_ST_CUBEAI;
	if ((has(&o, "c_layers") && has(&o, "c_arrays")) || has(&o, "report_version"))
		return IMPORT_ST_REPORT;
	if (has(&o, "label") && has(&o, "graphs"))
		return IMPORT_MODEL_EXPLORER;
	if (has(&o, "itemInfoEntries") && has(&o, "rootModelIdentifier"))
		return IMPORT_CORE_ML; /* the manifest of a package */
	if (has(&o, "modelTopology"))
		return IMPORT_TFJS;
	if (is_keras(&o))
		return IMPORT_KERAS;
	if (has(&o, "traceEvents"))
		return IMPORT_CHROME_TRACE;
	if (has(&o, "runs") && has(&o, "version"))
		return IMPORT_SARIF;
	return is_overlay(&o) ? IMPORT_OVERLAY : IMPORT_NONE;
}

/* An array is known by its first element. */
static enum tn_import_format sniff_array(const struct tn_source *source, size_t at)
{
	struct scan s;
	struct member first;
	struct object o;

	if (!enter(source, at, '[', &s) || !next(&s, false, &first))
		return IMPORT_NONE;
	scan_object(source, first.value, &o);
	if (has(&o, "count"))
		return IMPORT_TENSORRT_PROFILE;
	if ((has(&o, "id") && has(&o, "nodes")) ||
		(has(&o, "label") && has(&o, "subgraphs")))
		return IMPORT_MODEL_EXPLORER;
	if (has(&o, "type") && has(&o, "inputs") && has(&o, "outputs"))
		return IMPORT_TINYENGINE;
	if (has(&o, "ph") && has(&o, "pid"))
		return IMPORT_CHROME_TRACE;
	return IMPORT_NONE;
}

static bool at_start(
	const struct tn_source *source, size_t at, const char *magic, size_t n)
{
	return source->len >= at + n && memcmp(source->text + at, magic, n) == 0;
}

/* A zip archive holds the names of its files as they are. */
static enum tn_import_format sniff_zip(const struct tn_source *source)
{
	if (contains(source, "model.weights.h5"))
		return IMPORT_KERAS_ZIP;
	if (contains(source, "/data.pkl"))
		return IMPORT_TORCH;
	if (contains(source, "com.apple.CoreML/"))
		return IMPORT_CORE_ML;
	return contains(source, "/archive_format") ||
			       contains(source, "serialized_exported_program.json")
		       ? IMPORT_PT2
		       : IMPORT_ZIP;
}

/* The bytes of a length in a protocol buffer; 0: no length is at this place. */
static size_t length_bytes(const struct tn_source *source, size_t at)
{
	size_t n = 0;

	while (n < 5 && at + n < source->len && (source->text[at + n] & 0x80))
		n++;
	return n < 5 && at + n < source->len ? n + 1 : 0;
}

/* The length at *at, which moves behind it; SIZE_MAX: there is none, or it leads out of the
 * file. */
static size_t read_length(const struct tn_source *source, size_t *at)
{
	const size_t n = length_bytes(source, *at);
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len |= (size_t)(source->text[*at + i] & 0x7f) << (7 * i);
	*at += n;
	return n && len <= source->len - *at ? len : SIZE_MAX;
}

/* What Core ML says of an input: a name, a text, a type. In the same place a SavedModel has
 * tags and a version of TensorFlow. */
static bool is_feature(const struct tn_source *source, size_t at)
{
	size_t len = read_length(source, &at), end;

	if (len == SIZE_MAX || !len || source->text[at] != '\n')
		return false;
	for (end = at + len; at < end; at += len) {
		const char tag = source->text[at++];

		len = read_length(source, &at);
		if ((tag != '\n' && tag != '\x12' && tag != '\x1a') || at > end ||
			len > end - at)
			return false;
	}
	return true;
}

/* Graphs of TensorFlow and Core ML: a field whose first field is one, too. */
static enum tn_import_format sniff_protobuf(const struct tn_source *source)
{
	const bool numbered = at_start(source, 0, "\x08", 1) && source->len > 2 &&
			      source->text[1] > 0 && source->text[1] < 32 &&
			      source->text[2] == 0x12;
	const size_t at = numbered ? 3 : 1;
	const size_t inner = at + length_bytes(source, at);

	if ((!numbered && !at_start(source, 0, "\n", 1)) || inner == at ||
		!at_start(source, inner, "\n", 1))
		return IMPORT_NONE;
	if (numbered) /* a text of a producer, as in ONNX, has no line feed */
		return source->text[1] == 1 && !is_feature(source, inner + 1)
			       ? IMPORT_SAVED_MODEL
			       : IMPORT_CORE_ML;
	/* a node's name is followed by its op */
	if (source->len > inner + 1) {
		const size_t op = inner + 2 + (unsigned char)source->text[inner + 1];

		if (at_start(source, op, "\x12", 1) && contains(source, "dtype"))
			return IMPORT_GRAPH_DEF;
	}
	return IMPORT_NONE;
}

static enum tn_import_format sniff_weights(const struct tn_source *source)
{
	if (at_start(source, 0, "GGUF", 4))
		return IMPORT_GGUF;
	if (at_start(source, 0, "\x1F\x8B\x08", 3))
		return IMPORT_GZIP;
	/* protocol 2 to 5, then a tuple, a number, a frame, an empty dictionary or a name */
	if (source->len > 2 && at_start(source, 0, "\x80", 1) && source->text[1] >= 2 &&
		source->text[1] <= 5 && memchr("(\x8A\x95}c", source->text[2], 5))
		return IMPORT_PICKLE;
	/* a length of eight bytes, and JSON */
	if (at_start(source, 5, "\0\0\0{\"", 5) &&
		(contains(source, "\"data_offsets\"") ||
			contains(source, "\"__metadata__\"")))
		return IMPORT_SAFETENSORS;
	return IMPORT_NONE;
}

static enum tn_import_format sniff_bytes(const struct tn_source *source)
{
	enum tn_import_format other;

	if (at_start(source, 4, "TFL3", 4))
		return IMPORT_TFLITE;
	if (at_start(source, 4, "ET", 2) && source->len > 8 && source->text[6] >= '0' &&
		source->text[6] <= '9')
		return IMPORT_EXECUTORCH;
	if (at_start(source, 0, "PK\3\4", 4))
		return sniff_zip(source);
	if (at_start(source, 0, "\x89HDF\r\n\x1a\n", 8))
		return IMPORT_HDF5;
	if (at_start(source, 0, "ML\xEFR", 4))
		return IMPORT_MLIR_BYTECODE;
	other = sniff_weights(source);
	if (other == IMPORT_NONE)
		other = sniff_protobuf(source);
	if (other != IMPORT_NONE)
		return other;
	/* a protocol buffer whose first field is the number 1 to 31, as ir_version is, and
	 * whose next one is a text of the producer, the graph or the opsets */
	if (source->len > 2 && source->text[0] == 8 && source->text[1] > 0 &&
		source->text[1] < 32 && source->text[2] &&
		strchr("\x12\x1A\x22\x3A\x42", source->text[2]))
		return IMPORT_ONNX;
	return IMPORT_NONE;
}

/* Is the word on the line that starts at `at`? */
static bool on_line(const struct tn_source *source, size_t at, const char *word)
{
	struct tn_source line = *source;
	const char *end = memchr(source->text + at, '\n', source->len - at);

	line.text = source->text + at;
	line.len = end ? (size_t)(end - line.text) : source->len - at;
	return contains(&line, word);
}

/* What is neither JSON nor XML. MLIR starts with a comment, an attribute or an op. */
static enum tn_import_format sniff_text(const struct tn_source *source, size_t at)
{
	static const char *const mlir[] = { "module", "\"builtin.module", "func.func",
		"#", "//" };

	if (at_start(source, at, "id,lower,upper,size", 19))
		return IMPORT_OFFSETS;
	if (at_start(source, at, "experiment,network,", 19) ||
		on_line(source, at, ",NNG Operator,"))
		return IMPORT_VELA;
	if (at_start(source, at, "HloModule ", 10))
		return IMPORT_HLO_TEXT;
	if (at_start(source, at, "version https://git-lfs", 23))
		return IMPORT_LFS;
	/* the bytes "TFL3" behind those of an offset, as xxd -i writes them */
	if (contains(source, "0x54, 0x46, 0x4c, 0x33") && contains(source, "char"))
		return IMPORT_C_ARRAY;
	for (size_t i = 0; i < sizeof(mlir) / sizeof(*mlir); i++)
		if (at_start(source, at, mlir[i], strlen(mlir[i])) &&
			(contains(source, "func.func") || contains(source, "stablehlo.")))
			return IMPORT_STABLEHLO;
	return IMPORT_NONE;
}

/* Behind the mark that some editors start with, and behind blanks. */
static size_t text_start(const struct tn_source *source)
{
	size_t at = at_start(source, 0, "\xEF\xBB\xBF", 3) ? 3 : 0;

	while (at < source->len && space(source->text[at]))
		at++;
	return at;
}

static enum tn_import_format sniff(const struct tn_source *source)
{
	enum tn_import_format format = sniff_bytes(source);
	const size_t at = text_start(source);

	if (format != IMPORT_NONE)
		return format;
	if (at >= source->len)
		return IMPORT_NONE;
	switch (source->text[at]) {
	case '{':
		return sniff_object(source, at);
	case '[':
		return sniff_array(source, at);
	case '<':
		return contains(source, "<net") && contains(source, "<layers")
			       ? IMPORT_OPENVINO
			       : IMPORT_NONE;
	default:
		return sniff_text(source, at);
	}
}

const struct tn_format *tn_format_sniff(const struct tn_source *source)
{
	return tn_format(sniff(source));
}

#define WORD_MAX 4096 /* characters of a number, or of a name without quotes */

/* May JSON go on after this, as far as brackets and words tell? What is refused here no
 * reader takes. */
static bool may_be_json(const struct tn_source *head, size_t at)
{
	struct scan s = { head->text, head->len, at };
	size_t depth = 0, begin;

	if (memchr(head->text, 0, head->len))
		return false;
	for (;;) {
		skip_space(&s);
		if (s.at >= s.len)
			return true;
		begin = s.at;
		switch (s.text[s.at]) {
		case '{':
		case '[':
			if (++depth > TN_JSON_DEPTH_MAX)
				return false;
			s.at++;
			break;
		case '}':
		case ']':
			depth--;
			s.at++;
			break;
		case '"':
			skip_token(&s);
			break;
		default:
			skip_token(&s);
			if (s.at - begin > WORD_MAX)
				return false;
		}
		if (!depth) /* the end of the graph, and this is not the file's */
			return false;
	}
}

static bool may_be_xml(const struct tn_source *head)
{
	return memchr(head->text, '>', head->len) && !memchr(head->text, 0, head->len);
}

bool tn_import_fits(const char *head, size_t len)
{
	const struct tn_source source = { .text = head, .len = len };
	const size_t at = text_start(&source);

	switch (sniff_bytes(&source)) {
	case IMPORT_TFLITE:
	case IMPORT_ONNX:
	case IMPORT_ZIP: /* named by what is in it, wherever that is */
	case IMPORT_KERAS_ZIP:
	case IMPORT_PT2:
	case IMPORT_TORCH:
		return true;
	default:
		break;
	}
	if (at >= len)
		return false;
	if (head[at] == '{' || head[at] == '[')
		return may_be_json(&source, at);
	return head[at] == '<' ? may_be_xml(&source)
			       : sniff_text(&source, at) == IMPORT_OFFSETS;
}

bool tn_import_fits_onnx(const char *head, size_t len)
{
	/* fields of ModelProto that are numbers, and those that have a length */
	static const uint32_t numbers = 1u << 1 | 1u << 5;
	static const uint32_t texts =
		1u << 2 | 1u << 3 | 1u << 4 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 14;
	const unsigned tag = len ? (unsigned char)head[0] : 0;
	const uint32_t field = tag < 0x80 ? 1u << (tag >> 3) : 0;

	return ((tag & 7) == 0 && (field & numbers)) ||
	       ((tag & 7) == 2 && (field & texts)) || tn_import_fits(head, len);
}

bool tn_import_fits_csv(const char *head, size_t len)
{
	const struct tn_source source = { .text = head, .len = len };

	return !memchr(head, 0, len) && contains(&source, "size");
}

bool tn_import_fits_plan(const char *head, size_t len)
{
	return tn_import_fits(head, len) || tn_import_fits_csv(head, len);
}
