#include "driver/trial.h"

#include <string.h>

#include "base/banned.h"

#define TRIAL_NODES ((int64_t)200000)

bool tn_trial_start(struct tn_trial *t, const struct tn_run *run)
{
	const struct tn_memories *m = &run->memories;
	struct tn_run *copy = &t->run;

	t->options = *run->options;
	t->options.nodes = TRIAL_NODES;
	t->options.time_limit = 0;
	tn_run_init(copy, &t->options);
	copy->source = run->source;
	copy->graph = run->graph;
	copy->graph.tensors =
		TN_NEW_ARRAY(&copy->arena, struct tn_tensor, run->graph.n_tensors);
	copy->memories = *m;
	copy->memories.regions =
		TN_NEW_ARRAY(&copy->arena, struct tn_plan_region, m->n_regions);
	copy->memories.pins = TN_NEW_ARRAY(&copy->arena, struct tn_plan_pin, m->n_pins);
	if (!copy->graph.tensors || !copy->memories.regions || !copy->memories.pins)
		return false;
	if (run->graph.n_tensors)
		memcpy(copy->graph.tensors, run->graph.tensors,
			run->graph.n_tensors * sizeof(*copy->graph.tensors));
	if (m->n_regions)
		memcpy(copy->memories.regions, m->regions,
			m->n_regions * sizeof(*copy->memories.regions));
	if (m->n_pins)
		memcpy(copy->memories.pins, m->pins,
			m->n_pins * sizeof(*copy->memories.pins));
	return true;
}

void tn_trial_end(struct tn_trial *t)
{
	tn_run_release(&t->run);
}

int64_t tn_trial_solve(struct tn_trial *t, struct tn_run *run)
{
	const int64_t bytes =
		tn_pipeline_solve(&t->run) == TN_OK ? t->run.plan.arena_bytes : INT64_MAX;

	if (t->options.stream != run->options->stream) {
		run->chains_tried = true;
		run->chains_bytes = bytes;
	}
	return bytes;
}
