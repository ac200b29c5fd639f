/* Claims of the native format: what a runtime or a person says about memory. */
#include "import/native.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

#define NATIVE_CLAIM "native/claim"

enum {
	HAS_OP = 1,
	HAS_IN_OUT = 2,
	HAS_TENSOR = 4,
	HAS_OF = 8,
	HAS_ORDER = 16,
	HAS_PLACES = 32,
	HAS_BYTES = 64,
	OFFSET_ZERO = 128, /* byte_offset is 0 when it is not given */
	OF_OP = 256, /* may name an op, whose operands all its tensors are */
};

/* Which fields a kind of claim must have. */
static const struct {
	const char *kind;
	unsigned has;
} kinds[] = {
	{ "alias", HAS_TENSOR | HAS_OF | OFFSET_ZERO | OF_OP },
	{ "const_fold", HAS_TENSOR },
	{ "donate", HAS_TENSOR | HAS_OF | OFFSET_ZERO | OF_OP },
	{ "drop", HAS_OP | OF_OP },
	{ "elide", HAS_OP | OF_OP },
	{ "inplace", HAS_OP | HAS_IN_OUT },
	{ "plan", HAS_PLACES },
	{ "reuse", HAS_TENSOR | HAS_OF | OFFSET_ZERO },
	{ "schedule", HAS_ORDER },
	{ "scratch", HAS_OP | HAS_BYTES },
};

/* After each field: has anything been reported since? Then nobody knows what the claim
 * says, and what stands in for it must not be judged. */
static void mark_unread(
	struct tn_native *n, size_t *errors, const char *key, struct tn_claim *claim)
{
	if (n->im->diags->errors == *errors)
		return;
	*errors = n->im->diags->errors;
	if (claim->unread)
		return;
	claim->unread = tn_arena_printf(n->im->arena, "its '%s' could not be read", key);
	if (!claim->unread)
		n->nomem = true;
}

static tn_tensor_id tensor_of(struct tn_native *n, const struct tn_path *up,
	const json_t *object, const char *key)
{
	const json_t *name = tn_native_member(n, up, object, key);
	struct tn_path at = { up, key, 0 };
	tn_tensor_id none = { TN_NONE };

	return name ? tn_native_tensor(n, &at, name) : none;
}

/* An optional size or offset in bytes, at least `low`; -1 when absent or wrong. */
static int64_t bytes_of(struct tn_native *n, const struct tn_path *up,
	const json_t *object, const char *key, int64_t low)
{
	const json_t *value = json_object_get(object, key);
	struct tn_path at = { up, key, 0 };
	int64_t bytes = -1;

	if (value)
		tn_json_int(n->im, NATIVE_TYPE, &at, value, low, INT64_MAX, &bytes);
	return bytes;
}

static void read_order(struct tn_native *n, const struct tn_path *up,
	const json_t *object, struct tn_claim *claim)
{
	const json_t *list = tn_native_list(n, up, object, "order");
	struct tn_path path = { up, "order", 0 };
	size_t count = json_array_size(list);

	if (!list) {
		if (!json_object_get(object, "order"))
			tn_native_member(n, up, object, "order");
		return;
	}
	claim->order = TN_NEW_ARRAY(n->im->arena, tn_op_id, count);
	if (!claim->order || !tn_u32_from_size(count, &claim->n_order)) {
		n->nomem = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct tn_path at = { &path, NULL, i };

		claim->order[i] = tn_native_op(n, &at, json_array_get(list, i));
	}
}

