/* Elements whose type is a parameter. */
#ifndef TENURE_KERNELS_TYPED_H
#define TENURE_KERNELS_TYPED_H

#include "elements.h"

/* Integers of up to 32 bits. */
static inline int32_t tn_load_typed(const void *p, int32_t i, int32_t type)
{
	switch (type) {
	case TN_S8:
		return tn_load_s8(p, i);
	case TN_U8:
	case TN_BOOL:
		return (uint8_t)tn_load_s8(p, i);
	case TN_S16:
		return tn_load_s16(p, i);
	default:
		return tn_load_s32(p, i);
	}
}

static inline void tn_store_typed(void *p, int32_t i, int32_t type, int32_t value)
{
	switch (type) {
	case TN_S8:
	case TN_U8:
		tn_store_s8(p, i, value);
		break;
	case TN_S16:
		tn_store_s16(p, i, value);
		break;
	default:
		tn_store_s32(p, i, value);
		break;
	}
}

#endif
