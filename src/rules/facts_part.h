/* Inside rules/: the document of facts while it is made. */
#ifndef TN_RULES_FACTS_PART_H
#define TN_RULES_FACTS_PART_H

#include "rules/facts.h"

enum tn_fact {
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

#define RECENT 64 /* text nodes of values that may come again */
#define SMALL  4096 /* those of small numbers */

/* Names of elements and attributes are not copied. */
struct tn_facts_builder {
	const struct tn_graph *g;
	const struct tn_plan *plan;
	uint64_t fields;
	struct tn_arena *arena;
	struct tn_facts_tables known; /* of the graph */
	struct tn_facts_users users;
	struct tn_facts *out;
	xmlNodePtr recent[RECENT], small[SMALL];
	size_t candidate; /* the next one */
	bool failed;
};

bool tn_fact_needed(const struct tn_facts_builder *b, enum tn_fact f);

/* A new last child that is about an op or a tensor; NULL, and b->failed: no memory. */
xmlNodePtr tn_facts_add(struct tn_facts_builder *b, xmlNodePtr parent, const char *name,
	bool is_op, uint32_t index);

/* Attributes: always, or when their field is needed. */
void tn_facts_put(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, const char *value);
void tn_facts_put_int(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, int64_t value);
void tn_facts_put_text(
	struct tn_facts_builder *b, xmlNodePtr node, const char *name, const char *text);
void tn_fact_text(
	struct tn_facts_builder *b, xmlNodePtr node, enum tn_fact f, const char *text);
void tn_fact_int(
	struct tn_facts_builder *b, xmlNodePtr node, enum tn_fact f, int64_t value);
void tn_fact_flag(struct tn_facts_builder *b, xmlNodePtr node, enum tn_fact f, bool set);

/* The tables of users that are needed. */
enum tn_status TN_MUST_CHECK tn_facts_find_users(struct tn_facts_builder *b);

#endif
