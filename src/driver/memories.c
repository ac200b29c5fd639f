#include "driver/memories.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "base/size.h"
#include "plan/regions.h"

#define ALIGN_MAX ((int64_t)1 << 20)

struct reader {
	const tenure_options *options;
	const struct tn_graph *g;
	struct tn_arena *arena;
	struct tn_strings *strings;
	struct tn_diags *diags;
	struct tn_memories *out;
	const char *option; /* that is being read */
	const char *text; /* its value */
	bool wrong;
};

static void TN_PRINTF(2, 3) refuse(struct reader *r, const char *fmt, ...)
{
	va_list args;
	char *why;

	va_start(args, fmt);
	why = tn_arena_vprintf(r->arena, fmt, args);
	va_end(args);
	tn_diag_at(r->diags, SEVERITY_ERROR, "command/memory", NULL, NULL, r->text,
		"%s '%s': %s", r->option, r->text, why ? why : "out of memory");
	r->wrong = true;
}

/* ---- words and numbers ---- */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* A number at *at, which moves behind it: 123, 64K, 2M, 0x20000000. What is wrong with it,
 * or NULL. */
static const char *number(const char **at, int64_t *out)
{
	const bool hex = (*at)[0] == '0' && ((*at)[1] == 'x' || (*at)[1] == 'X');
	const char *start = *at + (hex ? 2 : 0);
	int64_t value = 0;

	if (digit(*start) >= (hex ? 16 : 10))
		return "is no number";
	if (!hex)
		return tn_size_read(at, out) ? NULL : "is too large";
	for (*at = start; digit(**at) < 16; ++*at)
		if (!tn_mul_i64(value, 16, &value) ||
			!tn_add_i64(value, digit(**at), &value))
			return "is too large";
	*out = value;
	return NULL;
}

/* The field behind `separator`, if the text goes on with it. False after a message. */
static bool field(struct reader *r, const char **at, char separator, const char *what,
	bool *out_given, int64_t *out)
{
	const char *why;

	*out_given = **at == separator;
	if (!*out_given)
		return true;
	++*at;
	why = number(at, out);
	if (why)
		refuse(r, "the %s %s", what, why);
	return !why;
}

static const char *name(struct reader *r, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char c = text[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.')) {
			refuse(r, "a region's name has letters, digits, '_', '-' and "
				  "'.'");
			return NULL;
		}
	}
	if (!len)
		refuse(r, "the region's name is missing");
	return len ? tn_str_intern(r->strings, text, len) : NULL;
}

static struct tn_plan_region *find(struct reader *r, const char *text, size_t len)
{
	for (uint32_t i = 0; i < r->out->n_regions; i++) {
		struct tn_plan_region *region = &r->out->regions[i];

		if (strlen(region->name) == len && strncmp(region->name, text, len) == 0)
			return region;
	}
	refuse(r, "there is no region '%.*s'", (int)len, text);
	return NULL;
}

/* ---- --region ---- */

static void check_region(struct reader *r, const struct tn_plan_region *region)
{
	int64_t end;

	if (region->capacity == 0)
		refuse(r, "the region has no bytes");
	if (region->align < 1 || region->align > ALIGN_MAX ||
		(region->align & (region->align - 1)))
		refuse(r, "the alignment must be a power of two up to 1M");
	else if (region->has_base && region->base % region->align != 0)
		refuse(r, "the base is not a multiple of the alignment, %" PRId64,
			region->align);
	if (region->has_base && !tn_add_i64(region->base, region->capacity, &end))
		refuse(r, "the end of the region is too large");
	for (const struct tn_plan_region *o = r->out->regions; o < region; o++) {
		if (strcmp(o->name, region->name) == 0)
			refuse(r, "there are two regions '%s'", o->name);
		else if (o->has_base && region->has_base &&
			 o->base - region->capacity < region->base &&
			 region->base - o->capacity < o->base)
			refuse(r, "it overlaps the region '%s'", o->name);
	}
}

static void read_region(struct reader *r)
{
	struct tn_plan_region *region = &r->out->regions[r->out->n_regions];
	const char *at = r->text + strcspn(r->text, ":");
	bool given;

	*region = (struct tn_plan_region){ .align = r->options->align, .cost = 1 };
	region->name = name(r, r->text, (size_t)(at - r->text));
	if (!region->name)
		return;
	if (*at != ':') {
		refuse(r, "its size is missing: NAME:BYTES");
		return;
	}
	if (!field(r, &at, ':', "size", &given, &region->capacity) ||
		!field(r, &at, ':', "alignment", &given, &region->align) ||
		!field(r, &at, ':', "cost", &given, &region->cost) ||
		!field(r, &at, '@', "base", &region->has_base, &region->base))
		return;
	if (*at) {
		refuse(r, "'%s' is not understood", at);
		return;
	}
	check_region(r, region);
	r->out->n_regions++;
}

/* ---- --reserve and --owned ---- */

bool tn_reserve_plain(const char *text, int64_t *out)
{
	return !number(&text, out) && !*text;
}

