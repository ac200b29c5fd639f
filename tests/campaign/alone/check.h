/* What the makers of nets and plans assert, in a program that is no suite of check's: a
 * failure ends it. */
#ifndef TN_CAMPAIGN_CHECK_H
#define TN_CAMPAIGN_CHECK_H

#include <stdio.h>
#include <stdlib.h>

typedef struct Suite Suite;

#define ck_abort_msg(...)                                                                \
	(fprintf(stderr, __VA_ARGS__),                                                   \
		fprintf(stderr, " (%s:%d)\n", __FILE__, __LINE__), exit(3))
#define ck_assert_msg(ok, ...) ((ok) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define ck_assert(ok)	       ck_assert_msg(ok, "%s", #ok)
#define ck_assert_int_eq(a, b) ck_assert((a) == (b))

#endif
