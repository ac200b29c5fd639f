/* What the parts of the emitter share while they write one model. */
#ifndef TN_EMIT_WRITER_H
#define TN_EMIT_WRITER_H

#include "base/strbuf.h"
#include "bind/program.h"
#include "emit/emit.h"
#include "emit/kernels.h"
#include "emit/pool.h"

struct tn_writer_region {
	const char *ident; /* "arena": the parameter */
	const char *upper; /* "ARENA": in macros */
	const char *label; /* "dtcm": of its section */
	int64_t bytes;
	int64_t align;
	const struct tn_plan_region *plan; /* NULL: the one of a plan without any */
};

struct tn_writer {
	const struct tn_graph *g;
	const struct tn_emit_options *options;
	struct tn_arena *arena;
	struct tn_diags *diags;
	bool alone; /* no other model is in the directory */
	const char *name; /* as it was given */
	const char *ident, *upper; /* of functions, of macros */
	const char *file, *weights, *memory; /* stems of the files */
	struct tn_program program;
	struct tn_plan unshared_plan; /* with debug */
	struct tn_program unshared; /* with debug */
	struct tn_writer_region *regions;
	uint32_t n_regions;
	struct tn_pool pool;
	struct tn_kernel_files *files; /* of all models */
	const char **const_outputs; /* by output: an expression, when it is a constant */
	TN_VEC(const char *) symbols; /* kernels that are called, in order of first use */
	struct tn_strbuf params; /* definitions of parameter structs */
	struct tn_strbuf streams; /* functions of chains */
	struct tn_strbuf body; /* of the run function */
	const struct tn_plan_stream *fed; /* the chain whose input comes row by row, or
	                                     NULL; set with body: */
	size_t fed_at; /* where the chain is in it */
	int64_t hook_bytes; /* of values inside chains that are kept for the hook */
};

/* The pieces of a model's text; each appends to `out`. */
void tn_write_calls(struct tn_writer *w); /* fills params, streams, body, pool,
                                             files, symbols */
void tn_write_header(const struct tn_writer *w, struct tn_strbuf *out);
void tn_write_source(const struct tn_writer *w, struct tn_strbuf *out);
void tn_write_weights_header(const struct tn_writer *w, struct tn_strbuf *out);
void tn_write_weights(const struct tn_writer *w, struct tn_strbuf *out);
/* For memories that somebody has described (tn_memory_given): arrays in sections of their
 * own, macros that name them, and, for those with an address, a linker script. */
bool tn_memory_given(const struct tn_writer *w);
bool tn_memory_addressed(const struct tn_writer *w);
bool tn_memory_placeable(const struct tn_writer_region *r); /* without an address */
void tn_write_memory_region_script(
	const struct tn_writer_region *r, struct tn_strbuf *out);
void tn_write_memory_header(const struct tn_writer *w, struct tn_strbuf *out);
void tn_write_memory(const struct tn_writer *w, struct tn_strbuf *out);
void tn_write_memory_script(const struct tn_writer *w, struct tn_strbuf *out);
void tn_write_readme(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out);
void tn_write_models(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out);
void tn_write_makefile(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out);
void tn_write_cmake(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out);

void tn_write_arduino(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out);
void tn_write_zephyr_module(
	const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out);
void tn_write_zephyr_cmake(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out);

/* Does the init function copy a constant to this variable? */
bool tn_variable_has_first(const struct tn_writer *w, uint32_t tensor);

/* What is in flash, file by file: of all models, of the one; after tn_write_calls. */
void tn_write_flash_table(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out);
void tn_write_flash_comment(const struct tn_writer *w, struct tn_strbuf *out);

/* Code and stack; after tn_write_calls. False: no memory. */
bool TN_MUST_CHECK tn_measure_code(const struct tn_writer *w, struct tn_emit_sizes *out);

/* Constants of calls during which as many addresses are kept as there are low registers for
 * them. False: no memory. */
bool TN_MUST_CHECK tn_pressed_constants(const struct tn_writer *w, int64_t *out);

/* "void *arena" or "void *sram, void *dtcm". */
void tn_write_parameters(const struct tn_writer *w, struct tn_strbuf *out);
/* "arena" or "sram, dtcm" */
void tn_write_arguments(const struct tn_writer *w, struct tn_strbuf *out);

#endif
