#include "rewritten.h"

#include <check.h>
#include <string.h>

#include "base/fnv.h"
#include "exec/exec.h"
#include "export/native.h"
#include "ir/validate.h"
#include "own_plan.h"
#include "verify/verify.h"

static bool same_words(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* What lint says could be done is what is done. */
static void same_list(const struct tn_graph *g, tn_pass_set passes,
	struct tn_arena *arena, struct tn_strings *strings, const struct tn_rewrites *log)
{
	struct tn_rewrites found;

	ck_assert_int_eq(tn_rewrites_find(g, passes, arena, strings, &found), TN_OK);
	ck_assert_uint_eq(found.list.count, log->list.count);
	for (size_t i = 0; i < log->list.count; i++) {
		const struct tn_rewrite *a = &log->list.items[i];
		const struct tn_rewrite *b = &found.list.items[i];

		ck_assert_int_eq(a->pass, b->pass);
		ck_assert(a->done == b->done && a->ram_bytes == b->ram_bytes &&
			  a->channels == b->channels && a->flash_bytes == b->flash_bytes);
		ck_assert(same_words(a->op, b->op) && same_words(a->gone, b->gone) &&
			  same_words(a->tensor, b->tensor) &&
			  same_words(a->why, b->why) &&
			  same_words(a->witness, b->witness) &&
			  same_words(a->pointer, b->pointer));
	}
}

struct rewritten rewritten_of(const struct tn_graph *g, tn_pass_set passes,
	struct tn_arena *arena, struct tn_strings *strings)
{
	struct rewritten r;

	ck_assert_int_eq(tn_rewrite(g, passes, arena, strings, &r.graph, &r.log), TN_OK);
	same_list(g, passes, arena, strings, &r.log);
	return r;
}

int rewritten_count(const struct tn_rewrites *log, int pass, bool done)
{
	int n = 0;

	for (size_t i = 0; i < log->list.count; i++)
		n += log->list.items[i].done == done &&
		     (pass < 0 || (int)log->list.items[i].pass == pass);
	return n;
}

static const char *first_message(const struct tn_diags *diags)
{
	return diags->list.count ? diags->list.items[0].message : "no message";
}

void same_results(const char *name, uint32_t seed, const struct tn_graph *a,
	const struct tn_graph *b)
{
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_exec *x, *y;
	struct tn_plan plan;
	struct tn_verdict verdict;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ck_assert_msg(tn_validate(b, &diags) == TN_OK, "%s, seed %u: %s", name, seed,
		first_message(&diags));
	ck_assert_msg(own_plan(b, OVERLAP_FULL, &arena, &plan), "%s, seed %u: no plan",
		name, seed);
	ck_assert_msg(tn_verify(b, &plan, &arena, &diags, &verdict) == TN_OK,
		"%s, seed %u: %s", name, seed, first_message(&diags));
	ck_assert_msg(tn_exec_new(a, NULL, &arena, &diags, &x) == TN_OK &&
			      tn_exec_new(b, &plan, &arena, &diags, &y) == TN_OK,
		"%s, seed %u: %s", name, seed, first_message(&diags));
	tn_exec_seed(x, seed);
	tn_exec_seed(y, seed);
	tn_exec_poison(y, 0x5A);
	for (int run = 0; run < 2; run++) {
		ck_assert_int_eq(tn_exec_run(x, NULL, NULL), TN_OK);
		ck_assert_int_eq(tn_exec_run(y, NULL, NULL), TN_OK);
		for (uint32_t k = 0; k < a->n_outputs; k++) {
			size_t size, other;
			const uint8_t *p = tn_exec_bytes(x, a->outputs[k], &size);
			const uint8_t *q = tn_exec_bytes(y, b->outputs[k], &other);

			ck_assert_msg(p && q && size == other && !memcmp(p, q, size),
				"%s, seed %u, run %d: output %u differs", name, seed, run,
				k);
		}
	}
	tn_arena_release(&arena);
}

static struct tn_strbuf exported(const struct tn_graph *g)
{
	struct tn_strbuf out;

	tn_strbuf_init(&out);
	ck_assert_int_eq(tn_export_native(g, NULL, NULL, &out), TN_OK);
	return out;
}

void same_text(const char *name, const struct tn_graph *a, const struct tn_graph *b)
{
	struct tn_strbuf x = exported(a), y = exported(b);

	ck_assert_msg(x.len == y.len && !memcmp(x.text, y.text, x.len),
		"%s: the graphs differ", name);
	tn_strbuf_release(&x);
	tn_strbuf_release(&y);
}

int64_t arena_of(const struct tn_graph *g)
{
	struct tn_arena arena;
	struct tn_plan plan;
	int64_t bytes;

	tn_arena_init(&arena);
	ck_assert(own_plan(g, OVERLAP_FULL, &arena, &plan));
	bytes = plan.activation_bytes;
	tn_arena_release(&arena);
	return bytes;
}

struct values {
	uint64_t *digest; /* by tensor; 0: not written */
};

static void note_value(void *user, const struct tn_exec_layer *layer)
{
	struct values *v = user;

	v->digest[layer->tensor.i] = tn_fnv(TN_FNV_INIT, layer->bytes, layer->size) | 1;
}

static void values_of(const struct tn_graph *g, struct tn_arena *arena, struct values *v)
{
	struct tn_diags diags;
	struct tn_exec *x;

	v->digest = TN_NEW_ARRAY(arena, uint64_t, g->n_tensors);
	tn_diags_init(&diags, arena);
	ck_assert_int_eq(tn_exec_new(g, NULL, arena, &diags, &x), TN_OK);
	tn_exec_seed(x, 1);
	ck_assert_int_eq(tn_exec_run(x, note_value, v), TN_OK);
}

void same_values(const char *name, const struct tn_graph *a, const struct tn_graph *b,
	const char *kept)
{
	struct tn_arena arena;
	struct values x, y;

	tn_arena_init(&arena);
	values_of(a, &arena, &x);
	values_of(b, &arena, &y);
	for (uint32_t i = 0; i < a->n_tensors; i++) {
		const struct tn_tensor *t = &a->tensors[i], *u = &b->tensors[i];

		ck_assert_str_eq(t->name, u->name);
		ck_assert_msg(!kept || strcmp(t->name, kept) != 0 ||
				      (x.digest[i] && y.digest[i] == x.digest[i]),
			"%s: tensor %s was to be kept", name, t->name);
		if (x.digest[i] && y.digest[i] && t->bytes == u->bytes)
			ck_assert_msg(x.digest[i] == y.digest[i],
				"%s: tensor %s has another value", name, t->name);
	}
	tn_arena_release(&arena);
}
