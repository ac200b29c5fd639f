#include "report/ascii.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "report/boxes.h"
#include "report/escape.h"
#include "report/marks.h"
#include "report/table.h"

#include "base/banned.h"

enum { COLUMNS_MIN = 60, ROWS = 24, STEP_COLUMNS_MAX = 6 };

#define NAMED '\1'

/* The drawing of one region. */
struct plot {
	const struct tn_view *v;
	const struct tn_boxes *boxes;
	uint32_t region;
	size_t columns; /* of the plot alone */
	int64_t height; /* bytes: what the rows stand for */
	char *cells; /* ROWS x columns, row 0 lowest; ' ' is free, NAMED part of a name */
	const char **names; /* by cell: the name that begins there, or NULL */
	struct tn_arena *arena;
	uint32_t *order; /* boxes of the region, the larger first */
	uint32_t n;
	bool failed; /* memory ran out */
};

static const char tags[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

#define TAGS (sizeof(tags) - 1)

static char tag_of(uint32_t i)
{
	return tags[i % TAGS];
}

/* value of `whole` in parts, to the nearest; whole > 0, value <= whole. */
static size_t scale(int64_t value, int64_t whole, size_t parts)
{
	while (whole > INT64_MAX / 4096) {
		whole /= 2;
		value /= 2;
	}
	return whole ? (size_t)((value * (int64_t)parts + whole / 2) / whole) : 0;
}

struct extent {
	size_t lo, hi; /* half-open, never empty */
};

static struct extent extent_of(int64_t begin, int64_t end, int64_t whole, size_t parts)
{
	struct extent e = { scale(begin, whole, parts), scale(end, whole, parts) };

	if (e.lo >= parts)
		e.lo = parts - 1;
	if (e.hi <= e.lo)
		e.hi = e.lo + 1;
	return e;
}

static void fill(struct plot *p, struct extent rows, struct extent columns, char c)
{
	for (size_t r = rows.lo; r < rows.hi; r++)
		memset(p->cells + r * p->columns + columns.lo, c,
			columns.hi - columns.lo);
}

static struct extent rows_of(const struct plot *p, int64_t begin, int64_t end)
{
	return extent_of(begin, end, p->height, ROWS);
}

static struct extent columns_of(const struct plot *p, int64_t begin, int64_t end)
{
	return extent_of(begin, end, p->boxes->steps, p->columns);
}

/* The name in the middle of its box, if there is a run of its letter that holds it. */
static void write_name(struct plot *p, uint32_t i)
{
	const struct tn_box *b = &p->boxes->list[i];
	struct extent rows = rows_of(p, b->offset, b->offset + b->bytes);
	struct extent cols = columns_of(p, b->begin, b->end);
	const size_t first = (rows.lo + (rows.hi - rows.lo) / 2) * p->columns;
	char *row = p->cells + first;
	struct tn_strbuf name, raw;
	size_t begin = cols.lo, end, width;

	while (begin < cols.hi && row[begin] != tag_of(i))
		begin++;
	for (end = begin; end < cols.hi && row[end] == tag_of(i);)
		end++;
	if (end - begin < 7)
		return;
	tn_strbuf_init(&raw);
	tn_strbuf_init(&name);
	tn_box_name(p->v, b, &raw);
	tn_escape_short(&name, raw.text ? raw.text : "", end - begin - 3);
	p->failed = p->failed || raw.failed || name.failed;
	width = name.text ? tn_escape_width(name.text) : 0;
	if (width) {
		const char *text = tn_arena_strndup(p->arena, name.text, name.len);

		p->failed = p->failed || !text;
		p->names[first + begin + 2] = text;
		row[begin + 1] = ' ';
		memset(row + begin + 2, NAMED, width);
		if (begin + 2 + width < end)
			row[begin + 2 + width] = ' ';
	}
	tn_strbuf_release(&raw);
	tn_strbuf_release(&name);
}

static void draw(struct plot *p)
{
	memset(p->cells, ' ', ROWS * p->columns);
	for (uint32_t k = 0; k < p->n; k++) {
		const struct tn_box *b = &p->boxes->list[p->order[k]];

		fill(p, rows_of(p, b->offset, b->offset + b->bytes),
			columns_of(p, b->begin, b->end), tag_of(p->order[k]));
	}
	for (uint32_t k = 0; k < p->boxes->n_overlaps; k++) {
		const struct tn_box_overlap *o = &p->boxes->overlaps[k];

		if (o->region == p->region)
			fill(p, rows_of(p, o->begin, o->end),
				columns_of(p, o->from, o->to), '#');
	}
	for (uint32_t k = 0; k < p->n; k++)
		write_name(p, p->order[k]);
}

static bool overlaps_in(const struct plot *p)
{
	for (uint32_t k = 0; k < p->boxes->n_overlaps; k++)
		if (p->boxes->overlaps[k].region == p->region)
			return true;
	return false;
}

static size_t digits_of(int64_t value)
{
	size_t digits = 1;

	while (value >= 10) {
		value /= 10;
		digits++;
	}
	return digits;
}

static void print_cells(const struct plot *p, size_t axis, struct tn_strbuf *out)
{
	for (size_t r = ROWS; r > 0; r--) {
		const char *row = p->cells + (r - 1) * p->columns;
		int64_t at = (int64_t)((r - 1) * (uint64_t)(p->height / ROWS)) +
			     (int64_t)((r - 1) * (uint64_t)(p->height % ROWS)) / ROWS;
		size_t len = p->columns;

		while (len && row[len - 1] == ' ')
			len--;
		tn_strbuf_printf(out, "%*" PRId64 " |", (int)axis, at);
		for (size_t c = 0; c < len; c++) {
			const char *name = p->names[(r - 1) * p->columns + c];

			if (name)
				tn_strbuf_puts(out, name);
			if (row[c] != NAMED)
				tn_strbuf_putc(out, row[c]);
		}
		tn_strbuf_putc(out, '\n');
	}
}

/* Positions of ops, as many as find room. */
static void print_ruler(const struct plot *p, size_t axis, struct tn_strbuf *out)
{
	size_t used = 0;

	tn_strbuf_printf(out, "%*s +", (int)axis, "");
	for (size_t i = 0; i < p->columns; i++)
		tn_strbuf_putc(out, '-');
	tn_strbuf_printf(out, "\n%*s  ", (int)axis, "op");
	for (uint32_t op = 0; op < p->v->g->n_ops; op++) {
		size_t at = scale(2 * (int64_t)op, p->boxes->steps, p->columns);
		size_t len = digits_of(op);

		if (at + len > p->columns || (used && at <= used))
			continue;
		for (; used < at; used++)
			tn_strbuf_putc(out, ' ');
		tn_strbuf_printf(out, "%" PRIu32, op);
		used += len;
	}
	tn_strbuf_putc(out, '\n');
}

/* A cell is a letter wide, so that letters run out. */
static bool shares_letters(const struct plot *p)
{
	bool used[TAGS] = { false };

	for (uint32_t k = 0; k < p->n; k++) {
		if (used[p->order[k] % TAGS])
			return true;
		used[p->order[k] % TAGS] = true;
	}
	return false;
}

/* What the legend has of its columns beside names, when no number is a long one. */
enum { LEGEND = 58, NUMBER = 10, NAME_MIN = 8 };

static size_t beyond(int64_t value)
{
	const size_t digits = digits_of(value);

	return digits > NUMBER ? digits - NUMBER : 0;
}

/* The columns that are left for names. */
static size_t name_columns(const struct plot *p, size_t columns)
{
	int64_t bytes = 0, offset = 0;
	size_t used;

	for (uint32_t k = 0; k < p->n; k++) {
		const struct tn_box *b = &p->boxes->list[p->order[k]];

		bytes = tn_max_i64(bytes, b->bytes);
		offset = tn_max_i64(offset, b->offset);
	}
	used = LEGEND + beyond(bytes) + beyond(offset);
	return columns > used + NAME_MIN ? columns - used : NAME_MIN;
}

static void legend_row(
	const struct plot *p, uint32_t i, size_t name_most, struct tn_table *table)
{
	const struct tn_box *b = &p->boxes->list[i];
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_strbuf_putc(&text, tag_of(i));
	tn_table_taken(table, &text);
	tn_box_name(p->v, b, &text);
	table->failed = table->failed || text.failed;
	tn_table_text(table, text.text ? text.text : "", name_most);
	tn_strbuf_release(&text);
	tn_table_text(table, b->ring_of ? "ring" : tn_box_kind_name(b->kind), NUMBER);
	tn_strbuf_printf(&text, "%" PRId64, b->bytes);
	tn_table_taken(table, &text);
	tn_strbuf_printf(&text, "%" PRId64, b->offset);
	tn_table_taken(table, &text);
	tn_strbuf_printf(&text, "%5" PRId64 "-%" PRId64, b->begin, b->last);
	tn_table_taken(table, &text);
}

static void print_legend(
	struct plot *p, size_t columns, struct tn_arena *arena, struct tn_strbuf *out)
{
	const size_t most = name_columns(p, columns);
	const struct tn_table_column parts[] = {
		{ "", 2, 1, false },
		{ "buffer", 2, most, false },
		{ "kind", 2, NUMBER, false },
		{ "bytes", 1, NUMBER, true },
		{ "offset", 2, NUMBER, true },
		{ "half-steps", 2, 0, false },
	};
	struct tn_table table;

	if (shares_letters(p))
		tn_strbuf_puts(out, "\nmore buffers than letters: one letter may stand "
				    "for several\n");
	tn_strbuf_putc(out, '\n');
	tn_table_init(&table, arena, parts, sizeof(parts) / sizeof(*parts));
	for (uint32_t i = 0; i < p->boxes->n; i++)
		if (p->boxes->list[i].region == p->region)
			legend_row(p, i, most, &table);
	tn_table_print(&table, out);
}

static int larger_first(const void *a, const void *b)
{
	const struct tn_box *const *x = a, *const *y = b;
	int64_t area_x = (*x)->bytes, area_y = (*y)->bytes;

	if (area_x != area_y)
		return area_x > area_y ? -1 : 1;
	return (*x > *y) - (*x < *y); /* of one array: by index */
}

static enum tn_status choose(struct plot *p, struct tn_arena *arena)
{
	const struct tn_box **chosen =
		TN_NEW_ARRAY(arena, const struct tn_box *, p->boxes->n);

	p->order = TN_NEW_ARRAY(arena, uint32_t, p->boxes->n);
	p->cells = tn_arena_alloc(arena, ROWS * p->columns);
	p->names = TN_NEW_ARRAY(arena, const char *, ROWS * p->columns);
	p->arena = arena;
	if (!chosen || !p->order || !p->cells || !p->names)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < p->boxes->n; i++)
		if (p->boxes->list[i].region == p->region) {
			const struct tn_box *b = &p->boxes->list[i];

			p->height = tn_max_i64(p->height, b->offset + b->bytes);
			chosen[p->n++] = b;
		}
	if (p->n)
		qsort(chosen, p->n, sizeof(*chosen), larger_first);
	for (uint32_t k = 0; k < p->n; k++)
		p->order[k] = (uint32_t)(chosen[k] - p->boxes->list);
	return TN_OK;
}

