#!/usr/bin/env python3
"""Rows of src/emit/footprint.def hold: a few kernels are compiled and measured again.
Usage: footprint.py SOURCE_ROOT"""
import pathlib
import shutil
import subprocess
import sys

if not shutil.which('arm-none-eabi-gcc') or not shutil.which('arm-none-eabi-size'):
    sys.exit(77)  # skipped
root = pathlib.Path(sys.argv[1])
names = ['conv_2d_s8', 'depthwise_conv_2d_s8', 'fully_connected_s8', 'softmax_s8', 'add_s8']
sys.exit(subprocess.run([root / 'tools/measure_kernels.py', '--check']
                        + [f'ref/{name}.c' for name in names]).returncode)
