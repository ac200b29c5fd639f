/* Which files of the kernel set a program needs. */
#ifndef TN_EMIT_KERNELS_H
#define TN_EMIT_KERNELS_H

#include "base/status.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "emit/embedded.h"

struct tn_kernel_files {
	TN_VEC(const struct tn_embedded *) list; /* sorted by name once closed */
};

/* Adds the file with everything that it includes; for a header, also the source of the
 * same name. A name that is not in the kernel set is skipped. False: no memory. */
bool tn_kernel_files_add(
	struct tn_kernel_files *files, struct tn_arena *arena, const char *name);

/* Is it to be compiled? Headers are not. */
bool tn_kernel_file_is_source(const struct tn_embedded *file);

void tn_kernel_files_sort(struct tn_kernel_files *files);

/* Where the file is in the project: "kernels/dsp/add_s8.c", or flat "dsp.add_s8.c" (no
 * identifier has a dot: it cannot meet a model's file). */
void tn_kernel_file_path(const char *name, bool flat, struct tn_strbuf *out);

/* The file's text; flat, with the names of the files that it includes as they are then. */
void tn_kernel_file_text(
	const struct tn_embedded *file, bool flat, struct tn_strbuf *out);

#endif
