#include "inplace/inplace.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/vec.h"
#include "inplace/members.h"
#include "inplace/readers.h"

/* What the bytes [begin, end) of a root are besides an operand of this op: by the worst of
 * all tensors that have some of them. */
struct bytes {
	const char *owner; /* the hazard of writing there, NULL: none */
	int64_t first; /* half-step of the first write */
	int64_t last; /* half-step of the last read */
	bool kept; /* read by somebody who is no op, or never written again */
};

/* The last answer of a root: views that only rename it ask for the same bytes, all of them. */
struct looked {
	int64_t begin, end;
	struct bytes answer;
	bool known;
};

struct judge {
	const struct tn_graph *g;
	const struct tn_order *order;
	const struct tn_aliases *aliases;
	const struct tn_liveness *live;
	struct tn_readers readers;
	bool any_order; /* suppose that nobody reads the input later */
	struct tn_members members;
	struct looked *looked; /* by root */
	uint32_t *first_no_copy; /* by op: its first verdict in aliases->no_copy */
	/* Displacements of one op and output, found when first asked for: candidates whose
	 * inputs share a storage ask for each other's. By input, then variant. */
	int64_t *rules;
	size_t *rules_known; /* where: the others are not known yet */
	size_t n_rules_known;
	tn_op_id rules_op;
	uint32_t rules_output;
	struct tn_arena *arena;
	TN_VEC(struct tn_candidate) found;
};

const char *tn_obligation_name(enum tn_obligation o)
{
	static const char *const names[] = { "", "O1", "O2", "O3", "O4", "O5", "O6",
		"O7" };

	return names[o];
}

const char *tn_obligation_text(enum tn_obligation o)
{
	static const char *const texts[] = {
		"",
		"no later reader of the bytes, through any alias",
		"the storage may be written",
		"the displacement is within the kernel's contract",
		"the output is not larger than what it replaces",
		"no other claimant of the same bytes",
		"scratch is disjoint from all that the op touches",
		"nothing that backward has saved is destroyed",
	};

	return texts[o];
}

int64_t tn_overlap_span(int64_t in_bytes, int64_t out_bytes, int64_t d)
{
	int64_t larger = tn_max_i64(in_bytes, out_bytes), both = in_bytes + out_bytes,
		span;

	if (d == TN_DISPLACEMENT_NEVER)
		return both;
	if (d == TN_DISPLACEMENT_FREE || d <= -out_bytes)
		return larger;
	/* the input starts d above the output (or the output -d above the input) */
	span = tn_max_i64(larger, d + in_bytes);
	return tn_min_i64(span, both);
}

int64_t tn_variant_span(
	int64_t in_bytes, int64_t out_bytes, int64_t d, struct tn_variant v)
{
	return v.descending ? tn_overlap_span(out_bytes, in_bytes, d)
			    : tn_overlap_span(in_bytes, out_bytes, d);
}

static void reject(struct tn_candidate *c, enum tn_obligation o, const char *hazard,
	tn_op_id reader, int64_t begin, int64_t end)
{
	if (c->verdict == VERDICT_REJECTED)
		return;
	c->verdict = VERDICT_REJECTED;
	c->failed = o;
	c->hazard = hazard;
	c->witness = (struct tn_witness){ c->op, c->in, reader, begin, end };
}

static struct bytes look_at_all(const struct judge *j, const struct tn_candidate *c,
	tn_tensor_id root, int64_t begin, int64_t end)
{
	struct bytes b = { NULL, INT64_MAX, -1, false };
	int64_t now = 2 * (int64_t)j->order->position[c->op.i];

	for (uint32_t i = j->members.first[root.i]; i < j->members.first[root.i + 1];
		i++) {
		uint32_t m = j->members.list[i];
		const struct tn_tensor *t = &j->g->tensors[m];
		const struct tn_span *span = &j->live->tensor[m];

		if (!tn_member_meets(j->aliases, m, begin, end) ||
			(j->aliases->tied[root.i] &&
				(span->first > now + 1 || span->last < now)))
			continue; /* what was there before, or will be, is no matter */
		b.first = tn_min_i64(b.first, span->first);
		b.last = tn_max_i64(b.last, span->last);
		b.kept |= span->reason != LIFE_READ && span->reason != LIFE_UNUSED;
		if (t->role == ROLE_VARIABLE)
			b.owner = "VARIABLE_CLOBBER";
		else if (b.owner)
			continue;
		else if (t->role == ROLE_INPUT && !t->clobber)
			b.owner = "INPUT_WRITE";
		else if (span->reason == LIFE_OUTPUT)
			b.owner = "OUTPUT_CLOBBER";
		else if (span->reason == LIFE_OBSERVED)
			b.owner = "OBSERVED_CLOBBER";
	}
	return b;
}

