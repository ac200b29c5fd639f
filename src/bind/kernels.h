/* The kernels and their parameter structs as tables. */
#ifndef TN_BIND_KERNELS_H
#define TN_BIND_KERNELS_H

#include "bind/bind.h"

enum tn_params_id {
#define PARAMS(id, tag, fields) id,
#include "bind/params.def"
#undef PARAMS
	PARAMS_COUNT
};

enum tn_kernel_id {
#define KERNEL(id, symbol, file, params) id,
#include "bind/kernels.def"
#undef KERNEL
	KERNEL_COUNT
};

extern const struct tn_params_info tn_params[PARAMS_COUNT];
extern const struct tn_kernel_info tn_kernels[KERNEL_COUNT];

#endif
