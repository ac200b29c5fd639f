#include "rewrite/rewrite.h"

#include <inttypes.h>
#include <string.h>

#include "rewrite/edit.h"

#include "base/banned.h"

/* Passes make work for each other; each round removes ops, tensors or operands, or brings
 * them nearer to their one spelling, so that the rounds end by themselves long before
 * there were so many and one more for each op. */
#define ROUNDS_MIN 64

struct pass {
	const char *name, *rule, *what;
	bool exact;
	tn_pass_fn *run;
};

static const struct pass passes[PASS_COUNT] = {
#define PASS(id, name, rule, exact, function, what)                                      \
	[id] = { name, rule, what, exact, function },
#include "rewrite/passes.def"
#undef PASS
};

tn_pass_set tn_passes_exact(void)
{
	tn_pass_set set = 0;

	for (int i = 0; i < PASS_COUNT; i++)
		if (passes[i].exact)
			set |= 1u << i;
	return set;
}

tn_pass_set tn_passes_every(void)
{
	return ((tn_pass_set)1 << PASS_COUNT) - 1;
}

const char *tn_pass_name(enum tn_pass pass)
{
	return passes[pass].name;
}

const char *tn_pass_what(enum tn_pass pass)
{
	return passes[pass].what;
}

const char *tn_pass_rule(enum tn_pass pass)
{
	return passes[pass].rule;
}

bool tn_pass_is_exact(enum tn_pass pass)
{
	return passes[pass].exact;
}

static bool word_is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && strncmp(word, name, len) == 0;
}

bool tn_passes_parse(
	const char *list, tn_pass_set *out, const char **out_bad, size_t *out_bad_len)
{
	tn_pass_set set = 0;

	for (const char *at = list;;) {
		const size_t len = strcspn(at, ",");
		int i = 0;

		if (word_is(at, len, "all")) {
			set |= tn_passes_exact();
		} else if (!word_is(at, len, "none")) {
			while (i < PASS_COUNT && !word_is(at, len, passes[i].name))
				i++;
			if (i == PASS_COUNT) {
				*out_bad = at;
				*out_bad_len = len;
				return false;
			}
			set |= 1u << i;
		}
		at += len;
		if (!*at)
			break;
		at++;
	}
	*out = set;
	return true;
}

/* Bytes of the constants that some op reads. */
static int64_t constant_bytes(const struct tn_graph *g, struct tn_arena *scratch)
{
	bool *seen = TN_NEW_ARRAY(scratch, bool, g->n_tensors);
	int64_t sum = 0;

	if (!seen)
		return -1;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_inputs; k++) {
			const uint32_t id = g->ops[i].inputs[k].i;

			if (id == TN_NONE || seen[id] ||
				!tn_tensor_is_constant(&g->tensors[id]))
				continue;
			seen[id] = true;
			sum += g->tensors[id].bytes; /* validated: the sum fits */
		}
	return sum;
}

/* Says that the rounds were ended: the last op that changed, and its pass. */
static void note_unfinished(struct tn_edit *e)
{
	const struct tn_rewrite *last = &e->log->list.items[e->log->list.count - 1];
	struct tn_rewrite left = { .pass = last->pass,
		.op = last->op ? last->op : last->gone,
		.why = "it still changed after more rounds than there are ops",
		.pointer = last->pointer };

	if (!tn_vec_push(e->arena, &e->left, left))
		e->failed = true;
}

static void run_rounds(struct tn_edit *e, tn_pass_set set)
{
	const uint64_t rounds_max = ROUNDS_MIN + (uint64_t)e->g.n_ops;

	e->changed = true;
	for (uint64_t round = 0; e->changed && round < rounds_max && !e->failed;
		round++) {
		e->changed = false;
		e->left.count = 0;
		for (int i = 0; i < PASS_COUNT && !e->failed; i++) {
			if (!(set & 1u << i))
				continue;
			e->pass = (enum tn_pass)i;
			passes[i].run(e);
		}
		/* passes look at each op: what is gone shall not cost as much again */
		if (e->changed && !e->failed && e->n_dead > e->g.n_ops / 2)
			e->failed = !tn_edit_drop_dead(e);
	}
	if (e->changed && !e->failed && e->log->list.count)
		note_unfinished(e);
	for (size_t i = 0; i < e->left.count && !e->failed; i++)
		if (!tn_vec_push(e->arena, &e->log->list, e->left.items[i]))
			e->failed = true;
}

static bool any_done(const struct tn_rewrites *log)
{
	return log->list.count && log->list.items[0].done; /* the others come last */
}

