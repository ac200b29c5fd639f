#include "import/minimalloc.h"

#include <string.h>

#include "base/checked.h"
#include "base/intern.h"

#include "base/banned.h"

enum column {
	COLUMN_ID,
	COLUMN_LOWER,
	COLUMN_UPPER,
	COLUMN_SIZE,
	COLUMN_ALIGNMENT,
	COLUMN_OFFSET,
	COLUMN_GAPS,
	COLUMN_VARIANT,
	COLUMN_ROOT,
	COLUMN_COUNT
};

static const struct {
	const char *name;
	enum column column;
	bool inclusive; /* the value is the last moment, not the one after it */
} names[] = {
	{ "id", COLUMN_ID, false },
	{ "buffer", COLUMN_ID, false },
	{ "buffer_id", COLUMN_ID, false },
	{ "lower", COLUMN_LOWER, false },
	{ "start", COLUMN_LOWER, false },
	{ "begin", COLUMN_LOWER, false },
	{ "upper", COLUMN_UPPER, false },
	{ "end", COLUMN_UPPER, true },
	{ "size", COLUMN_SIZE, false },
	{ "alignment", COLUMN_ALIGNMENT, false },
	{ "offset", COLUMN_OFFSET, false },
	{ "gaps", COLUMN_GAPS, false },
	{ "variant", COLUMN_VARIANT, false },
	{ "root", COLUMN_ROOT, false },
};

#define N_NAMES	  (sizeof(names) / sizeof(names[0]))
#define FIELD_MAX 32 /* fields of a line */

struct field {
	const char *text; /* without the blanks, or quotes, around it */
	size_t len, column;
	bool doubled; /* quotes in it are */
};

struct reader {
	const struct tn_source *source;
	struct tn_arena *arena;
	struct tn_diags *diags;
	size_t at, line; /* the next line's first byte; the number of the last one read */
	struct field fields[FIELD_MAX];
	size_t n_fields;
	size_t field_of[COLUMN_COUNT]; /* FIELD_MAX: there is none */
	bool inclusive, bad;
	bool torn; /* the line cannot be split, and that is reported */
	struct tn_strings ids;
	TN_VEC(struct tn_buffer) buffers;
	TN_VEC(const char *) names;
	TN_VEC(const char *) variants;
	TN_VEC(struct field) roots;
	TN_VEC(size_t) lines;
};

#define wrong(r, column_, ...)                                                           \
	mark((r), (column_),                                                             \
		tn_diag_at((r)->diags, SEVERITY_ERROR, "csv/problem", (r)->source, NULL, \
			NULL, __VA_ARGS__))

static void mark(struct reader *r, size_t column, struct tn_diag *diag)
{
	r->bad = true;
	if (!diag)
		return;
	diag->line = r->line;
	diag->column = column;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Up to what ends a field that has no quotes around it. */
static size_t skip_plain(const struct reader *r, size_t i)
{
	while (i < r->source->len && r->source->text[i] != ',' &&
		r->source->text[i] != '\n')
		i++;
	return i;
}

static size_t skip_blanks(const struct reader *r, size_t i)
{
	while (i < r->source->len && blank(r->source->text[i]))
		i++;
	return i;
}

/* A field in quotes, at the first of them: separators are part of it, and a quote is two.
 * Behind it. */
static size_t read_quoted(struct reader *r, size_t i, struct field *f)
{
	const char *text = r->source->text;
	size_t lines = 0;

	f->text = text + ++i;
	for (; i < r->source->len; i++) {
		lines += text[i] == '\n';
		if (text[i] != '"')
			continue;
		if (i + 1 == r->source->len || text[i + 1] != '"')
			break;
		f->doubled = true;
		i++;
	}
	f->len = (size_t)(text + i - f->text);
	if (i == r->source->len)
		wrong(r, f->column, "a quote is not closed");
	r->torn = r->torn || i == r->source->len;
	r->line += lines;
	i = i < r->source->len ? skip_blanks(r, i + 1) : i;
	if (skip_plain(r, i) != i) {
		wrong(r, f->column, "there is more behind the closing quote");
		r->torn = true;
	}
	return skip_plain(r, i);
}

static size_t read_field(struct reader *r, size_t line_start, size_t from)
{
	const char *text = r->source->text;
	size_t i, end;
	struct field f = { .doubled = false };

	i = skip_blanks(r, from);
	f.column = i - line_start + 1;
	if (i < r->source->len && text[i] == '"') {
		end = read_quoted(r, i, &f);
	} else {
		f.text = text + i;
		end = skip_plain(r, i);
		for (f.len = end - i; f.len && blank(f.text[f.len - 1]);)
			f.len--;
	}
	if (r->n_fields < FIELD_MAX)
		r->fields[r->n_fields] = f;
	r->n_fields++;
	return end;
}

/* Splits the next line that is not empty; false at the end of the text. */
static bool next_line(struct reader *r)
{
	while (r->at < r->source->len) {
		const size_t start = r->at;
		bool more = true;

		r->line++;
		r->n_fields = 0;
		r->torn = false;
		while (more) {
			size_t end = read_field(r, start, r->at);

			more = end < r->source->len && r->source->text[end] == ',';
			r->at = end + 1;
		}
		if (r->n_fields == 1 && !r->fields[0].len)
			continue;
		if (r->n_fields <= FIELD_MAX)
			return true;
		wrong(r, 1, "a line has more than %d fields", FIELD_MAX);
	}
	return false;
}

static bool is_text(const struct field *f, const char *text)
{
	return strlen(text) == f->len && memcmp(f->text, text, f->len) == 0;
}

static void read_header(struct reader *r)
{
	static const char *const needed[] = { "id", "lower", "upper", "size" };

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		r->field_of[i] = FIELD_MAX;
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct field *f = &r->fields[i];
		size_t k = 0;

		while (k < N_NAMES && !is_text(f, names[k].name))
			k++;
		if (k == N_NAMES) {
			wrong(r, f->column, "unknown column '%.*s'",
				(int)tn_min_i64((int64_t)f->len, 60), f->text);
			continue;
		}
		if (r->field_of[names[k].column] != FIELD_MAX)
			wrong(r, f->column, "a second column for '%s'", names[k].name);
		r->field_of[names[k].column] = i;
		r->inclusive = r->inclusive || names[k].inclusive;
	}
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (r->field_of[i] == FIELD_MAX)
			wrong(r, 1, "there is no column '%s'", needed[i]);
}

