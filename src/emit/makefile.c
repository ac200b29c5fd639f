/* The Makefile, what it knows of processors, and CMakeLists.txt. */
#include "emit/writer.h"

#include <string.h>

#include "base/banned.h"

#define FLAGS_MAX 6

static const struct {
	const char *cpu;
	const char *flags[FLAGS_MAX];
} cpus[] = {
	{ "host", { NULL } },
	{ "cortex-m0plus",
		{ "-mcpu=cortex-m0plus", "-mthumb", "-mfloat-abi=soft", NULL } },
	{ "cortex-m3", { "-mcpu=cortex-m3", "-mthumb", "-mfloat-abi=soft", NULL } },
	{ "cortex-m4", { "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16",
			       "-mfloat-abi=hard", NULL } },
	{ "cortex-m7", { "-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16",
			       "-mfloat-abi=hard", NULL } },
	{ "cortex-m33", { "-mcpu=cortex-m33", "-mthumb", "-mfpu=fpv5-sp-d16",
				"-mfloat-abi=hard", NULL } },
	{ "cortex-m55", { "-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard", NULL } },
};
#define N_CPUS (sizeof(cpus) / sizeof(*cpus))

const char *tn_emit_cpu_name(uint32_t i)
{
	return i < N_CPUS ? cpus[i].cpu : NULL;
}

static bool same_cpu(const char *known, const char *asked)
{
	static const char family[] = "cortex-";
	size_t len = sizeof(family) - 1;

	return strcmp(known, asked) == 0 ||
	       (strncmp(known, family, len) == 0 && strcmp(known + len, asked) == 0);
}

const char *tn_emit_cpu_find(const char *cpu, const char *const **out_flags)
{
	for (size_t i = 0; i < N_CPUS; i++) {
		if (same_cpu(cpus[i].cpu, cpu)) {
			*out_flags = cpus[i].flags;
			return cpus[i].cpu;
		}
	}
	return NULL;
}

/* ---- Makefile ---- */

/* Each behind `next`, which may start a line, and the folder that the project is in. */
static void print_sources(const struct tn_writer *ws, uint32_t n, const char *next,
	const char *in, struct tn_strbuf *out)
{
	for (uint32_t m = 0; m < n; m++) {
		tn_strbuf_printf(
			out, " %s%s.c %s%s.c", in, ws[m].file, in, ws[m].weights);
		if (tn_memory_given(&ws[m]))
			tn_strbuf_printf(out, " %s%s.c", in, ws[m].memory);
	}
	for (uint32_t i = 0; i < ws[0].files->list.count; i++) {
		const struct tn_embedded *file = ws[0].files->list.items[i];

		if (!tn_kernel_file_is_source(file))
			continue;
		tn_strbuf_printf(out, "%s%s", next, in);
		tn_kernel_file_path(file->name, ws[0].options->flat, out);
	}
}

static const char *library_name(const struct tn_writer *ws, uint32_t n)
{
	return n == 1 ? ws[0].ident : "models";
}

