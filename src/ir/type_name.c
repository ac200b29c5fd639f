#include "ir/type_name.h"

#include <string.h>

#include "base/banned.h"

/* aten::relu_, torch.ops.aten.relu_.default, tf.Relu */
const char *tn_type_bare(const char *type)
{
	static const char *const dialects[] = { "mx.", "onnx.", "tf.", "tfl.", "torch." };
	static const char ops[] = "torch.ops.";

	if (strncmp(type, ops, sizeof(ops) - 1) == 0) {
		const char *at = type + (sizeof(ops) - 1);

		while (*at && *at != '.')
			at++;
		if (*at)
			return at + 1;
	}
	for (size_t i = 0; i < sizeof(dialects) / sizeof(*dialects); i++)
		if (strncmp(type, dialects[i], strlen(dialects[i])) == 0)
			return type + strlen(dialects[i]);
	for (const char *at = strstr(type, "::"); at; at = strstr(type, "::"))
		type = at + 2;
	return type;
}

/* The next letter that counts; 0: the end. */
static char next(const char **at)
{
	char c;

	do {
		c = **at;
		if (!c || c == '.')
			return 0;
		++*at;
	} while (c == '_' || c == '-');
	return (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
}

bool tn_type_same(const char *a, const char *b)
{
	char x, y;

	a = tn_type_bare(a);
	b = tn_type_bare(b);
	do {
		x = next(&a);
		y = next(&b);
	} while (x && x == y);
	return x == y;
}