static void read_reserve(struct reader *r)
{
	const char *at = r->text + strcspn(r->text, ":");
	struct tn_plan_region *region;
	int64_t bytes = 0;
	bool given;

	if (!r->out->n_regions && tn_reserve_plain(r->text, &bytes)) {
		/* of the one memory: the budget counts it */
		if (r->options->ram < 0 && !r->options->target)
			refuse(r,
				"there is nothing to take it from: give --ram, --target "
				"or --region");
		else if (r->options->ram >= 0 && bytes > r->options->ram)
			refuse(r, "--ram has only %" PRId64 " bytes", r->options->ram);
		return;
	}
	region = find(r, r->text, (size_t)(at - r->text));
	if (!region || !field(r, &at, ':', "size", &given, &bytes))
		return;
	if (!given || *at)
		refuse(r, "expected REGION:BYTES");
	else if (!tn_add_i64(region->reserved, bytes, &region->reserved) ||
		 region->reserved > region->capacity)
		refuse(r, "the region '%s' has only %" PRId64 " bytes", region->name,
			region->capacity);
}

static void read_owned(struct reader *r)
{
	struct tn_plan_region *region = find(r, r->text, strlen(r->text));

	if (region)
		region->owned = true;
}

/* ---- --pin ---- */

static bool find_tensor(struct reader *r, size_t len, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->g->n_tensors; i++) {
		const char *own = r->g->tensors[i].name;

		if (strlen(own) != len || strncmp(own, r->text, len) != 0)
			continue;
		*out = i;
		n++;
	}
	if (!n)
		refuse(r, "the graph has no tensor '%.*s'", (int)len, r->text);
	if (n > 1)
		refuse(r, "the graph has %u tensors '%.*s'", n, (int)len, r->text);
	return n == 1;
}

/* "@ADDRESS": the region that it is in. */
static void read_address(struct reader *r, const char *at, struct tn_plan_pin *pin)
{
	int64_t address = 0;
	bool given;

	if (!field(r, &at, '@', "address", &given, &address))
		return;
	if (*at) {
		refuse(r, "'%s' is not understood", at);
		return;
	}
	for (uint32_t i = 0; i < r->out->n_regions; i++) {
		const struct tn_plan_region *region = &r->out->regions[i];

		if (!region->has_base || address < region->base ||
			address - region->base >= region->capacity)
			continue;
		pin->region = i;
		pin->offset = address - region->base;
		r->out->n_pins++;
		return;
	}
	refuse(r, "no region has that address");
}

static void read_pin(struct reader *r)
{
	struct tn_plan_pin *pin = &r->out->pins[r->out->n_pins];
	const char *at = strrchr(r->text, '=');
	const struct tn_plan_region *region;
	bool given;
	size_t len;

	*pin = (struct tn_plan_pin){ .offset = -1 };
	if (!at) {
		refuse(r, "expected TENSOR=REGION[+OFFSET]");
		return;
	}
	if (!find_tensor(r, (size_t)(at - r->text), &pin->tensor))
		return;
	at++;
	if (*at == '@') {
		read_address(r, at, pin);
		return;
	}
	len = strcspn(at, "+");
	region = find(r, at, len);
	at += len;
	if (!region || !field(r, &at, '+', "offset", &given, &pin->offset))
		return;
	if (*at) {
		refuse(r, "'%s' is not understood", at);
		return;
	}
	pin->region = (uint32_t)(region - r->out->regions);
	r->out->n_pins++;
}

/* ---- all ---- */

static void read_list(struct reader *r, const tenure_list *list, const char *option,
	void (*read)(struct reader *r))
{
	r->option = option;
	for (size_t i = 0; i < list->n; i++) {
		r->text = list->items[i];
		read(r);
	}
}

enum tn_status tn_memories_read(const tenure_options *options, const struct tn_graph *g,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_memories *out)
{
	struct reader r = { .options = options,
		.g = g,
		.arena = arena,
		.strings = strings,
		.diags = diags,
		.out = out };

	*out = (struct tn_memories){ 0 };
	out->regions = TN_NEW_ARRAY(arena, struct tn_plan_region, options->regions.n);
	out->pins = TN_NEW_ARRAY(arena, struct tn_plan_pin, options->pins.n);
	if (!out->regions || !out->pins)
		return TN_ERR_NOMEM;
	if (options->regions.n > TN_REGIONS_MAX) {
		r.option = "--region";
		r.text = options->regions.items[TN_REGIONS_MAX];
		refuse(&r, "there may be %d regions", TN_REGIONS_MAX);
		return TN_ERR_INPUT;
	}
	if (options->regions.n && options->plan) {
		r.option = "--region";
		r.text = options->regions.items[0];
		refuse(&r, "the plan of --plan has regions of its own");
	}
	if (options->regions.n && options->ram >= 0) {
		r.option = "--region";
		r.text = options->regions.items[0];
		refuse(&r, "--ram is the budget of a single memory; say it here");
	}
	read_list(&r, &options->regions, "--region", read_region);
	if (r.wrong) /* what names them would only be wrong again */
		return TN_ERR_INPUT;
	read_list(&r, &options->reserves, "--reserve", read_reserve);
	read_list(&r, &options->owned, "--owned", read_owned);
	read_list(&r, &options->pins, "--pin", read_pin);
	return r.wrong ? TN_ERR_INPUT : TN_OK;
}
