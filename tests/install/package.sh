#!/bin/bash
# Installs the library in a folder of its own and uses it as a stranger would: a C17 program through
# pkg-config, a C++17 program through the CMake package. Checks what the shared library exports.
#
#   package.sh BUILD SOURCE
set -euo pipefail
unset DESTDIR
build=$1
source=$2
here=$source/tests/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "package.sh: $*" >&2
    exit 1
}

version=$(sed -n 's/^#define TL_VERSION_STRING "\(.*\)"/\1/p' "$source/include/talus/base.h")
[ -n "$version" ] || fail "base.h has no version"

# Installed in one place and moved to another: nothing may remember where it was built or installed.
cmake --install "$build" --prefix "$work/first" > "$work/install.log" || fail "$(cat "$work/install.log")"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
pc=$(find "$prefix" -name talus.pc)
[ -f "$pc" ] || fail "talus.pc is not installed"
if grep -r -l -F -e "$work/first" -e "$source" "$prefix" --include='*.pc' --include='*.cmake'; then
    fail "these files name a folder of the build"
fi
lib=$(dirname "$(dirname "$pc")")

# pkg-config, C17, shared and static.
export PKG_CONFIG_PATH=$lib/pkgconfig
[ "$(pkg-config --modversion talus)" = "$version" ] || fail "pkg-config has another version"
read -ra cflags <<< "$(pkg-config --cflags talus)"
read -ra libs <<< "$(pkg-config --libs talus)"
read -ra static_libs <<< "$(pkg-config --static --libs talus)"
cc=(gcc -std=c17 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" "$here/consumer.c")
"${cc[@]}" -o "$work/c_shared" "${libs[@]}" -lm -Wl,-rpath,"$lib"
"${cc[@]}" -o "$work/c_static" "${static_libs[@]/-ltalus/-l:libtalus.a}"

# The CMake package, C++17, shared and static.
cmake -S "$here" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}" \
    > "$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"
cmake --build "$work/cmake" > "$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"

for program in c_shared c_static cmake/consumer_shared cmake/consumer_static; do
    [ "$("$work/$program")" = "$version" ] || fail "$program does not run"
    linked=$(ldd "$work/$program" | grep -c libtalus || true)
    case $program in
    *shared) [ "$linked" -eq 1 ] || fail "$program does not use libtalus.so" ;;
    *static) [ "$linked" -eq 0 ] || fail "$program uses libtalus.so" ;;
    esac
done

# Each header stands on its own, in both languages.
for header in "$prefix"/include/talus/*.h; do
    gcc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c "$header"
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c++ "$header"
done

# The shared library exports what the headers declare and nothing else.
nm -D --defined-only "$lib/libtalus.so" | awk '{print $3}' | sort > "$work/exported"
cat "$prefix"/include/talus/*.h | tr '\n' ' ' | grep -o 'TL_API [^;(]*(' | grep -o 'tl_[a-z0-9_]*(' |
    tr -d '(' | sort > "$work/declared"
[ -s "$work/declared" ] || fail "no declaration found in the headers"
diff "$work/declared" "$work/exported" || fail "declared (<) and exported (>) symbols differ"

soname=$(objdump -p "$lib/libtalus.so" | awk '$1 == "SONAME" {print $2}')
[ "$soname" = "libtalus.so.${version%%.*}" ] || fail "the SONAME is $soname"
[ -f "$lib/$soname" ] || fail "$soname is not installed"
[ -f "$lib/libtalus.so.$version" ] || fail "libtalus.so.$version is not installed"