static bool read_number(
	struct reader *r, const struct field *f, const char *what, int64_t *out)
{
	const bool negative = f->len && f->text[0] == '-';
	int64_t value = 0;

	if (f->len == (negative ? 1u : 0u)) {
		wrong(r, f->column, "%s is missing", what);
		return false;
	}
	for (size_t i = negative; i < f->len; i++) {
		const int digit = f->text[i] - '0';

		if (digit < 0 || digit > 9) {
			wrong(r, f->column, "%s '%.*s' is not a whole number", what,
				(int)tn_min_i64((int64_t)f->len, 60), f->text);
			return false;
		}
		if (!tn_mul_i64(value, 10, &value) ||
			!tn_add_i64(value, negative ? -digit : digit, &value)) {
			wrong(r, f->column, "%s '%.*s' is out of range", what,
				(int)tn_min_i64((int64_t)f->len, 60), f->text);
			return false;
		}
	}
	*out = value;
	return true;
}

static bool read_from(struct reader *r, enum column column, const char *what,
	int64_t least, int64_t *out)
{
	const struct field *f = &r->fields[r->field_of[column]];

	if (!read_number(r, f, what, out))
		return false;
	if (*out < least) {
		wrong(r, f->column, "%s %lld is less than %lld", what, (long long)*out,
			(long long)least);
		return false;
	}
	return true;
}

static bool has(const struct reader *r, enum column column)
{
	return r->field_of[column] != FIELD_MAX && r->fields[r->field_of[column]].len > 0;
}

static bool read_lifetime(struct reader *r, struct tn_buffer *b)
{
	const struct field *upper = &r->fields[r->field_of[COLUMN_UPPER]];

	if (!read_from(r, COLUMN_LOWER, "lower", INT64_MIN, &b->begin) ||
		!read_from(r, COLUMN_UPPER, "upper", INT64_MIN, &b->end))
		return false;
	if (r->inclusive && !tn_add_i64(b->end, 1, &b->end)) {
		wrong(r, upper->column, "end is out of range");
		return false;
	}
	if (b->begin < b->end)
		return true;
	wrong(r, upper->column, "the lifetime from %lld to %lld is %s",
		(long long)b->begin, (long long)b->end,
		b->begin == b->end ? "empty" : "reversed");
	return false;
}

static bool read_buffer(struct reader *r, struct tn_buffer *b)
{
	*b = (struct tn_buffer){ .align = 1, .fixed = -1 };
	if (has(r, COLUMN_GAPS)) {
		wrong(r, r->fields[r->field_of[COLUMN_GAPS]].column,
			"gaps in a lifetime are not supported");
		return false;
	}
	return read_lifetime(r, b) && read_from(r, COLUMN_SIZE, "size", 0, &b->size) &&
	       (!has(r, COLUMN_ALIGNMENT) ||
		       read_from(r, COLUMN_ALIGNMENT, "alignment", 1, &b->align)) &&
	       (!has(r, COLUMN_OFFSET) ||
		       read_from(r, COLUMN_OFFSET, "offset", 0, &b->fixed));
}

