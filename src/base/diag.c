#include "base/diag.h"

#include <stdarg.h>

#include "base/banned.h"
#include "base/shell.h"

void tn_diags_init(struct tn_diags *diags, struct tn_arena *arena)
{
	*diags = (struct tn_diags){ .arena = arena };
}

static struct tn_diag *record(struct tn_diags *diags, struct tn_diag diag)
{
	if (diag.severity == SEVERITY_ERROR)
		diags->errors++;
	else if (diag.severity == SEVERITY_WARNING)
		diags->warnings++;
	if (!diag.message || !tn_vec_push(diags->arena, &diags->list, diag)) {
		diags->failed = true;
		return NULL;
	}
	return &diags->list.items[diags->list.count - 1];
}

struct tn_diag *tn_diag(struct tn_diags *diags, enum tn_severity severity,
	const char *rule, const struct tn_source *source, const struct tn_path *path,
	const char *fmt, ...)
{
	struct tn_diag diag = { .severity = severity, .rule = rule, .source = source };
	va_list args;

	va_start(args, fmt);
	diag.message = tn_arena_vprintf(diags->arena, fmt, args);
	va_end(args);
	diag.pointer = tn_path_pointer(diags->arena, path);
	return record(diags, diag);
}

struct tn_diag *tn_diag_at(struct tn_diags *diags, enum tn_severity severity,
	const char *rule, const struct tn_source *source, const char *pointer,
	const char *subject, const char *fmt, ...)
{
	struct tn_diag diag = { .severity = severity,
		.rule = rule,
		.source = source,
		.pointer = pointer,
		.subject = subject };
	va_list args;

	va_start(args, fmt);
	diag.message = tn_arena_vprintf(diags->arena, fmt, args);
	va_end(args);
	return record(diags, diag);
}

void tn_diag_note(struct tn_diags *diags, const char *fmt, ...)
{
	struct tn_diag *diag;
	const char *text;
	va_list args;

	if (!diags->list.count)
		return;
	diag = &diags->list.items[diags->list.count - 1];
	va_start(args, fmt);
	text = tn_arena_vprintf(diags->arena, fmt, args);
	va_end(args);
	if (!text || !tn_vec_push(diags->arena, &diag->notes, text))
		diags->failed = true;
}

const char *tn_diag_word(struct tn_diags *diags, const char *text)
{
	const char *made = tn_shell_word(diags->arena, text);

	diags->failed = diags->failed || !made;
	return made ? made : text;
}

const char *tn_diag_file(struct tn_diags *diags, const char *name)
{
	const char *made = tn_shell_file(diags->arena, name);

	diags->failed = diags->failed || !made;
	return made ? made : name;
}
