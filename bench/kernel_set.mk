# Adds our packed kernels to a copy of the bench:
#   make -f $(TENURE)/bench/kernel_set.mk -f Makefile TENURE=/path/to/tenure SETS=tenure \
#        out/tenure-m4/bench.elf
# The set `tenure` has the kernels for DSP, `tenure_mve` those for MVE (m55 only).
SETS += tenure tenure_mve
TENURE_KFLAGS = -O2 -ffunction-sections -fdata-sections -I$(TENURE)/src -I$(TENURE)/src/kernels \
	-I$(TENURE)/include
TENURE_SHARED_SRC = $(TENURE)/src/bind/dsp_pack.c $(TENURE)/src/contract/dsp.c \
	$(TENURE)/src/kernels/ref/softmax_s8.c
KCC_tenure = $(CC)
KFLAGS_tenure = $(TENURE_KFLAGS)
KS_tenure = $(TENURE)/bench/kernel_set.c
LIBSRC_tenure = $(wildcard $(TENURE)/src/kernels/dsp/*.c) $(TENURE_SHARED_SRC)
KCC_tenure_mve = $(CC)
KFLAGS_tenure_mve = $(TENURE_KFLAGS) -DTENURE_MVE
KS_tenure_mve = $(TENURE)/bench/kernel_set.c
LIBSRC_tenure_mve = $(wildcard $(TENURE)/src/kernels/mve/*.c) $(TENURE_SHARED_SRC) \
	$(filter-out $(addprefix %/,$(notdir $(wildcard $(TENURE)/src/kernels/mve/*.c))),\
	$(wildcard $(TENURE)/src/kernels/dsp/*.c)) \
	$(TENURE)/src/bind/mve_pack.c $(TENURE)/src/contract/mve.c $(TENURE)/bench/dsp_depthwise.c
