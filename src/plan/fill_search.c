/* The search itself: one run, from the empty state to an answer, a proof or a limit. */
#include <string.h>

#include "base/checked.h"
#include "plan/fill_link.h"
#include "plan/improve.h"

#define LEVEL_BYTES_MAX ((size_t)256 << 20)

static bool solve(struct tn_fill *f, uint32_t lo, uint32_t hi);

/* Storage of a level is made when it is first reached and grows with the parts it sees:
 * deep levels work on small parts. */
static void *grow(
	struct tn_fill *f, void *old, size_t *capacity, size_t want, size_t size)
{
	size_t bigger = *capacity ? *capacity : 8;
	void *grown;

	if (want <= *capacity)
		return old;
	while (bigger < want)
		bigger *= 2;
	f->level_bytes += bigger * size;
	if (f->level_bytes > LEVEL_BYTES_MAX) {
		f->stop_at = f->steps; /* for all runs */
		f->stopped = true;
		return old;
	}
	grown = tn_arena_array(f->arena, bigger, size);
	if (!grown) {
		f->no_memory = f->stopped = true;
		return old;
	}
	*capacity = bigger;
	return grown;
}

static bool level_reserve(
	struct tn_fill *f, struct tn_fill_level *v, uint32_t lo, uint32_t hi)
{
	const size_t items = f->from[hi] - f->from[lo];

	v->columns =
		grow(f, v->columns, &v->columns_capacity, hi - lo, sizeof(*v->columns));
	v->start = grow(f, v->start, &v->start_capacity, items, sizeof(*v->start));
	/* the items in a column of the part began in it: nothing crosses its borders */
	v->candidates = grow(f, v->candidates, &v->candidates_capacity, 2 * items,
		sizeof(*v->candidates));
	return !f->stopped;
}

static void save(
	const struct tn_fill *f, struct tn_fill_level *v, uint32_t lo, uint32_t hi)
{
	memcpy(v->columns, &f->columns[lo], (hi - lo) * sizeof(*v->columns));
	memcpy(v->start, &f->start[f->from[lo]],
		(f->from[hi] - f->from[lo]) * sizeof(*v->start));
}

static void restore(struct tn_fill *f, const struct tn_fill_level *v, uint32_t placed,
	uint32_t lo, uint32_t hi)
{
	tn_fill_unplace(f, placed);
	memcpy(&f->columns[lo], v->columns, (hi - lo) * sizeof(*v->columns));
	memcpy(&f->start[f->from[lo]], v->start,
		(f->from[hi] - f->from[lo]) * sizeof(*v->start));
	f->steps += (hi - lo) + (f->from[hi] - f->from[lo]) / 4;
}

static void key_of(const struct tn_fill *f, uint32_t lo, uint32_t hi, uint64_t key[2])
{
	key[0] = key[1] = 0;
	for (uint32_t s = lo; s < hi; s++) {
		const struct tn_fill_column *c = &f->columns[s];
		const uint64_t floor = (uint64_t)c->floor;

		key[0] += tn_fill_mix(f->floor_hash[s][0] ^ floor) ^ c->hash[0];
		key[1] += tn_fill_mix(f->floor_hash[s][1] +
				      floor * UINT64_C(0x9e3779b97f4a7c15)) ^
			  c->hash[1];
	}
}

static struct tn_fill_memo *memo_slot(const struct tn_fill *f, const uint64_t key[2])
{
	return &f->memo[key[0] >> (64 - f->memo_bits)];
}

static bool memo_has(const struct tn_fill *f, const uint64_t key[2])
{
	const struct tn_fill_memo *m = memo_slot(f, key);

	return m->key[0] == key[0] && m->key[1] == key[1];
}

/* How little a column invites: few ready items, little slack, many failures are good. */
static double reluctance(const struct tn_fill *f, uint32_t s)
{
	const struct tn_fill_column *c = &f->columns[s];
	const int64_t slack = f->ceiling - c->floor - c->rest;
	const double share = (double)slack / (double)f->ceiling;
	const double choice = (double)c->ready + (slack > 0 ? 0.5 : 0.0);
	const double weight = (double)f->weight[s] + 1.0;

	switch (f->style->selector) {
	case 0:
		return (double)c->ready * (1.0 + 10.0 * share);
	case 1:
		return (choice + share - 0.9) * (choice + share - 0.9) / weight;
	case 2:
		return (choice - 0.99) / weight;
	case 3:
		return choice + share;
	default:
		return (double)c->ready + (double)c->floor / (double)f->ceiling;
	}
}

static uint32_t choose(struct tn_fill *f, uint32_t lo, uint32_t hi)
{
	const struct tn_fill_column *c = f->columns;
	uint32_t best = lo;
	double least = -1.0;

	for (uint32_t a = lo, b; a < hi; a = b) {
		for (b = a + 1; b < hi && c[b].floor == c[a].floor;)
			b++;
		if ((a > lo && c[a - 1].floor < c[a].floor) ||
			(b < hi && c[b].floor < c[a].floor))
			continue; /* not a valley */
		for (uint32_t s = a; s < b; s++) {
			const double value = reluctance(f, s);

			if (least < 0.0 || value < least) {
				least = value;
				best = s;
			}
		}
	}
	f->steps += hi - lo;
	return best;
}

