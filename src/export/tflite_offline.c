#include "export/tflite_offline.h"

#include <inttypes.h>
#include <string.h>

#include "base/flatbuffer.h"

#include "base/banned.h"

#define NAME	    "OfflineMemoryAllocation"
#define FILE_MAX    ((int64_t)INT32_MAX) /* references have 32 bits */
#define FRONT_ALIGN 64 /* of the old bytes: at least what any of their vectors asks for */
#define SLOTS	    8 /* fields of the schema's Model */

enum { /* fields by number */
	MODEL_VERSION = 0,
	MODEL_SUBGRAPHS = 2,
	MODEL_BUFFERS = 4,
	MODEL_METADATA = 6,
	SUBGRAPH_TENSORS = 0,
	SUBGRAPH_OPERATORS = 3,
	OPERATOR_LARGE_OFFSET = 9,
	BUFFER_OFFSET = 1,
	METADATA_NAME = 0,
};

struct writer {
	const struct tn_source *source;
	struct tn_diags *diags; /* NULL: nobody asks why */
	struct tn_fb fb;
	struct tn_fb_table model;
	struct tn_fb_vec buffers, metadata;
	int64_t n_first; /* tensors of the first subgraph, which have offsets */
	int64_t n_tensors; /* of all subgraphs */
	int64_t shift; /* how far the file's bytes move; also the length of what is new */
	struct tn_strbuf *out;
};

static enum tn_status refuse(struct writer *w, const char *why)
{
	if (w->diags)
		tn_diag_at(w->diags, SEVERITY_ERROR, "tflite/offline-plan", w->source,
			NULL, NULL,
			"no memory plan can be written into a copy of the file: %s", why);
	return TN_ERR_INPUT;
}

static enum tn_status damaged(struct writer *w)
{
	return refuse(w, w->fb.why);
}

/* Nothing may say where it is in the file: that would be wrong in the copy. */
static enum tn_status check_place(
	struct writer *w, const struct tn_fb_table *table, uint32_t slot)
{
	uint64_t place = 0;

	if (tn_fb_scalar(&w->fb, table, slot, 8, &place) == FB_BAD)
		return damaged(w);
	return place > 1 ? refuse(w, "some of its bytes are referred to by position")
			 : TN_OK;
}

static enum tn_status check_operators(
	struct writer *w, const struct tn_fb_table *subgraph)
{
	struct tn_fb_vec operators = { 0 };
	struct tn_fb_table op;
	enum tn_status status = TN_OK;

	if (tn_fb_vector(&w->fb, subgraph, SUBGRAPH_OPERATORS, 4, &operators) == FB_BAD)
		return damaged(w);
	for (size_t i = 0; i < operators.count && status == TN_OK; i++)
		status = tn_fb_table_at(&w->fb, &operators, i, &op) == FB_OK
				 ? check_place(w, &op, OPERATOR_LARGE_OFFSET)
				 : damaged(w);
	return status;
}

static enum tn_status check_subgraphs(struct writer *w, uint32_t n_offsets)
{
	struct tn_fb_vec subgraphs = { 0 }, tensors;
	struct tn_fb_table subgraph;
	enum tn_status status = TN_OK;

	if (tn_fb_vector(&w->fb, &w->model, MODEL_SUBGRAPHS, 4, &subgraphs) == FB_BAD)
		return damaged(w);
	for (size_t i = 0; i < subgraphs.count && status == TN_OK; i++) {
		tensors = (struct tn_fb_vec){ 0 };
		if (tn_fb_table_at(&w->fb, &subgraphs, i, &subgraph) != FB_OK ||
			tn_fb_vector(&w->fb, &subgraph, SUBGRAPH_TENSORS, 4, &tensors) ==
				FB_BAD)
			return damaged(w);
		if (i == 0 && tensors.count > n_offsets)
			return refuse(w, "its tensors are not those of the plan");
		if (i == 0)
			w->n_first = (int64_t)tensors.count;
		w->n_tensors += (int64_t)tensors.count;
		status = check_operators(w, &subgraph);
	}
	return status;
}

static enum tn_status check_buffers(struct writer *w)
{
	struct tn_fb_table buffer;
	enum tn_status status = TN_OK;

	for (size_t i = 0; i < w->buffers.count && status == TN_OK; i++)
		status = tn_fb_table_at(&w->fb, &w->buffers, i, &buffer) == FB_OK
				 ? check_place(w, &buffer, BUFFER_OFFSET)
				 : damaged(w);
	return status;
}

static enum tn_status check(struct writer *w, uint32_t n_offsets)
{
	enum tn_status status;
	uint64_t version;