static struct bytes look(const struct judge *j, const struct tn_candidate *c,
	tn_tensor_id root, int64_t begin, int64_t end)
{
	struct looked *l = &j->looked[root.i];

	if (j->aliases->tied[root.i]) /* it depends on the time, too */
		return look_at_all(j, c, root, begin, end);
	if (!l->known || l->begin != begin || l->end != end)
		*l = (struct looked){ begin, end, look_at_all(j, c, root, begin, end),
			true };
	return l->answer;
}

/* O2: may these bytes be written at all? */
static const char *forbidden(
	const struct judge *j, const struct tn_candidate *c, int64_t end)
{
	const struct tn_alias *a = &j->aliases->of[c->in.i];

	if (!tn_tensor_is_planned(&j->g->tensors[c->in.i]) ||
		!tn_tensor_is_planned(&j->g->tensors[a->root.i]))
		return "CONST_WRITE";
	return look(j, c, a->root, a->offset, end).owner;
}

/* Has everybody read all of the input when this op has? Then the output may lie over it,
 * at whatever displacement. */
static bool input_dies(const struct judge *j, const struct tn_candidate *c)
{
	const struct tn_alias *a = &j->aliases->of[c->in.i];
	int64_t now = 2 * (int64_t)j->order->position[c->op.i];
	const struct tn_span *span = &j->live->root[a->root.i];
	struct bytes b;

	if (j->aliases->of[c->out.i].root.i == a->root.i ||
		!j->aliases->parted[a->root.i])
		return span->reason == LIFE_READ && span->last <= now;
	b = look(j, c, a->root, a->offset, a->offset + a->extent);
	return !b.kept && b.last <= now;
}

#define RULE_UNKNOWN INT64_MIN

/* The rule of one operand under variant `v`, number `index` of the op's. */
static enum tn_status rule_of(struct judge *j, const struct tn_candidate *c,
	struct tn_variant v, uint32_t index, uint32_t input, int64_t *out_d)
{
	int64_t *rule = &j->rules[(size_t)input * TN_VARIANTS_MAX + index];
	enum tn_status status = TN_OK;

	if (j->rules_op.i != c->op.i || j->rules_output != c->output)
		while (j->n_rules_known > 0)
			j->rules[j->rules_known[--j->n_rules_known]] = RULE_UNKNOWN;
	j->rules_op = c->op;
	j->rules_output = c->output;
	if (*rule == RULE_UNKNOWN) {
		status = tn_contract_displacement(j->g, c->op, v, input, c->output, rule);
		if (*rule != RULE_UNKNOWN)
			j->rules_known[j->n_rules_known++] = (size_t)(rule - j->rules);
	}
	*out_d = *rule;
	return status;
}

/* The widest rule over all operands that share the input's storage: with two operands on
 * one root the displacement of one fixes the other's. */
static enum tn_status widest(struct judge *j, const struct tn_candidate *c,
	struct tn_variant v, uint32_t index, int64_t *out_d)
{
	const struct tn_op *op = &j->g->ops[c->op.i];
	const struct tn_alias *own = &j->aliases->of[c->in.i];

	*out_d = TN_DISPLACEMENT_FREE;
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_alias *a;
		enum tn_status status;
		int64_t d, shift;

		if (op->inputs[k].i == TN_NONE)
			continue;
		a = &j->aliases->of[op->inputs[k].i];
		if (a->root.i != own->root.i)
			continue;
		status = rule_of(j, c, v, index, k, &d);
		if (status != TN_OK)
			return status;
		shift = a->offset - own->offset;
		if (d != TN_DISPLACEMENT_FREE && d != TN_DISPLACEMENT_NEVER)
			d += v.descending ? shift : -shift;
		*out_d = tn_max_i64(*out_d, d);
	}
	return TN_OK;
}

static enum tn_status measure(struct judge *j, struct tn_candidate *c)
{
	uint32_t n = tn_contract_variants(j->g, c->op, c->variant);
	enum tn_status status = TN_OK;

