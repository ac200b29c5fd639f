/* The same file under another name: objects of the bench share one folder. */
#include "dsp/depthwise_conv_2d_s8.c"
