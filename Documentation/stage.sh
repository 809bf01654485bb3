#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Lay out what Sphinx reads: the pages of this folder, and below api/ a page of
# each header that has kernel-doc. Those are made by the kernel's own
# scripts/kernel-doc; without a prepared kernel source they only say so.
# usage: stage.sh FOLDER
set -eu

here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/.." && pwd)
stage=${1:?usage: stage.sh FOLDER}
cache=${VACC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/virtio-accel}

# The newest prepared source, if there is one: see tools/kernels/get source.
script=
for dir in "$cache"/src/*; do
	[ ! -e "$dir/scripts/kernel-doc" ] || script=$dir/scripts/kernel-doc
done
[ -n "$script" ] ||
	echo "docs: skip kernel-doc: no kernel source in $cache/src (tools/kernels/get source)"

# scopes HEADER: Sphinx has one namespace for functions and structures of all
# headers, C has not: give each kind of each header its own.
scopes() {
	sed "s/^\.\. c:\(struct\|union\|enum\|function\|macro\|type\)::/.. c:namespace:: $1_\1\n\n&/"
}

# page NAME TITLE HEADER...: a page below api/
page() {
	file=$stage/api/$1.rst
	title=$2
	shift 2
	echo "$title" >"$file"
	echo "$title" | tr '[:print:]' = >>"$file"
	for header; do
		printf '\nFrom *%s*.\n\n' "$header" >>"$file"
		if [ -n "$script" ]; then
			"$script" -rst -Werror -sphinx-version 5.3 "$repo/$header" >"$file.doc"
			scopes "$(basename "$header" .h)" <"$file.doc" >>"$file"
			rm "$file.doc"
		else
			echo "This page was built without the kernel source that makes it." >>"$file"
		fi
	done
}

rm -rf "$stage"
mkdir -p "$stage"
(cd "$here" && find . -name '*.rst' -o -name '*.txt' -o -name conf.py -o -path './examples/*.c' \
	-o -path './examples/*.sh') |
while read -r file; do
	mkdir -p "$stage/$(dirname "$file")"
	cp "$here/$file" "$stage/$file"
done

mkdir -p "$stage/api"
page vacc 'The ioctls: linux/vacc.h' include/uapi/linux/vacc.h
page vacc_reference 'The artifacts: linux/vacc_reference.h' include/uapi/linux/vacc_reference.h
page virtio_accel 'The protocol: linux/virtio_accel.h' include/uapi/linux/virtio_accel.h
page backend 'The seam: drivers/backend.h' drivers/backend.h
libvacc=
for header in "$repo"/tools/libvacc/libvacc_*.h; do
	[ ! -e "$header" ] || libvacc="$libvacc tools/libvacc/${header##*/}"
done
# shellcheck disable=SC2086 # a list of files
page libvacc 'The library: libvacc.h' $libvacc
