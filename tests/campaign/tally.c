#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gen_op.h"

static const char *const rules[TALLY_RULES] = { "plan/outside-arena", "plan/misaligned",
	"plan/unplaced", "plan/constant-placed", "plan/view", "plan/order",
	"plan/variant", "plan/scratch-size", "plan/scratch-overlap", "plan/elided",
	"plan/overlap", "plan/lost-value", "plan/input-lost", "plan/output-lost",
	"plan/observed-lost", "plan/variable-lost", "plan/output-shared", "plan/stream",
	"plan/ring", "plan/stale" };

static const char *const outcomes[OUTCOMES] = { "accepted", "UNSOUND", "different",
	"equal", "lucky", "not run" };

static const char *const reasons[REASONS] = {
	"a rule that this host does not need: places, sizes, alignment, capacity",
	"the order is wrong, the values are right",
	"no order is known of an op that shares memory with its input",
	"another value of the same bytes is there",
	"other bytes are there, and the result does not show it",
	"an output has its bytes not for itself, and nobody writes there",
};

static const char *source_name(int source)
{
	return source < MUTANTS		    ? gen_mutant_names[source]
	       : source == SOURCE_OURS	    ? "planner"
	       : source == SOURCE_FIRST_FIT ? "first fit"
	       : source == SOURCE_STREAMED  ? "chains"
					    : "chain";
}

uint32_t tally_rule(const char *rule)
{
	uint32_t i = 0;

	while (i + 1 < TALLY_RULES && rules[i] && strcmp(rules[i], rule) != 0)
		i++;
	return i;
}

static uint64_t sum(const struct tally *t, enum outcome o)
{
	uint64_t n = 0;

	for (int s = 0; s < SOURCES; s++)
		n += t->outcome[s][o];
	return n;
}

uint64_t tally_pairs(const struct tally *t)
{
	uint64_t n = 0;

	for (int o = 0; o < REFUSED_UNRUN; o++)
		n += sum(t, (enum outcome)o);
	return n;
}

uint64_t tally_unsound(const struct tally *t)
{
	return sum(t, ACCEPTED_DIFFERENT);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static uint32_t median(const struct tally *t)
{
	uint64_t seen = 0;
	uint32_t n = 0;

	while (n + 1 < TALLY_OPS_MAX && 2 * (seen += t->ops[n]) < t->graphs)
		n++;
	return n;
}

static void print_sources(const struct tally *t)
{
	printf("\n%-12s", "plans");
	for (int o = 0; o < OUTCOMES; o++)
		printf(" %10s", outcomes[o]);
	printf("\n");
	for (int s = 0; s < SOURCES; s++) {
		printf("%-12s", source_name(s));
		for (int o = 0; o < OUTCOMES; o++)
			printf(" %10" PRIu64, t->outcome[s][o]);
		printf("\n");
	}
	printf("%-12s", "all");
	for (int o = 0; o < OUTCOMES; o++)
		printf(" %10" PRIu64, sum(t, (enum outcome)o));
	printf("\n");
}

static bool enough(const char *what, uint64_t n, uint64_t least)
{
	if (n < least)
		printf("not enough: %s, %" PRIu64 " of %" PRIu64 "\n", what, n, least);
	return n >= least;
}

/* A thousand in a million of each. */
static bool covers(const struct tally *t)
{
	uint64_t pairs = tally_pairs(t), least = pairs / 1000;
	bool ok = enough("ops of a graph, the median", median(t), 8);

	if (pairs < 100000)
		return true;
	ok = enough("accepted plans that overlap", t->overlapping,
		     sum(t, ACCEPTED_EQUAL) * 3 / 10) &&
	     ok;
	for (uint32_t i = 0; i < gen_n_op_kinds; i++)
		ok = enough(gen_op_kinds[i].type,
			     t->kinds[tn_op_kind_parse(gen_op_kinds[i].type)], least) &&
		     ok;
	ok = enough("accepted plans with rings", t->rings, least) && ok;
	ok = enough("accepted plans with rows that arrive", t->fed, least) && ok;
	ok = enough("accepted plans with tails over others", t->tails, least) && ok;
	ok = enough("IF", t->kinds[OP_IF], least) && ok;
	ok = enough("WHILE", t->kinds[OP_WHILE], least) && ok;
	for (uint32_t i = 0; rules[i]; i++)
		ok = enough(rules[i], t->rules[i], least) && ok;
	return ok;
}

bool tally_report(const struct tally *t)
{
	uint64_t accepted = sum(t, ACCEPTED_EQUAL), equal = sum(t, REFUSED_EQUAL);
	uint64_t lucky = sum(t, REFUSED_LUCKY);
	uint64_t refused = sum(t, REFUSED_DIFFERENT) + equal + lucky;

	printf("pairs executed %" PRIu64 ", graphs %" PRIu64 ", median of ops %u\n",
		tally_pairs(t), t->graphs, median(t));
	printf("graphs with views %" PRIu64 ", state %" PRIu64 ", mutation %" PRIu64
	       ", branches %" PRIu64 ", control flow %" PRIu64 ", chains %" PRIu64
	       ", tails %" PRIu64 "\n",
		t->features[HAS_VIEW], t->features[HAS_STATE], t->features[HAS_MUTATION],
		t->features[HAS_BRANCH], t->features[HAS_FLOW], t->features[HAS_CHAIN],
		t->features[HAS_TAIL]);
	printf("accepted %" PRIu64 ": with overlap %" PRIu64
	       " (%.1f %%), partial overlap %" PRIu64 ", replayed %" PRIu64
	       ", elided ops %" PRIu64 ", two regions %" PRIu64 ", chains %" PRIu64
	       " (with rings %" PRIu64 ", fed %" PRIu64 "), tails over others %" PRIu64
	       "\n",
		accepted, t->overlapping, percent(t->overlapping, accepted), t->partly,
		t->replayed, t->elided, t->regions, t->streamed, t->rings, t->fed,
		t->tails);
	printf("refused %" PRIu64 ": different %" PRIu64 ", lucky %" PRIu64
	       " (%.1f %%), equal %" PRIu64 " (%.1f %%)\n",
		refused, refused - lucky - equal, lucky, percent(lucky, refused), equal,
		percent(equal, refused));
	printf("changed plans of the planner %" PRIu64 "\n", t->of_ours);
	print_sources(t);
	printf("\n%-22s %10s %10s\n", "refused by", "pairs", "equal");
	for (uint32_t i = 0; rules[i]; i++)
		printf("%-22s %10" PRIu64 " %10" PRIu64 "\n", rules[i], t->rules[i],
			t->equal_by_rule[i]);
	printf("\n%-12s why they are refused and run equal for all inputs tried\n",
		"plans");
	for (int i = 0; i < REASONS; i++)
		printf("%-12" PRIu64 " %s\n", t->reasons[i], reasons[i]);
	printf("\nops, by pairs:");
	for (int i = 0, n = 0; i < OP_COUNT; i++)
		if (t->kinds[i])
			printf("%s%s %" PRIu64, n++ % 4 ? ", " : "\n  ",
				tn_op_info((enum tn_op_kind)i)->name, t->kinds[i]);
	printf("\n\nnot planned over two memories %" PRIu64, t->unplanned_in_two);
	printf("\nunsound %" PRIu64 ", plans of the planner refused %" PRIu64
	       ", graphs not planned %" PRIu64 "\n",
		tally_unsound(t), t->ours_refused, t->unplanned);
	return covers(t) && !tally_unsound(t) && !t->ours_refused && !t->unplanned;
}
