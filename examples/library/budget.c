/* Does a model fit into so many bytes of RAM? A client of libtenure:
 *
 *     cc budget.c $(pkg-config --cflags --libs tenure) -o budget
 *     ./budget model.tflite 65536
 *
 * Exit status: 0 it fits, 1 it does not, 2 and 3 as those of the tenure program. */
#include <stdio.h>
#include <stdlib.h>

#include <tenure/tenure.h>

int main(int argc, char **argv)
{
	tenure_options options;
	int status;

	if (argc != 3) {
		fprintf(stderr, "usage: budget MODEL BYTES\n");
		return TENURE_BAD_INPUT;
	}
	tenure_options_init(&options);
	options.ram = strtoll(argv[2], NULL, 10);
	status = tenure_plan(&options, argv[1]);
	if (status == TENURE_OK || status == TENURE_FINDINGS)
		printf("%s\n", status == TENURE_OK ? "it fits" : "it does not fit");
	return status;
}
