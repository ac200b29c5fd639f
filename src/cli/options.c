#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "unknown.h"

const struct command_info command_infos[COMMAND_COUNT] = {
	[COMMAND_LINT] = { "lint", "GRAPH|DIR...",
		"judge every in-place, view and reuse decision of a graph", 1,
		(size_t)-1 },
	[COMMAND_PLAN] = { "plan", "GRAPH", "find a verified memory plan", 1, 1 },
	[COMMAND_VERIFY] = { "verify", "GRAPH [PLAN]",
		"check a plan, or the one that the file carries", 1, 2 },
	[COMMAND_RUN] = { "run", "GRAPH", "execute a graph on this machine", 1, 1 },
	[COMMAND_EMIT] = { "emit", "GRAPH... -o DIR", "write graphs as standalone C", 1,
		(size_t)-1 },
	[COMMAND_VALIDATE] = { "validate", "GRAPH",
		"emit, build and run; compare every layer bit for bit", 1, 1 },
	[COMMAND_REPORT] = { "report", "GRAPH", "show the plan: page, picture, table", 1,
		1 },
	[COMMAND_CHECK] = { "check", "FILE|DIR...",
		"check the plans beside models, X.plan.json of X.tflite", 1, (size_t)-1 },
	[COMMAND_DIFF] = { "diff", "OLD NEW",
		"compare the memory of two versions of a model", 2, 2 },
	[COMMAND_EXPLAIN] = { "explain", "GRAPH TENSOR | RULE",
		"follow one tensor from the file to its address; tell of a lint rule", 1,
		2 },
	[COMMAND_CONVERT] = { "convert", "GRAPH -o OUT.json",
		"write the graph in the native format", 1, 1 },
	[COMMAND_OFFSETS] = { "offsets", "PROBLEM.csv",
		"the planner alone: offsets for MiniMalloc's CSV", 1, 1 },
};

#define C(name) (1u << COMMAND_##name)
#define PLANS                                                                            \
	(C(PLAN) | C(RUN) | C(EMIT) | C(VALIDATE) | C(REPORT) | C(EXPLAIN) | C(LINT) |   \
		C(DIFF))
#define STREAMS (C(PLAN) | C(RUN) | C(EMIT) | C(VALIDATE) | C(REPORT) | C(LINT))
#define READS	(PLANS | C(VERIFY) | C(CONVERT) | C(CHECK))

#define AT(field) offsetof(tenure_options, field)

static const char *const overlap_words[] = { "none", "inplace", "full", NULL };
static const char *const stream_words[] = { "none", "auto", NULL };
static const char *const schedule_words[] = { "given", "search", NULL };
static const char *const objective_words[] = { "activations", "arena", NULL };
static const char *const kernels_words[] = { "auto", "ref", "thumb", "dsp", "mve", NULL };
static const char *const level_words[] = { "", "note", "warning", "error", NULL };

static const char *const profile_words[] = { "", "inference", "training", NULL };
static const char *const execution_words[] = { "", "sequential", "parallel", NULL };
static const char *const allocation_words[] = { "static", "owner", NULL };

