#include "report/table.h"

#include <assert.h>
#include <string.h>

#include "report/escape.h"

#include "base/banned.h"

void tn_table_init(struct tn_table *t, struct tn_arena *arena,
	const struct tn_table_column *columns, size_t n_columns)
{
	*t = (struct tn_table){
		.arena = arena, .columns = columns, .n_columns = n_columns
	};
}

void tn_table_taken(struct tn_table *t, struct tn_strbuf *text)
{
	char *cell = tn_arena_alloc(t->arena, text->len + 1);

	if (cell) {
		memcpy(cell, text->text ? text->text : "", text->len);
		cell[text->len] = '\0';
	}
	if (!cell || text->failed || !tn_vec_push(t->arena, &t->cells, cell))
		t->failed = true;
	tn_strbuf_release(text);
}

void tn_table_text(struct tn_table *t, const char *text, size_t most)
{
	struct tn_strbuf cell;

	tn_strbuf_init(&cell);
	tn_escape_short(&cell, text, most);
	tn_table_taken(t, &cell);
}

void tn_table_number(struct tn_table *t, int64_t value)
{
	struct tn_strbuf cell;

	tn_strbuf_init(&cell);
	tn_escape_number(&cell, value);
	tn_table_taken(t, &cell);
}

static size_t width_of(const struct tn_table *t, size_t column)
{
	const struct tn_table_column *c = &t->columns[column];
	size_t width = c->least;

	if (c->title && tn_escape_width(c->title) > width)
		width = tn_escape_width(c->title);
	for (size_t i = column; i < t->cells.count; i += t->n_columns) {
		size_t cell = tn_escape_width(t->cells.items[i]);

		width = cell > width ? cell : width;
	}
	return width;
}

static void fill(struct tn_strbuf *out, size_t columns)
{
	while (columns--)
		tn_strbuf_putc(out, ' ');
}

static void put(const struct tn_table *t, size_t column, size_t width, const char *cell,
	struct tn_strbuf *out)
{
	const struct tn_table_column *c = &t->columns[column];
	size_t used = tn_escape_width(cell), left = width > used ? width - used : 0;

	if (*cell || column + 1 < t->n_columns)
		fill(out, c->gap);
	fill(out, c->right ? left : 0);
	tn_strbuf_puts(out, cell);
	fill(out, c->right || column + 1 == t->n_columns ? 0 : left);
}

void tn_table_print(const struct tn_table *t, struct tn_strbuf *out)
{
	size_t *width = TN_NEW_ARRAY(t->arena, size_t, t->n_columns);

	if (t->failed || !width) {
		out->failed = true;
		return;
	}
	assert(t->n_columns > 0);
	for (size_t k = 0; k < t->n_columns; k++)
		width[k] =
			k + 1 < t->n_columns || t->columns[k].right ? width_of(t, k) : 0;
	for (size_t k = 0; k < t->n_columns && t->columns[0].title; k++)
		put(t, k, width[k], t->columns[k].title, out);
	if (t->columns[0].title)
		tn_strbuf_putc(out, '\n');
	for (size_t i = 0; i < t->cells.count; i++) {
		size_t k = i % t->n_columns;

		put(t, k, width[k], t->cells.items[i], out);
		if (k + 1 == t->n_columns)
			tn_strbuf_putc(out, '\n');
	}
}
