/* Patterns for file names and ids: '*' is any text, '?' any one character, all else
 * itself. No classes, no braces, and time at most |pattern| * |text|. */
#ifndef TN_BASE_GLOB_H
#define TN_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool tn_glob(const char *pattern, const char *text);

/* The pattern ends after so many characters. */
bool tn_glob_part(const char *pattern, size_t len, const char *text);

#endif