	while (c->n_variants < n && !tn_variant_is_buffered(c->variant[c->n_variants]))
		c->n_variants++;
	for (uint32_t v = 0; v < c->n_variants && status == TN_OK; v++)
		status = widest(j, c, c->variant[v], v, &c->d[v]);
	return status;
}

/* Windows have one operand that shares memory, so its rule is the whole rule. */
static enum tn_status find_buffer(struct judge *j, struct tn_candidate *c)
{
	struct tn_variant all[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(j->g, c->op, all);

	for (uint32_t v = c->n_variants; v < n; v++) {
		int64_t bytes = tn_contract_scratch(j->g, c->op, all[v]), d;
		enum tn_status status = widest(j, c, all[v], v, &d);

		if (status != TN_OK)
			return status;
		if (d > 0 || (c->buffer_bytes && bytes >= c->buffer_bytes))
			continue;
		c->buffered = all[v];
		c->buffer_bytes = bytes;
	}
	return TN_OK;
}

/* Where does the op destroy what it reads, when it writes over the candidate's input? All
 * bytes are those of the input's root. */
struct clash {
	const struct judge *j;
	const struct tn_candidate *c;
	int64_t low, high; /* all writes so far lie between; equal before the first */
	int64_t begin, end;
};

static const struct tn_alias *operand_alias(const struct clash *s, uint32_t k)
{
	return &s->j->aliases->of[s->j->g->ops[s->c->op.i].inputs[k].i];
}

static bool clash_step(void *user, const struct tn_step *step)
{
	struct clash *s = user;
	const struct tn_alias *own = operand_alias(s, s->c->input);

	for (uint32_t i = 0; i < step->n_reads; i++) {
		const struct tn_access *r = &step->reads[i];
		const struct tn_alias *a = operand_alias(s, r->operand);
		int64_t begin = tn_max_i64(a->offset + r->begin, s->low);
		int64_t end = tn_min_i64(a->offset + r->end, s->high);

		if (a->root.i == own->root.i && begin < end) {
			s->begin = begin;
			s->end = end;
			return false;
		}
	}
	for (uint32_t i = 0; i < step->n_writes; i++) {
		const struct tn_access *w = &step->writes[i];
		int64_t begin = own->offset + w->begin, end = own->offset + w->end;
		bool first = s->low == s->high;

		if (w->operand != s->c->output || begin >= end)
			continue;
		s->low = first ? begin : tn_min_i64(s->low, begin);
		s->high = first ? end : tn_max_i64(s->high, end);
	}
	return true;
}

/* By the plain variant. Of an op whose walk is long only the storage is named. */
static enum tn_status reject_by_contract(struct judge *j, struct tn_candidate *c)
{
	const int64_t at = j->aliases->of[c->in.i].offset;
	struct clash s = {
		.j = j, .c = c, .begin = at, .end = at + j->g->tensors[c->in.i].bytes
	};
	enum tn_status status;

