/* What a function that can fail returns. The reason, if the user can do something about
 * it, is in the diagnostics sink; a status only says what the caller may do next. */
#ifndef TN_BASE_STATUS_H
#define TN_BASE_STATUS_H

enum tn_status {
	TN_OK = 0,
	TN_ERR_INPUT, /* the input or the request is wrong: exit status 2 */
	TN_ERR_NOMEM, /* an allocation failed: exit status 3 */
	TN_ERR_IO, /* reading or writing failed: exit status 3 */
	TN_ERR_REFUSED, /* the answer is no (an unproved or refused plan): exit status 1 */
	TN_ERR_INTERNAL, /* a check of our own failed: exit status 3 */
};

#if defined(__GNUC__)
#define TN_MUST_CHECK	     __attribute__((warn_unused_result))
#define TN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TN_MUST_CHECK
#define TN_PRINTF(fmt, args)
#endif

#endif
