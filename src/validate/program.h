/* An emitted program: built for a target, run there, its activations compared. */
#ifndef TN_VALIDATE_PROGRAM_H
#define TN_VALIDATE_PROGRAM_H

#include "emit/emit.h"
#include "validate/process.h"
#include "validate/target.h"
#include "validate/validation.h"

struct tn_program_run {
	const struct tn_graph *graph;
	const struct tn_emit_summary *emitted;
	const char *dir; /* where it was emitted, and where the harness was written */
	uint32_t seed;
	int seconds; /* for each run */
	struct tn_arena *arena;
	struct tn_diags *diags;
	const struct tn_validation *reference;
};

/* A file and a directory below the program's directory. */
enum tn_status TN_MUST_CHECK tn_program_put(
	const struct tn_program_run *r, const char *name, const char *text, size_t len);
enum tn_status TN_MUST_CHECK tn_program_dir(
	const struct tn_program_run *r, const char *name);

/* Writes what is the same for every target: the harness. */
enum tn_status TN_MUST_CHECK tn_program_harness(const struct tn_program_run *r);

/* Of the harness, what is not its main: the host's part and the boards', into `folder`. */
enum tn_status TN_MUST_CHECK tn_program_ports(
	const struct tn_program_run *r, const char *folder);

/* Builds and runs with one set of compiler options; verdict, detail and difference in
 * `out`. A failure of the program is a verdict; the status is for failures of ours. */
enum tn_status TN_MUST_CHECK tn_program_check(const struct tn_program_run *r,
	const struct tn_target *target, const char *options, bool shared,
	struct tn_validation_config *out);

/* Runs a program below `dir` (its name has a slash) and appends what it prints to `out`. */
struct tn_process tn_program_execute(const struct tn_target *target, const char *dir,
	const char *program, int seconds, struct tn_strbuf *out);

/* Are the compiler and the emulator for the target there? Reports what to install. */
bool tn_program_tools(const struct tn_target *target, struct tn_diags *diags);

#endif
