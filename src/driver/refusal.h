/* Plans that no plan can help: the graph destroys by its own word what it needs. */
#ifndef TN_DRIVER_REFUSAL_H
#define TN_DRIVER_REFUSAL_H

#include "driver/pipeline.h"

/* After the verifier has refused a plan of our own: is the graph to blame? Then that is
 * reported, as `lint` does where it can tell it, too. False: nothing is reported. */
bool tn_refusal_is_graphs(struct tn_run *run);

/* Of a verified plan: the verifier takes an op whose type it does not know as made for what it
 * is given. Where the vocabulary of claims does know the type, and the graph has the op write
 * what it reads, TN_ERR_REFUSED, reported as `lint` does, when it loses something by that. */
enum tn_status TN_MUST_CHECK tn_refusal_own_word(struct tn_run *run);

#endif
