#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests of library and command line that need no device: check.sh DIR, where DIR
# has what was built. The last line is "N passed, N failed".

build=$(cd "$1" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
tools=$(dirname "$(dirname "$here")")
PATH=$build/obj/test/bin:$PATH
CC=${CC:-gcc}
# shellcheck source=tools/vacc/test/shell.sh
. "$here/shell.sh"
begin

counts "$build/tools-test"
# shellcheck source=tools/vacc/test/offline.sh
. "$here/offline.sh"

# What the library exports is what its headers declare.
cat "$tools"/libvacc/libvacc*.h | grep -v '^static inline' |
	sed -n 's/^[a-z_].*[ *]\(vacc_[a-z_]*\)(.*/\1/p' | sort >declared
nm -D --defined-only "$build/libvacc.so.0" | sed -n 's/.* T \([a-z_]*\)@@.*/\1/p' |
	sort >exported
check 'exports and declarations' diff declared exported
check 'many of them' test "$(wc -l <declared)" -gt 60
shows 'SONAME.*libvacc.so.0' readelf -d "$build/libvacc.so.0"

# Each header stands alone.
for header in "$tools"/libvacc/libvacc*.h; do
	name=$(basename "$header")
	echo "#include \"$name\"" >alone.c
	check "$name as C99" "$CC" -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only \
		-I"$tools/libvacc" -I"$tools/../include/uapi" alone.c
	check "$name as C++" "$CC" -x c++ -Wall -Wextra -Werror -fsyntax-only \
		-I"$tools/libvacc" -I"$tools/../include/uapi" alone.c
done

# An installed library can be used by itself.
check 'install' make -s -C "$tools" O="$build" install PREFIX=/opt/x DESTDIR="$work/root"
sed "s|^prefix=|prefix=$work/root|" root/opt/x/lib/pkgconfig/libvacc.pc >libvacc.pc
check 'prefix' grep -q "^prefix=$work/root/opt/x\$" libvacc.pc
cat >use.c <<'END'
#include <libvacc.h>
#include <stdio.h>

int main(void)
{
	puts(vacc_strerror(-2));
	return 0;
}
END
flags=$(PKG_CONFIG_PATH=. pkg-config --cflags --libs libvacc 2>/dev/null) ||
	flags="-I$work/root/opt/x/include/libvacc -L$work/root/opt/x/lib -lvacc"
# shellcheck disable=SC2086
check 'shared' "$CC" -Wall -Werror -o shared use.c $flags
shows 'no such object' env LD_LIBRARY_PATH=root/opt/x/lib ./shared
check 'static' "$CC" -Wall -Werror -o static use.c -Iroot/opt/x/include/libvacc \
	root/opt/x/lib/libvacc.a
shows 'no such object' ./static
shows 'usage' root/opt/x/bin/vacc --help
shows 'usage' root/opt/x/sbin/vaccd --help
check 'man page' test -s root/opt/x/share/man/man1/vaccd.1
check 'unit' grep -q '^ExecStart=/opt/x/sbin/vaccd ' root/opt/x/lib/systemd/system/vaccd@.service
finish
