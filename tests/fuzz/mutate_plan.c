#include "mutate_plan.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define VALUES_MAX 4096
#define TEXT_MAX   256 /* of a value that is copied */

/* A number, a string or a word, and the key that it stands under. */
struct value {
	size_t key, key_len;
	size_t at, len;
};

struct values {
	const char *text;
	size_t n;
	struct value all[VALUES_MAX];
};

static uint32_t rnd(uint64_t *state, size_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % n);
}

static size_t token(const char *text, size_t at, size_t end)
{
	const size_t begin = at;

	if (text[at] == '"') {
		for (at++; at < end && text[at] != '"'; at++)
			at += text[at] == '\\';
		return at < end ? at + 1 - begin : end - begin;
	}
	while (at < end && !memchr(" \t\r\n,:{}[]\"", text[at], 10))
		at++;
	return at - begin;
}

static void collect(struct values *v, const char *text, size_t at, size_t end)
{
	size_t key = at, key_len = 0;

	v->text = text;
	v->n = 0;
	while (at < end && v->n < VALUES_MAX) {
		size_t len, next;

		if (memchr(" \t\r\n,:{}[]", text[at], 10)) {
			at++;
			continue;
		}
		len = token(text, at, end);
		if (!len)
			return;
		next = at + len;
		while (next < end && (text[next] == ' ' || text[next] == '\n'))
			next++;
		if (next < end && text[next] == ':') {
			key = at;
			key_len = len;
		} else {
			v->all[v->n++] = (struct value){ key, key_len, at, len };
		}
		at += len;
	}
}

static bool same_key(const struct values *v, const struct value *a, const struct value *b)
{
	return a->key_len == b->key_len && a->at != b->at &&
	       memcmp(v->text + a->key, v->text + b->key, a->key_len) == 0;
}

/* What stands under the same key elsewhere: the n-th from a random place. */
static const struct value *other(
	const struct values *v, const struct value *of, uint64_t *state)
{
	const size_t start = rnd(state, v->n);

	for (size_t i = 0; i < v->n; i++) {
		const struct value *b = &v->all[(start + i) % v->n];

		if (same_key(v, of, b))
			return b;
	}
	return NULL;
}

/* The new text of the value; its length, 0: it stays. */
static size_t change(const struct values *v, const struct value *a, uint64_t *state,
	char out[TEXT_MAX])
{
	static const int64_t steps[] = { 1, -1, 4, -4, 8, 16, -16, 64, -64, 256 };
	const char *text = v->text + a->at;
	const struct value *b = rnd(state, 2) ? other(v, a, state) : NULL;
	int64_t number;
	char word[32];

	if (b && b->len < TEXT_MAX) {
		memcpy(out, v->text + b->at, b->len);
		return b->len;
	}
	if (a->len >= sizeof(word))
		return 0;
	memcpy(word, text, a->len);
	word[a->len] = '\0';
	if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
		return (size_t)snprintf(
			out, TEXT_MAX, "%s", *word == 't' ? "false" : "true");
	if (sscanf(word, "%" SCNd64, &number) != 1 || number > INT64_MAX - 256)
		return 0;
	number += steps[rnd(state, sizeof(steps) / sizeof(*steps))];
	return (size_t)snprintf(out, TEXT_MAX, "%" PRId64, number < 0 ? 0 : number);
}

size_t mutate_plan(uint8_t *data, size_t size, size_t room, size_t from, uint32_t seed)
{
	static struct values v; /* too large for a stack */
	uint64_t state = seed + UINT64_C(0x9E3779B97F4A7C15);

	for (uint32_t left = 1 + rnd(&state, 4); left--;) {
		const struct value *a;
		char text[TEXT_MAX];
		size_t len;

		collect(&v, (const char *)data, from, size);
		if (!v.n)
			return size;
		a = &v.all[rnd(&state, v.n)];
		len = change(&v, a, &state, text);
		if (!len || size - a->len + len > room)
			continue;
		memmove(data + a->at + len, data + a->at + a->len, size - a->at - a->len);
		memcpy(data + a->at, text, len);
		size = size - a->len + len;
	}
	return size;
}
