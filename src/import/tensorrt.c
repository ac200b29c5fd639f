/* Reads the layer information that TensorRT's engine inspector writes. Tensors are known
 * by name only, and described where they are used. Their type stands in a text about their
 * layout; padded layouts take more bytes than their elements, and are counted so. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "import/foreign.h"

#include "base/banned.h"

struct reader {
	struct tn_tree tree;
	struct tn_foreign f;
	struct tn_ints list;
	TN_VEC(bool) written; /* by tensor */
};

/* The element type is a word of the text: "Channel major FP16 format ...". */
static enum tn_dtype dtype_in(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ,:/");
		char word[24];
		enum tn_dtype dtype;

		snprintf(word, sizeof(word), "%.*s", n < 23 ? (int)n : 23, text);
		dtype = tn_foreign_dtype(word);
		if (dtype != DTYPE_INVALID)
			return dtype;
		text += n;
		text += *text != '\0';
	}
	return DTYPE_INVALID;
}

/* Channels are rounded up to a vector of so many; 1: they are not. */
static int64_t channel_vector(const char *text)
{
	static const struct {
		const char *words;
		int64_t n;
	} rows[] = {
		{ "Thirty-two wide channel", 32 },
		{ "Sixteen wide channel", 16 },
		{ "Four wide channel", 4 },
		{ "Two wide channel", 2 },
		{ "channel % 32 == 0", 32 },
		{ "channel % 16 == 0", 16 },
		{ "channel % 8 == 0", 8 },
		{ "channel % 4 == 0", 4 },
		{ "channel % 2 == 0", 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strstr(text, rows[i].words))
			return rows[i].n;
	return 1;
}

static tn_tensor_id tensor_of(struct reader *r, const struct tn_at *at)
{
	const char *name = tn_at_text(&r->tree, at, "Name", "");
	const char *format = tn_at_text(&r->tree, at, "Format/Datatype", "");
	tn_tensor_id id = tn_foreign_find(&r->f, name);
	const struct tn_shape *given = tn_foreign_given_shape(&r->f, name);
	struct tn_shape shape;
	enum tn_dtype dtype;

	if (id.i != TN_NONE)
		return id;
	if (!format[0])
		format = tn_at_text(&r->tree, at, "Format", "");
	dtype = dtype_in(format);
	if (dtype == DTYPE_INVALID)
		dtype = dtype_in(tn_at_text(&r->tree, at, "DataType", ""));
	if (dtype == DTYPE_INVALID)
		tn_at_error(&r->tree, at, "graph/dtype",
			strncmp(format, "N/A", 3) == 0
				? "the engine has dynamic shapes ('%.80s'), and says no "
				  "element type: build it with fixed ones"
				: "'%.80s' names no known element type",
			format);
	tn_at_ints(&r->tree, at, "Dimensions", &r->list);
	tn_foreign_shape_of(&r->f, at, &r->list, &shape);
	if (given)
		shape = *given;
	if (shape.rank > 1 && shape.dim[1] > 0 &&
		!tn_align_up_i64(shape.dim[1], channel_vector(format), &shape.dim[1]))
		shape.dim[1] = INT64_MAX;
	return tn_foreign_tensor(&r->f, at, name, dtype, &shape)
		       ? tn_foreign_newest(&r->f)
		       : id;
}

/* A tensor with several writers: a concatenation that was optimised away. */
static void write_tensor(struct reader *r, tn_tensor_id id)
{
	while (r->written.count <= id.i)
		if (!tn_vec_push(&r->tree.scratch, &r->written, false)) {
			r->tree.nomem = true;
			return;
		}
	if (r->written.items[id.i])
		tn_foreign_at(&r->f, id)->mutated = true;
	r->written.items[id.i] = true;
	tn_foreign_out(&r->f, id);
}

/* A layer without work hands its input on, when the bytes are the same. */
static enum tn_op_kind kind_of(struct reader *r, const char *type)
{
	const struct tn_tensor *in, *out;

	if (strcmp(type, "NoOp") != 0 || r->f.in.v.count != 1 || r->f.out.v.count != 1)
		return OP_UNKNOWN;
	in = tn_foreign_at(&r->f, r->f.in.v.items[0]);
	out = tn_foreign_at(&r->f, r->f.out.v.items[0]);
	return in->dtype == out->dtype ? OP_RESHAPE : OP_UNKNOWN;
}

static void read_layer(struct reader *r, const struct tn_at *at)
{
	const char *type = tn_at_text(&r->tree, at, "LayerType", "");
	struct tn_at list, item;
	size_t n;

	if (!tn_foreign_op(
		    &r->f, at, OP_UNKNOWN, type, tn_at_text(&r->tree, at, "Name", "")))
		return;
	n = tn_at_list(&r->tree, at, "Inputs", &list);
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		tn_at_item(&list, i, &item);
		if (tn_at_want_object(&r->tree, &item))
			tn_foreign_in(&r->f, tensor_of(r, &item));
	}
	n = tn_at_list(&r->tree, at, "Outputs", &list);
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		tn_at_item(&list, i, &item);
		if (tn_at_want_object(&r->tree, &item)) {
			tn_tensor_id id = tensor_of(r, &item);

			if (id.i != TN_NONE)
				write_tensor(r, id);
		}
	}
	if (!r->tree.nomem)
		tn_foreign_newest_op(&r->f)->kind = kind_of(r, type);
	tn_foreign_close(&r->f);
}

