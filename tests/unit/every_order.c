#include "every_order.h"

static bool may_run(const struct orders *o, uint32_t op)
{
	for (uint32_t k = o->p->ops[op].first_pred; k < o->p->ops[op + 1].first_pred; k++)
		if (!o->placed[o->p->preds[k]])
			return false;
	return !o->placed[op];
}

bool next_order(struct orders *o)
{
	uint32_t from = 0;

	if (o->n == o->p->n_ops) { /* take the last one back */
		if (!o->n)
			return false;
		from = o->order[--o->n];
		o->placed[from++] = false;
	}
	for (;;) {
		while (from < o->p->n_ops && !may_run(o, from))
			from++;
		if (from < o->p->n_ops) {
			o->placed[from] = true;
			o->order[o->n++] = from;
			from = 0;
			if (o->n == o->p->n_ops) {
				o->count++;
				return true;
			}
		} else if (o->n) {
			from = o->order[--o->n];
			o->placed[from++] = false;
		} else {
			return false;
		}
	}
}
