#include "rules/fingerprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"

#include "base/banned.h"

#define DIGITS "0123456789"

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return tn_fnv(hash, text, strlen(text) + 1);
}

/* The op of a name that a reader made from type and number, or NULL. */
static const struct tn_op *made_name(
	const struct tn_graph *g, const char *name, size_t len)
{
	size_t digits = len;
	unsigned long number;

	while (digits && strchr(DIGITS, name[digits - 1]))
		digits--;
	if (!g || digits == len || len - digits > 9 || !digits || name[digits - 1] != '#')
		return NULL;
	number = strtoul(name + digits, NULL, 10);
	for (unsigned long i = number < g->n_ops ? number + 1 : g->n_ops; i-- > 0;) {
		const struct tn_op *op = &g->ops[i];

		/* rewriting moves ops to the front only */
		if (op->file_index == number)
			return strncmp(op->name, name, len) == 0 && !op->name[len] ? op
										   : NULL;
		if (op->file_index < number)
			break;
	}
	return NULL;
}

static uint64_t hash_shape(uint64_t hash, const struct tn_tensor *t)
{
	hash = tn_fnv_u64(hash, (uint64_t)t->dtype);
	for (uint32_t i = 0; i < t->shape.rank; i++)
		hash = tn_fnv_u64(hash, (uint64_t)t->shape.dim[i]);
	return hash;
}

static uint64_t hash_name(
	uint64_t hash, const struct tn_graph *g, const char *name, size_t len)
{
	const struct tn_op *op = made_name(g, name, len);
	const struct tn_tensor *t =
		op && op->n_outputs && tn_tensor_id_ok(g, op->outputs[0])
			? &g->tensors[op->outputs[0].i]
			: NULL;

	if (!op)
		return tn_fnv(tn_fnv(hash, name, len), "", 1);
	hash = hash_text(hash, op->type);
	if (!t)
		return hash;
	return *t->name ? hash_text(hash, t->name) : hash_shape(hash, t);
}

/* Names are quoted; numbers outside of them do not count. */
static uint64_t hash_message(uint64_t hash, const struct tn_graph *g, const char *at)
{
	while (*at) {
		const char *end = *at == '\'' ? strchr(at + 1, '\'') : NULL;

		if (end) {
			hash = hash_name(hash, g, at + 1, (size_t)(end - at - 1));
			at = end + 1;
		} else if (strchr(DIGITS, *at)) {
			at += strspn(at, DIGITS ",");
		} else {
			hash = tn_fnv(hash, at++, 1);
		}
	}
	return hash;
}

uint64_t tn_fingerprint(const struct tn_graph *g, const struct tn_diag *diag)
{
	uint64_t hash = hash_text(TN_FNV_INIT, diag->rule ? diag->rule : "");
	const char *subject = diag->subject ? diag->subject : "";

	hash = hash_name(hash, g, subject, strlen(subject));
	return hash_message(hash, g, diag->message);
}