	if (!c->n_variants) {
		reject(c, OBLIGATION_O3, "TARGET_NOT_INPLACE_SAFE", c->op, s.begin,
			s.end);
		return TN_OK;
	}
	if (!tn_contract_is_long(j->g, c->op)) {
		status = tn_contract_walk(j->g, c->op, c->variant[0], clash_step, &s);
		if (status != TN_OK)
			return status;
	}
	reject(c, OBLIGATION_O3, "RAW_SAME_STEP", c->op, s.begin, s.end);
	return TN_OK;
}

static bool in_place_variant(const struct tn_candidate *c)
{
	for (uint32_t v = 0; v < c->n_variants; v++)
		if (c->d[v] <= 0)
			return true;
	return false;
}

/* Does the output hold something already, that the op only adds to or replaces? Or what it
 * is part of, which is one piece of memory unless it has parts that live alone. */
static bool output_is_alive(const struct judge *j, const struct tn_candidate *c)
{
	const struct tn_alias *a = &j->aliases->of[c->out.i];
	int64_t now = 2 * (int64_t)j->order->position[c->op.i];

	if (a->root.i == j->aliases->of[c->in.i].root.i)
		return false;
	if (!j->aliases->parted[a->root.i])
		return j->live->root[a->root.i].first <= now;
	return look(j, c, a->root, a->offset, a->offset + a->extent).first <= now;
}

static void weigh(const struct judge *j, struct tn_candidate *c)
{
	int64_t in = j->g->tensors[c->in.i].bytes, out = j->g->tensors[c->out.i].bytes;
	int64_t least = in + out;

	for (uint32_t v = 0; v < c->n_variants; v++) {
		int64_t span = tn_variant_span(in, out, c->d[v], c->variant[v]);

		if (span < least) {
			least = span;
			c->best = v;
		}
	}
	c->may_overlap = least < in + out && (j->any_order || input_dies(j, c));
	if (c->verdict == VERDICT_PROVED)
		c->saves_bytes = tn_min_i64(in, out);
	else if (c->may_overlap)
		c->saves_bytes = in + out - least;
}

/* Does the op read the same storage through another operand as well? That one may die where
 * this one does not, and the output lie over bytes that both have. */
static bool has_sibling(const struct judge *j, const struct tn_candidate *c)
{
	const struct tn_op *op = &j->g->ops[c->op.i];

	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (k != c->input && op->inputs[k].i != TN_NONE &&
			j->aliases->of[op->inputs[k].i].root.i ==
				j->aliases->of[c->in.i].root.i)
			return true;
	return false;
}

static enum tn_status judge_one(struct judge *j, struct tn_candidate *c)
{
	const struct tn_graph *g = j->g;
	const struct tn_alias *a = &j->aliases->of[c->in.i];
	const struct tn_tensor *in = &g->tensors[c->in.i], *out = &g->tensors[c->out.i];
	int64_t end = a->offset + tn_min_i64(a->extent, out->bytes);
	uint32_t position = j->order->position[c->op.i];
	const char *why = forbidden(j, c, end);
	enum tn_status status;
	tn_op_id later;
	tn_tensor_id via;

	if (c->elided) {
		c->saves_bytes = tn_min_i64(in->bytes, out->bytes);
		return TN_OK;
	}
	if (why) {
		tn_op_id caller = { TN_NONE };

		reject(c, OBLIGATION_O2, why, caller, a->offset, end);
	}
	if (out->role == ROLE_VARIABLE)
		reject(c, OBLIGATION_O2, "VARIABLE_CLOBBER", (tn_op_id){ TN_NONE },
			a->offset, end);
	later.i = TN_NONE;
	if (!j->any_order && !(j->aliases->tied[a->root.i] &&
				     look(j, c, a->root, a->offset, end).last <=
					     2 * (int64_t)position))
		later = tn_readers_after(&j->readers, j->order, j->aliases, a->root,
			position, a->offset, end, &via);
	if (later.i != TN_NONE)
		reject(c, OBLIGATION_O1, via.i == c->in.i ? "RAW" : "LIFETIME_VIA_ALIAS",
			later, a->offset, end);
	if (output_is_alive(j, c))
		reject(c, OBLIGATION_O5, "OUTPUT_ALIVE", c->op, a->offset, end);
	if (!a->dense || !j->aliases->of[c->out.i].dense)
		reject(c, OBLIGATION_O4, "LAYOUT", c->op, a->offset, end);
	if (c->verdict == VERDICT_REJECTED && c->failed != OBLIGATION_O4)
		return has_sibling(j, c) ? measure(j, c) : TN_OK;
	status = measure(j, c);
	if (status != TN_OK)
		return status;
	if (!in_place_variant(c)) {
		status = reject_by_contract(j, c);
		if (status != TN_OK)
			return status;
	}
	if (out->bytes > in->bytes)
		reject(c, OBLIGATION_O4, "SIZE", c->op, a->offset, a->offset + in->bytes);
	weigh(j, c);
	if ((j->any_order || input_dies(j, c)) && c->failed == OBLIGATION_O3 &&
		out->bytes <= in->bytes)
		return find_buffer(j, c);
	return TN_OK;
}

/* An op that only hands bytes on, and runs: why? */
static enum tn_status list_no_copy(struct judge *j, tn_op_id id)
{
	static const struct {
		enum tn_obligation failed;
		const char *hazard;
	} faults[] = {
		[NO_COPY_NONE] = { OBLIGATION_NONE, NULL },
		[NO_COPY_CONSTANT] = { OBLIGATION_O2, "CONSTANT_PART" },
		[NO_COPY_STATE] = { OBLIGATION_O2, "VARIABLE_PART" },
		[NO_COPY_REWRITTEN] = { OBLIGATION_O5, "REWRITTEN" },
		[NO_COPY_CALLER] = { OBLIGATION_O5, "CALLER_HAS_BOTH" },
		[NO_COPY_ALIGNMENT] = { OBLIGATION_O4, "ALIGNMENT" },
		[NO_COPY_LAYOUT] = { OBLIGATION_O4, "FIXED_LAYOUT" },
		[NO_COPY_APART] = { OBLIGATION_O4, "STRIDED" },
		[NO_COPY_SCALE] = { OBLIGATION_O4, "QUANTISATION" },
		[NO_COPY_TAKEN] = { OBLIGATION_O5, "TAKEN" },
		[NO_COPY_TWICE] = { OBLIGATION_O5, "TWICE" },
		[NO_COPY_PINNED] = { OBLIGATION_O4, "PINNED" },
		[NO_COPY_TAIL] = { OBLIGATION_O4, "TAIL" },
		[NO_COPY_OPERAND] = { OBLIGATION_O5, "OTHER_OPERAND" },
	};
	const struct tn_aliases *al = j->aliases;

