/* Names come from files and files are hostile: what is safe to print depends on where it
 * goes. Everything here takes any bytes and gives valid UTF-8. */
#ifndef TN_REPORT_ESCAPE_H
#define TN_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* The next code point of a NUL-terminated text, and moves on; 0 at the end. A byte that
 * starts no valid sequence gives U+FFFD. */
uint32_t tn_utf8_next(const char **at);

/* Valid UTF-8, otherwise unchanged: for writers that escape by themselves (JSON). */
void tn_escape_utf8(struct tn_strbuf *out, const char *text);

/* What cannot be seen is spelled out: control characters as \xNN, direction marks and
 * other invisible characters as \u{NNNN}. No line break, no escape sequence and nothing
 * that XML 1.0 forbids survives. For terminals and for text nodes. */
void tn_escape_visible(struct tn_strbuf *out, const char *text);

/* The same of a text of several lines: their breaks stay, and so do tabs. */
void tn_escape_lines(struct tn_strbuf *out, const char *text);

/* Columns of a word in a sentence that is drawn. */
#define TN_WORD_COLUMNS 80

/* The same, cut in the middle to at most `columns` (>= 4). Wide characters count twice. Of
 * names that are joined with semicolons the first one is left. */
void tn_escape_short(struct tn_strbuf *out, const char *text, size_t columns);

/* A sentence in which each word is cut so: a name of thousands of letters is one. */
void tn_escape_words(struct tn_strbuf *out, const char *text, size_t columns);

/* Columns that tn_escape_visible takes on a terminal. */
size_t tn_escape_width(const char *text);

/* A number with its thousands apart: "36,864". */
void tn_escape_number(struct tn_strbuf *out, int64_t value);

#endif