/* offsets and sizes, by tensor. */
static void read_places(struct tn_native *n, const struct tn_path *up,
	const json_t *object, struct tn_claim *claim)
{
	static const char *const keys[] = { "offsets", "sizes" };
	size_t errors = n->im->diags->errors;
	size_t count = 0;

	for (int k = 0; k < 2; k++)
		count += json_object_size(json_object_get(object, keys[k]));
	claim->places = TN_NEW_ARRAY(n->im->arena, struct tn_claim_place, count);
	if (!n->place)
		n->place = TN_NEW_ARRAY(n->scratch, size_t, n->b->tensors.count);
	if (!claim->places || !n->place) {
		n->nomem = true;
		return;
	}
	for (int k = 0; k < 2; k++) {
		json_t *map = json_object_get(object, keys[k]);
		struct tn_path path = { up, keys[k], 0 };

		if (!map && k == 0)
			tn_native_member(n, up, object, keys[k]);
		if (map && !tn_json_want(n->im, NATIVE_TYPE, &path, map, JSON_OBJECT))
			map = NULL;
		for (void *i = json_object_iter(map); i;
			i = json_object_iter_next(map, i)) {
			const char *name = json_object_iter_key(i);
			struct tn_path at = { &path, name, 0 };
			uint32_t id = tn_names_find(&n->tensors, name);
			struct tn_claim_place *place;

			if (id == TN_NONE) {
				tn_json_error(n->im, "graph/undefined-tensor", &at,
					"there is no tensor '%s'", name);
				continue;
			}
			if (!n->place[id]) {
				place = &claim->places[claim->n_places];
				*place = (struct tn_claim_place){ { id }, -1, -1 };
				n->place[id] = ++claim->n_places;
			}
			place = &claim->places[n->place[id] - 1];
			tn_json_int(n->im, NATIVE_TYPE, &at, json_object_iter_value(i), 0,
				INT64_MAX, k == 0 ? &place->offset : &place->size);
		}
		mark_unread(n, &errors, keys[k], claim);
	}
	for (uint32_t i = 0; i < claim->n_places; i++)
		n->place[claim->places[i].tensor.i] = 0;
}

/* What a kind of claim does not need: of the op that it names. */
static void read_optional(struct tn_native *n, const struct tn_path *at,
	const json_t *object, unsigned has, struct tn_claim *claim)
{
	const struct {
		const char *key;
		tn_tensor_id *id;
	} tensors[] = {
		{ "in", &claim->in },
		{ "out", &claim->out },
		{ "tensor", &claim->tensor },
		{ "of", &claim->of },
	};
	struct tn_path op_at = { at, "op", 0 };
	const json_t *op = json_object_get(object, "op");
	size_t errors = n->im->diags->errors;

	if (!(has & HAS_OP) && op)
		claim->op = tn_native_op(n, &op_at, op);
	mark_unread(n, &errors, "op", claim);
	if (claim->op.i == TN_NONE)
		return;
	for (size_t i = 0; i < sizeof(tensors) / sizeof(*tensors); i++)
		if (tensors[i].id->i == TN_NONE &&
			json_object_get(object, tensors[i].key)) {
			*tensors[i].id = tensor_of(n, at, object, tensors[i].key);
			mark_unread(n, &errors, tensors[i].key, claim);
		}
}

/* What claims of a kind must have; numbers come after it. */
static void read_names(struct tn_native *n, const struct tn_path *at,
	const json_t *object, unsigned has, struct tn_claim *claim)
{
	size_t errors = n->im->diags->errors;
	struct tn_path op_at = { at, "op", 0 };
	const struct {
		unsigned has;
		const char *key;
		tn_tensor_id *id;
	} tensors[] = {
		{ HAS_IN_OUT, "in", &claim->in },
		{ HAS_IN_OUT, "out", &claim->out },
		{ HAS_TENSOR, "tensor", &claim->tensor },
		{ HAS_OF, "of", &claim->of },
	};
	const json_t *op;

	if (has & HAS_OP) {
		op = tn_native_member(n, at, object, "op");
		if (op)
			claim->op = tn_native_op(n, &op_at, op);
		mark_unread(n, &errors, "op", claim);
	}
	for (size_t i = 0; i < sizeof(tensors) / sizeof(*tensors); i++)
		if (has & tensors[i].has) {
			*tensors[i].id = tensor_of(n, at, object, tensors[i].key);
			mark_unread(n, &errors, tensors[i].key, claim);
		}
	if (has & OF_OP)
		read_optional(n, at, object, has, claim);
}