void tn_write_makefile(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out)
{
	const char *const *flags = NULL;
	const char *cpu = ws[0].options->cpu ? ws[0].options->cpu : "host";

	cpu = tn_emit_cpu_find(cpu, &flags);
	tn_strbuf_printf(out,
		"# Made by tenure.\n"
		"#   make                                      for %s\n"
		"#   make CPU=host CROSS=                      for this machine\n"
		"#   make CPU=cortex-m4 CROSS=arm-none-eabi-   for a Cortex-M4\n"
		"# Results must be the same bits everywhere: keep -ffp-contract=off, and "
		"never "
		"add\n# -ffast-math.\n"
		"CPU ?= %s\nCROSS ?= %s\nOPT ?= -O2\n\n"
		"CC = $(CROSS)gcc\nAR = $(CROSS)ar\n"
		"OUT = build/$(CPU)\n",
		cpu, cpu, flags[0] ? "arm-none-eabi-" : "");
	for (size_t i = 0; i < N_CPUS; i++) {
		tn_strbuf_printf(out, "FLAGS_%s =", cpus[i].cpu);
		for (size_t k = 0; cpus[i].flags[k]; k++)
			tn_strbuf_printf(out, " %s", cpus[i].flags[k]);
		tn_strbuf_puts(out, "\n");
	}
	tn_strbuf_puts(out, "ifeq ($(origin FLAGS_$(CPU)),undefined)\n"
			    "$(error no processor '$(CPU)' is known here)\n"
			    "endif\n\n");
	tn_strbuf_puts(out, "SOURCES =");
	print_sources(ws, n, " \\\n\t", "", out);
	tn_strbuf_printf(out,
		"\nOBJECTS = $(SOURCES:%%.c=$(OUT)/%%.o)\n"
		"LIBRARY = $(OUT)/lib%s.a\n\n"
		"all: $(LIBRARY)\n\n"
		"$(LIBRARY): $(OBJECTS)\n\trm -f $@\n\t$(AR) rcs $@ $(OBJECTS)\n\n"
		"$(OUT)/%%.o: %%.c\n\t@mkdir -p $(dir $@)\n"
		"\t$(CC) -std=c99 -Wall -Wextra $(FLAGS_$(CPU)) $(OPT) -ffp-contract=off "
		"\\\n"
		"\t\t-ffunction-sections -fdata-sections%s $(CFLAGS) -MMD -MP -c "
		"-o $@ "
		"$<\n\n"
		"size: $(LIBRARY)\n\t$(CROSS)size -t $(LIBRARY)\n\n"
		"clean:\n\trm -rf build\n\n"
		".PHONY: all size clean\n"
		"-include $(OBJECTS:.o=.d)\n",
		library_name(ws, n), ws[0].options->flat ? "" : " -Ikernels");
	if (ws[0].options->test)
		tn_strbuf_puts(out, "include test/test.mk\n");
}

/* The processor's options are those of who builds the firmware: a toolchain file's. */
void tn_write_cmake(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out)
{
	const char *name = library_name(ws, n);

	tn_strbuf_printf(out,
		"# Made by tenure: a library of the model and its kernels. In a project "
		"of your "
		"own:\n"
		"#   add_subdirectory(this-directory)\n"
		"#   target_link_libraries(firmware PRIVATE %s)\n"
		"# Results must be the same bits everywhere: keep -ffp-contract=off, and "
		"never add\n# -ffast-math.\n"
		"cmake_minimum_required(VERSION 3.13)\n"
		"project(%s C)\n\n"
		"add_library(%s STATIC",
		name, name, name);
	print_sources(ws, n, "\n\t", "", out);
	tn_strbuf_printf(out,
		")\n"
		"target_include_directories(%s PUBLIC .%s)\n"
		"target_compile_options(%s PRIVATE -O2 -Wall -Wextra -ffp-contract=off\n"
		"\t-ffunction-sections -fdata-sections)\n"
		"set_target_properties(%s PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)\n",
		name, ws[0].options->flat ? "" : " PRIVATE kernels", name, name);
}

/* ---- frameworks, for one folder ---- */

void tn_write_arduino(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"name=%s\nversion=1.0.0\nauthor=tenure\nmaintainer=tenure\n"
		"sentence=A neural network as C, with its memory planned.\n"
		"paragraph=README.md says what to call.\n"
		"category=Data Processing\nurl=\narchitectures=*\nincludes=%s.h\n",
		library_name(ws, n), n == 1 ? ws[0].file : "models");
}

void tn_write_zephyr_module(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "name: %s\nbuild:\n  cmake: zephyr\n", library_name(ws, n));
}

void tn_write_zephyr_cmake(const struct tn_writer *ws, uint32_t n, struct tn_strbuf *out)
{
	tn_strbuf_printf(out,
		"# Made by tenure: the folder above as a module of Zephyr.\n"
		"zephyr_include_directories(..)\n"
		"zephyr_library_named(%s)\n"
		"zephyr_library_compile_options(-ffp-contract=off)\n"
		"zephyr_library_sources(",
		library_name(ws, n));
	print_sources(ws, n, "\n\t", "${CMAKE_CURRENT_LIST_DIR}/../", out);
	tn_strbuf_puts(out, ")\n");
}
