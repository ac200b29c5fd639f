/* The directives that most messages are made of, without the cost of printf. */
#ifndef TN_BASE_MESSAGE_H
#define TN_BASE_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>

#include "base/status.h"

/* As vsnprintf for texts of %s, %d, %u, %zu, their long forms and no flags. -1 for other
 * directives, and when the room is not enough: ask vsnprintf then. */
int tn_message(char *out, size_t room, const char *fmt, va_list args) TN_PRINTF(3, 0);

#endif
