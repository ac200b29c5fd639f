/* Writes a problem or a graph that is too large or too dull to be a file of its own:
 *   generate cuts SEED N HEIGHT GRAIN    CSV; the least height is HEIGHT
 *   generate random SEED N SPAN SIZE     CSV
 *   generate chain N                     native graph: N RELUs one after the other
 *   generate quantised N                 native graph: N RELUs, each with its own scales
 *   generate fan N                       native graph: N RELUs that read one tensor
 *   generate weights N                   native graph: an op with N weights in the file
 *   generate flatc N                     the same as flatc writes a .tflite file in JSON */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hard.h"

static bool numbers(int argc, char **argv, int64_t *out)
{
	for (int i = 2; i < argc; i++) {
		char *end;

		errno = 0;
		out[i - 2] = strtoll(argv[i], &end, 10);
		if (errno || end == argv[i] || *end || out[i - 2] < 1 ||
			out[i - 2] > INT64_C(1) << 40)
			return false;
	}
	return true;
}

static int write_problem(const struct tn_problem *p)
{
	printf("id,lower,upper,size\n");
	for (uint32_t i = 0; i < p->n_buffers; i++)
		printf("b%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", i,
			p->buffers[i].begin, p->buffers[i].end, p->buffers[i].size);
	return EXIT_SUCCESS;
}

static int write_chain(int64_t n, bool quantised)
{
	char scales[80] = "";

	printf("{\"format\": \"tenure.graph/1\", \"tensors\": [\n");
	for (int64_t i = 0; i <= n; i++) {
		if (quantised)
			snprintf(scales, sizeof(scales),
				", \"quantization\": {\"scale\": 0.0%" PRId64
				", \"zero_point\": %" PRId64 "}",
				1 + i * 7 % 1000, i * 11 % 256 - 128);
		printf("{\"name\": \"t%" PRId64
		       "\", \"dtype\": \"i8\", \"shape\": [1, 16, 16, 8]%s%s}%s\n",
			i, scales,
			i == 0	 ? ", \"role\": \"input\", \"clobber\": true"
			: i == n ? ", \"role\": \"output\""
				 : "",
			i == n ? "" : ",");
	}
	printf("], \"ops\": [\n");
	for (int64_t i = 0; i < n; i++)
		printf("{\"name\": \"op%" PRId64
		       "\", \"type\": \"RELU\", \"inputs\": [\"t%" PRId64
		       "\"], \"outputs\": [\"t%" PRId64 "\"]}%s\n",
			i, i, i + 1, i + 1 == n ? "" : ",");
	printf("]}\n");
	return EXIT_SUCCESS;
}

static int write_fan(int64_t n)
{
	printf("{\"format\": \"tenure.graph/1\", \"tensors\": [\n"
	       "{\"name\": \"x\", \"dtype\": \"i8\", \"shape\": [1, 64], "
	       "\"role\": \"input\", \"clobber\": true}");
	for (int64_t i = 0; i < n; i++)
		printf(",\n{\"name\": \"y%" PRId64 "\", \"dtype\": \"i8\", "
		       "\"shape\": [1, 64], \"role\": \"output\"}",
			i);
	printf("\n], \"ops\": [\n");
	for (int64_t i = 0; i < n; i++)
		printf("{\"name\": \"op%" PRId64 "\", \"type\": \"RELU\", "
		       "\"inputs\": [\"x\"], \"outputs\": [\"y%" PRId64 "\"]}%s\n",
			i, i, i + 1 == n ? "" : ",");
	printf("]}\n");
	return EXIT_SUCCESS;
}

/* As numbers, small ones. */
static void put_weights(int64_t n, int first)
{
	uint32_t state = 1;

	for (int64_t i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		printf("%s%d", i ? ", " : "", (int)(state >> 24) + first);
	}
}

