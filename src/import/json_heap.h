/* Memory of one parsed text. jansson allocates a piece for each value and key; here they
 * come from blocks, and all of them go at once, without a visit to each. So no value from
 * here may be counted down to nothing by json_decref. */
#ifndef TN_IMPORT_JSON_HEAP_H
#define TN_IMPORT_JSON_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#define TN_JSON_PIECE_MAX 1024 /* bytes; what is larger is malloc'ed and freed as ever */
#define TN_JSON_GRAIN	  8

struct tn_json_heap {
	struct tn_json_block *blocks; /* newest first */
	char *at, *end; /* what is left of the newest */
	struct tn_json_large *large; /* pieces of their own */
	void *freed[TN_JSON_PIECE_MAX / TN_JSON_GRAIN + 1]; /* by grains: lists */
	bool failed; /* memory ran out */
};

/* Makes jansson's allocations go by way of here, where other threads see no difference;
 * to be called before there are any, else tn_json_heap_enter does it. */
void tn_json_heap_install(void);

/* From here on, and up to the leave, jansson in this thread allocates from the (zeroed)
 * heap and may free nothing else. */
void tn_json_heap_enter(struct tn_json_heap *heap);
void tn_json_heap_leave(void);

/* Drops all values; the heap is empty again. */
void tn_json_heap_release(struct tn_json_heap *heap);

#endif
