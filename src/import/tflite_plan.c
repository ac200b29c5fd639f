/* The memory plan that a .tflite file can carry for its runtime: metadata of the name
 * OfflineMemoryAllocation, little-endian words of 32 bits. The first two are ignored by
 * the runtime; the third is the number of tensors of all subgraphs, and then each has its
 * offset in bytes from the arena's start, or -1 where the runtime decides. It becomes a
 * claim of kind `plan`, to be judged like anybody's. */
#include <inttypes.h>
#include <string.h>

#include "import/tflite_build.h"

#include "base/banned.h"

#define HEADER_WORDS 3

static int32_t word_at(const uint8_t *bytes, size_t index)
{
	uint32_t word = 0;

	for (int i = 0; i < 4; i++)
		word |= (uint32_t)bytes[4 * index + (size_t)i] << (8 * i);
	return (int32_t)word;
}

/* `offsets` NULL: they cannot be read, for the reason `unread`. */
static bool add_claim(struct tn_tfl *tfl, struct tn_graph *g, const uint8_t *offsets,
	const char *unread, const char *pointer)
{
	struct tn_claim *claim = TN_NEW(tfl->im->arena, struct tn_claim);
	const char *id =
		tn_tfl_text(tfl, TN_TFL_OFFLINE_PLAN, strlen(TN_TFL_OFFLINE_PLAN));

	if (!claim || !id)
		return false;
	*claim = (struct tn_claim){ .id = id,
		.kind = "plan",
		.op = { TN_NONE },
		.in = { TN_NONE },
		.out = { TN_NONE },
		.tensor = { TN_NONE },
		.of = { TN_NONE },
		.byte_offset = -1,
		.bytes = -1,
		.arena_bytes = -1,
		.align = -1,
		.base_address = -1,
		.unread = unread,
		.pointer = pointer };
	claim->places = TN_NEW_ARRAY(tfl->im->arena, struct tn_claim_place, g->n_tensors);
	if (!claim->places)
		return false;
	for (uint32_t i = 0; offsets && i < g->n_tensors; i++) {
		int32_t offset = word_at(offsets, i);

		if (offset < -1) {
			tn_diag_at(tfl->im->diags, SEVERITY_ERROR, "tflite/offline-plan",
				tfl->im->source, pointer, g->tensors[i].name,
				"the memory plan puts '%s' at %d: neither a place nor -1",
				g->tensors[i].name, (int)offset);
		}
		if (offset >= 0)
			claim->places[claim->n_places++] =
				(struct tn_claim_place){ { i }, offset, -1 };
	}
	g->claims = claim;
	g->n_claims = 1;
	return true;
}

/* Why the words are no plan for so many tensors; NULL without memory. */
static const char *misfit(
	const struct tn_tfl *tfl, const struct tn_tfl_buffer *b, int64_t tensors)
{
	if (!b || b->kind != DATA_BYTES || b->bytes < 4 * HEADER_WORDS)
		return "the memory plan has no header";
	return tn_arena_printf(tfl->im->arena,
		"the memory plan says that it has %d offsets, holds %" PRId64
		", and there are %" PRId64 " tensors",
		(int)word_at(b->data, 2), b->bytes / 4 - HEADER_WORDS, tensors);
}

bool tn_tfl_add_offline_plan(struct tn_tfl *tfl, struct tn_graph *g,
	const struct tn_path *path, uint64_t buffer)
{
	const struct tn_tfl_buffer *b =
		buffer < tfl->n_buffers ? &tfl->buffers[buffer] : NULL;
	char *pointer = tn_path_pointer(tfl->im->arena, path);
	int64_t tensors = g->n_tensors, at = HEADER_WORDS;

	for (uint32_t i = 0; i < g->n_subgraphs; i++)
		tensors += g->subgraphs[i].n_tensors;
	if (!pointer)
		return false;
	if (!b || b->kind != DATA_BYTES || b->bytes < 4 * (HEADER_WORDS + tensors) ||
		word_at(b->data, 2) != tensors) {
		const char *why = misfit(tfl, b, tensors);

		if (!why)
			return false;
		tn_diag_at(tfl->im->diags, SEVERITY_WARNING, "tflite/offline-plan",
			tfl->im->source, pointer, NULL,
			"%s: TensorFlow Lite Micro refuses the model", why);
		return add_claim(tfl, g, NULL, why, pointer);
	}
	for (uint32_t i = 0; i <= g->n_subgraphs; i++) {
		struct tn_graph *sub = i ? &g->subgraphs[i - 1] : g;

		if (!add_claim(tfl, sub, b->data + 4 * at, NULL, pointer))
			return false;
		at += sub->n_tensors;
	}
	return true;
}