	if (w->source->len < 8 || memcmp(w->source->text + 4, "TFL3", 4) != 0)
		return refuse(w, "it is no .tflite file");
	if (tn_fb_root(&w->fb, &w->model) != FB_OK ||
		tn_fb_vector(&w->fb, &w->model, MODEL_BUFFERS, 4, &w->buffers) ==
			FB_BAD ||
		tn_fb_vector(&w->fb, &w->model, MODEL_METADATA, 4, &w->metadata) ==
			FB_BAD ||
		tn_fb_scalar(&w->fb, &w->model, MODEL_VERSION, 4, &version) == FB_BAD)
		return damaged(w);
	for (uint32_t slot = SLOTS; 4 + 2 * slot + 2 <= w->model.vtable_bytes; slot++)
		if (tn_fb_scalar(&w->fb, &w->model, slot, 1, &version) != FB_ABSENT)
			return refuse(w, "its root has fields that the schema has not");
	status = check_subgraphs(w, n_offsets);
	return status == TN_OK ? check_buffers(w) : status;
}

static void put(struct tn_strbuf *out, int64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		tn_strbuf_putc(out, (char)(unsigned char)((uint64_t)value >> (8 * i)));
}

/* A reference from here to a position in the copy. */
static void refer(struct tn_strbuf *out, int64_t to)
{
	put(out, to - (int64_t)out->len, 4);
}

static uint32_t word_at(const struct writer *w, size_t at)
{
	const struct tn_fb_vec one = { at, 1 };

	return (uint32_t)tn_fb_value_at(&w->fb, &one, 0, 4);
}

/* Where a reference in the file leads, in the copy. */
static int64_t target(const struct writer *w, size_t at)
{
	return w->shift + (int64_t)at + word_at(w, at);
}

/* The position of a field of the old root; 0: absent. */
static size_t root_field(struct writer *w, uint32_t slot)
{
	size_t at = 0;

	return tn_fb_field(&w->fb, &w->model, slot, 4, &at) == FB_OK ? at : 0;
}

static bool is_old_plan(struct writer *w, size_t i)
{
	struct tn_fb_table entry;
	struct tn_fb_vec name; /* as bytes: strings are taken from a budget that ends */

	return tn_fb_table_at(&w->fb, &w->metadata, i, &entry) == FB_OK &&
	       tn_fb_vector(&w->fb, &entry, METADATA_NAME, 1, &name) == FB_OK &&
	       name.count == strlen(NAME) &&
	       memcmp(w->source->text + name.at, NAME, name.count) == 0;
}

static int64_t kept_metadata(struct writer *w)
{
	int64_t kept = 0;

	for (size_t i = 0; i < w->metadata.count; i++)
		kept += !is_old_plan(w, i);
	return kept;
}

/* What is new lies in the order of this struct, each at a position that suits it. */
struct front {
	int64_t vtable, root, buffers, metadata, entry_vtable, entry, name;
	int64_t buffer_vtable, buffer, words, end;
};

static int64_t up(int64_t at, int64_t align, int64_t behind)
{
	return (at + behind + align - 1) / align * align - behind;
}

/* Of a model with so many buffers and entries of other metadata. */
static struct front lay_out(const struct writer *w, int64_t buffers, int64_t metadata)
{
	struct front f;

	f.vtable = 8; /* behind the root's reference and the identifier */
	f.root = f.vtable + 4 + 2 * SLOTS;
	f.buffers = f.root + 4 + 4 * SLOTS;
	f.metadata = f.buffers + 4 + 4 * (buffers + 1);
	f.entry_vtable = f.metadata + 4 + 4 * (metadata + 1);
	f.entry = f.entry_vtable + 8;
	f.name = f.entry + 12;
	f.buffer_vtable = up(f.name + 4 + (int64_t)strlen(NAME) + 1, 4, 2);
	f.buffer = f.buffer_vtable + 6;
	f.words = up(f.buffer + 8, 16, 4); /* data is aligned, not its length */
	f.end = up(f.words + 4 + 4 * (3 + w->n_tensors), FRONT_ALIGN, 0);
	return f;
}

static void pad_to(struct tn_strbuf *out, int64_t at)
{
	while (!out->failed && (int64_t)out->len < at)
		tn_strbuf_putc(out, 0);
}

static void put_root(struct writer *w, const struct front *f)
{
	struct tn_strbuf *out = w->out;

	put(out, f->root, 4);
	tn_strbuf_add(out, "TFL3", 4);
	put(out, 4 + 2 * SLOTS, 2);
	put(out, 4 + 4 * SLOTS, 2);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		bool present = slot == MODEL_BUFFERS || slot == MODEL_METADATA ||
			       root_field(w, slot);

		put(out, present ? 4 + 4 * slot : 0, 2);
	}
	put(out, f->root - f->vtable, 4);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		size_t at = root_field(w, slot);

		if (slot == MODEL_BUFFERS)
			refer(out, f->buffers);
		else if (slot == MODEL_METADATA)
			refer(out, f->metadata);
		else if (!at || slot == MODEL_VERSION)
			put(out, at ? word_at(w, at) : 0, 4);
		else
			refer(out, target(w, at));
	}
}

