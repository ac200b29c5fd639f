/* Reads a JSON file with jansson and drops it: what any reader of it must at least spend. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	char *text = NULL;
	long len = -1;
	json_error_t error;
	json_t *root = NULL;

	if (file && fseek(file, 0, SEEK_END) == 0 && (len = ftell(file)) >= 0 &&
		fseek(file, 0, SEEK_SET) == 0)
		text = malloc((size_t)len + 1);
	if (text && fread(text, 1, (size_t)len, file) == (size_t)len)
		root = json_loadb(text, (size_t)len,
			JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (file)
		fclose(file);
	free(text);
	if (!root) {
		fprintf(stderr, "usage: parse FILE.json\n");
		return EXIT_FAILURE;
	}
	json_decref(root);
	return EXIT_SUCCESS;
}
