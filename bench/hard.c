#include "hard.h"

struct hard {
	uint64_t state;
};

/* splitmix64: the same numbers on every machine. */
static int64_t draw(struct hard *h, int64_t least, int64_t most)
{
	uint64_t x = h->state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return least + (int64_t)(x % (uint64_t)(most - least + 1));
}

static bool allocate(struct tn_arena *arena, uint32_t n, struct tn_problem *out)
{
	*out = (struct tn_problem){ .capacity = -1 };
	out->buffers = TN_NEW_ARRAY(arena, struct tn_buffer, n);
	return out->buffers;
}

/* Cuts piece x in two along time or along bytes; false when it is too small for both. */
static bool cut(struct hard *h, struct tn_problem *p, uint32_t x, int64_t grain)
{
	struct tn_buffer *b = &p->buffers[x], *rest = &p->buffers[p->n_buffers];
	const int64_t moments = b->end - b->begin, grains = b->size / grain;
	bool in_time = draw(h, 0, 1);

	if (moments < 2 && grains < 2)
		return false;
	in_time = moments >= 2 && (in_time || grains < 2);
	*rest = *b;
	p->n_buffers++;
	if (in_time) {
		b->end = b->begin + draw(h, 1, moments - 1);
		rest->begin = b->end;
	} else {
		b->size = grain * draw(h, 1, grains - 1);
		rest->size -= b->size;
	}
	return true;
}

static void shuffle(struct hard *h, struct tn_problem *p)
{
	for (uint32_t i = p->n_buffers; i > 1; i--) {
		const uint32_t j = (uint32_t)draw(h, 0, (int64_t)i - 1);
		const struct tn_buffer swap = p->buffers[i - 1];

		p->buffers[i - 1] = p->buffers[j];
		p->buffers[j] = swap;
	}
}

bool tn_hard_cuts(uint64_t seed, uint32_t n, int64_t height, int64_t grain,
	struct tn_arena *arena, struct tn_problem *out)
{
	struct hard h = { seed };

	if (!n || !allocate(arena, n, out))
		return false;
	out->buffers[out->n_buffers++] =
		(struct tn_buffer){ 0, n, height / grain * grain, 1, -1 };
	for (uint32_t misses = 0; out->n_buffers < n && misses < 64;) {
		const int64_t x = draw(&h, 0, (int64_t)out->n_buffers - 1);

		misses = cut(&h, out, (uint32_t)x, grain) ? 0 : misses + 1;
	}
	shuffle(&h, out);
	return true;
}

bool tn_hard_random(uint64_t seed, uint32_t n, int64_t span, int64_t size,
	struct tn_arena *arena, struct tn_problem *out)
{
	struct hard h = { seed };

	if (!allocate(arena, n, out))
		return false;
	for (out->n_buffers = 0; out->n_buffers < n; out->n_buffers++) {
		const int64_t begin = draw(&h, 0, n);

		out->buffers[out->n_buffers] = (struct tn_buffer){ begin,
			begin + draw(&h, 1, span), draw(&h, 1, size), 1, -1 };
	}
	return true;
}
