/* Fails the n-th allocation, for n = 0, 1, 2 ..., until a reader gets through: each time
 * the answer must be a lack of memory, and never a crash or half a graph. */
#include "suite.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "export/native.h"
#include "loaded.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define CAN_FAIL 0 /* somebody else owns malloc */
#else
#define CAN_FAIL 1
#endif

#if CAN_FAIL
static long allocations_left = -1; /* -1: no limit */

static bool may_allocate(void)
{
	if (allocations_left == 0) {
		errno = ENOMEM;
		return false;
	}
	if (allocations_left > 0)
		allocations_left--;
	return true;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return may_allocate() ? __libc_malloc(size) : NULL;
}

void *calloc(size_t count, size_t size)
{
	return may_allocate() ? __libc_calloc(count, size) : NULL;
}

void *realloc(void *old, size_t size)
{
	return may_allocate() ? __libc_realloc(old, size) : NULL;
}

static const char *const files[] = {
	"fixtures/graphs/features.json",
	"fixtures/graphs/flow.json",
	"fixtures/models/features.tflite",
	"fixtures/models/small_cnn.tflite",
	"fixtures/models/svdf.tflite",
	"fixtures/models/small_cnn.nonstrict.json",
	"fixtures/foreign/executorch.json",
	"fixtures/foreign/onnx_function.onnx",
	"fixtures/foreign/tensorrt.json",
	"fixtures/foreign/xla.json",
	"fixtures/models/features.nonstrict.json",
	"fixtures/invalid/native-kinds/input.json",
	"fixtures/invalid/graph-cycle/input.json",
	"fixtures/invalid/tflite-index/input.tflite",
};

START_TEST(readers_survive_without_memory)
{
	const char *path = tn_test_path(files[_i]);
	enum tn_status want;
	struct loaded l;
	long n = 0;

	loaded_file(&l, path, NULL);
	want = l.status;
	loaded_release(&l);
	do {
		allocations_left = n;
		loaded_file(&l, path, NULL);
		allocations_left = -1;
		ck_assert_msg(l.status == TN_ERR_NOMEM || l.status == want,
			"%s, allocation %ld: status %d", path, n, (int)l.status);
		want = l.status == TN_ERR_NOMEM ? want : l.status;
		if (l.status != TN_ERR_NOMEM && l.diags.failed)
			ck_abort_msg("%s, allocation %ld: a report was lost", path, n);
		n++;
		loaded_release(&l);
	} while (l.status == TN_ERR_NOMEM && n < 100000);
	ck_assert_msg(n > 3, "%s: nothing was allocated", path);
}
END_TEST

START_TEST(the_writer_survives_without_memory)
{
	struct tn_strbuf out, side_out;
	struct tn_export_side side = { .name = "s", .above = 20, .out = &side_out };
	enum tn_status status;
	struct loaded l;
	long n = 0;

	loaded_file(&l, tn_test_path("fixtures/models/small_cnn.tflite"), NULL);
	loaded_ok(&l, "small_cnn");
	do {
		tn_strbuf_init(&out);
		tn_strbuf_init(&side_out);
		allocations_left = n++;
		status = tn_export_native(&l.graph, NULL, &side, &out);
		allocations_left = -1;
		ck_assert(status == TN_OK || status == TN_ERR_NOMEM);
		tn_strbuf_release(&out);
		tn_strbuf_release(&side_out);
	} while (status != TN_OK && n < 100000);
	ck_assert_int_gt(n, 5);
	loaded_release(&l);
}
END_TEST
#endif

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("nomem");
	TCase *tc = tcase_create("allocations");

	tcase_set_timeout(tc, 120);
#if CAN_FAIL
	tcase_add_loop_test(tc, readers_survive_without_memory, 0,
		(int)(sizeof(files) / sizeof(*files)));
	tcase_add_test(tc, the_writer_survives_without_memory);
#endif
	suite_add_tcase(s, tc);
	return s;
}
