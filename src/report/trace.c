#include "report/trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/boxes.h"
#include "report/json_parts.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

enum { HALF_STEP_US = 1000, TRACK_OPS = 1, TRACK_BUFFERS = 2 };

static json_t *event(const char *phase, json_t *name, int track)
{
	json_t *e = json_object();

	/* the name first: it is taken over even when the rest fails */
	if (tn_json_put(e, "name", name) && tn_json_put(e, "ph", json_string(phase)) &&
		tn_json_put(e, "pid", json_integer(1)) &&
		tn_json_put(e, "tid", json_integer(track)))
		return e;
	json_decref(e);
	return NULL;
}

static bool put_int(json_t *object, const char *key, int64_t value)
{
	return tn_json_put(object, key, json_integer(value));
}

/* Adds the event to the list with these arguments; takes both over. */
static bool finish(json_t *list, json_t *e, json_t *args)
{
	if (tn_json_put(e, "args", args))
		return tn_json_push(list, e);
	json_decref(e);
	return false;
}

static bool named(json_t *list, const char *what, int track, const char *name)
{
	json_t *args = json_object();

	if (!tn_json_put(args, "name", tn_json_text(name))) {
		json_decref(args);
		return false;
	}
	return finish(list, event("M", json_string(what), track), args);
}

static bool add_op(json_t *list, const struct tn_view *v, uint32_t position)
{
	tn_op_id id = tn_view_op_at(v, position);
	const struct tn_op *op = &v->g->ops[id.i];
	struct tn_traffic t = { 0 };
	json_t *e = event("X", tn_json_text(op->name), TRACK_OPS), *args = json_object();

	if (!tn_view_elided(v, id))
		t = tn_traffic_of(v->g, op);
	if (tn_json_put(e, "cat", json_string("op")) &&
		put_int(e, "ts", 2 * HALF_STEP_US * (int64_t)position) &&
		put_int(e, "dur", 2 * HALF_STEP_US) &&
		put_int(args, "position", position) &&
		tn_json_put(args, "type", tn_json_text(tn_words_op_type(op))) &&
		tn_json_put(args, "runs", json_boolean(!tn_view_elided(v, id))) &&
		tn_json_put(args, "macs", tn_json_counted(t.macs)) &&
		tn_json_put(args, "bytes_read", tn_json_counted(t.bytes_read)) &&
		tn_json_put(args, "bytes_written", tn_json_counted(t.bytes_written)))
		return finish(list, e, args);
	json_decref(e);
	json_decref(args);
	return false;
}

static bool add_counter(
	json_t *list, const char *name, int64_t half_step, const struct tn_load *load)
{
	json_t *e = event("C", json_string(name), TRACK_OPS), *args = json_object();

	if (put_int(e, "ts", half_step * HALF_STEP_US) &&
		put_int(args, "live", load->live_bytes))
		return finish(list, e, args);
	json_decref(e);
	json_decref(args);
	return false;
}

static json_t *box_name(const struct tn_view *v, const struct tn_box *box)
{
	struct tn_strbuf name;
	json_t *text;

	tn_strbuf_init(&name);
	tn_box_name(v, box, &name);
	text = name.failed ? NULL : tn_json_text(name.text ? name.text : "");
	tn_strbuf_release(&name);
	return text;
}

/* One end of a buffer's life; spans that cross each other must be asynchronous. */
static bool add_end(json_t *list, const struct tn_view *v, const struct tn_box *box,
	uint32_t i, bool begin)
{
	json_t *e = event(begin ? "b" : "e", box_name(v, box), TRACK_BUFFERS);
	json_t *args = json_object();
	char id[16];

	snprintf(id, sizeof(id), "0x%" PRIx32, i + 1);
	if (tn_json_put(e, "cat", json_string(tn_box_kind_name(box->kind))) &&
		tn_json_put(e, "id", json_string(id)) &&
		put_int(e, "ts", (begin ? box->begin : box->end) * HALF_STEP_US) &&
		(!begin || (put_int(args, "offset", box->offset) &&
				   put_int(args, "bytes", box->bytes) &&
				   (!box->ring_of ||
					   put_int(args, "ring_of", box->ring_of)) &&
				   tn_json_put(args, "region",
					   tn_json_text(
						   v->plan->regions[box->region].name)))))
		return finish(list, e, args);
	json_decref(e);
	json_decref(args);
	return false;
}

static bool fill(json_t *list, const struct tn_view *v, const struct tn_boxes *boxes,
	const struct tn_load *loads)
{
	const struct tn_load none = { 0, 0 };
	uint32_t n = v->g->n_ops;
	bool ok = named(list, "process_name", TRACK_OPS, tn_view_name(v)) &&
		  named(list, "thread_name", TRACK_OPS, "ops") &&
		  named(list, "thread_name", TRACK_BUFFERS, "buffers");

	for (uint32_t p = 0; p < n && ok; p++)
		ok = add_op(list, v, p) &&
		     add_counter(list, "arena bytes", 2 * (int64_t)p, &loads[p]);
	ok = ok && add_counter(list, "arena bytes", 2 * (int64_t)n + 1, &none);
	for (uint32_t i = 0; i < boxes->n && ok; i++)
		ok = add_end(list, v, &boxes->list[i], i, true) &&
		     add_end(list, v, &boxes->list[i], i, false);
	return ok;
}

enum tn_status tn_trace_write(const struct tn_view *v, struct tn_strbuf *out)
{
	json_t *root = json_object(), *list = json_array();
	struct tn_boxes boxes;
	struct tn_load *loads = NULL;
	struct tn_arena scratch;
	enum tn_status status;
	uint32_t peak;

	tn_arena_init(&scratch);
	status = tn_boxes_find(v, &scratch, &boxes);
	if (status == TN_OK)
		status = tn_loads_find(v, &scratch, &loads, &peak);
	if (status == TN_OK &&
		!(fill(list, v, &boxes, loads) &&
			tn_json_put(root, "displayTimeUnit", json_string("ms")) &&
			json_object_set_nocheck(root, "traceEvents", list) == 0))
		status = TN_ERR_NOMEM;
	json_decref(list);
	tn_arena_release(&scratch);
	if (status == TN_OK)
		return tn_json_write(root, out);
	json_decref(root);
	return status;
}
