/* What the fuzz targets share. A target takes any bytes and aborts when a promise of the
 * module does not hold; sanitizers find the rest. */
#ifndef TN_TESTS_FUZZ_H
#define TN_TESTS_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int condition)
{
	if (!condition)
		abort();
}

#endif
