/* A state file of numbers: a run that is cut off goes on where it was. */
#ifndef TN_CAMPAIGN_STATE_H
#define TN_CAMPAIGN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when there is no such file; ends the program when it holds other than n numbers
 * after the word. */
bool state_load(const char *path, const char *word, uint64_t *numbers, size_t n);

/* Replaces the file as a whole. */
void state_save(const char *path, const char *word, const uint64_t *numbers, size_t n);

/* The number that text is, or that the environment's variable holds if there is one;
 * ends the program when it is none. */
uint64_t state_number(const char *text);
uint64_t state_variable(const char *name, uint64_t otherwise);

#endif