static void put_lists(struct writer *w, const struct front *f)
{
	struct tn_strbuf *out = w->out;

	put(out, (int64_t)w->buffers.count + 1, 4);
	for (size_t i = 0; i < w->buffers.count; i++)
		refer(out, target(w, w->buffers.at + 4 * i));
	refer(out, f->buffer);
	put(out, kept_metadata(w) + 1, 4);
	for (size_t i = 0; i < w->metadata.count; i++)
		if (!is_old_plan(w, i))
			refer(out, target(w, w->metadata.at + 4 * i));
	refer(out, f->entry);
}

/* The new metadata, its buffer, and the plan; offsets NULL: none. */
static void put_plan(struct writer *w, const struct front *f, const int64_t *offsets)
{
	struct tn_strbuf *out = w->out;

	put(out, 8, 2); /* the entry's vtable: its name, its buffer */
	put(out, 12, 2);
	put(out, 4, 2);
	put(out, 8, 2);
	put(out, f->entry - f->entry_vtable, 4);
	refer(out, f->name);
	put(out, (int64_t)w->buffers.count, 4);
	put(out, (int64_t)strlen(NAME), 4);
	tn_strbuf_puts(out, NAME);
	pad_to(out, f->buffer_vtable);
	put(out, 6, 2); /* the buffer's vtable: its data */
	put(out, 8, 2);
	put(out, 4, 2);
	put(out, f->buffer - f->buffer_vtable, 4);
	refer(out, f->words);
	pad_to(out, f->words);
	put(out, 4 * (3 + w->n_tensors), 4); /* bytes */
	put(out, 1, 4); /* version, and the number of subgraphs that it is for */
	put(out, 1, 4);
	put(out, w->n_tensors, 4);
	for (int64_t i = 0; i < w->n_tensors; i++)
		put(out, offsets && i < w->n_first && offsets[i] >= 0 ? offsets[i] : -1,
			4);
	pad_to(out, f->end);
}

static void put_front(struct writer *w, const struct front *f, const int64_t *offsets)
{
	w->shift = f->end;
	put_root(w, f);
	put_lists(w, f);
	put_plan(w, f, offsets);
}

/* Do the two begin alike but for the offsets? */
static bool same_front(const struct tn_strbuf *a, const char *b, const struct front *f)
{
	size_t words = (size_t)f->words + 4 + 4 * 3, end = (size_t)f->end;

	return !a->failed && a->len == end && memcmp(a->text, b, words) == 0;
}

/* Is the file a copy that was written here? Then the model is the rest of it, and has no
 * use for two plans. What would be put before the rest is compared byte by byte, so that
 * no other file is taken for one. */
static bool unwrap(const struct writer *w, struct tn_source *rest)
{
	const struct tn_source *source = w->source;
	int64_t buffers = (int64_t)w->buffers.count - 1;
	int64_t metadata = (int64_t)w->metadata.count - 1;
	struct front f = lay_out(w, buffers, metadata);
	struct tn_strbuf front;
	struct writer inner = { .source = rest, .out = &front };
	bool same;

	if (buffers < 0 || metadata < 0 || f.end >= (int64_t)source->len)
		return false;
	*rest = *source;
	rest->text += f.end;
	rest->len -= (size_t)f.end;
	tn_fb_init(&inner.fb, rest->text, rest->len);
	if (check(&inner, UINT32_MAX) != TN_OK || inner.n_tensors != w->n_tensors ||
		(int64_t)inner.buffers.count != buffers ||
		kept_metadata(&inner) != metadata)
		return false;
	tn_strbuf_init(&front);
	put_front(&inner, &f, NULL);
	same = same_front(&front, source->text, &f);
	tn_strbuf_release(&front);
	return same;
}

#define COPIES_MAX 16 /* that are unwrapped */

enum tn_status tn_export_offline(const struct tn_source *source, const int64_t *offsets,
	uint32_t n_offsets, struct tn_diags *diags, struct tn_strbuf *out)
{
	struct tn_source model = *source, rest;
	struct writer w;
	struct front f;
	enum tn_status status;

	for (int i = 0;; i++) {
		w = (struct writer){ .source = &model, .diags = diags, .out = out };
		tn_fb_init(&w.fb, model.text, model.len);
		status = check(&w, n_offsets);
		if (status != TN_OK)
			return status;
		if (i == COPIES_MAX || !unwrap(&w, &rest))
			break;
		model = rest;
	}
	for (uint32_t i = 0; i < n_offsets; i++)
		if (offsets[i] > INT32_MAX) {
			refuse(&w, "an offset does not fit 31 bits");
			return TN_ERR_REFUSED;
		}
	f = lay_out(&w, (int64_t)w.buffers.count, kept_metadata(&w));
	if (f.end > FILE_MAX - (int64_t)model.len)
		return refuse(&w, "the copy would be larger than 2 GB");
	put_front(&w, &f, offsets);
	tn_strbuf_add(out, model.text, model.len);
	return TN_OK;
}
