/* A plugin for QEMU 7.2 and later that counts executed guest instructions, by address. The
 * program that is counted marks stretches of its run with the hints DBG #1 and DBG #2, which
 * do nothing; only what runs between them counts.
 *
 *   qemu-system-arm -plugin count.so,out=FILE ...
 *
 * FILE gets a line "total N" for each stretch, in order, and a line "at ADDRESS N" for each
 * instruction that ran in any of them. The few declarations of the plugin interface that it
 * needs are its own: Debian's packages have the interface, but not its header. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tb;
struct insn;
typedef uint64_t plugin_id;

enum flags { CB_NO_REGS };
enum operation { INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct tb *tb);
struct insn *qemu_plugin_tb_get_insn(const struct tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct insn *insn);
size_t qemu_plugin_insn_size(const struct insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct insn *insn);
void qemu_plugin_register_vcpu_tb_trans_cb(
	plugin_id id, void (*translated)(plugin_id id, struct tb *tb));
void qemu_plugin_register_vcpu_insn_exec_cb(struct insn *insn,
	void (*executed)(unsigned cpu, void *user), enum flags flags, void *user);
void qemu_plugin_register_vcpu_insn_exec_inline(
	struct insn *insn, enum operation operation, void *counter, uint64_t add);
void qemu_plugin_register_atexit_cb(
	plugin_id id, void (*at_exit)(plugin_id id, void *user), void *user);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(
	plugin_id id, const void *info, int argc, char **argv);

#define PLACES ((uint64_t)1 << 20) /* a power of two, far more than instructions */

struct place {
	uint64_t address;
	uint64_t run, kept; /* executions: of all, of those in earlier stretches */
	uint64_t start; /* of those before this stretch */
	int used;
};

static struct place *places;
static FILE *out;
static int inside;

static struct place *place_of(uint64_t address)
{
	for (uint64_t i = address / 2;; i++) {
		struct place *p = &places[i & (PLACES - 1)];

		if (p->used && p->address != address)
			continue;
		p->used = 1;
		p->address = address;
		return p;
	}
}

static void begin(unsigned cpu, void *user)
{
	(void)cpu;
	(void)user;
	inside = 1;
	for (uint64_t i = 0; i < PLACES; i++)
		places[i].start = places[i].run;
}

static void end(unsigned cpu, void *user)
{
	uint64_t total = 0;

	(void)cpu;
	(void)user;
	if (!inside)
		return;
	inside = 0;
	for (uint64_t i = 0; i < PLACES; i++) {
		places[i].kept += places[i].run - places[i].start;
		total += places[i].run - places[i].start;
	}
	fprintf(out, "total %" PRIu64 "\n", total);
}

/* The number of a DBG hint, or -1. */
static int hint(const struct insn *insn)
{
	const unsigned char *b = qemu_plugin_insn_data(insn);

	if (qemu_plugin_insn_size(insn) != 4 || b[0] != 0xaf || b[1] != 0xf3 ||
		b[3] != 0x80 || (b[2] & 0xf0) != 0xf0)
		return -1;
	return b[2] & 15;
}

static void translated(plugin_id id, struct tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct insn *insn = qemu_plugin_tb_get_insn(tb, i);
		int number = hint(insn);

		if (number == 1 || number == 2)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, number == 1 ? begin : end, CB_NO_REGS, NULL);
		else
			qemu_plugin_register_vcpu_insn_exec_inline(insn, INLINE_ADD_U64,
				&place_of(qemu_plugin_insn_vaddr(insn))->run, 1);
	}
}

static void at_exit(plugin_id id, void *user)
{
	(void)id;
	(void)user;
	for (uint64_t i = 0; i < PLACES; i++)
		if (places[i].kept)
			fprintf(out, "at %" PRIx64 " %" PRIu64 "\n", places[i].address,
				places[i].kept);
	fclose(out);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	places = calloc(PLACES, sizeof(*places));
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "out=", 4) == 0 && !out)
			out = fopen(argv[i] + 4, "w");
	if (!places || !out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
