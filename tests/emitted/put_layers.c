/* Writes the layers of tests/unit/layers.h as one graph to the file that is named: each has an
 * input and an output of its own, so that a run of what is emitted from it says of each whether
 * it is right. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/native.h"
#include "layers.h"

static const char *path;

START_TEST(put)
{
	struct tn_strbuf text;
	struct tn_seed seed;
	struct net net;
	FILE *file = fopen(path, "wb");

	ck_assert(file != NULL);
	net_start(&net);
	for (size_t i = 0; i < n_layers; i++) {
		tn_seed_init(&seed, 1);
		layer_add(&net, &layers[i], &seed);
	}
	net_finish(&net, "layers");
	for (uint32_t i = 0; i < net.graph.n_ops; i++)
		net.graph.ops[i].name = layers[i].name;
	for (uint32_t i = 0; i < net.graph.n_tensors; i++)
		net.graph.tensors[i].name = tn_arena_printf(&net.arena, "t%u", i);
	tn_strbuf_init(&text);
	ck_assert_int_eq(tn_export_native(&net.graph, NULL, NULL, &text), TN_OK);
	ck_assert_uint_eq(fwrite(text.text, 1, text.len, file), text.len);
	ck_assert_int_eq(fclose(file), 0);
	tn_strbuf_release(&text);
	net_release(&net);
}
END_TEST

/* The graph is made with the assertions of tests, which want to be in one. */
int main(int argc, char **argv)
{
	Suite *suite = suite_create("layers");
	TCase *test = tcase_create("put");
	SRunner *runner = srunner_create(suite);
	int failed;

	if (argc != 2)
		return 2;
	path = argv[1];
	tcase_add_test(test, put);
	suite_add_tcase(suite, test);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_MINIMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
