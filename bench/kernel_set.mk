# Adds our packed kernels to a copy of the bench:
#   make -f $(TENURE)/bench/kernel_set.mk -f Makefile TENURE=/path/to/tenure SETS=tenure \
#        out/tenure-m4/bench.elf
# The set `tenure` has the kernels for DSP, `tenure_mve` those for MVE (m55 only), `tenure_thumb`
# those for processors without DSP instructions.
SETS += tenure tenure_mve tenure_thumb
TENURE_KFLAGS = -O2 -ffunction-sections -fdata-sections -I$(TENURE)/src -I$(TENURE)/src/kernels \
	-I$(TENURE)/include
TENURE_SHARED_SRC = $(TENURE)/src/bind/dsp_pack.c $(TENURE)/src/contract/dsp.c \
	$(TENURE)/src/contract/thumb.c
KCC_tenure = $(CC)
KFLAGS_tenure = $(TENURE_KFLAGS)
KS_tenure = $(TENURE)/bench/kernel_set.c
LIBSRC_tenure = $(wildcard $(TENURE)/src/kernels/dsp/*.c) $(TENURE_SHARED_SRC) \
	$(TENURE)/src/kernels/ref/softmax_s8.c
KCC_tenure_mve = $(CC)
KFLAGS_tenure_mve = $(TENURE_KFLAGS) -DTENURE_MVE
KS_tenure_mve = $(TENURE)/bench/kernel_set.c
LIBSRC_tenure_mve = $(wildcard $(TENURE)/src/kernels/mve/*.c) $(TENURE_SHARED_SRC) \
	$(filter-out $(addprefix %/,$(notdir $(wildcard $(TENURE)/src/kernels/mve/*.c))),\
	$(wildcard $(TENURE)/src/kernels/dsp/*.c)) \
	$(TENURE)/src/bind/mve_pack.c $(TENURE)/src/contract/mve.c $(TENURE)/bench/dsp_depthwise.c
KCC_tenure_thumb = $(CC)
KFLAGS_tenure_thumb = $(TENURE_KFLAGS)
KS_tenure_thumb = $(TENURE)/bench/kernel_set_thumb.c
LIBSRC_tenure_thumb = $(wildcard $(TENURE)/src/kernels/thumb/*.c) \
	$(TENURE)/src/kernels/dsp/add_s8.c \
	$(TENURE)/src/kernels/ref/softmax_s8.c $(TENURE_SHARED_SRC) \
	$(TENURE)/src/bind/thumb_pack.c

# The sets `tenure_plain_ref`, `_thumb`, `_dsp` and `_mve` have the kernels that take the portable
# kernels' operands, and these themselves.
TENURE_PLAIN_ref = 0
TENURE_PLAIN_thumb = 1
TENURE_PLAIN_dsp = 2
TENURE_PLAIN_mve = 3
TENURE_FILES_ref = depthwise_conv_2d_s8 average_pool_2d_s8 max_pool_2d_s8 mul_s8 lut_s8
TENURE_FILES_thumb = depthwise_any_s8 average_pool_2d_s8 max_pool_2d_s8 mul_s8 lut_s8
TENURE_FILES_dsp = depthwise_any_s8 average_pool_2d_s8 max_pool_2d_s8 mul_s8 clamp_s8
TENURE_FILES_mve = depthwise_any_s8 average_pool_2d_s8 max_pool_2d_s8 mul_s8 clamp_s8
define TENURE_PLAIN
SETS += tenure_plain_$(1)
KCC_tenure_plain_$(1) = $$(CC)
KFLAGS_tenure_plain_$(1) = $(TENURE_KFLAGS) -DTENURE_PLAIN=$(TENURE_PLAIN_$(1))
KS_tenure_plain_$(1) = $(TENURE)/bench/kernel_set_plain.c
LIBSRC_tenure_plain_$(1) = $(TENURE_FILES_$(1):%=$(TENURE)/src/kernels/$(1)/%.c)
endef
$(foreach set,ref thumb dsp mve,$(eval $(call TENURE_PLAIN,$(set))))