/* *out NULL: only the list is wanted. */
static bool rewrite(const struct tn_graph *g, tn_pass_set set, struct tn_arena *arena,
	struct tn_arena *scratch, struct tn_strings *strings, struct tn_graph *out,
	struct tn_rewrites *log)
{
	struct tn_edit e;

	if (set == TN_PASSES_NONE)
		return true;
	if (!tn_edit_begin(&e, g, arena, scratch, strings, log))
		return false;
	run_rounds(&e, set);
	return !e.failed && (!out || !any_done(log) || tn_edit_finish(&e, out));
}

enum tn_status tn_rewrite(const struct tn_graph *g, tn_pass_set set,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_graph *out,
	struct tn_rewrites *out_log)
{
	struct tn_arena scratch;
	bool ok;

	*out = *g;
	*out_log = (struct tn_rewrites){ .passes = set };
	tn_arena_init(&scratch);
	out_log->ops_before = g->n_ops;
	out_log->constant_bytes_before = constant_bytes(g, &scratch);
	ok = rewrite(g, set, arena, &scratch, strings, out, out_log);
	out_log->ops_after = out->n_ops;
	out_log->constant_bytes_after = constant_bytes(out, &scratch);
	ok = ok && out_log->constant_bytes_before >= 0 &&
	     out_log->constant_bytes_after >= 0;
	tn_arena_release(&scratch);
	return ok ? TN_OK : TN_ERR_NOMEM;
}

enum tn_status tn_rewrites_find(const struct tn_graph *g, tn_pass_set set,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_rewrites *out)
{
	struct tn_arena scratch;
	bool ok;

	*out = (struct tn_rewrites){ .passes = set };
	tn_arena_init(&scratch);
	ok = rewrite(g, set, arena, &scratch, strings, NULL, out);
	tn_arena_release(&scratch);
	return ok ? TN_OK : TN_ERR_NOMEM;
}

/* "'pad' could vanish into 'conv': saves 96 B of RAM" */
static void report_one(const struct tn_rewrite *r, const struct tn_source *source,
	struct tn_diags *diags)
{
	const char *subject = r->gone ? r->gone : r->op;

	if (r->channels)
		tn_diag_at(diags, SEVERITY_NOTE, tn_pass_rule(r->pass), source,
			r->pointer, subject,
			"%" PRId64 " channels of '%s' are constant or multiplied by zero",
			r->channels, subject);
	else if (r->gone && r->op)
		tn_diag_at(diags, SEVERITY_NOTE, tn_pass_rule(r->pass), source,
			r->pointer, subject, "'%s' can become part of '%s'", r->gone,
			r->op);
	else if (r->gone)
		tn_diag_at(diags, SEVERITY_NOTE, tn_pass_rule(r->pass), source,
			r->pointer, subject, "'%s' need not run", r->gone);
	else
		tn_diag_at(diags, SEVERITY_NOTE, tn_pass_rule(r->pass), source,
			r->pointer, subject, "'%s' can move", subject);
	if (r->ram_bytes > 0 && r->channels)
		tn_diag_note(
			diags, "%" PRId64 " B of activations would go", r->ram_bytes);
	else if (r->ram_bytes > 0 && r->tensor)
		tn_diag_note(diags, "%" PRId64 " B of '%s' would need no memory",
			r->ram_bytes, r->tensor);
	if (r->flash_bytes > 0)
		tn_diag_note(
			diags, "%" PRId64 " B of constants would go", r->flash_bytes);
	tn_diag_note(diags, "%s %s does it: %s",
		tn_pass_is_exact(r->pass) ? "--rewrite" : "--allow-inexact",
		tn_pass_name(r->pass), tn_pass_what(r->pass));
}

void tn_rewrites_report(const struct tn_rewrites *log, const struct tn_source *source,
	struct tn_diags *diags)
{
	for (size_t i = 0; i < log->list.count; i++) {
		const struct tn_rewrite *r = &log->list.items[i];

		if (r->done && r->pass != PASS_CANONICAL && r->pass != PASS_SYNONYM &&
			r->pass != PASS_LAYOUT && r->pass != PASS_SIGNED)
			report_one(r, source, diags);
		if (!r->done && r->pass == PASS_TRANSPOSE && r->ram_bytes > 0)
			tn_diag_at(diags, SEVERITY_NOTE, "layout/transpose", source,
				r->pointer, r->op, "'%s' moves %" PRId64 " B at each run",
				r->op, r->ram_bytes);
	}
}
