/* JSON as programs write it, read at a fraction of what jansson needs for it: each byte is
 * looked at once or twice, each key is hashed once. For import/json.c only. */
#ifndef TN_IMPORT_JSON_PLAIN_H
#define TN_IMPORT_JSON_PLAIN_H

#include <jansson.h>
#include <stddef.h>

/* The values that json_loadb makes of the text with JSON_REJECT_DUPLICATES. NULL when there
 * is anything wrong with it, when it goes beyond the limits of tn_json_load, or when memory
 * runs out: then what it has allocated is left, and jansson is to say what it thinks. */
json_t *tn_json_plain(const char *text, size_t len);

#endif