	for (uint32_t i = j->first_no_copy[id.i];
		i < al->n_no_copy && al->no_copy[i].op.i == id.i; i++) {
		const struct tn_no_copy *v = &al->no_copy[i];
		struct tn_candidate c = { .op = id,
			.input = v->input,
			.output = v->output,
			.in = j->g->ops[id.i].inputs[v->input],
			.out = j->g->ops[id.i].outputs[v->output],
			.verdict = v->fault ? VERDICT_REJECTED : VERDICT_PROVED,
			.failed = faults[v->fault].failed,
			.hazard = faults[v->fault].hazard,
			.no_copy = true,
			.declined = v->declined };

		c.witness =
			(struct tn_witness){ id, v->victim, v->other, v->begin, v->end };
		if (!tn_vec_push(j->arena, &j->found, c))
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

static enum tn_status judge_op(struct judge *j, tn_op_id id)
{
	const struct tn_op *op = &j->g->ops[id.i];

	for (uint32_t k = 0; k < op->n_inputs; k++) {
		if (op->inputs[k].i == TN_NONE)
			continue;
		/* constants are no candidates: nobody wishes to write over weights */
		if (!tn_tensor_is_planned(&j->g->tensors[op->inputs[k].i]))
			continue;
		for (uint32_t o = 0; o < op->n_outputs; o++) {
			struct tn_candidate c = { .op = id,
				.input = k,
				.output = o,
				.in = op->inputs[k],
				.verdict = VERDICT_PROVED,
				.elided = j->aliases->elided[id.i] };
			enum tn_status status;

			if (op->outputs[o].i == TN_NONE)
				continue;
			c.out = op->outputs[o];
			status = judge_one(j, &c);
			if (status != TN_OK)
				return status;
			if (!tn_vec_push(j->arena, &j->found, c))
				return TN_ERR_NOMEM;
		}
	}
	return j->aliases->elided[id.i] ? TN_OK : list_no_copy(j, id);
}

static enum tn_status index_no_copy(struct judge *j)
{
	const struct tn_aliases *al = j->aliases;

	j->first_no_copy = TN_NEW_ARRAY(j->arena, uint32_t, j->g->n_ops);
	if (!j->first_no_copy)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < j->g->n_ops; i++)
		j->first_no_copy[i] = al->n_no_copy;
	for (uint32_t i = al->n_no_copy; i-- > 0;)
		j->first_no_copy[al->no_copy[i].op.i] = i;
	return TN_OK;
}

/* Room for all candidates at once: there are as many as pairs of operands; and for the
 * rules of one op. */
static enum tn_status expect_candidates(struct judge *j)
{
	size_t count = j->aliases->n_no_copy, most = 0;

	for (uint32_t i = 0; i < j->g->n_ops; i++) {
		const struct tn_op *op = &j->g->ops[i];

		most = op->n_inputs > most ? op->n_inputs : most;
		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (op->inputs[k].i != TN_NONE &&
				tn_tensor_is_planned(&j->g->tensors[op->inputs[k].i]))
				count += op->n_outputs;
	}
	j->found.items = TN_NEW_ARRAY(j->arena, struct tn_candidate, count);
	j->found.capacity = j->found.items ? count : 0;
	j->rules = TN_NEW_ARRAY(j->arena, int64_t, most * TN_VARIANTS_MAX);
	j->rules_known = TN_NEW_ARRAY(j->arena, size_t, most * TN_VARIANTS_MAX);
	j->rules_op.i = TN_NONE;
	for (size_t i = 0; j->rules && i < most * TN_VARIANTS_MAX; i++)
		j->rules[i] = RULE_UNKNOWN;
	return j->found.items && j->rules && j->rules_known ? TN_OK : TN_ERR_NOMEM;
}

static enum tn_status judge_all(struct judge *j, struct tn_inplace *out)
{
	enum tn_status status =
		tn_readers_find(j->g, j->order, j->aliases, j->arena, &j->readers);

