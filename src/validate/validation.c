#include "validate/validation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/banned.h"
#include "base/hold.h"
#include "emit/emit.h"
#include "validate/process.h"
#include "validate/program.h"
#include "validate/expected.h"
#include "validate/target.h"

#define SECONDS 600

/* Optimisation decides how a compiler orders loads and stores: one that is wrong about
 * overlapping operands shows at one level and not at another. */
static const char *const host_options[] = { "-O0", "-O2", "-Os", NULL };
static const char *const board_options[] = { "-O2", NULL };

static enum tn_status find_targets(const struct tn_validation_options *options,
	struct tn_arena *arena, struct tn_diags *diags, const struct tn_target ***out)
{
	const struct tn_target **targets =
		TN_NEW_ARRAY(arena, const struct tn_target *, options->n_targets);
	bool ok = true;

	if (!targets)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < options->n_targets; i++) {
		targets[i] = tn_target_find(options->targets[i]);
		if (!targets[i]) {
			tn_diag_at(diags, SEVERITY_ERROR, "validate/target", NULL, NULL,
				NULL, "there is no target '%s'", options->targets[i]);
			for (uint32_t k = 0; tn_target_at(k); k++)
				tn_diag_note(diags, "known: %s", tn_target_at(k)->name);
			ok = false;
		} else if (!tn_program_tools(targets[i], diags)) {
			ok = false;
		}
	}
	*out = targets;
	return ok ? TN_OK : TN_ERR_INPUT;
}

static enum tn_status add(struct tn_arena *arena, struct tn_validation *v,
	const struct tn_validation_config *config)
{
	if (config->verdict != VALIDATION_SAME && config->verdict != VALIDATION_NO_ROOM)
		v->same = false;
	return tn_vec_push(arena, &v->configs, *config) ? TN_OK : TN_ERR_NOMEM;
}

/* How far it is, for somebody who waits. */
struct steps {
	const struct tn_validation_options *options;
	uint32_t at, of;
};

static const char *const *options_of(const struct tn_target *target)
{
	return target->machine ? board_options : host_options;
}

/* The executor's runs are the first step, then each program is one. */
static struct steps count_steps(
	const struct tn_validation_options *options, const struct tn_target **targets)
{
	struct steps s = { options, 0, 1 };

	for (uint32_t i = 0; i < options->n_targets; i++)
		for (const char *const *o = options_of(targets[i]); *o; o++)
			s.of += 2;
	return s;
}

static void watch(struct steps *s, const char *target, const char *options, bool shared)
{
	char text[96];

	s->at++;
	if (!s->options->watch)
		return;
	snprintf(text, sizeof(text), "validating, %" PRIu32 " of %" PRIu32 ": %s%s%s %s",
		s->at, s->of, target, *options ? " " : "", options,
		shared ? "shared" : "unshared");
	s->options->watch(s->options->user, text);
}

static enum tn_status check_target(const struct tn_program_run *r,
	const struct tn_target *target, struct steps *steps, struct tn_validation *v)
{
	const char *const *options = options_of(target);
	enum tn_status status = TN_OK;

	for (; *options && status == TN_OK; options++) {
		for (int shared = 0; shared < 2 && status == TN_OK; shared++) {
			struct tn_validation_config config;

			watch(steps, target->name, *options, shared != 0);
			status = tn_program_check(
				r, target, *options, shared != 0, &config);
			if (status == TN_OK)
				status = add(r->arena, v, &config);
		}
	}
	return status;
}

static enum tn_status check_targets(const struct tn_program_run *r,
	const struct tn_target **targets, uint32_t n, struct steps *steps,
	struct tn_validation *v)
{
	enum tn_status status = tn_program_harness(r);

	for (uint32_t i = 0; i < n && status == TN_OK; i++)
		status = check_target(r, targets[i], steps, v);
	return status;
}

static enum tn_status check_emitted(const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_validation_options *options, const struct tn_target **targets,
	struct steps *steps, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_validation *v)
{
	const struct tn_emit_model model = { .graph = g, .plan = plan };
	const struct tn_emit_options emit = { .debug = true };
	struct tn_emit_summary emitted;
	struct tn_program_run r = { .graph = g,
		.emitted = &emitted,
		.seed = options->seed,
		.seconds = options->seconds > 0 ? options->seconds : SECONDS,
		.arena = arena,
		.diags = diags,
		.reference = v };
	const unsigned held = tn_hold_begin(); /* what is started here is ended here */
	enum tn_status status = tn_tempdir_make(arena, diags, &r.dir);

