/* The six relations. */
#ifndef TENURE_KERNELS_RELATION_H
#define TENURE_KERNELS_RELATION_H

#include "elements.h"
#include "fixed.h"

/* `less`, `equal`: how a stands to b (neither: greater, or not comparable). */
static inline int32_t tn_relation(int32_t relation, int less, int equal, int greater)
{
	switch (relation) {
	case TN_EQUAL:
		return equal;
	case TN_NOT_EQUAL:
		return !equal;
	case TN_GREATER:
		return greater;
	case TN_GREATER_EQUAL:
		return greater || equal;
	case TN_LESS:
		return less;
	default:
		return less || equal;
	}
}

#endif
