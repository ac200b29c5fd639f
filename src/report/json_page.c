#include "report/json_page.h"

#include "report/cores.h"
#include "report/json_page_graph.h"
#include "report/json_page_plan.h"
#include "report/json_stream.h"

#include "base/banned.h"

/* "O1" and what it says. */
static void put_obligations(struct tn_json_stream *out)
{
	tn_json_open(out, "obligations", '[');
	for (int i = OBLIGATION_NONE; i <= OBLIGATION_O7; i++) {
		enum tn_obligation o = (enum tn_obligation)i;

		tn_json_open(out, NULL, '[');
		if (i) {
			tn_json_element(out, json_string(tn_obligation_name(o)));
			tn_json_element(out, json_string(tn_obligation_text(o)));
		}
		tn_json_close(out, '[');
	}
	tn_json_close(out, '[');
}

static void put_cores(struct tn_json_stream *out)
{
	tn_json_open(out, "cores", '[');
	for (uint32_t i = 0; tn_core_at(i); i++) {
		const struct tn_core *c = tn_core_at(i);

		tn_json_open(out, NULL, '[');
		tn_json_element(out, json_string(c->name));
		tn_json_numbers(out, (int64_t[]){ c->macs, c->bytes, c->estimate }, 3);
		tn_json_element(out, json_string(c->source));
		tn_json_close(out, '[');
	}
	tn_json_close(out, '[');
}

static void put_regions(struct tn_json_stream *out, const struct tn_plan *plan)
{
	tn_json_open(out, "regions", '[');
	for (uint32_t i = 0; i < plan->n_regions; i++) {
		const struct tn_plan_region *r = &plan->regions[i];

		tn_json_open(out, NULL, '[');
		tn_json_element(out, tn_json_page_text(r->name));
		tn_json_element(out, tn_json_page_digits(r->align));
		tn_json_element(out, tn_json_page_digits(r->cost));
		tn_json_close(out, '[');
	}
	tn_json_close(out, '[');
}

static void put_board(struct tn_json_stream *out, const struct tn_board *board)
{
	tn_json_open(out, "board", '[');
	if (board) {
		tn_json_element(out, tn_json_page_text(board->title));
		tn_json_element(out, tn_json_page_text(board->cpu));
		tn_json_numbers(out, &board->mhz, 1);
	}
	tn_json_close(out, '[');
}

enum tn_status tn_json_page(const struct tn_page_plan *plans, size_t n,
	const struct tn_load *loads, uint32_t peak, struct tn_arena *arena,
	struct tn_strbuf *text)
{
	const struct tn_view *v = plans[0].v;
	struct tn_json_stream out = { text, false };
	enum tn_status status = TN_OK;

	tn_json_open(&out, NULL, '{');
	tn_json_member(&out, "verified", json_boolean(v->verified));
	tn_json_member(&out, "steps", json_integer(plans[0].boxes->steps));
	tn_json_member(&out, "peak", json_integer(peak == TN_NONE ? -1 : (int64_t)peak));
	put_regions(&out, v->plan);
	put_board(&out, v->board);
	tn_json_page_graph(&out, v, loads, arena);
	put_obligations(&out);
	put_cores(&out);
	tn_json_page_variants(&out);
	tn_json_open(&out, "plans", '[');
	for (size_t i = 0; i < n && status == TN_OK && !text->failed; i++)
		status = tn_json_page_plan(&plans[i], plans, arena, &out);
	tn_json_close(&out, '[');
	tn_json_close(&out, '{');
	if (status == TN_OK && text->failed)
		status = TN_ERR_NOMEM;
	return status;
}
