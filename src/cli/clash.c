#define _POSIX_C_SOURCE 200809L
#include "clash.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that an option names. */
struct file_row {
	const char *option;
	size_t offset; /* in tenure_options */
	bool list;
};

#define TEXT(name, field)                                                                \
	{                                                                                \
		name, offsetof(tenure_options, field), false                             \
	}
#define LIST(name, field)                                                                \
	{                                                                                \
		name, offsetof(tenure_options, field), true                              \
	}

static const struct file_row writes[] = {
	TEXT("output", output),
	TEXT("write-csv", write_csv),
	TEXT("write-header", write_header),
	TEXT("write-offline", write_offline),
	TEXT("write-offsets", write_offsets),
	TEXT("write-baseline", write_baseline),
	LIST("output-tensor", outputs),
	TEXT("svg", svg),
	TEXT("dot", dot),
	TEXT("graph-svg", graph_svg),
	TEXT("trace", trace),
	TEXT("explorer", explorer),
	TEXT("overlay", overlay),
	TEXT("overlay-verdicts", overlay_verdicts),
	TEXT("csv", csv),
};

static const struct file_row reads[] = {
	TEXT("plan", plan),
	LIST("input", inputs),
	LIST("contracts", contracts),
	LIST("rules", rules),
	LIST("boards", boards),
	TEXT("config", config),
	TEXT("baseline", baseline),
};

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

static size_t names_of(
	const struct arguments *args, const struct file_row *row, const char *const **out)
{
	const char *at = (const char *)&args->options + row->offset;

	if (row->list) {
		const tenure_list *list = (const tenure_list *)(const void *)at;

		*out = list->items;
		return list->n;
	}
	*out = (const char *const *)(const void *)at;
	return **out != NULL;
}

static bool is_standard(const char *name)
{
	return strcmp(name, "-") == 0;
}

