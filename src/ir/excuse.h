/* What a graph's file says of findings: they are known and accepted. Graphs do not carry it
 * on, for what rewriting leaves is another graph. */
#ifndef TN_IR_EXCUSE_H
#define TN_IR_EXCUSE_H

#include <stdbool.h>
#include <stdint.h>

struct tn_excuse {
	const char *rule; /* a pattern */
	const char *name; /* a pattern for the op or tensor; NULL: any */
	const char *reason; /* NULL: there is none, and then it does not count */
	const char *pointer;
	bool used; /* for whoever asks it */
};

struct tn_excuses {
	struct tn_excuse *items;
	uint32_t n;
};

#endif
