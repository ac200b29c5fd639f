/* Inside rules/: the document of facts while it is made. */
#ifndef TN_RULES_FACTS_PART_H
#define TN_RULES_FACTS_PART_H

#include "rules/facts.h"

enum tn_field {
#define FIELD(id, name) id,
#include "rules/facts.def"
#undef FIELD
	FIELD_COUNT
};

extern const char *const tn_fact_names[FIELD_COUNT];

#define BIT(field) (UINT64_C(1) << (field))

/* Who uses a tensor; each table by tensor, NULL when nobody asks. */
struct tn_facts_users {
	uint32_t *producer, *reader, *readers, *same_name; /* TN_NONE: there is none */
	bool *is_input, *is_output;
};

/* What facts are read from. */
struct tn_facts_source {
	const struct tn_graph *g;
	const struct tn_plan *plan; /* may be NULL */
	uint64_t fields; /* that may be asked for */
	struct tn_arena *arena; /* of tables and of texts that are made */
	struct tn_facts_tables known; /* of the graph */
	struct tn_facts_users users;
	uint32_t *position; /* by op */
	const struct tn_candidate **best; /* by op; NULL: nobody asks */
	int64_t constant_bytes, float_ops, quantized_ops;
	bool failed; /* no memory */
};

/* The graph has passed validation; plan and tables may be NULL. */
enum tn_status TN_MUST_CHECK tn_facts_open(struct tn_facts_source *s,
	const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_facts_tables *tables, uint64_t fields, struct tn_arena *arena);

/* The value of an attribute: nothing, a number, or a text. */
struct tn_fact {
	enum { FACT_NONE, FACT_INT, FACT_TEXT } kind;
	int64_t i;
	const char *text; /* UTF-8; NULL with s->failed: no memory */
};

struct tn_fact tn_fact_of_model(struct tn_facts_source *s, enum tn_field f);
struct tn_fact tn_fact_of_op(struct tn_facts_source *s, uint32_t op, enum tn_field f);
struct tn_fact tn_fact_of_tensor(
	struct tn_facts_source *s, uint32_t tensor, enum tn_field f);

/* The tables of users that are needed. */
enum tn_status TN_MUST_CHECK tn_facts_find_users(struct tn_facts_source *s);

#define RECENT 64 /* text nodes of values that may come again */
#define SMALL  4096 /* those of small numbers */

/* Names of elements and attributes are not copied. */
struct tn_facts_builder {
	struct tn_facts_source from;
	struct tn_arena *arena;
	struct tn_facts *out;
	xmlNodePtr recent[RECENT], small[SMALL];
	size_t candidate; /* the next one */
	bool failed;
};

/* A new last child that is about an op or a tensor; NULL, and b->failed: no memory. */
xmlNodePtr tn_facts_add(struct tn_facts_builder *b, xmlNodePtr parent, const char *name,
	bool is_op, uint32_t index);

/* Attributes. */
void tn_facts_put(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, const char *value);
void tn_facts_put_int(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, int64_t value);
void tn_facts_put_text(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, const char *text);

#endif
