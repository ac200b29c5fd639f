/* Changes of a plan that is written in JSON: values change, never the form, so that nearly all of
 * what comes out is read and gets to the verifier. */
#ifndef TN_TESTS_MUTATE_PLAN_H
#define TN_TESTS_MUTATE_PLAN_H

#include <stddef.h>
#include <stdint.h>

/* Changes one to four values behind the first `from` bytes of the text: a number by a little, a
 * truth to the other one, or a value to what stands at another place under the same key. `room` is
 * the size of the buffer; returns the new length. The same seed makes the same change. */
size_t mutate_plan(uint8_t *data, size_t size, size_t room, size_t from, uint32_t seed);

#endif
