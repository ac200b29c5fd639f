/* Sizes as people write them: digits, then K or M (1024, 1024 * 1024), as KB or KiB, too. */
#ifndef TN_BASE_SIZE_H
#define TN_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a size at the start of a text; *at moves behind it. False: no digit comes first,
 * or the number is too large; then nothing is changed. */
bool tn_size_read(const char **at, int64_t *out);

/* The whole text is one. */
bool tn_size_parse(const char *text, int64_t *out);

#endif
