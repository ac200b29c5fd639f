/* The parts of the reader of flatc's JSON; for import/tflite_json*.c only. */
#ifndef TN_IMPORT_TFLITE_JSON_H
#define TN_IMPORT_TFLITE_JSON_H

#include "import/flatc.h"
#include "import/json.h"
#include "import/tflite_build.h"

#define TFLITE_TYPE "tflite/type" /* a value of the wrong kind */

struct tn_tflj_ints {
	TN_VEC(int64_t) v;
};

struct tn_tflj {
	struct tn_import *im;
	struct tn_flatc flatc;
	struct tn_tfl tfl;
	struct tn_arena scratch;
	/* lists of the tensor or op at hand, reused */
	struct tn_tflj_ints shape, zero_point, inputs, outputs, intermediates;
	TN_VEC(float) scale;
	bool nomem;
};

/* An integer: a number, true or false, a number in a string, or a name among `names` (of
 * an enumeration; NULL at the end; or NULL). False after a report. */
bool tn_tflj_integer(struct tn_tflj *r, const struct tn_path *at, const json_t *value,
	const char *const *names, int64_t *out);

/* The member, `otherwise` when it is absent or, after a report, no integer. */
int64_t tn_tflj_number(struct tn_tflj *r, const struct tn_path *up, const json_t *object,
	const char *key, int64_t otherwise);

/* A number, or a word for what is none. False after a report. */
bool tn_tflj_real(
	struct tn_tflj *r, const struct tn_path *at, const json_t *value, double *out);

/* Does no other float print like this with six decimals? */
bool tn_tflj_is_exact(double printed);

/* The member when it is a list; reports another kind. */
const json_t *tn_tflj_list(struct tn_tflj *r, const struct tn_path *up,
	const json_t *object, const char *key);

/* The same for an object. */
const json_t *tn_tflj_object(struct tn_tflj *r, const struct tn_path *up,
	const json_t *object, const char *key);

/* A list of integers; absent is empty. False after a report. */
bool tn_tflj_integers(struct tn_tflj *r, const struct tn_path *up, const json_t *object,
	const char *key, struct tn_tflj_ints *out);

/* A string; absent or, after a report, of another kind is "". Borrowed. */
void tn_tflj_text(struct tn_tflj *r, const struct tn_path *up, const json_t *object,
	const char *key, const char **out, size_t *out_len);

#endif