static void read_fields(struct tn_native *n, const struct tn_path *at,
	const json_t *object, unsigned has, struct tn_claim *claim)
{
	const struct {
		const char *key;
		int64_t low, *bytes;
	} numbers[] = {
		{ "bytes", 0, &claim->bytes },
		{ "byte_offset", 0, &claim->byte_offset },
		{ "arena_bytes", 0, &claim->arena_bytes },
		{ "align", 1, &claim->align },
		{ "base_address", 0, &claim->base_address },
	};
	size_t errors;

	read_names(n, at, object, has, claim);
	errors = n->im->diags->errors;
	if (has & HAS_ORDER)
		read_order(n, at, object, claim);
	mark_unread(n, &errors, "order", claim);
	if (has & HAS_PLACES)
		read_places(n, at, object, claim);
	errors = n->im->diags->errors;
	if ((has & HAS_BYTES) && !json_object_get(object, "bytes"))
		tn_native_member(n, at, object, "bytes");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		*numbers[i].bytes =
			bytes_of(n, at, object, numbers[i].key, numbers[i].low);
		mark_unread(n, &errors, numbers[i].key, claim);
	}
	if ((has & OFFSET_ZERO) && !json_object_get(object, "byte_offset"))
		claim->byte_offset = 0;
}

static bool read_id(struct tn_native *n, const struct tn_path *up, const json_t *object,
	struct tn_names *ids, uint32_t index, struct tn_claim *claim)
{
	const json_t *id = json_object_get(object, "id");
	struct tn_path at = { up, "id", 0 };
	const char *text = "";

	if (id)
		tn_json_string(n->im, NATIVE_TYPE, &at, id, &text);
	if (!text[0])
		text = tn_arena_printf(n->scratch, "claim#%u", index);
	claim->id = text ? tn_native_intern(n, text) : NULL;
	if (!claim->id)
		return false;
	switch (tn_names_add(ids, claim->id, index)) {
	case NAME_ADDED:
		return true;
	case NAME_TAKEN:
		tn_json_error(n->im, "native/duplicate-name", &at,
			"there are two claims '%s'", claim->id);
		claim->unread = "another claim has this 'id'";
		return true;
	case NAME_NOMEM:
		break;
	}
	return false;
}

static bool read_claim(struct tn_native *n, const struct tn_path *at,
	const json_t *object, struct tn_names *ids, uint32_t index)
{
	struct tn_claim claim = { .op = { TN_NONE },
		.in = { TN_NONE },
		.out = { TN_NONE },
		.tensor = { TN_NONE },
		.of = { TN_NONE } };
	struct tn_path kind_at = { at, "kind", 0 };
	const json_t *kind;
	const char *text;

	if (!tn_json_want(n->im, NATIVE_TYPE, at, object, JSON_OBJECT))
		return true;
	claim.pointer = tn_path_pointer(n->im->arena, at);
	if (!claim.pointer || !read_id(n, at, object, ids, index, &claim))
		return false;
	kind = tn_native_member(n, at, object, "kind");
	if (!kind || !tn_json_string(n->im, NATIVE_TYPE, &kind_at, kind, &text))
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].kind, text) != 0)
			continue;
		claim.kind = kinds[i].kind;
		read_fields(n, at, object, kinds[i].has, &claim);
		return tn_vec_push(n->im->arena, &n->b->claims, claim);
	}
	tn_json_error(
		n->im, NATIVE_CLAIM, &kind_at, "there is no kind of claim '%s'", text);
	return true;
}

void tn_native_claims(struct tn_native *n, const struct tn_path *up, const json_t *graph,
	const char *unread)
{
	const json_t *list = tn_native_list(n, up, graph, "claims");
	struct tn_path path = { up, "claims", 0 };
	struct tn_names ids = { .arena = n->scratch };

	n->place = NULL; /* of another graph's tensors */
	for (size_t i = 0; i < json_array_size(list) && !n->nomem; i++) {
		struct tn_path at = { &path, NULL, i };

		if (!read_claim(n, &at, json_array_get(list, i), &ids, (uint32_t)i))
			n->nomem = true;
	}
	for (size_t i = 0; unread && i < n->b->claims.count; i++)
		n->b->claims.items[i].unread = unread;
}
