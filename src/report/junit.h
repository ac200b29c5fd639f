/* Findings as JUnit XML: a suite for each file, a test case for each rule. */
#ifndef TN_REPORT_JUNIT_H
#define TN_REPORT_JUNIT_H

#include "base/status.h"
#include "report/view.h"

/* A rule fails in a file when it found something that fails there, by the file's level. The
 * rules that the views describe are test cases of every file; one without any has a single
 * case, which passes. */
enum tn_status TN_MUST_CHECK tn_junit_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out);

#endif
