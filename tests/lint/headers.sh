#!/bin/sh
# Every header compiles alone, in C11; the public host header in C++ too.
set -e
root=$1
cd "$root/src"
flags=$(pkg-config --cflags jansson libxml-2.0)
for h in */*.h; do
	case $h in kernels/*) continue ;; esac
	printf '#include "%s"\n' "$h" |
		cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -x c -I. -I../include \
			$flags -
done
for h in ../include/tenure/*.h; do
	printf '#include "%s"\n' "$h" |
		cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c -I../include -
	printf '#include "%s"\n' "$h" |
		c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ -I../include -
done
