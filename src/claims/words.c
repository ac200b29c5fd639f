/* What goes wrong, in words. */
#include <inttypes.h>

#include "base/strbuf.h"
#include "claims/classify.h"

#include "base/banned.h"

static const char *tensor_name(const struct tn_naming *n, tn_tensor_id id)
{
	return id.i == TN_NONE ? "scratch" : n->m->g->tensors[id.i].name;
}

static void put_actor(struct tn_strbuf *out, const struct tn_actor *a, const char *nobody)
{
	switch (a->kind) {
	case ACTOR_NONE:
		tn_strbuf_puts(out, nobody);
		break;
	case ACTOR_OP:
		tn_strbuf_printf(out, "'%s'", a->name);
		break;
	case ACTOR_CALLER:
		tn_strbuf_puts(out, "the caller");
		break;
	case ACTOR_OBSERVER:
		tn_strbuf_puts(out, "whoever observes it");
		break;
	case ACTOR_NEXT_RUN:
		tn_strbuf_puts(out, "the next run");
		break;
	case ACTOR_BACKWARD:
		tn_strbuf_printf(out, "the backward pass of '%s'", a->name);
		break;
	case ACTOR_ALLOCATION:
		tn_strbuf_printf(out, "%s", a->name);
		break;
	}
}

/* "bytes [0, 16) of 'a'" */
static void put_victim(struct tn_strbuf *out, const struct tn_naming *n,
	const struct tn_claim_witness *w)
{
	if (w->begin >= 0)
		tn_strbuf_printf(
			out, "bytes [%" PRId64 ", %" PRId64 ") of ", w->begin, w->end);
	tn_strbuf_printf(out, "'%s'", tensor_name(n, w->victim));
}

static void clobbered(struct tn_strbuf *out, const struct tn_naming *n,
	const struct tn_claim_witness *w)
{
	put_actor(out, &w->writer, "nothing");
	if (w->other.i != TN_NONE)
		tn_strbuf_printf(out, " writes '%s' over ", tensor_name(n, w->other));
	else
		tn_strbuf_puts(out, " writes over ");
	put_victim(out, n, w);
	if (w->reader.kind == ACTOR_NONE)
		return;
	tn_strbuf_puts(out, w->reader.kind == ACTOR_OP && w->reader.op.i == w->writer.op.i
				    ? ", which it still reads itself"
				    : ", which ");
	if (w->reader.kind == ACTOR_OP && w->reader.op.i == w->writer.op.i)
		return;
	put_actor(out, &w->reader, "nobody");
	tn_strbuf_puts(out, " still reads");
	if (w->invocation > 1)
		tn_strbuf_printf(out, " in invocation %u", w->invocation);
}

static void sizes(
	struct tn_strbuf *out, const struct tn_naming *n, const struct tn_named *named)
{
	const struct tn_claim_witness *w = &named->witness;
	const struct tn_beyond *b = &n->s->beyond;

	if (named->loss->beyond) {
		tn_strbuf_printf(out,
			"'%s' would begin %" PRId64 " B behind the start of ",
			tensor_name(n, (tn_tensor_id){ b->tensor }), b->offset);
		if (b->on == TN_NONE)
			tn_strbuf_puts(out, "its arena");
		else
			tn_strbuf_printf(
				out, "'%s'", tensor_name(n, (tn_tensor_id){ b->on }));
		tn_strbuf_puts(out, ": no memory is that large");
		return;
	}
	put_actor(out, &w->writer, "a tensor");
	tn_strbuf_printf(out, " needs %" PRId64 " B ", w->need);
	switch (named->peril) {
	case PERIL_OUT_OF_ARENA:
		tn_strbuf_printf(out, "of arena for '%s', and it has %" PRId64 " B",
			tensor_name(n, w->victim), w->have);
		break;
	case PERIL_SCRATCH_SIZE:
		tn_strbuf_printf(
			out, "of scratch, and %" PRId64 " B are claimed", w->have);
		break;
	default:
		tn_strbuf_printf(out, "where '%s' has %" PRId64 " B",
			tensor_name(n, w->victim), w->have);
		break;
	}
}

static void ordered(struct tn_strbuf *out, const struct tn_naming *n,
	const struct tn_claim_witness *w)
{
	put_actor(out, &w->reader, "nobody");
	tn_strbuf_puts(out, " reads ");
	put_victim(out, n, w);
	tn_strbuf_puts(out, " before ");
	put_actor(out, &w->writer, "anybody");
	tn_strbuf_puts(out, " has written it");
}

static void by_peril(
	struct tn_strbuf *out, const struct tn_naming *n, const struct tn_named *named)
{
	const struct tn_claim_witness *w = &named->witness;