static bool is_written(const struct reader *r, tn_tensor_id id)
{
	return id.i < r->written.count && r->written.items[id.i];
}

static void add_end(struct reader *r, const struct tn_at *at, const char *name)
{
	tn_tensor_id id = tn_foreign_find(&r->f, name);

	if (id.i == TN_NONE)
		tn_at_error(&r->tree, at, "graph/undefined-tensor",
			"no layer has the tensor '%.200s'", name);
	else if (is_written(r, id))
		tn_foreign_output(&r->f, id);
	else
		tn_foreign_input(&r->f, id, true);
}

static void read_ends(struct reader *r, const struct tn_at *root)
{
	struct tn_at list, item;
	size_t n = tn_at_list(&r->tree, root, "Bindings", &list);

	for (size_t i = 0; i < n; i++) {
		const char *name = "";

		tn_at_item(&list, i, &item);
		if (tn_at_as_text(&r->tree, &item, &name))
			add_end(r, &item, name);
	}
	n = tn_at_list(&r->tree, root, "I/O Tensors", &list);
	for (size_t i = 0; i < n; i++) {
		tn_at_item(&list, i, &item);
		add_end(r, &item, tn_at_text(&r->tree, &item, "Name", ""));
	}
}

static enum tn_status read_root(
	struct reader *r, const struct tn_at *root, struct tn_graph *out)
{
	struct tn_at layers, at;
	size_t n = tn_at_list(&r->tree, root, "Layers", &layers);

	tn_at_item(&layers, 0, &at);
	if (!n || json_is_string(at.json)) {
		tn_at_error(&r->tree, &layers, "tensorrt/no-graph",
			n ? "the layers are names only" : "there are no layers");
		tn_diag_note(r->tree.im->diags,
			"build the engine with detailed profiling verbosity");
		return TN_ERR_INPUT;
	}
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		tn_at_item(&layers, i, &at);
		if (tn_at_want_object(&r->tree, &at))
			read_layer(r, &at);
	}
	if (!r->tree.nomem)
		read_ends(r, root);
	return tn_foreign_finish(&r->f, out);
}

enum tn_status tn_import_tensorrt(struct tn_import *im, struct tn_graph *out)
{
	struct reader r = { .written = { 0 } };
	struct tn_at root;
	enum tn_status status = tn_tree_open(&r.tree, im, "tensorrt/type", &root);

	tn_foreign_init(&r.f, &r.tree);
	if (status == TN_OK)
		status = read_root(&r, &root, out);
	tn_tree_close(&r.tree);
	return status;
}
