/** @file
 * tenure: which tensors of a neural network may share memory, why, and how small the
 * memory can be. The one installed host header.
 *
 * Each function does what the command of the same name does, and returns its exit status:
 * TENURE_OK, TENURE_FINDINGS, TENURE_BAD_INPUT or TENURE_RESOURCES. Results go to
 * options->out, diagnostics to options->err; files that options name are written whole or
 * not at all. No function keeps anything between calls. */
#ifndef TENURE_TENURE_H
#define TENURE_TENURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What each function returns. */
enum tenure_status {
	TENURE_OK = 0,
	TENURE_FINDINGS =
		1, /**< findings at or above fail_on, a refused plan, a mismatch */
	TENURE_BAD_INPUT = 2, /**< the command or the input is wrong */
	TENURE_RESOURCES = 3, /**< memory or disk, or an error of our own */
};

/** Ops one after the other, or chains of them row by row. */
enum tenure_stream { TENURE_STREAM_NONE, TENURE_STREAM_AUTO };
/** What may share bytes: nothing that is alive, an input with the output that replaces it, or
 * any two as far as the kernels allow. */
enum tenure_overlap { TENURE_OVERLAP_NONE, TENURE_OVERLAP_INPLACE, TENURE_OVERLAP_FULL };
/** The graph's order of the ops, or one that needs less. */
enum tenure_schedule { TENURE_SCHEDULE_GIVEN, TENURE_SCHEDULE_SEARCH };
/** What is made small first. */
enum tenure_objective { TENURE_OBJECTIVE_ACTIVATIONS, TENURE_OBJECTIVE_ARENA };
/** Whose kernels run the ops. AUTO: those of a plan file, else the best for the processors
 * that emit and validate name, else the portable ones. */
enum tenure_kernels {
	TENURE_KERNELS_AUTO,
	TENURE_KERNELS_REF,
	TENURE_KERNELS_THUMB,
	TENURE_KERNELS_DSP,
	TENURE_KERNELS_MVE
};
/** DEFAULT: not said; a configuration may, else it is the word that comes next. */
enum tenure_profile {
	TENURE_PROFILE_DEFAULT,
	TENURE_PROFILE_INFERENCE,
	TENURE_PROFILE_TRAINING
};
/** DEFAULT: not said; a configuration may, else it is SEQUENTIAL. */
enum tenure_execution {
	TENURE_EXECUTION_DEFAULT,
	TENURE_EXECUTION_SEQUENTIAL,
	TENURE_EXECUTION_PARALLEL
};
/** When storage is made: before the run, or where its owner is produced. */
enum tenure_allocation { TENURE_ALLOCATION_STATIC, TENURE_ALLOCATION_OWNER };
/** DEFAULT: not said; a configuration may, else it is ERROR. */
enum tenure_level {
	TENURE_LEVEL_DEFAULT,
	TENURE_LEVEL_NOTE,
	TENURE_LEVEL_WARNING,
	TENURE_LEVEL_ERROR
};

/** A list of strings that the caller owns. */
typedef struct tenure_list {
	const char *const *items;
	size_t n;
} tenure_list;

/** All that the options of the commands say; each field names the commands that it is for where
 * these are few. */
