/* Base64 (RFC 4648) with padding. */
#ifndef TN_BASE_BASE64_H
#define TN_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

void tn_base64_encode(struct tn_strbuf *out, const uint8_t *data, size_t len);

/* Bytes that the text stands for; false when its length or padding is wrong. */
bool tn_base64_size(const char *text, size_t len, size_t *out_bytes);

/* Writes tn_base64_size bytes. Takes the URL alphabet, too. False, with the position of
 * the first wrong character, when the text is not base64. */
bool tn_base64_decode(const char *text, size_t len, uint8_t *out, size_t *out_wrong);

#endif
