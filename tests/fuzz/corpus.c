/* Runs a fuzz target over files instead of under libFuzzer. */
#include "fuzz.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		uint8_t *data;
		size_t size;
		long end;

		if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0) {
			fprintf(stderr, "cannot read %s\n", argv[i]);
			return EXIT_FAILURE;
		}
		rewind(file);
		size = (size_t)end;
		data = malloc(
			size ? size : 1); /* so that a read behind the end is seen */
		if (!data || fread(data, 1, size, file) != size)
			return EXIT_FAILURE;
		fclose(file);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return EXIT_SUCCESS;
}
