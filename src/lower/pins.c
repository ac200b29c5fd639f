/* From memories and pins, which name tensors, to region sets and given offsets of
 * buffers. */
#include <inttypes.h>

#include "base/checked.h"
#include "lower/place.h"

#define PIN "command/pin"

int64_t tn_memory_room(const struct tn_plan_region *r)
{
	return r->capacity < 0 ? INT64_MAX / 8 : r->capacity - r->reserved;
}

struct pinning {
	const struct tn_tables *t;
	const struct tn_memories *m;
	struct tn_lowered *l;
	struct tn_diags *diags;
	uint32_t *allowed; /* by buffer */
	bool wrong;
};

static const struct tn_tensor *tensor(const struct pinning *p, uint32_t i)
{
	return &p->t->g->tensors[i];
}

static void TN_PRINTF(4, 5)
	refuse(struct pinning *p, const char *rule, uint32_t id, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = tn_arena_vprintf(p->diags->arena, fmt, args);
	va_end(args);
	tn_diag_at(p->diags, SEVERITY_ERROR, rule, p->t->g->source,
		tensor(p, id)->pointer, tensor(p, id)->name, "%s",
		text ? text : "out of memory");
	p->wrong = true;
}

/* The earlier pin of the same buffer that this one cannot be true with, or NULL. */
static const struct tn_plan_pin *contradicted(const struct pinning *p, uint32_t k)
{
	const struct tn_plan_pin *pin = &p->m->pins[k];

	for (uint32_t i = 0; i < k; i++) {
		const struct tn_plan_pin *other = &p->m->pins[i];

		if (p->l->buffer_of[other->tensor] != p->l->buffer_of[pin->tensor])
			continue;
		if (other->region != pin->region)
			return other;
		if (other->offset >= 0 && pin->offset >= 0 &&
			other->offset - p->l->shift_of[other->tensor] !=
				pin->offset - p->l->shift_of[pin->tensor])
			return other;
	}
	return NULL;
}

static void place_at(struct pinning *p, const struct tn_plan_pin *pin)
{
	const struct tn_plan_region *r = &p->m->regions[pin->region];
	const char *name = tensor(p, pin->tensor)->name;
	struct tn_buffer *b = &p->l->problem.buffers[p->l->buffer_of[pin->tensor]];
	int64_t at = pin->offset - p->l->shift_of[pin->tensor];

	if (at < 0)
		refuse(p, PIN, pin->tensor,
			"'%s' is pinned to offset %" PRId64 " of '%s', but it is a view "
			"that starts %" PRId64 " bytes into its storage",
			name, pin->offset, r->name, p->l->shift_of[pin->tensor]);
	else if (at % b->align != 0 || at % r->align != 0)
		refuse(p, PIN, pin->tensor,
			"'%s' is pinned to offset %" PRId64
			" of '%s', which is not a multiple of its alignment, %" PRId64,
			name, pin->offset, r->name, tn_max_i64(b->align, r->align));
	else if (at > tn_memory_room(r) || b->size > tn_memory_room(r) - at)
		refuse(p, PIN, pin->tensor,
			"'%s' is pinned to offset %" PRId64 " of '%s', but its %" PRId64
			" bytes then end behind the %" PRId64 " bytes of that region",
			name, pin->offset, r->name, b->size, tn_memory_room(r));
	else
		b->fixed = at;
}

static void lower_pin(struct pinning *p, uint32_t k)
{
	const struct tn_plan_pin *pin = &p->m->pins[k], *other;
	uint32_t b = p->l->buffer_of[pin->tensor];
	const char *name = tensor(p, pin->tensor)->name;

	if (b == TN_NONE) {
		refuse(p, PIN, pin->tensor,
			"'%s' is pinned, but it needs no memory: it is a constant, or "
			"nothing uses it",
			name);
		return;
	}
	other = contradicted(p, k);
	if (other && other->tensor == pin->tensor) {
		refuse(p, PIN, pin->tensor, "'%s' is pinned to two different places",
			name);
		return;
	}
	if (other) {
		refuse(p, PIN, pin->tensor,
			"'%s' and '%s' share their storage, but are pinned to different "
			"places",
			name, tensor(p, other->tensor)->name);
		return;
	}
	p->allowed[b] = UINT32_C(1) << pin->region;
	if (pin->offset >= 0)
		place_at(p, pin);
}

/* Unpinned tensors may be anywhere but in what the caller owns. */
static uint32_t everywhere(const struct tn_memories *m)
{
	uint32_t set = 0;

	for (uint32_t r = 0; r < m->n_regions; r++)
		if (!m->regions[r].owned)
			set |= UINT32_C(1) << r;
	return set;
}

static void check_sizes(struct pinning *p)
{
	for (uint32_t b = 0; b < p->l->problem.n_buffers; b++) {
		const struct tn_buffer *buffer = &p->l->problem.buffers[b];
		const uint32_t root = p->l->root_of[b].i;
		int64_t most = -1;
		uint32_t largest = 0;

		for (uint32_t r = 0; r < p->m->n_regions; r++) {
			const int64_t room = tn_memory_room(&p->m->regions[r]);

			if (p->allowed[b] >> r & 1 && room > most) {
				most = room;
				largest = r;
			}
		}
		if (most < 0)
			refuse(p, "memory/tensor-too-large", root,
				"'%s' may be in no region: each belongs to the caller, "
				"and it is not pinned",
				tensor(p, root)->name);
		else if (buffer->size > most)
			refuse(p, "memory/tensor-too-large", root,
				"'%s' has %" PRId64 " bytes, but the largest region that "
				"it may be in, '%s', has %" PRId64,
				tensor(p, root)->name, buffer->size,
				p->m->regions[largest].name, most);
	}
}

enum tn_status tn_pins_lower(const struct tn_tables *tables,
	const struct tn_memories *memories, struct tn_lowered *lowered,
	struct tn_diags *diags, uint32_t *allowed)
{
	struct pinning p = { .t = tables,
		.m = memories,
		.l = lowered,
		.diags = diags,
		.allowed = allowed };

	for (uint32_t b = 0; b < lowered->problem.n_buffers; b++)
		allowed[b] = everywhere(memories);
	for (uint32_t k = 0; k < memories->n_pins; k++)
		lower_pin(&p, k);
	if (!p.wrong)
		check_sizes(&p);
	return p.wrong ? TN_ERR_INPUT : TN_OK;
}

enum tn_status tn_pins_apart(const struct tn_tables *tables,
	const struct tn_memories *memories, struct tn_arena *arena, bool **out)
{
	const struct tn_graph *g = tables->g;
	bool *apart = TN_NEW_ARRAY(arena, bool, g->n_tensors);

	if (!apart)
		return TN_ERR_NOMEM;
	for (uint32_t k = 0; k < memories->n_pins; k++)
		apart[tables->aliases->of[memories->pins[k].tensor].root.i] = true;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (apart[tables->aliases->of[i].root.i])
			apart[i] = true;
	*out = apart;
	return TN_OK;
}

enum tn_status tn_pins_views(const struct tn_memories *memories, const struct tn_graph *g,
	struct tn_arena *arena, struct tn_alias_options *views)
{
	bool *apart;

	if (!memories->n_regions)
		return TN_OK;
	apart = TN_NEW_ARRAY(arena, bool, g->n_tensors);
	if (!apart)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < memories->n_pins; i++)
		apart[memories->pins[i].tensor] = true;
	for (uint32_t i = 0; i < memories->n_regions; i++)
		views->align = tn_max_i64(views->align, memories->regions[i].align);
	views->apart = apart;
	return TN_OK;
}