	if (status == TN_OK) {
		status = tn_emit(&model, 1, &emit, r.dir, arena, diags, &emitted);
		if (status == TN_OK)
			status = check_targets(&r, targets, options->n_targets, steps, v);
		if (options->keep)
			v->directory = r.dir;
		else
			tn_tempdir_remove(r.dir);
	}
	tn_hold_end(held);
	return status;
}

enum tn_status tn_validation_run(const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_validation_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_validation *out)
{
	const struct tn_target **targets;
	struct tn_validation_config config;
	struct steps steps = { .options = options };
	enum tn_status status;

	*out = (struct tn_validation){ .same = true, .synthetic = options->synthetic };
	status = find_targets(options, arena, diags, &targets);
	if (status == TN_OK) {
		steps = count_steps(options, targets);
		watch(&steps, "executor", "", false);
		status = tn_expected_run(g, plan, options->seed, arena, diags, out);
	}
	if (status == TN_OK)
		status = tn_expected_check_plan(
			g, plan, options->seed, arena, diags, out, &config);
	if (status == TN_OK)
		status = add(arena, out, &config);
	if (status == TN_OK && options->n_targets)
		status = check_emitted(
			g, plan, options, targets, &steps, arena, diags, out);
	if (status == TN_OK && !out->same)
		status = TN_ERR_REFUSED;
	if (status != TN_OK)
		out->same = false;
	return status;
}

/* ---- text ---- */

static void print_difference(const struct tn_graph *g, const struct tn_validation *v,
	const struct tn_validation_difference *d, struct tn_strbuf *out)
{
	const struct tn_layer *l = &v->layers[d->layer];
	const struct tn_tensor *t = &g->tensors[l->tensor.i];

	if (l->op.i == TN_NONE)
		tn_strbuf_puts(out, "DIFFERS at a graph input");
	else
		tn_strbuf_printf(out, "DIFFERS at op '%s'", g->ops[l->op.i].name);
	tn_strbuf_printf(out, ", tensor %u '%s'", l->tensor.i, t->name);
	if (d->byte_known)
		tn_strbuf_printf(out, ", byte %lld: expected %02x, found %02x",
			(long long)d->byte, d->expected, d->found);
	if (v->runs > 1)
		tn_strbuf_printf(out, ", invocation %u", l->run + 1);
	if (d->pattern >= 0)
		tn_strbuf_printf(out, ", memory filled with %02x", (unsigned)d->pattern);
}

void tn_validation_verdict(const struct tn_graph *g, const struct tn_validation *v,
	const struct tn_validation_config *c, struct tn_strbuf *out)
{
	switch (c->verdict) {
	case VALIDATION_SAME:
		tn_strbuf_printf(out, "same, %u activations", c->compared);
		break;
	case VALIDATION_DIFFERS:
		print_difference(g, v, &c->difference, out);
		break;
	case VALIDATION_NO_BUILD:
		tn_strbuf_printf(out, "DOES NOT BUILD: %s", c->detail);
		break;
	case VALIDATION_NO_RUN:
		tn_strbuf_printf(out, "DOES NOT RUN: %s", c->detail);
		break;
	case VALIDATION_NO_ROOM:
		tn_strbuf_printf(out, "not run: %s", c->detail);
		break;
	}
}

static void print_config(const struct tn_graph *g, const struct tn_validation *v,
	const struct tn_validation_config *c, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "%-14s %-4s %-9s ", c->target, c->options,
		c->shared ? "shared" : "unshared");
	tn_validation_verdict(g, v, c, out);
	tn_strbuf_putc(out, '\n');
}

void tn_validation_print(
	const struct tn_graph *g, const struct tn_validation *v, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "%-14s %-4s %-9s reference, %u activations\n", "executor",
		"", "unshared", v->n_layers);
	for (size_t i = 0; i < v->configs.count; i++)
		print_config(g, v, &v->configs.items[i], out);
	if (v->directory)
		tn_strbuf_printf(out, "kept: %s\n", v->directory);
	if (!v->same)
		tn_strbuf_puts(out, "not the same\n");
	else if (v->synthetic)
		tn_strbuf_puts(out, "plan validated, values not the model's\n");
	else
		tn_strbuf_puts(
			out, "validated: every activation is the same bit for bit\n");
}