/* The items that can start on the floor of column s, by rank; *out_next is the lowest
 * start of the others. */
static uint32_t candidates(
	const struct tn_fill *f, uint32_t s, uint32_t *out, int64_t *out_next)
{
	const int64_t floor = f->columns[s].floor;
	uint32_t n = 0;

	*out_next = INT64_MAX;
	for (size_t i = f->member_first[s]; i < f->member_first[s + 1]; i++) {
		const uint32_t z = f->member[i];
		uint32_t j;

		if (f->placed[z])
			continue;
		if (f->start[z] > floor) {
			*out_next = tn_min_i64(*out_next, f->start[z]);
			continue;
		}
		for (j = n++; j && f->rank[out[j - 1]] < f->rank[z]; j--)
			out[j] = out[j - 1];
		out[j] = z;
	}
	return n;
}

static bool twin_waits(const struct tn_fill *f, uint32_t z)
{
	return f->items[z].twin != TN_FILL_NONE && !f->placed[f->items[z].twin];
}

/* What placing an item wasted, relative to the slack that is left. */
static double waste(
	const struct tn_fill *f, const struct tn_fill_level *v, uint32_t lo, uint32_t hi)
{
	double total = 0.0;

	for (uint32_t s = lo; s < hi; s++) {
		const struct tn_fill_column *c = &f->columns[s];
		const struct tn_fill_column *was = &v->columns[s - lo];
		const int64_t lost = c->floor + c->rest - was->floor - was->rest;
		const int64_t slack = f->ceiling - c->floor - c->rest;

		if (lost && c->count)
			total += (double)lost /
				 ((double)slack + 0.02 * (double)f->ceiling);
	}
	return total;
}

/* Tries each candidate, drops those that fail at once and sorts the others by waste;
 * equal ones stay by rank. */
static uint32_t look_ahead(struct tn_fill *f, struct tn_fill_level *v, uint32_t lo,
	uint32_t hi, int64_t at, uint32_t n)
{
	const uint32_t placed = f->n_stack;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t z = v->candidates[i];
		const bool fits = !twin_waits(f, z) && tn_fill_put(f, z, at);
		const double value = fits ? waste(f, v, lo, hi) : 0.0;
		uint32_t j;

		restore(f, v, placed, lo, hi);
		if (!fits)
			continue;
		for (j = kept++; j && f->score[j - 1] > value; j--) {
			f->score[j] = f->score[j - 1];
			v->candidates[j] = v->candidates[j - 1];
		}
		f->score[j] = value;
		v->candidates[j] = z;
	}
	return kept;
}

/* Where the next item of column s can start when none starts on its floor: on an item
 * that is not in s, or where a link sends it. */
static int64_t next_start(
	struct tn_fill *f, uint32_t s, const uint32_t *ready, uint32_t n, int64_t next)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t z = ready[i];

		for (size_t j = f->rival_first[z]; j < f->rival_first[z + 1]; j++) {
			const struct tn_fill_item *r = &f->items[f->rival[j]];

			if (!f->placed[f->rival[j]] && (r->hi <= s || r->lo > s))
				next = tn_min_i64(next, f->start[f->rival[j]] + r->size);
		}
		if (tn_fill_linked(f, z))
			next = tn_min_i64(
				next, tn_fill_link_next(f, z, f->columns[s].floor));
		f->steps += (int64_t)(f->rival_first[z + 1] - f->rival_first[z]);
	}
	return next;
}

/* After a floor was raised: could one of the items that were ready still lie where it
 * was, under everything that is left? Then a better solution does not waste that room.
 * Not so for linked items: what they allow depends on where they are. */
static bool wasteful(
	const struct tn_fill *f, const uint32_t *ready, uint32_t n, int64_t at)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_fill_item *it = &f->items[ready[i]];
		int64_t low = INT64_MAX;

		if (tn_fill_linked(f, ready[i]))
			continue;
		for (uint32_t s = it->lo; s < it->hi; s++)
			low = tn_min_i64(low, f->columns[s].floor);
		if (low >= at + it->size)
			return true;
	}
	return false;
}

static bool out_of_steps(struct tn_fill *f)
{
	if (f->steps >= f->stop_at || ++f->nodes > f->style->nodes)
		f->stopped = true;
	if (f->until > 0 && ++f->nodes_to_clock >= 256) {
		f->nodes_to_clock = 0;
		f->stopped = f->stopped || tn_clock() >= f->until;
	}
	return f->stopped;
}

/* The branches of one state. 1: solved; 0: all failed; -1: all failed but the last, and
 * the state is now the one with the floor raised. */
