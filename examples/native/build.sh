#!/bin/sh
# Builds the programs into the folder DIR: build.sh DIR [RUNTIME...], of serial libgomp libomp tbb massivethreads
# qthreads. The first four need g++, clang++, libomp-dev and libtbb-dev, the last autoconf and libtool. Sources are
# those of MASSIVETHREADS_SOURCE and QTHREADS_SOURCE, git repositories; without, of the public ones.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- serial libgomp libomp tbb massivethreads qthreads

# library NAME REPOSITORY COMMIT FLAGS... builds a library into DIR/NAME.
library() {
	name=$1 from=$2 commit=$3
	shift 3
	[ ! -d "$dir/$name" ] || return 0
	rm -rf "$dir/$name.source"
	git clone -q --no-checkout "$from" "$dir/$name.source"
	(
		cd "$dir/$name.source"
		git checkout -q "$commit"
		[ -f configure ] || ./autogen.sh
		./configure --prefix="$dir/$name" "$@"
		for part in $parts; do make -C $part install; done
	) >"$dir/$name.log" 2>&1
}
program() { # NAME COMPILER FLAGS...
	name=$1 compiler=$2
	shift 2
	"$compiler" -std=c++17 ${CXXFLAGS:--O3 -march=native} -Wall -pthread -I"$here/../../loi/native" \
		-o "$dir/$name" "$here/programs.cc" "$@"
}
for runtime; do
	case $runtime in
	serial) program serial g++ ;;
	libgomp) program libgomp g++ -fopenmp ;;
	libomp) program libomp clang++ -fopenmp ;;
	tbb) program tbb g++ -DTBB -ltbb ;;
	massivethreads)
		parts=. library massivethreads-library \
			"${MASSIVETHREADS_SOURCE:-https://github.com/massivethreads/massivethreads}" 607ead8
		at=$dir/massivethreads-library
		program massivethreads g++ -DMYTH -isystem "$at/include" -L"$at/lib" -Wl,-rpath,"$at/lib" -lmyth-native
		;;
	qthreads)
		parts="include src" library qthreads-library \
			"${QTHREADS_SOURCE:-https://github.com/Qthreads/qthreads}" 5b7c320e CFLAGS="-O2 -fcommon"
		at=$dir/qthreads-library
		program qthreads g++ -DQTHREADS -isystem "$at/include" -L"$at/lib" -Wl,-rpath,"$at/lib" -lqthread
		;;
	*) echo "$runtime: no such runtime" >&2 && exit 2 ;;
	esac
done
