/* The same as place.h for XML: pointers of the kind /PARENT/N, the N-th element (from 0) in
 * an element PARENT of the root, whatever follows. */
#ifndef TN_BASE_PLACE_XML_H
#define TN_BASE_PLACE_XML_H

#include "base/place.h"

/* Is it XML? Its first character says so; no JSON starts like that. */
bool tn_place_is_xml(const char *text, size_t len);

/* As tn_place_find_all; a pointer that leads nowhere gets the root's place. */
void tn_place_find_xml(
	const char *text, size_t len, struct tn_place_query *queries, size_t n);

#endif