/* The text of the field; NULL without memory. */
static const char *intern(struct reader *r, const struct field *f)
{
	char *text;
	size_t n = 0;

	if (!f->doubled)
		return tn_str_intern(&r->ids, f->text, f->len);
	text = TN_NEW_ARRAY(r->arena, char, f->len);
	for (size_t i = 0; text && i < f->len; i++) {
		text[n++] = f->text[i];
		i += f->text[i] == '"';
	}
	return text ? tn_str_intern(&r->ids, text, n) : NULL;
}

/* False on lack of memory only. */
static bool read_row(struct reader *r, size_t n_columns)
{
	const struct field *id = &r->fields[r->field_of[COLUMN_ID]];
	const size_t known = r->ids.count;
	struct tn_buffer buffer;
	const char *name, *variant = "";
	struct field root = { .len = 0 };

	if (r->torn)
		return true;
	if (r->n_fields != n_columns) {
		wrong(r, 1, "the line has %zu fields, the header %zu", r->n_fields,
			n_columns);
		return true;
	}
	if (!id->len || memchr(id->text, 0, id->len)) {
		wrong(r, id->column, "the id is missing or holds a zero byte");
		return true;
	}
	name = intern(r, id);
	if (!name)
		return false;
	if (r->ids.count == known)
		wrong(r, id->column, "the id '%s' is used a second time", name);
	if (!read_buffer(r, &buffer))
		return true;
	if (has(r, COLUMN_VARIANT)) {
		const struct field *f = &r->fields[r->field_of[COLUMN_VARIANT]];

		variant = tn_arena_strndup(r->arena, f->text, f->len);
	}
	if (has(r, COLUMN_ROOT))
		root = r->fields[r->field_of[COLUMN_ROOT]];
	return variant && tn_vec_push(r->arena, &r->buffers, buffer) &&
	       tn_vec_push(r->arena, &r->names, name) &&
	       tn_vec_push(r->arena, &r->variants, variant) &&
	       tn_vec_push(r->arena, &r->roots, root) &&
	       tn_vec_push(r->arena, &r->lines, r->line);
}

/* Roots are ids of other lines, earlier or later. False on lack of memory only. */
static bool find_roots(struct reader *r, struct tn_minimalloc *out)
{
	const size_t known = r->ids.count;

	out->roots = TN_NEW_ARRAY(r->arena, const char *, r->roots.count);
	for (size_t i = 0; out->roots && i < r->roots.count; i++) {
		const struct field *f = &r->roots.items[i];

		out->roots[i] = f->len && !memchr(f->text, 0, f->len) ? intern(r, f)
								      : out->ids[i];
		if (!out->roots[i])
			return false;
		if (r->ids.count == known)
			continue;
		r->line = r->lines.items[i];
		wrong(r, f->column, "the root '%s' is no id", out->roots[i]);
		break;
	}
	return out->roots != NULL;
}

/* What only shows when all lines are read. */
static void judge(struct reader *r, const struct tn_problem *p)
{
	const char *why;
	uint32_t index;

	if (!p->n_buffers) {
		wrong(r, 0, "there are no buffers in '%s'", r->source->name);
	} else if (!tn_problem_valid(p, &why, &index)) {
		r->line = r->lines.items[index];
		wrong(r, 1, "%s", why);
	}
}

enum tn_status tn_import_minimalloc(const struct tn_source *source,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_minimalloc *out)
{
	struct reader r = { .source = source, .arena = arena, .diags = diags };
	size_t n_columns;

	*out = (struct tn_minimalloc){ 0 };
	tn_strings_init(&r.ids, arena);
	if (source->len >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0)
		r.at = 3;
	if (!next_line(&r)) {
		wrong(&r, 0, "'%s' is empty", source->name);
		return TN_ERR_INPUT;
	}
	read_header(&r);
	if (r.bad)
		return TN_ERR_INPUT;
	n_columns = r.n_fields;
	while (next_line(&r))
		if (!read_row(&r, n_columns))
			return TN_ERR_NOMEM;
	out->problem.buffers = r.buffers.items;
	out->problem.capacity = -1;
	out->ids = r.names.items;
	out->variants = r.field_of[COLUMN_VARIANT] == FIELD_MAX ? NULL : r.variants.items;
	out->lines = r.lines.items;
	if (!tn_u32_from_size(r.buffers.count, &out->problem.n_buffers))
		wrong(&r, 0, "'%s' has too many buffers", source->name);
	if (!find_roots(&r, out))
		return TN_ERR_NOMEM;
	if (!r.bad)
		judge(&r, &out->problem);
	return r.bad ? TN_ERR_INPUT : TN_OK;
}
