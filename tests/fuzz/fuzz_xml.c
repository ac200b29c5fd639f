/* Any bytes as one of the project's own XML files, FUZZ_XML: a rule pack, a configuration,
 * a baseline, boards, or contracts. They are read, or refused with a report. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "board/board.h"
#include "claims/declared.h"
#include "rules/baseline.h"
#include "rules/config.h"

enum kind { XML_PACK, XML_CONFIG, XML_BASELINE, XML_BOARDS, XML_CONTRACTS };

static enum tn_status read_file(
	const char *file, struct tn_arena *arena, struct tn_diags *diags)
{
	struct tn_rule_set rules = { 0 };
	struct tn_config config;
	struct tn_baseline baseline;
	struct tn_boards boards = { 0 };
	struct tn_declared declared = { 0 };

	switch (FUZZ_XML) {
	case XML_PACK:
		return tn_rules_read(file, arena, diags, &rules);
	case XML_CONFIG:
		return tn_config_read(file, arena, diags, &config);
	case XML_BASELINE:
		return tn_baseline_read(file, arena, diags, &baseline);
	case XML_BOARDS:
		return tn_boards_read(file, arena, diags, &boards);
	default:
		return tn_declared_read(file, arena, diags, &declared);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz.xml", 0);
	struct tn_arena arena;
	struct tn_diags diags;
	enum tn_status status;
	char name[64];

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	status = read_file(name, &arena, &diags);
	require(status == TN_OK || status == TN_ERR_INPUT);
	require((status == TN_OK) == (diags.errors == 0));
	tn_arena_release(&arena);
	close(fd);
	return 0;
}