static int branch(struct tn_fill *f, struct tn_fill_level *v, uint32_t lo, uint32_t hi)
{
	const uint32_t s = choose(f, lo, hi), placed = f->n_stack;
	const int64_t floor = f->columns[s].floor;
	const int64_t slack = f->ceiling - floor - f->columns[s].rest;
	int64_t next;
	uint32_t n = candidates(f, s, v->candidates, &next), tries = n;
	uint32_t *ready = v->candidates + n;

	memcpy(ready, v->candidates, n * sizeof(*ready));
	save(f, v, lo, hi);
	if (f->style->ahead && n > 1)
		tries = look_ahead(f, v, lo, hi, floor, n);
	for (uint32_t i = 0; i < tries; i++) {
		if (twin_waits(f, v->candidates[i]))
			continue;
		if (tn_fill_put(f, v->candidates[i], floor) && solve(f, lo, hi))
			return 1;
		if (f->stopped)
			return 0;
		restore(f, v, placed, lo, hi);
	}
	if (slack <= 0)
		return 0;
	next = next_start(f, s, ready, n, next);
	if (next > floor + slack || !tn_fill_raise(f, s, next))
		return 0;
	return wasteful(f, ready, n, floor) ? 0 : -1;
}

/* Nothing unplaced crosses the borders of [lo, hi). Raising a floor is the last branch of
 * a state, so it is a loop and not a level. */
static bool part(struct tn_fill *f, uint32_t lo, uint32_t hi)
{
	struct tn_fill_level *v = &f->levels[f->n_stack];
	uint64_t key[2];
	int result = -1;

	if (!level_reserve(f, v, lo, hi))
		return false;
	v->n_keys = 0;
	while (result < 0) {
		if (out_of_steps(f))
			return false;
		key_of(f, lo, hi, key);
		if (memo_has(f, key)) {
			result = 0;
			break;
		}
		if (v->n_keys == v->keys_capacity) {
			size_t capacity = v->keys_capacity;
			void *keys = grow(
				f, v->keys, &capacity, capacity + 1, sizeof(*v->keys));

			if (f->stopped)
				return false;
			if (v->n_keys)
				memcpy(keys, v->keys, v->n_keys * sizeof(*v->keys));
			v->keys = keys;
			v->keys_capacity = (uint32_t)capacity;
		}
		memcpy(v->keys[v->n_keys++], key, sizeof(key));
		result = branch(f, v, lo, hi);
	}
	if (result > 0)
		return true;
	for (uint32_t i = 0; i < v->n_keys && !f->stopped; i++)
		memcpy(memo_slot(f, v->keys[i])->key, v->keys[i], sizeof(key));
	return false;
}

/* Splits [lo, hi) where nothing unplaced crosses and solves the parts, the one with the
 * least slack first. */
static bool solve(struct tn_fill *f, uint32_t lo, uint32_t hi)
{
	for (;;) {
		uint32_t best_lo = 0, best_hi = 0;
		int64_t best = INT64_MAX;

		for (uint32_t s = lo, end; s < hi; s = end) {
			int64_t slack = INT64_MAX;

			end = s + 1;
			if (!f->columns[s].count)
				continue;
			for (end = s;; end++) {
				const struct tn_fill_column *c = &f->columns[end];

				slack = tn_min_i64(
					slack, f->ceiling - c->floor - c->rest);
				if (!c->crossing)
					break;
			}
			end++;
			if (slack < best) {
				best = slack;
				best_lo = s;
				best_hi = end;
			}
		}
		f->steps += hi - lo;
		if (best == INT64_MAX)
			return true;
		if (!part(f, best_lo, best_hi))
			return false;
	}
}

static void make_ranks(struct tn_fill *f)
{
	for (uint32_t i = 0; i < f->n_items; i++) {
		const struct tn_fill_item *it = &f->items[i];

		f->rank[i] = f->style->size * tn_fill_log2(it->size) +
			     f->style->span * tn_fill_log2(it->hi - it->lo);
	}
}

enum tn_fill_result tn_fill_run(struct tn_fill *f, const struct tn_fill_style *style)
{
	f->style = style;
	f->stopped = f->no_memory = false;
	f->nodes = 0;
	f->n_stack = 0;
	make_ranks(f);
	memcpy(f->columns, f->fresh, f->n_columns * sizeof(*f->columns));
	memcpy(f->start, f->fresh_start, f->n_items * sizeof(*f->start));
	memset(f->placed, 0, f->n_items * sizeof(*f->placed));
	f->n_undo = 0;
	memcpy(f->groups, f->fresh_groups,
		((size_t)f->n_groups + 1) * sizeof(*f->groups));
	for (uint32_t s = 0; s < f->n_columns; s++)
		if (f->columns[s].floor > f->ceiling - f->columns[s].rest)
			return FILL_NONE;
	if (solve(f, 0, f->n_columns))
		return FILL_FOUND;
	if (f->no_memory)
		return FILL_NOMEM;
	return f->stopped ? FILL_LIMIT : FILL_NONE;
}
