# Adds our packed kernels to a copy of the bench: append to its Makefile, or
#   make -f Makefile -f $(TENURE)/bench/kernel_set.mk TENURE=/path/to/tenure \
#        out/tenure-m4/bench.elf
SETS += tenure
KCC_tenure = $(CC)
KFLAGS_tenure = -O2 -ffunction-sections -fdata-sections -I$(TENURE)/src -I$(TENURE)/src/kernels \
	-I$(TENURE)/include
KS_tenure = $(TENURE)/bench/kernel_set.c
LIBSRC_tenure = $(wildcard $(TENURE)/src/kernels/dsp/*.c) $(TENURE)/src/bind/dsp_pack.c \
	$(TENURE)/src/kernels/ref/softmax_s8.c $(TENURE)/src/kernels/ref/max_pool_2d_s8.c \
	$(TENURE)/src/contract/dsp.c