static int write_weights(int64_t n)
{
	printf("{\"format\": \"tenure.graph/1\", \"tensors\": [\n"
	       "{\"name\": \"x\", \"dtype\": \"i8\", \"shape\": [1, %" PRId64
	       "], \"role\": \"input\"},\n"
	       "{\"name\": \"y\", \"dtype\": \"i8\", \"shape\": [1, 1], \"role\": "
	       "\"output\"},\n"
	       "{\"name\": \"w\", \"dtype\": \"i8\", \"shape\": [1, %" PRId64
	       "], \"role\": \"const\", \"data\": {\"values\": [",
		n, n);
	put_weights(n, -128);
	printf("]}}\n], \"ops\": [{\"name\": \"fc\", \"type\": \"FULLY_CONNECTED\", "
	       "\"inputs\": [\"x\", \"w\"], \"outputs\": [\"y\"]}]}\n");
	return EXIT_SUCCESS;
}

/* A tensor of the one subgraph. */
static void put_tensor(
	const char *name, int64_t rows, int64_t columns, int buffer, const char *end)
{
	printf("{\"shape\": [%" PRId64 ", %" PRId64
	       "], \"type\": \"INT8\", \"buffer\": %d, "
	       "\"name\": \"%s\", \"quantization\": {\"scale\": [0.5], "
	       "\"zero_point\": [0]}}%s\n",
		rows, columns, buffer, name, end);
}

static int write_flatc(int64_t n)
{
	const int64_t rows = 100, columns = (n + rows - 1) / rows;

	printf("{\"version\": 3, \"operator_codes\": [{\"deprecated_builtin_code\": 9, "
	       "\"version\": 4, \"builtin_code\": \"FULLY_CONNECTED\"}], "
	       "\"subgraphs\": [{\"tensors\": [\n");
	put_tensor("x", 1, columns, 0, ",");
	put_tensor("w", rows, columns, 1, ",");
	put_tensor("y", 1, rows, 0, "");
	printf("], \"inputs\": [0], \"outputs\": [2], \"operators\": "
	       "[{\"opcode_index\": 0, \"inputs\": [0, 1, -1], \"outputs\": [2], "
	       "\"builtin_options_type\": \"FullyConnectedOptions\", "
	       "\"builtin_options\": {}}]}], "
	       "\"description\": \"bench\", \"buffers\": [{}, {\"data\": [");
	put_weights(rows * columns, 0);
	printf("]}]}\n");
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct tn_arena arena;
	struct tn_problem p;
	int64_t v[4];
	int status = EXIT_FAILURE;

	tn_arena_init(&arena);
	if (argc == 3 && strcmp(argv[1], "chain") == 0 && numbers(argc, argv, v))
		status = write_chain(v[0], false);
	else if (argc == 3 && strcmp(argv[1], "quantised") == 0 && numbers(argc, argv, v))
		status = write_chain(v[0], true);
	else if (argc == 3 && strcmp(argv[1], "fan") == 0 && numbers(argc, argv, v))
		status = write_fan(v[0]);
	else if (argc == 3 && strcmp(argv[1], "flatc") == 0 && numbers(argc, argv, v))
		status = write_flatc(v[0]);
	else if (argc == 3 && strcmp(argv[1], "weights") == 0 && numbers(argc, argv, v))
		status = write_weights(v[0]);
	else if (argc == 6 && numbers(argc, argv, v) && v[1] <= INT32_MAX &&
		 ((strcmp(argv[1], "cuts") == 0 &&
			  tn_hard_cuts((uint64_t)v[0], (uint32_t)v[1], v[2], v[3], &arena,
				  &p)) ||
			 (strcmp(argv[1], "random") == 0 &&
				 tn_hard_random((uint64_t)v[0], (uint32_t)v[1], v[2],
					 v[3], &arena, &p))))
		status = write_problem(&p);
	else
		fprintf(stderr, "usage: generate cuts SEED N HEIGHT GRAIN | random SEED "
				"N SPAN SIZE | chain N | quantised N | fan N | "
				"weights N | flatc N\n");
	tn_arena_release(&arena);
	return status;
}
