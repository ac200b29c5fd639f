/* Patterns for file names and ids: '*' is any text, '?' any one character, all else
 * itself. No classes, no braces, and time at most |pattern| * |text|. */
#ifndef TN_BASE_GLOB_H
#define TN_BASE_GLOB_H

#include <stdbool.h>

bool tn_glob(const char *pattern, const char *text);

#endif
