/* Plans that the mutator of the target `plan` has changed, without libFuzzer: how many are still
 * read, and so judged by the verifier? usage: mutated FILE... */
#include "fuzz.h"
#include "fuzz_plan.h"

#include <stdio.h>

#include "mutate_plan.h"

#define ROOM	((size_t)1 << 18)
#define CHANGES 300 /* of each file, each of the one before */

int main(int argc, char **argv)
{
	static uint8_t data[ROOM];
	size_t seen = 0;

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		const size_t whole = file ? fread(data, 1, ROOM, file) : 0;

		if (file)
			fclose(file);
		if (!whole || whole == ROOM) {
			fprintf(stderr, "cannot read %s\n", argv[i]);
			return EXIT_FAILURE;
		}
		for (uint32_t seed = 0; seed < CHANGES; seed++) {
			const size_t size =
				LLVMFuzzerCustomMutator(data, whole, ROOM, seed);
			uint8_t *copy = malloc(size);

			require(copy != NULL);
			memcpy(copy, data, size);
			LLVMFuzzerTestOneInput(copy, size);
			free(copy);
			seen++;
			file = fopen(argv[i], "rb");
			require(file && fread(data, 1, ROOM, file) == whole);
			fclose(file);
		}
	}
	printf("%zu plans, %zu judged, %zu refused by the verifier\n", seen,
		fuzz_plan_tally.judged, fuzz_plan_tally.refused);
	/* of every two changed plans one is read at least, and of five one is wrong */
	return fuzz_plan_tally.judged * 2 >= seen && fuzz_plan_tally.refused * 5 >= seen
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}
