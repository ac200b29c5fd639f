/* What rules over the findings of lint: the rules, .tenure.xml, suppressions, a baseline. */
#ifndef TN_DRIVER_GOVERN_H
#define TN_DRIVER_GOVERN_H

#include "driver/files.h"
#include "driver/pipeline.h"
#include "report/view.h"
#include "rules/baseline.h"
#include "rules/config.h"
#include "rules/rules.h"

/* A configuration and the rules that it makes. Without one: options alone. */
struct tn_regime {
	const char *file; /* as found; NULL: no configuration */
	struct tn_config config;
	struct tn_rule_set rules;
	bool *skip; /* by rule: it is off */
	bool *used; /* by suppression */
	bool *seen; /* by suppression: its models were looked at */
	/* the pattern matches a file of the run, by row */
	bool *budget_met, *ignore_met, *suppress_met;
};

/* One file of the command: a graph, or a configuration, which is judged, too. */
struct tn_ward {
	const char *file; /* as the user gave it */
	const char *absolute;
	struct tn_regime *regime;
	tenure_options options; /* with what the configuration adds */
	const char *ram_from, *flash_from; /* "FILE:LINE" of a budget; NULL: the option */
};

struct tn_govern {
	const tenure_options *options;
	struct tn_arena *arena; /* of the command */
	struct tn_diags *diags;
	const struct tn_file_names *files;
	struct tn_ward *wards; /* by file */
	struct tn_ward *configs; /* those that were read */
	size_t n_configs;
	struct tn_baseline baseline;
	struct tn_baseline found; /* for --write-baseline */
	size_t found_capacity;
	TN_VEC(struct tn_regime *) regimes;
};

/* Reads packs, configurations and the baseline, and takes the files out that they ignore.
 * TN_ERR_INPUT, reported, when one of them is wrong. */
enum tn_status TN_MUST_CHECK tn_govern_open(struct tn_govern *g,
	const tenure_options *options, struct tn_file_names *files,
	struct tn_arena *arena, struct tn_diags *diags);

/* Is there a family of rules of this name, or a rule? */
bool tn_govern_knows(const struct tn_govern *g, const char *name, size_t len);

/* Notes all families; false: no memory. */
bool tn_govern_list_families(struct tn_govern *g);

/* TN_ERR_INPUT after a message: an output of the options would overwrite a configuration or
 * a pack of it that was read. */
enum tn_status TN_MUST_CHECK tn_govern_spare(const struct tn_govern *g);

/* Judges the graph of a run that has come to an end by the rules with a check. */
enum tn_status TN_MUST_CHECK tn_govern_check(
	const struct tn_govern *g, size_t ward, struct tn_run *run);

/* Gives the findings of a file's run their severities and takes out those that are off,
 * suppressed or in the baseline; for --write-baseline, notes them. `status` is that of
 * the run: what made it fail stays. Files one after the other. */
enum tn_status TN_MUST_CHECK tn_govern_apply(struct tn_govern *g,
	const struct tn_ward *ward, struct tn_run *run, enum tn_status status);

/* Reports in `run` what is idle in a configuration, when all graphs are judged: a
 * suppression that nothing needs, a pattern without a file though all below was looked at. */
void tn_govern_judge(
	const struct tn_govern *g, const struct tn_ward *config, struct tn_run *run);

/* The rules that the views' findings have, for reports; in each view the same. */
enum tn_status TN_MUST_CHECK tn_govern_describe(
	struct tn_govern *g, struct tn_view *views, size_t n);

/* At the end: writes the baseline. */
enum tn_status TN_MUST_CHECK tn_govern_close(struct tn_govern *g);

#endif