/* What a row stands for, exactly: 24 of them are the whole. "2 2/3" */
static void print_row_bytes(int64_t height, struct tn_strbuf *out)
{
	int64_t part = height % ROWS, of = ROWS;

	while (part && part % 2 == 0 && of % 2 == 0) {
		part /= 2;
		of /= 2;
	}
	if (part % 3 == 0) {
		part /= 3;
		of /= 3;
	}
	if (height >= ROWS || !part)
		tn_escape_number(out, height / ROWS);
	if (part)
		tn_strbuf_printf(out, "%s%" PRId64 "/%" PRId64, height >= ROWS ? " " : "",
			part, of);
}

static enum tn_status region(const struct tn_view *v, const struct tn_boxes *boxes,
	uint32_t index, size_t columns, struct tn_arena *arena, struct tn_strbuf *out)
{
	const struct tn_plan_region *r = &v->plan->regions[index];
	size_t axis = digits_of(r->used > 0 ? r->used : 0), room, step;
	struct plot p = { .v = v, .boxes = boxes, .region = index };
	enum tn_status status;

	axis = axis < 6 ? 6 : axis;
	room = columns - axis - 2;
	step = room / (size_t)boxes->steps;
	step = step > STEP_COLUMNS_MAX ? STEP_COLUMNS_MAX : step;
	p.columns = step ? step * (size_t)boxes->steps : room;
	status = choose(&p, arena);
	if (status != TN_OK || !p.n)
		return status;
	tn_escape_short(out, r->name ? r->name : "", columns / 2);
	tn_strbuf_puts(out, ": ");
	tn_escape_number(out, p.height);
	tn_strbuf_puts(out, " B used");
	if (tn_budget_of(v, index) > 0) {
		tn_strbuf_puts(out, " of ");
		tn_escape_number(out, tn_budget_of(v, index));
		tn_strbuf_puts(out, " B");
	}
	if (tn_budget_excess(v, index)) {
		tn_strbuf_puts(out, ": ");
		tn_escape_number(out, tn_budget_excess(v, index));
		tn_strbuf_puts(out, " B DO NOT FIT");
	}
	tn_strbuf_putc(out, '\n');
	/* a cell has one letter, however many buffers meet in it */
	print_row_bytes(p.height, out);
	tn_strbuf_puts(out, " B a row, the smallest on top\n");
	if (overlaps_in(&p))
		tn_strbuf_puts(
			out, "#: an output is written over bytes still to be read\n");
	draw(&p);
	if (p.failed)
		return TN_ERR_NOMEM;
	print_cells(&p, axis, out);
	print_ruler(&p, axis, out);
	print_legend(&p, columns, arena, out);
	return TN_OK;
}

enum tn_status tn_ascii_write(
	const struct tn_view *v, size_t columns, struct tn_strbuf *out)
{
	struct tn_boxes boxes;
	struct tn_arena arena;
	enum tn_status status;

	columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns > 400 ? 400 : columns;
	tn_arena_init(&arena);
	status = tn_boxes_find(v, &arena, &boxes);
	if (status == TN_OK) {
		tn_escape_short(out, tn_view_name(v), columns - 20);
		tn_strbuf_puts(out, v->verified	 ? ", verified"
				    : v->refusal ? ", REFUSED"
						 : ", NOT VERIFIED");
		tn_strbuf_puts(out, tn_mark_mode(v->plan));
		tn_strbuf_putc(out, '\n');
	}
	for (uint32_t r = 0; r < v->plan->n_regions && status == TN_OK; r++)
		status = region(v, &boxes, r, columns, &arena, out);
	tn_arena_release(&arena);
	return status == TN_OK && out->failed ? TN_ERR_NOMEM : status;
}
