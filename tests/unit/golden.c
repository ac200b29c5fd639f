#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static void update(const char *path, const struct tn_strbuf *text)
{
	FILE *f = fopen(path, "wb");

	ck_assert_msg(f != NULL, "cannot write %s", path);
	ck_assert_uint_eq(fwrite(text->text, 1, text->len, f), text->len);
	ck_assert_int_eq(fclose(f), 0);
}

static size_t line_of(const char *text, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

void tn_test_golden(const char *name, const struct tn_strbuf *text)
{
	char relative[256];
	const char *path, *wish = getenv("TN_UPDATE_GOLDEN");
	size_t len, same = 0;
	char *want;
	FILE *f;

	snprintf(relative, sizeof(relative), "tests/golden/%s", name);
	path = tn_test_path(relative);
	if (wish && strcmp(wish, "1") == 0) {
		update(path, text);
		return;
	}
	want = malloc(text->len + 1);
	f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s is missing: TN_UPDATE_GOLDEN=1 writes it", relative);
	len = fread(want, 1, text->len + 1, f);
	fclose(f);
	while (same < len && same < text->len && want[same] == text->text[same])
		same++;
	ck_assert_msg(same == len && same == text->len, "%s differs at line %zu",
		relative, line_of(text->text, same < text->len ? same : text->len));
	free(want);
}
