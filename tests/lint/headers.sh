#!/bin/sh
# Every header compiles alone, in C11; the public host header in C++ too.
set -e
root=$1
cd "$root/src"
flags=$(pkg-config --cflags jansson libxml-2.0)
# shellcheck disable=SC2086,SC2046 # words
cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -I. -I../include $flags -x c \
	$(printf '%s\n' */*.h | grep -v '^kernels/')
cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -I../include -x c ../include/tenure/*.h
c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I../include -x c++ ../include/tenure/*.h
