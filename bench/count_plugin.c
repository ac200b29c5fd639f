/* A plugin for QEMU (7.2 and later) that counts executed guest instructions between DBG #1
 * and DBG #2, by address: one line "address count" for each, in hexadecimal and decimal.
 * The functions of QEMU's plugin interface are declared here: Debian has no header of it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
	const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_tb_trans_cb(
	qemu_plugin_id_t id, void (*fn)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
	void (*fn)(unsigned, void *), int flags, void *user);
void qemu_plugin_register_vcpu_insn_exec_inline(
	struct qemu_plugin_insn *insn, int op, void *counter, uint64_t by);
void qemu_plugin_register_atexit_cb(
	qemu_plugin_id_t id, void (*fn)(qemu_plugin_id_t, void *), void *user);
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int n, char **arguments);

#define EXPORT	 __attribute__((visibility("default")))
#define PAGE_LOG 12 /* addresses in a page: as many halfwords as half of it */
#define PAGES	 (1 << 20)

EXPORT int qemu_plugin_version = 1;

struct page {
	uint64_t now[1 << (PAGE_LOG - 1)], begin[1 << (PAGE_LOG - 1)];
};

static struct page *pages[PAGES];
static FILE *out;

static void begin(unsigned cpu, void *user)
{
	(void)cpu;
	(void)user;
	for (uint32_t i = 0; i < PAGES; i++)
		if (pages[i])
			memcpy(pages[i]->begin, pages[i]->now, sizeof(pages[i]->now));
}

static void end(unsigned cpu, void *user)
{
	(void)cpu;
	(void)user;
	for (uint32_t i = 0; i < PAGES; i++) {
		for (uint32_t k = 0; pages[i] && k < 1 << (PAGE_LOG - 1); k++) {
			uint64_t n = pages[i]->now[k] - pages[i]->begin[k];

			if (n)
				fprintf(out, "%x %llu\n", (i << PAGE_LOG) + 2 * k,
					(unsigned long long)n);
		}
	}
}

static uint64_t *counter_of(uint32_t address)
{
	struct page **p = &pages[address >> PAGE_LOG];

	if (!*p)
		*p = calloc(1, sizeof(**p));
	return *p ? &(*p)->now[address % (1 << PAGE_LOG) / 2] : NULL;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const uint8_t *code = qemu_plugin_insn_data(insn);
		const int hint = qemu_plugin_insn_size(insn) == 4 && code[0] == 0xaf &&
				 code[1] == 0xf3 && code[3] == 0x80;
		uint64_t *counter;

		if (hint && code[2] == 0xf1) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, 0, NULL);
		} else if (hint && code[2] == 0xf2) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, 0, NULL);
		} else {
			counter = counter_of((uint32_t)qemu_plugin_insn_vaddr(insn));
			if (counter)
				qemu_plugin_register_vcpu_insn_exec_inline(
					insn, 0, counter, 1);
		}
	}
}

static void finish(qemu_plugin_id_t id, void *user)
{
	(void)id;
	(void)user;
	fclose(out);
}

EXPORT int qemu_plugin_install(
	qemu_plugin_id_t id, const void *info, int n, char **arguments)
{
	(void)info;
	for (int i = 0; i < n; i++)
		if (strncmp(arguments[i], "out=", 4) == 0)
			out = fopen(arguments[i] + 4, "w");
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