	j->looked = TN_NEW_ARRAY(j->arena, struct looked, j->g->n_tensors);
	if (status == TN_OK && !j->looked)
		status = TN_ERR_NOMEM;
	if (status == TN_OK)
		status = tn_members_find(j->g, j->aliases, j->arena, &j->members);
	if (status == TN_OK)
		status = index_no_copy(j);
	if (status == TN_OK)
		status = expect_candidates(j);
	for (uint32_t p = 0; p < j->order->n && status == TN_OK; p++)
		status = judge_op(j, j->order->at[p]);
	if (status == TN_OK) {
		out->list = j->found.items;
		out->n = j->found.count;
	}
	return status;
}

enum tn_status tn_inplace_judge(const struct tn_graph *g, const struct tn_order *order,
	const struct tn_aliases *aliases, const struct tn_liveness *live,
	struct tn_arena *arena, struct tn_inplace *out)
{
	struct judge j = {
		.g = g, .order = order, .aliases = aliases, .live = live, .arena = arena
	};

	return judge_all(&j, out);
}

enum tn_status tn_inplace_possible(const struct tn_graph *g, const struct tn_order *order,
	const struct tn_aliases *aliases, const struct tn_liveness *live,
	struct tn_arena *arena, struct tn_inplace *out)
{
	struct judge j = { .g = g,
		.order = order,
		.aliases = aliases,
		.live = live,
		.arena = arena,
		.any_order = true };

	return judge_all(&j, out);
}

static void print_rules(const struct tn_candidate *c, struct tn_strbuf *out)
{
	for (uint32_t v = 0; v < c->n_variants; v++) {
		const struct tn_variant *var = &c->variant[v];

		tn_strbuf_printf(out,
			"    %s%s: ", var->descending ? "descending" : "ascending",
			var->hold == HOLD_PIXEL ? ", pixel held" : "");
		if (c->d[v] == TN_DISPLACEMENT_FREE)
			tn_strbuf_puts(out, "anywhere\n");
		else if (c->d[v] == TN_DISPLACEMENT_NEVER)
			tn_strbuf_puts(out, "never\n");
		else
			tn_strbuf_printf(out, "%s >= %" PRId64 "\n",
				var->descending ? "out - in" : "in - out", c->d[v]);
	}
}

void tn_inplace_print(
	const struct tn_graph *g, const struct tn_inplace *inplace, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "in place:\n");
	for (size_t i = 0; i < inplace->n; i++) {
		const struct tn_candidate *c = &inplace->list[i];

		tn_strbuf_printf(out, "  op%u '%s' t%u -> t%u: ", c->op.i,
			g->ops[c->op.i].name, c->in.i, c->out.i);
		if (c->verdict == VERDICT_PROVED) {
			tn_strbuf_printf(out, "proved%s, saves %" PRId64 " B\n",
				c->elided    ? " (nothing runs)"
				: c->no_copy ? " (need not run, but runs)"
					     : "",
				c->saves_bytes);
		} else {
			tn_strbuf_printf(out, "rejected %s %s%s",
				tn_obligation_name(c->failed), c->hazard,
				c->no_copy ? " (must run)" : "");
			if (c->witness.reader.i != TN_NONE)
				tn_strbuf_printf(
					out, " reader op%u", c->witness.reader.i);
			tn_strbuf_printf(out, " bytes [%" PRId64 ", %" PRId64 ")",
				c->witness.begin, c->witness.end);
			if (c->may_overlap)
				tn_strbuf_printf(out, ", overlap saves %" PRId64 " B",
					c->saves_bytes);
			tn_strbuf_putc(out, '\n');
		}
		if (c->buffer_bytes)
			tn_strbuf_printf(out,
				"    in place with a buffer of %" PRId64 " B\n",
				c->buffer_bytes);
		print_rules(c, out);
	}
}