static const struct option_row rows[] = {
	{ "output", 'o', VALUE_TEXT, AT(output),
		C(PLAN) | C(CONVERT) | C(LINT) | C(RUN) | C(OFFSETS) | C(DIFF), "FILE",
		"write here ('-': standard output)", NULL },
	{ "output", 'o', VALUE_TEXT, AT(output), C(EMIT), "DIR",
		"the folder of the project; made unless it is there", NULL },
	{ "output", 'o', VALUE_TEXT, AT(output), C(REPORT), "FILE",
		"the page, or what --ascii alone draws ('-': standard output)", NULL },
	{ "json", 0, VALUE_FLAG, AT(json), C(PLAN), NULL, "print the plan as JSON",
		NULL },
	{ "write-csv", 0, VALUE_TEXT, AT(write_csv), C(PLAN), "FILE",
		"the plan as MiniMalloc's CSV", NULL },
	{ "write-header", 0, VALUE_TEXT, AT(write_header), C(PLAN), "FILE",
		"the offsets as a C header", NULL },
	{ "write-offline", 0, VALUE_TEXT, AT(write_offline), C(PLAN), "FILE",
		"a copy of the .tflite model with a plan that its runtime reads", NULL },
	{ "write-offsets", 0, VALUE_TEXT, AT(write_offsets), C(PLAN), "FILE",
		"the offsets in an ExecuTorch program, a copy of one that is read",
		NULL },
	{ "repair", 0, VALUE_FLAG, AT(repair), C(PLAN), NULL,
		"keep to the graph's claims, or to --plan, as far as they are legal",
		NULL },
	{ "format", 0, VALUE_TEXT, AT(format), C(LINT), "NAME",
		"text, json, markdown, sarif, junit, github", NULL },
	{ "format", 0, VALUE_TEXT, AT(format), C(DIFF), "NAME",
		"text, json, markdown or html (default: by the name of -o, else text)",
		NULL },
	{ "fail-on-growth", 0, VALUE_TEXT, AT(fail_on_growth), C(DIFF), "LIMIT",
		"exit with 1 when the arena grows by more bytes (4K) or percent (2.5%)",
		NULL },
	{ "fail-on", 0, VALUE_WORD, AT(fail_on), C(LINT), "LEVEL",
		"exit with 1 from this level on: error (default), warning or note",
		level_words },
	{ "only", 0, VALUE_TEXT, AT(only), C(LINT), "FAMILIES",
		"report these families of rules only: memory,hazard ...", NULL },
	{ "hook", 0, VALUE_FLAG, AT(hook), C(LINT) | C(CHECK), NULL,
		"skip files that are no graphs, without a word", NULL },
	{ "jobs", 'j', VALUE_SIZE, AT(jobs), C(LINT), "N",
		"so many files at a time (default 1)", NULL },
	{ "profile", 0, VALUE_WORD, AT(profile), C(LINT), "NAME",
		"judge claims for inference (default) or training", profile_words },
	{ "execution", 0, VALUE_WORD, AT(execution), C(LINT), "MODE",
		"judge claims for sequential (default) or parallel ops",
		execution_words },
	{ "contracts", 0, VALUE_LIST, AT(contracts), C(LINT) | C(VERIFY) | C(PLAN),
		"FILE",
		"what kernels of other tools are declared to do: an XML file, or "
		"cmsis-nn, tflm, tflite, onnxruntime, mxnet, xla (repeatable)",
		NULL },
	{ "allocation", 0, VALUE_WORD, AT(allocation), C(LINT), "WHEN",
		"storage that claims share is made before the run (static, default) or "
		"where its owner is (owner)",
		allocation_words },
	{ "rules", 0, VALUE_LIST, AT(rules), C(LINT) | C(EXPLAIN), "FILE",
		"a pack of rules of your own (repeatable)", NULL },
	{ "config", 0, VALUE_TEXT, AT(config), C(LINT) | C(REPORT), "FILE",
		"instead of the .tenure.xml found upwards from the file, or none", NULL },
	{ "baseline", 0, VALUE_TEXT, AT(baseline), C(LINT), "FILE",
		"findings that are known do not count", NULL },
	{ "write-baseline", 0, VALUE_TEXT, AT(write_baseline), C(LINT), "FILE",
		"make all that is found the baseline", NULL },
	{ "from", 0, VALUE_TEXT, AT(from), READS, "FORMAT",
		"native, tflite, onnx ... (default: by content)", NULL },
	{ "dim", 0, VALUE_LIST, AT(dims), READS, "NAME=N",
		"size of a dimension that the file names (repeatable)", NULL },
	{ "shape", 0, VALUE_LIST, AT(shapes), READS, "T=AxBxC",
		"shape of a tensor (repeatable)", NULL },
	{ "keep-inputs", 0, VALUE_FLAG, AT(keep_inputs), READS, NULL,
		"graph inputs keep their values", NULL },
	{ "keep", 0, VALUE_LIST, AT(keep), PLANS | C(VERIFY), "TENSOR",
		"this tensor keeps its value to the end (repeatable)", NULL },
	{ "overlap", 0, VALUE_WORD, AT(overlap), PLANS, "MODE",
		"none, inplace or full (default)", overlap_words },
	{ "objective", 0, VALUE_WORD, AT(objective), PLANS, "WHAT",
		"activations (default), or arena: all bytes, scratch included",
		objective_words },
	{ "schedule", 0, VALUE_WORD, AT(schedule), PLANS, "MODE",
		"given (default), or search: an order of the ops with a smaller peak",
		schedule_words },
	{ "stream", 0, VALUE_WORD, AT(stream), STREAMS, "MODE",
		"none (default), or auto: chains of ops run row by row where that saves "
		"bytes",
		stream_words },
	{ "stream-max-ops", 0, VALUE_SIZE, AT(stream_max_ops), STREAMS, "N",
		"ops in a chain at most", NULL },
	{ "stream-input", 0, VALUE_FLAG, AT(stream_input),
		C(PLAN) | C(RUN) | C(EMIT) | C(VALIDATE) | C(REPORT), NULL,
		"the input comes row by row, into a chain; with --stream auto", NULL },
	{ "rewrite", 0, VALUE_TEXT, AT(rewrite), READS, "LIST",
		"all (exact ones), none, or passes by name with commas", NULL },
	{ "allow-inexact", 0, VALUE_TEXT, AT(allow_inexact), READS, "LIST",
		"passes that are not exact: fold-scale, integer-ops", NULL },
	{ "align", 0, VALUE_SIZE, AT(align), PLANS, "BYTES",
		"alignment of every offset (default 16)", NULL },
	{ "region", 0, VALUE_LIST, AT(regions), PLANS, "R",
		"a memory, NAME:BYTES[:ALIGN[:COST]][@BASE] (repeatable)", NULL },
	{ "reserve", 0, VALUE_LIST, AT(reserves), PLANS, "[REGION:]BYTES",
		"the end of a region, or so many bytes of --ram or of the board, belong "
		"to "
		"others (repeatable)",
		NULL },
	{ "owned", 0, VALUE_LIST, AT(owned), PLANS, "REGION",
		"the caller's memory: pinned tensors only (repeatable)", NULL },
	{ "pin", 0, VALUE_LIST, AT(pins), PLANS, "T=R[+OFFSET]",
		"tensor T is in region R, or at an address: T=@ADDRESS (repeatable)",
		NULL },
	{ "ram", 0, VALUE_SIZE, AT(ram), C(LINT) | C(PLAN) | C(REPORT), "BYTES",
		"budget for the arena; lint: with stack and reserve", NULL },
	{ "max-batch", 0, VALUE_FLAG, AT(max_batch), C(PLAN), NULL,
		"print the largest batch that fits --ram or the regions", NULL },
	{ "flash", 0, VALUE_SIZE, AT(flash), C(LINT), "BYTES",
		"budget for weights, tables and code", NULL },
	{ "target", 0, VALUE_TEXT, AT(target), C(LINT) | C(PLAN) | C(EMIT) | C(REPORT),
		"BOARD",
		"the memories of a board (nrf52840, rp2040 ...); lint: its budgets, or "
		"all: which ones fit",
		NULL },
	{ "boards", 0, VALUE_LIST, AT(boards), C(LINT) | C(PLAN) | C(EMIT) | C(REPORT),
		"FILE", "more boards, as rules/boards.xml has them (repeatable)", NULL },
	{ "capacity", 0, VALUE_SIZE, AT(capacity), C(OFFSETS) | C(VERIFY), "BYTES",
		"stop at the first answer that fits; what a CSV may take", NULL },
	{ "minimize", 0, VALUE_FLAG, AT(minimize), C(OFFSETS), NULL,
		"look for the least height (default)", NULL },
	{ "nodes", 0, VALUE_SIZE, AT(nodes), PLANS | C(OFFSETS), "N",
		"search nodes before the best plan so far is taken", NULL },
	{ "time-limit", 0, VALUE_SECONDS, AT(time_limit), C(PLAN) | C(OFFSETS), "S",
		"seconds before the best plan so far is taken", NULL },
	{ "dump", 0, VALUE_TEXT, AT(dump), PLANS | C(CONVERT), "STAGES",
		"print graph,order,alias,live,hazards,inplace,problem,plan,claims",
		NULL },
	{ "plan", 0, VALUE_TEXT, AT(plan),
		C(RUN) | C(EMIT) | C(VALIDATE) | C(REPORT) | C(PLAN), "PLAN",
		"use this plan instead of making one", NULL },
	{ "no-reuse", 0, VALUE_FLAG, AT(no_reuse), C(RUN), NULL,
		"every tensor in memory of its own", NULL },
	{ "seed", 0, VALUE_SIZE, AT(seed), C(RUN) | C(EMIT) | C(VALIDATE) | C(REPORT),
		"N", "seed of generated inputs (default 1)", NULL },
	{ "input", 0, VALUE_LIST, AT(inputs), C(RUN), "FILE",
		"raw or .npy input, in the order of the graph's inputs (repeatable)",
		NULL },
	{ "output-tensor", 0, VALUE_LIST, AT(outputs), C(RUN), "FILE",
		"write an output here, raw or .npy, in order (repeatable)", NULL },
	{ "dump-layers", 0, VALUE_FLAG, AT(dump_layers), C(RUN), NULL,
		"print a digest of every activation", NULL },
	{ "cpu", 0, VALUE_TEXT, AT(cpu), C(EMIT) | C(LINT), "NAME",
		"host or cortex-m0plus, -m3, -m4, -m7, -m33, -m55", NULL },
	{ "kernels", 0, VALUE_WORD, AT(kernels), PLANS | C(VERIFY), "SET",
		"ref (portable), thumb (Cortex-M0+, -M3), dsp (Cortex-M4, -M7, -M33, "
		"-M55), mve (Cortex-M55) or "
		"auto (default)",
		kernels_words },
	{ "debug", 0, VALUE_FLAG, AT(debug), C(EMIT), NULL,
		"tensors apart, names, digests, canaries", NULL },
	{ "shared-arena", 0, VALUE_FLAG, AT(shared_arena), C(EMIT), NULL,
		"several models: one memory for all of them, which run in turn", NULL },
	{ "test", 0, VALUE_FLAG, AT(test), C(EMIT), NULL,
		"with inputs and expected outputs: make test", NULL },
	{ "flat", 0, VALUE_FLAG, AT(flat), C(EMIT), NULL,
		"all sources in one folder, a library of Arduino and a module of Zephyr",
		NULL },
	{ "validate", 0, VALUE_FLAG, AT(validate), C(REPORT), NULL,
		"execute the graph and show in the page whether every layer is the same",
		NULL },
	{ "on", 0, VALUE_TEXT, AT(on), C(VALIDATE) | C(REPORT), "TARGETS",
		"host,cortex-m4,... (default host)", NULL },
	{ "synthetic", 0, VALUE_FLAG, AT(synthetic), C(VALIDATE) | C(REPORT), NULL,
		"seeded values where the file's are missing or damaged", NULL },
	{ "keep-work", 0, VALUE_FLAG, AT(keep_work), C(VALIDATE), NULL,
		"do not remove the work directory", NULL },
	{ "svg", 0, VALUE_TEXT, AT(svg), C(REPORT), "FILE", "the timeline as SVG", NULL },
	{ "dot", 0, VALUE_TEXT, AT(dot), C(REPORT), "FILE", "the graph as DOT", NULL },
	{ "graph-svg", 0, VALUE_TEXT, AT(graph_svg), C(REPORT), "FILE",
		"the graph as SVG", NULL },
	{ "focus", 0, VALUE_TEXT, AT(focus), C(REPORT), "OP",
		"--dot and --graph-svg show this op and those around it", NULL },
	{ "radius", 0, VALUE_SIZE, AT(radius), C(REPORT), "N",
		"how many ops away from it (default 2)", NULL },
	{ "trace", 0, VALUE_TEXT, AT(trace), C(REPORT), "FILE", "Chrome trace JSON",
		NULL },
	{ "explorer", 0, VALUE_TEXT, AT(explorer), C(REPORT), "FILE",
		"the graph for Model Explorer", NULL },
	{ "overlay", 0, VALUE_TEXT, AT(overlay), C(REPORT), "FILE",
		"live bytes as node data for Model Explorer", NULL },
	{ "overlay-verdicts", 0, VALUE_TEXT, AT(overlay_verdicts), C(REPORT), "FILE",
		"in-place verdicts as node data for Model Explorer", NULL },
	{ "csv", 0, VALUE_TEXT, AT(csv), C(REPORT), "FILE", "the plan as CSV", NULL },
	{ "ascii", 0, VALUE_FLAG, AT(ascii), C(REPORT), NULL,
		"a timeline for the terminal, to standard output", NULL },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

_Static_assert(ROWS <= ARGUMENT_OPTIONS, "arguments.given has no room for all options");

enum command command_find(const char *name)
{
	int i = 0;

	while (i < COMMAND_COUNT && strcmp(command_infos[i].name, name) != 0)
		i++;
	return (enum command)i;
}

const struct option_row *option_next(enum command command, const struct option_row *row)
{
	for (row = row ? row + 1 : rows; row < rows + ROWS; row++)
		if ((row->commands >> command) & 1)
			return row;
	return NULL;
}

const struct option_row *option_find(
	enum command command, const char *name, size_t len, char letter)
{
	const struct option_row *row = option_next(command, NULL);

	for (; row; row = option_next(command, row))
		if (letter ? row->letter == letter
			   : strlen(row->name) == len &&
					strncmp(row->name, name, len) == 0)
			break;
	return row;
}

/* Digits, and a K or M (or KB, KiB ...): a number, if perhaps one that is too large. */
static bool is_number(const char *value)
{
	const char *end = value + strspn(value, "0123456789");

	if (end > value && *end && strchr("KkMm", *end)) {
		end++;
		end += *end == 'i' && end[1] == 'B' ? 2 : *end == 'B';
	}
	return end > value && !*end;
}

/* What a number must be; NULL: it is. */
static const char *misfit(size_t option, const char *value, int64_t *out_size)
{
	const int64_t size = tn_size_parse(value, out_size) ? *out_size : -1;

	if (size < 0 && is_number(value))
		return "at most 9223372036854775807";
	if (size < 0)
		return "a number (K and M are understood)";
	if (option == AT(seed) && size > UINT32_MAX)
		return "at most 4294967295";
	if (option == AT(align) &&
		(size == 0 || (size & (size - 1)) != 0 || size > 1 << 20))
		return "a power of two up to 1M";
	return option == AT(jobs) && size == 0 ? "at least 1" : NULL;
}

static bool set_size(
	const struct option_row *row, const char *value, char *field, FILE *err)
{
	int64_t size;
	const char *what = misfit(row->offset, value, &size);
	uint32_t seed;

	if (what) {
		fprintf(err, "tenure: --%s must be %s, not '%s'\n", row->name, what,
			value);
		return false;
	}
	seed = (uint32_t)size;
	if (row->offset == AT(seed))
		memcpy(field, &seed, sizeof(seed));
	else
		memcpy(field, &size, sizeof(size));
	return true;
}

static bool set_word(
	const struct option_row *row, const char *value, char *field, FILE *err)
{
	for (int i = 0; row->words[i]; i++) {
		if (*value && strcmp(row->words[i], value) == 0) {
			memcpy(field, &i, sizeof(i));
			return true;
		}
	}
	fprintf(err, "tenure: --%s must be one of", row->name);
	for (int i = 0; row->words[i]; i++)
		if (*row->words[i])
			fprintf(err, " %s", row->words[i]);
	fprintf(err, ", not '%s'\n", value);
	return false;
}

/* Each list option has storage of its own, in the order of their rows. */
static bool push(struct arguments *args, const struct option_row *row, tenure_list *list,
	const char *value, FILE *err)
{
	const char ***storage = args->lists;
	const char **grown;

	for (const struct option_row *r = rows; r < row; r++)
		storage += r->kind == VALUE_LIST;
	grown = realloc(*storage, (list->n + 1) * sizeof(*grown));
	if (!grown) {
		fprintf(err, "tenure: out of memory\n");
		return false;
	}
	*storage = grown;
	grown[list->n++] = value;
	list->items = grown;
	return true;
}

static bool set_value(struct arguments *args, const struct option_row *row,
	const char *value, FILE *err)
{
	char *field = (char *)&args->options + row->offset;
	char *end;
	double seconds;
	int on = 1;

	switch (row->kind) {
	case VALUE_FLAG:
		memcpy(field, &on, sizeof(on));
		return true;
	case VALUE_TEXT:
		memcpy(field, &value, sizeof(value));
		return true;
	case VALUE_SIZE:
		return set_size(row, value, field, err);
	case VALUE_WORD:
		return set_word(row, value, field, err);
	case VALUE_SECONDS:
		seconds = strtod(value, &end);
		if (*value < '0' || *value > '9' || *end ||
			value[strspn(value, "0123456789.eE+-")] ||
			!(seconds > 0 && seconds < 1e9)) {
			fprintf(err,
				"tenure: --%s must be a number of seconds, not '%s'\n",
				row->name, value);
			return false;
		}
		memcpy(field, &seconds, sizeof(seconds));
		return true;
	case VALUE_LIST:
		return push(args, row, (tenure_list *)(void *)field, value, err);
	}
	return false;
}

/* Which of two values was meant? A flag says the same again, a list grows. */
static bool is_first(struct arguments *args, const struct option_row *row,
	const char *value, FILE *err)
{
	const char **given = &args->given[row - rows];

	if (*given && row->kind != VALUE_FLAG && row->kind != VALUE_LIST) {
		fprintf(err, "tenure: --%s is given twice: '%s' and '%s'\n", row->name,
			*given, value);
		return false;
	}
	*given = value ? value : "";
	return true;
}

static bool parse_option(
	struct arguments *args, int argc, char **argv, int *at, FILE *err)
{
	const char *text = argv[*at], *value = NULL;
	bool is_long = text[1] == '-';
	const char *name = text + (is_long ? 2 : 1);
	size_t len = is_long ? strcspn(name, "=") : 1;
	const struct option_row *row =
		option_find(args->command, name, len, is_long ? '\0' : name[0]);

	if (!row) {
		unknown_option(err, args->command, text);
		return false;
	}
	if (name[len])
		value = name + len + (is_long ? 1 : 0);
	if (row->kind == VALUE_FLAG && value) {
		fprintf(err, "tenure: --%s takes no value\n", row->name);
		return false;
	}
	if (row->kind != VALUE_FLAG && !value) {
		if (*at + 1 >= argc) {
			fprintf(err, "tenure: --%s needs a value: %s\n", row->name,
				row->value);
			return false;
		}
		value = argv[++*at];
	}
	return is_first(args, row, value, err) && set_value(args, row, value, err);
}

bool argument_given(const struct arguments *args, const char *name)
{
	const struct option_row *row =
		option_find(args->command, name, strlen(name), '\0');

	return row && args->given[row - rows];
}

bool arguments_parse(
	enum command command, int argc, char **argv, FILE *err, struct arguments *out)
{
	const struct command_info *info = &command_infos[command];
	bool options = true;

	*out = (struct arguments){ .command = command };
	tenure_options_init(&out->options);
	out->operands = calloc((size_t)argc + 1, sizeof(*out->operands));
	if (!out->operands) {
		fprintf(err, "tenure: out of memory\n");
		return false;
	}
	for (int i = 2; i < argc; i++) {
		const char *text = argv[i];

		if (options && strcmp(text, "--") == 0)
			options = false;
		else if (options &&
			 (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0))
			out->help = true;
		else if (options && text[0] == '-' && text[1]) {
			if (!parse_option(out, argc, argv, &i, err))
				return false;
		} else {
			out->operands[out->n_operands++] = text;
		}
	}
	if (out->help)
		return true;
	if (out->n_operands < info->min_operands ||
		out->n_operands > info->max_operands) {
		fprintf(err,
			"tenure: usage: tenure %s %s [OPTION]...; see tenure %s --help\n",
			info->name, info->operands, info->name);
		return false;
	}
	return true;
}

#define OPERANDS_WIDTH 20

static void print_status(FILE *out)
{
	fputs("\nexit status: 0 nothing found, 1 findings or a refused plan, 2 the "
	      "command "
	      "or the input\nis wrong, 3 resources or an internal error\n",
		out);
}

static void print_commands(FILE *out)
{
	fputs("usage: tenure COMMAND OPERAND... [OPTION]...\n\n"
	      "Decides, proves and shows how a neural network's tensors share memory.\n\n"
	      "commands:\n",
		out);
	for (int i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-9s %-*s %s\n", command_infos[i].name, OPERANDS_WIDTH,
			command_infos[i].operands, command_infos[i].summary);
	fputs("\n'tenure help COMMAND' lists a command's options; '-' is standard input "
	      "or "
	      "output.\nSizes accept K and M (1024; also KB, KiB). 'tenure completion "
	      "bash|zsh|fish' "
	      "prints a shell's\ncompletions.\n",
		out);
}

static void print_options(FILE *out, enum command command)
{
	const struct command_info *info = &command_infos[command];

	fprintf(out, "usage: tenure %s %s [OPTION]...\n\n%s\n\noptions:\n", info->name,
		info->operands, info->summary);
	for (const struct option_row *row = option_next(command, NULL); row;
		row = option_next(command, row)) {
		const char letter[] = { '-', row->letter, ',', ' ', '\0' };
		char left[48];

		snprintf(left, sizeof(left), "%s--%s%s%s", row->letter ? letter : "",
			row->name, row->value ? " " : "", row->value ? row->value : "");
		fprintf(out, "  %-24s %s\n", left, row->help);
	}
	fprintf(out, "  %-24s %s\n", "-h, --help", "this text");
}

void help_print(FILE *out, enum command command)
{
	if (command == COMMAND_COUNT)
		print_commands(out);
	else
		print_options(out, command);
	print_status(out);
}