	if (named->loss->kind == LOSS_TWICE) {
		tn_strbuf_puts(out, "the order runs ");
		put_actor(out, &w->writer, "an op");
		tn_strbuf_puts(out, " twice");
		if (w->victim.i != TN_NONE)
			tn_strbuf_printf(out, ": it would write '%s' again",
				tensor_name(n, w->victim));
		return;
	}
	switch (named->peril) {
	case PERIL_UNKNOWN_SIZE:
		tn_strbuf_printf(
			out, "the size of '%s' is not known", tensor_name(n, w->victim));
		return;
	case PERIL_SIZE:
	case PERIL_OUT_OF_ARENA:
	case PERIL_SCRATCH_SIZE:
		sizes(out, n, named);
		return;
	case PERIL_MISALIGNED:
		tn_strbuf_printf(out,
			"'%s' does not lie at a multiple of the %" PRId64
			" B that are asked for",
			tensor_name(n, w->victim), w->align);
		return;
	case PERIL_STALE_ALIAS:
	case PERIL_UNWRITTEN_SLICE:
		put_actor(out, &w->reader, "somebody");
		tn_strbuf_puts(out, " reads ");
		put_victim(out, n, w);
		tn_strbuf_puts(out, ", which nobody writes");
		return;
	case PERIL_DEAD_STORE_TO_STATE:
		put_actor(out, &w->reader, "somebody");
		tn_strbuf_printf(out, " needs what ");
		put_actor(out, &w->writer, "an op");
		tn_strbuf_printf(out, " stores in '%s'", tensor_name(n, w->victim));
		return;
	case PERIL_MUTATED_CONST:
		put_actor(out, &w->writer, "something");
		tn_strbuf_puts(out, " changes ");
		put_victim(out, n, w);
		tn_strbuf_puts(out, ", which is not a constant: ");
		put_actor(out, &w->reader, "somebody");
		tn_strbuf_printf(out, " reads it in invocation %u", w->invocation);
		return;
	case PERIL_OUTPUT_ALIAS:
	case PERIL_OUTPUT_IS_CONST:
	case PERIL_INPUT_OUTPUT_SHARED:
		if (w->writer.kind != ACTOR_CALLER)
			break;
		tn_strbuf_printf(out, "the caller is given '%s' in the bytes of '%s'",
			tensor_name(n, named->peril == PERIL_OUTPUT_ALIAS ? w->victim
									  : w->other),
			tensor_name(n, named->peril == PERIL_OUTPUT_ALIAS ? w->other
									  : w->victim));
		return;
	case PERIL_ACCUMULATE_READS_DEST:
		put_actor(out, &w->reader, "an op");
		tn_strbuf_printf(out, " adds to what '%s' held, and it has been lost",
			tensor_name(n, w->victim));
		return;
	case PERIL_SELF_OVERLAP_WAW:
		put_actor(out, &w->writer, "an op");
		tn_strbuf_puts(out, " writes ");
		put_victim(out, n, w);
		tn_strbuf_puts(out, " several times: its elements share them");
		return;
	case PERIL_WAR_UNORDERED:
		tn_strbuf_puts(out, "no dependence orders ");
		put_actor(out, &w->reader, "a reader");
		tn_strbuf_puts(out, ", which reads ");
		put_victim(out, n, w);
		tn_strbuf_puts(out, ", before ");
		put_actor(out, &w->writer, "a writer");
		tn_strbuf_puts(out, ", which writes there");
		return;
	case PERIL_NON_DOMINATING_STORAGE:
		put_actor(out, &w->reader, "an op");
		tn_strbuf_printf(out,
			" needs the storage of '%s', which is not there "
			"outside of its branch",
			tensor_name(n, w->victim));
		return;
	case PERIL_LAYOUT:
		if (named->loss->expected != TN_NONE &&
			n->s->fate[named->loss->expected] == FATE_ELIDED) {
			put_actor(out, &w->reader, "somebody");
			tn_strbuf_puts(out, " finds other elements in ");
			put_victim(out, n, w);
			tn_strbuf_puts(out, ": the op that is elided moves them");
			return;
		}
		break;
	default:
		break;
	}
	if (!named->loss->is_static && !named->loss->expected_ran &&
		named->peril == PERIL_RAW)
		ordered(out, n, w);
	else
		clobbered(out, n, w);
}

const char *tn_classify_why(const struct tn_naming *n, const struct tn_named *named)
{
	struct tn_strbuf out;
	const char *text;

	tn_strbuf_init(&out);
	by_peril(&out, n, named);
	text = out.failed ? NULL : tn_arena_strndup(n->arena, out.text, out.len);
	tn_strbuf_release(&out);
	return text;
}
