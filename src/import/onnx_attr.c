/* Attributes of ONNX nodes, and what a function's body refers to in its call. */
#include <string.h>

#include "import/onnx.h"

#include "base/banned.h"

/* What a function says for an attribute that its call leaves out. */
static bool find_default(struct tn_onnx *x, const struct tn_at *function,
	const char *name, struct tn_at *frames, struct tn_at *out)
{
	size_t n = tn_at_list(&x->tree, function, "attributeProto", frames);

	for (size_t i = 0; i < n; i++) {
		tn_at_item(frames, i, out);
		if (strcmp(tn_at_text(&x->tree, out, "name", ""), name) == 0)
			return true;
	}
	out->json = NULL;
	return false;
}

static bool find_attr(struct tn_onnx *x, const struct tn_at *node,
	const struct tn_onnx_scope *scope, const char *name, struct tn_at *frames,
	struct tn_at *out)
{
	size_t n = tn_at_list(&x->tree, node, "attribute", frames);

	for (size_t i = 0; i < n; i++) {
		const char *ref;

		tn_at_item(frames, i, out);
		if (strcmp(tn_at_text(&x->tree, out, "name", ""), name) != 0)
			continue;
		ref = tn_at_text(&x->tree, out, "refAttrName", "");
		if (!ref[0])
			return true;
		if (scope && scope->call)
			return find_attr(
				       x, scope->call, scope->caller, ref, frames, out) ||
			       find_default(x, scope->function, ref, frames, out);
		break;
	}
	out->json = NULL;
	return false;
}

bool tn_onnx_attr(struct tn_onnx *x, const struct tn_onnx_node *n, const char *name,
	struct tn_at *frames, struct tn_at *out)
{
	return name[0] && find_attr(x, n->at, n->scope, name, frames, out);
}

int64_t tn_onnx_attr_int(struct tn_onnx *x, const struct tn_onnx_node *n,
	const char *name, int64_t otherwise)
{
	struct tn_at frames, at;

	return tn_onnx_attr(x, n, name, &frames, &at) ? tn_at_int(&x->tree, &at, "i", 0)
						      : otherwise;
}

bool tn_onnx_attr_ints(struct tn_onnx *x, const struct tn_onnx_node *n, const char *name,
	struct tn_ints *out)
{
	struct tn_at frames, at;

	out->v.count = 0;
	return tn_onnx_attr(x, n, name, &frames, &at) &&
	       tn_at_ints(&x->tree, &at, "ints", out);
}

const char *tn_onnx_attr_text(
	struct tn_onnx *x, const struct tn_onnx_node *n, const char *name)
{
	struct tn_at frames, at, text;
	const uint8_t *data;
	size_t len;
	char *copy;

	if (!tn_onnx_attr(x, n, name, &frames, &at) ||
		!tn_at_key(&x->tree, &at, "s", &text) ||
		!tn_onnx_bytes(x, &text, &data, &len))
		return "";
	copy = tn_arena_strndup(&x->tree.scratch, (const char *)data, len);
	x->tree.nomem = x->tree.nomem || !copy;
	return copy ? copy : "";
}