typedef struct tenure_options {
	FILE *out; /**< results */
	FILE *err; /**< diagnostics, progress */
	int color; /**< err is a terminal that shows colours */
	int color_out; /**< out is one */
	int progress; /**< err is a terminal: what takes long says there how far it is */

	/* reading and planning */
	const char *from; /**< format of the input; NULL: by content */
	int keep_inputs; /**< graph inputs keep their values in any format */
	tenure_list dims; /**< "NAME=N": sizes of dimensions that the file names */
	tenure_list shapes; /**< "NAME=AxBxC": shapes of tensors, by name */
	tenure_list keep; /**< tensors (by name) that keep their values to the end */
	enum tenure_overlap overlap;
	enum tenure_objective objective; /**< what is made small first */
	enum tenure_schedule
		schedule; /**< the graph's order of the ops, or a better one */
	enum tenure_stream
		stream; /**< ops one after the other, or chains of them row by row */
	int64_t stream_max_ops; /**< in a chain; 0: no limit */
	int stream_input; /**< as stream AUTO, and the largest input comes row by row */
	const char
		*rewrite; /**< "all", "none" or passes with commas; NULL: all exact ones
	                        to plan and run, none to judge (lint) and convert */
	const char *allow_inexact; /**< passes that may round floats otherwise, or NULL */
	int64_t align; /**< bytes, of every offset; a power of two */
	tenure_list regions; /**< memories: "NAME:BYTES[:ALIGN[:COST]][@BASE]" */
	tenure_list reserves; /**< "REGION:BYTES", or "BYTES" of --ram or of a board, for
	                         other users of a memory */
	tenure_list owned; /**< regions that hold nothing but what is pinned to them */
	tenure_list pins; /**< "TENSOR=REGION[+OFFSET]" or "TENSOR=@ADDRESS" */
	int64_t ram; /**< budget in bytes; -1: none */
	int max_batch; /**< plan: the largest batch that fits instead of a plan */
	int64_t flash; /**< budget in bytes; -1: none */
	const char *target; /**< a board's id; lint: its budgets, or "all"; NULL: none */
	tenure_list boards; /**< files of boards beside those of the program */
	int64_t nodes; /**< search nodes; 0: the default */
	int64_t capacity; /**< offsets: stop at the first answer that fits; -1: minimise */
	int minimize; /**< offsets: the default, said aloud */
	double time_limit; /**< seconds; 0: none (then the result does not depend on speed) */
	const char *dump; /**< comma-separated stages to print, or NULL */

	/* results */
	const char *output; /**< file or directory; NULL: standard output */
	int json; /**< plan: print JSON */
	const char *write_csv; /**< plan: MiniMalloc's CSV, here */
	const char *write_header; /**< plan: a C header with offsets, here */
	const char
		*write_offline; /**< plan: a copy of the .tflite file with a plan, here */
	const char *write_offsets; /**< plan: an ExecuTorch program with a plan, here */
	int repair; /**< plan: from the graph's claims, or `plan`, made legal */
	const char *
		format; /**< lint: text, json, sarif, junit, github, markdown; diff: text,
	                       json, markdown, html; NULL: text, diff by output's name */
	const char *fail_on_growth; /**< diff: bytes ("4K") or percent ("2.5%") that the
	                               arena may grow by; NULL: any */
	enum tenure_level fail_on;
	const char *only; /**< lint: families or ids of rules, with commas; NULL: all */
	int hook; /**< lint, check: files that are no graphs are skipped silently */
	int64_t jobs; /**< lint: files at the same time; 0 and 1: one */
	enum tenure_profile profile; /**< lint: what claims are judged for */
	enum tenure_execution execution; /**< lint: does the order of the ops count? */
	tenure_list contracts; /**< lint, verify: files of kernel contracts, or packs */
	enum tenure_allocation allocation; /**< lint: when is shared storage made? */
	tenure_list
		rules; /**< lint, explain: packs of rules besides those of the program */
	const char *
		config; /**< lint, report: instead of the .tenure.xml that is found; "none" */
	const char *baseline; /**< lint: findings that are known */
	const char *write_baseline; /**< lint: make what is found the baseline */

	/* running */
	const char *plan; /**< a plan file; NULL: make one */
	int no_reuse; /**< every tensor in memory of its own */
	uint32_t seed; /**< of generated inputs */
	tenure_list inputs; /**< raw or .npy files, by graph input */
	tenure_list outputs;
	int dump_layers;
	const char *cpu; /**< emit: host, cortex-m4, ...; lint: whose code counts */
	enum tenure_kernels kernels;
	int debug; /**< emit: every tensor apart, names, digests, canaries */
	int shared_arena; /**< emit: one memory for all models, which run in turn */
	int test; /**< emit: with a test, inputs and expected outputs */
	int flat; /**< emit: one folder, for Arduino and Zephyr */
	const char *on; /**< validate: "host,cortex-m4" */
	int synthetic; /**< validate: seeded values where the file has none */
	int keep_work; /**< validate: keep the work directory */

	/** report: files to write; NULL: not wanted */
	const char *svg, *dot, *trace, *csv;
	const char *graph_svg;
	const char *explorer, *overlay, *overlay_verdicts; /**< for Model Explorer */
	int ascii;
	int columns; /**< of standard output, for ascii; 0: 80 */
	int validate; /**< the page shows what executing the graph on `on` has shown */
	const char
		*focus; /**< dot, graph_svg: only the ops around the one of this name */
	int64_t radius; /**< how many ops away from it */
} tenure_options;

/** Defaults: overlap full, align 16, seed 1, no budget, standard streams.
 * To be called before any field is set. */
void tenure_options_init(tenure_options *options);

/** Judges the in-place candidates, claims and rules of graphs.
 * @param graphs files, folders, patterns of glob(7); n of them
 * @return TENURE_FINDINGS when a finding is at or above fail_on */
int tenure_lint(const tenure_options *options, const char *const *graphs, size_t n);

/** Finds, verifies and writes a plan.
 * @param graph a file, "-" for standard input */
int tenure_plan(const tenure_options *options, const char *graph);

/** Is a plan right?
 * @param plan a plan or a CSV; NULL: what the graph's file itself carries
 * @return TENURE_FINDINGS when it is refused */
int tenure_verify(const tenure_options *options, const char *graph, const char *plan);

/** Executes the graph over a plan, on the host. */
int tenure_run(const tenure_options *options, const char *graph);

/** Writes a standalone C project into the folder options->output. */
int tenure_emit(const tenure_options *options, const char *graph);

/** Writes several models into one project. */
int tenure_emit_all(const tenure_options *options, const char *const *graphs, size_t n);

/** Builds what emit writes, runs it on options->on, compares every layer bit for bit.
 * @return TENURE_FINDINGS when one differs */
int tenure_validate(const tenure_options *options, const char *graph);

/** Writes the page, pictures and tables that options name. */
int tenure_report(const tenure_options *options, const char *graph);

/** Judges plans that lie beside their models: X.plan.json of X.tflite, X.onnx or X.json.
 * @param files models, plans or folders; n of them */
int tenure_check(const tenure_options *options, const char *const *files, size_t n);

/** What became of the memory from one version of a model to the next.
 * @return TENURE_FINDINGS when it grew by more than options->fail_on_growth */
int tenure_diff(const tenure_options *options, const char *before, const char *after);

/** One tensor, from the file to its address.
 * @param tensor its name, its index, or "t" and the index */
int tenure_explain(const tenure_options *options, const char *graph, const char *tensor);

/** A rule by its id, or a table of those that match a pattern ("graph/" and a star). */
int tenure_explain_rule(const tenure_options *options, const char *rule);

/** Writes the graph in the native format, without a loss. */
int tenure_convert(const tenure_options *options, const char *graph);

/** Solves an offset problem.
 * @param problem a CSV file */
int tenure_offsets(const tenure_options *options, const char *problem);

/** "0.1.0" */
const char *tenure_version(void);

#ifdef __cplusplus
}
#endif

#endif
