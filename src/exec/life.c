#include "exec/life.h"

#include "base/checked.h"
#include "bind/view.h"

static uint32_t root_of(const struct tn_graph *g, uint32_t id)
{
	tn_tensor_id root;
	int64_t offset;

	return tn_view_root(g, (tn_tensor_id){ id }, &root, &offset) ? root.i : id;
}

static bool stays(const struct tn_graph *g, tn_tensor_id id, const bool *updated)
{
	const struct tn_tensor *t = &g->tensors[id.i];

	return t->role == ROLE_VARIABLE || t->role == ROLE_OUTPUT || t->observed ||
	       tn_graph_is_output(g, id) || updated[id.i] ||
	       (tn_graph_is_input(g, id) && !t->clobber);
}

/* A view lives since anything wrote its storage: the bytes may have come by another way. So
 * may what an op that does not run leaves: it lies there since some op before. */
static void note_birth(
	const struct tn_graph *g, int64_t *births, tn_tensor_id id, int64_t position)
{
	uint32_t root;

	if (!tn_tensor_id_ok(g, id))
		return;
	root = root_of(g, id.i);
	births[root] = tn_min_i64(births[root], position);
}

static void note_death(
	const struct tn_graph *g, struct tn_life *life, tn_tensor_id id, int64_t position)
{
	if (tn_tensor_id_ok(g, id))
		life[id.i].death = tn_max_i64(life[id.i].death, position);
}

struct tn_life *tn_life_new(const struct tn_program *p, struct tn_arena *arena)
{
	const struct tn_graph *g = p->graph;
	struct tn_life *life = TN_NEW_ARRAY(arena, struct tn_life, g->n_tensors);
	const bool *updated = tn_graph_updated_inputs(g, arena);
	int64_t *births = TN_NEW_ARRAY(arena, int64_t, g->n_tensors); /* by root */

	if (!life || !births || !updated)
		return NULL;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		life[i].death = -1;
		births[i] = TN_LIFE_END;
	}
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct tn_op *op = &g->ops[p->ops[i].op.i];
		int64_t born = p->ops[i].elided ? -1 : (int64_t)i;

		for (uint32_t k = 0; k < op->n_inputs; k++) {
			const uint32_t t = op->inputs[k].i;

			/* read before it is written: another value's bytes are its own */
			if (tn_tensor_id_ok(g, op->inputs[k]) &&
				births[root_of(g, t)] == TN_LIFE_END)
				births[root_of(g, t)] = -1;
			note_death(g, life, op->inputs[k], i);
		}
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			note_birth(g, births, op->outputs[k], born);
			note_death(g, life, op->outputs[k], i);
		}
	}
	for (uint32_t i = 0; i < g->n_inputs; i++)
		if (!tn_plan_is_fed(p->plan, g->inputs[i].i))
			note_birth(g, births, g->inputs[i], -1);
	for (uint32_t i = 0; i < p->plan->n_streams; i++)
		if (p->plan->streams[i].fed)
			note_birth(g, births, (tn_tensor_id){ p->plan->streams[i].input },
				p->plan->streams[i].first);
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		if (g->tensors[i].role == ROLE_VARIABLE)
			note_birth(g, births, (tn_tensor_id){ i }, -1);
		if (stays(g, (tn_tensor_id){ i }, updated))
			life[i].death = TN_LIFE_END;
	}
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		life[i].birth = births[root_of(g, i)];
		if (p->tensors[i].region == TN_REGION_NONE)
			life[i] = (struct tn_life){ 0, -1 };
	}
	return life;
}