static bool status_of(const char *name, struct stat *out)
{
	return is_standard(name) ? fstat(STDIN_FILENO, out) == 0 : stat(name, out) == 0;
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static bool folder_of(const char *name, struct stat *out)
{
	char folder[4096];
	size_t len = (size_t)(last_part(name) - name);

	if (len == 0)
		return stat(".", out) == 0;
	if (len >= sizeof(folder))
		return false;
	memcpy(folder, name, len);
	folder[len] = '\0';
	return stat(folder, out) == 0;
}

/* Do both names mean one file, whether it is there yet or not? Devices and pipes hold
 * nothing that could be lost. */
static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	bool is_a = status_of(a, &x), is_b = status_of(b, &y);

	if (is_a != is_b)
		return false;
	if (is_a)
		return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	if (strcmp(a, b) == 0)
		return true;
	return strcmp(last_part(a), last_part(b)) == 0 && folder_of(a, &x) &&
	       folder_of(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A known baseline is written anew from what is found now: that is how it is kept. */
static bool may_replace(const char *output, const char *input)
{
	return strcmp(output, "write-baseline") == 0 && strcmp(input, "baseline") == 0;
}

static bool spares_inputs(
	const struct arguments *args, const char *option, const char *name, FILE *err)
{
	/* the second operand of explain is a tensor */
	size_t n = args->command == COMMAND_EXPLAIN ? 1 : args->n_operands;
	const char *const *inputs;

	for (size_t i = 0; i < n; i++) {
		if (same_file(args->operands[i], name)) {
			fprintf(err, "tenure: --%s '%s' would overwrite the input '%s'\n",
				option, name, args->operands[i]);
			return false;
		}
	}
	for (size_t r = 0; r < COUNT(reads); r++) {
		size_t many = names_of(args, &reads[r], &inputs);

		for (size_t i = 0; i < many; i++) {
			if (may_replace(option, reads[r].option) ||
				!same_file(inputs[i], name))
				continue;
			fprintf(err, "tenure: --%s '%s' would overwrite --%s '%s'\n",
				option, name, reads[r].option, inputs[i]);
			return false;
		}
	}
	return true;
}

struct output {
	const char *option, *name;
};

/* A flag that asks for something on standard output; NULL: none does. --ascii does, unless
 * it is alone with -o, as do the layers of a run without it. */
static const char *printed(const struct arguments *args, size_t n_files)
{
	const tenure_options *o = &args->options;

	if (o->ascii && (n_files != 1 || !o->output))
		return "ascii";
	if (o->json)
		return "json";
	return o->dump_layers && !o->output ? "dump-layers" : NULL;
}

/* The k-th output that is asked for; false: there are no more. */
static bool output_at(const struct arguments *args, size_t k, struct output *out)
{
	const char *const *names;
	size_t asked = 0;
	const char *flag;

	for (size_t r = 0; r < COUNT(writes); r++) {
		size_t n = names_of(args, &writes[r], &names);

		asked += n;

		if (k < n) {
			*out = (struct output){ writes[r].option, names[k] };
			return true;
		}
		k -= n;
	}
	flag = k ? NULL : printed(args, asked);
	*out = (struct output){ flag, "-" };
	return flag != NULL;
}

static bool apart(const struct arguments *args, size_t k, struct output one, FILE *err)
{
	struct output other;

	for (size_t i = 0; i < k && output_at(args, i, &other); i++) {
		bool standard = is_standard(one.name) && is_standard(other.name);

		if (standard)
			fprintf(err,
				"tenure: --%s and --%s would both write standard "
				"output\n",
				other.option, one.option);
		else if (!is_standard(one.name) && !is_standard(other.name) &&
			 same_file(other.name, one.name))
			fprintf(err,
				"tenure: --%s '%s' and --%s '%s' would write one file\n",
				other.option, other.name, one.option, one.name);
		else
			continue;
		return false;
	}
	return true;
}

static bool outputs_agree(const struct arguments *args, FILE *err)
{
	struct output one;

	for (size_t k = 0; output_at(args, k, &one); k++) {
		if (!*one.name) {
			fprintf(err, "tenure: --%s needs the name of a file, not ''\n",
				one.option);
			return false;
		}
		/* emit's is a folder, and it makes sure of it */
		if (args->command == COMMAND_EMIT)
			continue;
		if (!is_standard(one.name) &&
			!spares_inputs(args, one.option, one.name, err))
			return false;
		if (!apart(args, k, one, err))
			return false;
	}
	return true;
}

/* An option that says more about another one, or about one of two. */
struct need_row {
	enum command command;
	const char *option, *needs, *or_needs;
};

static const struct need_row need_rows[] = {
	{ COMMAND_REPORT, "radius", "focus", NULL },
	{ COMMAND_REPORT, "focus", "dot", "graph-svg" },
	{ COMMAND_REPORT, "on", "validate", NULL },
	{ COMMAND_REPORT, "synthetic", "validate", NULL },
};

static bool none_idle(const struct arguments *args, FILE *err)
{
	for (size_t i = 0; i < COUNT(need_rows); i++) {
		const struct need_row *row = &need_rows[i];

		if (row->command != args->command || !argument_given(args, row->option) ||
			argument_given(args, row->needs) ||
			(row->or_needs && argument_given(args, row->or_needs)))
			continue;
		fprintf(err, "tenure: --%s says nothing without --%s%s%s\n", row->option,
			row->needs, row->or_needs ? " or --" : "",
			row->or_needs ? row->or_needs : "");
		return false;
	}
	return true;
}

/* Findings are printed, unless -o says where they go. */
static bool findings_have_a_place(const struct arguments *args, FILE *err)
{
	const tenure_options *o = &args->options;

	if (args->command != COMMAND_LINT || o->output || !o->write_baseline ||
		!is_standard(o->write_baseline))
		return true;
	fputs("tenure: --write-baseline and the findings would both write standard "
	      "output: name a file for one of them, by -o for the findings\n",
		err);
	return false;
}

/* A page of HTML on a terminal is what nobody wants who did not ask for it. */
static bool page_has_a_place(const struct arguments *args, FILE *err)
{
	struct output one;

	if (args->command != COMMAND_REPORT || output_at(args, 0, &one) ||
		!isatty(STDOUT_FILENO))
		return true;
	fputs("tenure: report writes a page: name it, -o report.html, or draw here with "
	      "--ascii\n",
		err);
	return false;
}

bool arguments_agree(const struct arguments *args, FILE *err)
{
	return outputs_agree(args, err) && none_idle(args, err) &&
	       findings_have_a_place(args, err) && page_has_a_place(args, err);
}
