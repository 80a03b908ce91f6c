#!/bin/sh
# Builds a fuzzer with clang and runs it: the core and talus_io with libFuzzer's coverage and the address and
# undefined behaviour sanitizers in BUILD/fuzz, linked with tests/fuzz/fuzz_NAME.c. The kernels, which read no file,
# are those of BUILD. Starts from
# tests/fuzz/corpus/NAME; what it finds on the way is kept in BUILD/fuzz/corpus/NAME, and an input that
# breaks something in BUILD/fuzz/NAME-*. It runs for 2 seconds, for 600 among the long tests (TALUS_LONG),
# where FUZZ_SECONDS says how long instead, or for SECONDS. ctest calls this.
#
#   tests/fuzz/run.sh BUILD SOURCE NAME [SECONDS]
set -eu
build=$1/fuzz source=$2 name=$3
seconds=${4-${TALUS_LONG+${FUZZ_SECONDS:-600}}}
seconds=${seconds:-2}
case $seconds in
*[!0-9]* | 0) # libFuzzer takes 0 for no limit, and a word for 0
    echo "run.sh: FUZZ_SECONDS is '$seconds', expected a whole number above 0" >&2
    exit 2
    ;;
esac

mkdir -p "$build/corpus/$name"
(
    flock 9 # several fuzzers share the libraries
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS="-O1 -g1 -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION" \
        -DTALUS_SANITIZE=fuzzer-no-link,address,undefined -DTALUS_KERNELS=OFF -DTALUS_TESTS=OFF -DTALUS_CUDA=OFF \
        -DTALUS_ASSIMP=OFF -DTALUS_BENCH=OFF -DTALUS_EXAMPLES=OFF -DTALUS_INSTALL=OFF > "$build/configure.log"
    cmake --build "$build" --target talus_io_static > "$build/build.log" ||
        { cat "$build/build.log"; exit 1; }
    # shellcheck disable=SC2046  # words, on purpose
    clang -O1 -g1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I"$source/include" \
        -I"$source/src" $(pkg-config --cflags jansson hdf5) "$source/tests/fuzz/fuzz_$name.c" \
        "$build/libtalus_io.a" "$build/libtalus.a" "$1/libtalus.a" $(pkg-config --libs jansson hdf5) -lm -lpthread -ldl \
        -o "$build/fuzz_$name"
) 9> "$build/lock"

options=
[ ! -f "$source/tests/fuzz/$name.dict" ] || options=-dict=$source/tests/fuzz/$name.dict
exec "$build/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -artifact_prefix="$build/$name-" -print_final_stats=1 $options \
    "$build/corpus/$name" "$source/tests/fuzz/corpus/$name"
