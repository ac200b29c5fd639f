/* A JSON document that is written as it comes, so that large ones are never in memory as a
 * tree. ASCII without a line break, fit for a script element: what could be markup is
 * spelled out. Failures are kept in the buffer, as those of memory always are there. */
#ifndef TN_REPORT_JSON_STREAM_H
#define TN_REPORT_JSON_STREAM_H

#include <jansson.h>
#include <stdint.h>

#include "base/strbuf.h"

struct tn_json_stream {
	struct tn_strbuf *out;
	bool more; /* something stands before in this list or object */
};

/* Lists, objects and strings, '[', '{' or '"' as `bracket`; key NULL: in a list. What a
 * string holds the caller appends, and nothing in it needs an escape. */
void tn_json_open(struct tn_json_stream *s, const char *key, char bracket);
void tn_json_close(struct tn_json_stream *s, char bracket);

/* Takes the value over; NULL is lack of memory. */
void tn_json_member(struct tn_json_stream *s, const char *key, json_t *value);
void tn_json_element(struct tn_json_stream *s, json_t *value);

/* Elements of a list, one after the other. */
void tn_json_numbers(struct tn_json_stream *s, const int64_t *values, size_t n);

#endif
