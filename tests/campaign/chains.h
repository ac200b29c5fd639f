/* Plans with chains for the campaign: streamed plans of random nets, and changes of them. */
#ifndef TN_CAMPAIGN_CHAINS_H
#define TN_CAMPAIGN_CHAINS_H

#include "gen_graph.h"
#include "net.h"

/* One that `tenure plan --stream auto` makes, or any ops that can be one chain run as one. With
 * `fed` the caller gives the input row by row, where a chain can take it so. */
void chains_plan(struct net *n, struct tn_gen *gen, bool fed, struct tn_plan *out);

/* A copy of a plan with its chains, loops unrolled. */
void chains_copy(struct tn_gen *gen, const struct tn_plan *from, struct tn_plan *to);

/* Changes one thing: a ring a row shorter or longer, what lies somewhere else, an event that
 * is swapped, lost, doubled, joined or has other rows, the order or the direction of a chain. Only
 * of plans that chains_copy made. */
void chains_change(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan);

#endif
