/* Writes a graph as standalone C: one directory with everything that a firmware build
 * needs, and nothing of the host tool. Straight-line calls, loops where a chain of ops
 * repeats itself, no heap, no writable state but the memory that the caller gives.
 *
 *   model.h model.c      the calls, and the map of the memory
 *   weights.h weights.c  constants, equal ones once
 *   kernels/             the sources of the kernels that are called, and their headers
 *   Makefile CMakeLists.txt README.md
 *
 * Several models in one directory: their own names instead of "model", one kernels/, and
 * with a shared arena models.h, which says how large one memory for all of them must be.
 *
 * Flat: the kernels lie beside the model, and there are library.properties and zephyr/,
 * which make the directory a library of Arduino and a module of Zephyr.
 *
 * With debug the same source compiles to the shared and to the unshared run: with
 * TENURE_UNSHARED every tensor has memory of its own with canaries between, and no op is
 * elided. With TENURE_HOOK the caller's tenure_hook() sees every activation. */
#ifndef TN_EMIT_EMIT_H
#define TN_EMIT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "emit/footprint.h"
#include "ir/graph.h"
#include "plan/plan.h"

struct tn_emit_model {
	const struct tn_graph *graph; /* has passed tn_validate */
	const struct tn_plan *plan; /* NULL: nothing is shared */
	const char *name; /* NULL: the graph's name; for formats whose graphs are all
	                     called "main", the stem of the file's name */
};

struct tn_emit_options {
	const char *cpu; /* "cortex-m4": the Makefile's default; NULL: "host" */
	bool debug;
	bool shared_arena;
	bool test; /* test/ will be there, which its maker writes: the Makefile and the README
	              name it */
	bool flat; /* one folder for all sources, as Arduino and Zephyr take it */
	const char *const
		*inputs; /* files that must stay as they are: none is written over */
	size_t n_inputs;
};

struct tn_emit_summary { /* one for each model */
	const char *ident; /* prefix of its functions */
	const char *upper; /* prefix of its macros */
	const char *file; /* "model": stem of its files */
	int64_t memory_bytes; /* over all regions */
	int64_t constant_bytes; /* weights and tables; code comes on top */
	int64_t unshared_bytes; /* with debug: the memory of the unshared run */
	int64_t hook_bytes; /* with debug: what the hook keeps of chains, in arrays of its
	                       own (TENURE_HOOK_MEMORY is their attribute) */
	bool fed; /* an input comes row by row: begin, push_rows, end in place of run */
	uint32_t fed_input;
	int64_t fed_rows, fed_row_bytes;
	const char *const *regions; /* of its memories, in the order of the parameters:
	                               as in its macros, "ARENA" */
	uint32_t n_regions;
	const char *const
		*sources; /* to compile, relative to the directory: its own, then
	                               those of its kernels */
	uint32_t n_sources;
};

/* Writes the directory (made, one level, unless it is there); each file is replaced whole
 * or not at all. TN_ERR_INPUT, reported, when an op has no kernel, a constant is missing
 * or damaged, a plan does not fit its graph, or models with state would share an arena.
 * `out` takes a summary for each model; its texts live in the arena. */
enum tn_status TN_MUST_CHECK tn_emit(const struct tn_emit_model *models,
	uint32_t n_models, const struct tn_emit_options *options, const char *dir,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_emit_summary *out);

struct tn_emit_sizes {
	int64_t constant_bytes; /* weights and tables, equal ones once */
	int64_t code_bytes[TN_FOOTPRINT_CPUS]; /* of the kernels that are called, and of
	                    the calls, by processor: see tn_footprint_column */
	int64_t stack_bytes; /* of the run function and of the deepest kernel */
	uint32_t n_unmeasured; /* kernels that no figure is known of */
};

/* What tn_emit would write, and what the compiler would make of it, without doing either:
 * kernels count as measured (footprint.h), calls by the sizes of their parameters. Status
 * as of tn_emit. */
enum tn_status TN_MUST_CHECK tn_emit_measure(const struct tn_emit_model *model,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_emit_sizes *out);

/* The processors that the Makefile knows, "host" first; NULL ends the list. */
const char *tn_emit_cpu_name(uint32_t i);

/* "cortex-m4" or "m4" to the known name, with its compiler options, NULL-terminated. NULL
 * when there is no such processor. */
const char *tn_emit_cpu_find(const char *cpu, const char *const **out_flags);

#endif
