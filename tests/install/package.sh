#!/bin/bash
# Installs everything in a folder of its own and uses it as a stranger would: C17 programs through
# pkg-config, C++17 programs through the CMake package, the command with its manual page and completion.
# Checks what the shared libraries export. talus_io and the command are there where they were built.
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
# Before 1.0 each minor version is a library of its own.
case $version in
0.*) abi=${version%.*} ;;
*) abi=${version%%.*} ;;
esac

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
programs=()
packages=(talus)
[ ! -f "$lib/libtalus_io.a" ] || packages+=(talus_io)
compile() # package, source
{
    local cflags libs static_libs
    read -ra cflags <<< "$(pkg-config --cflags "$1")"
    read -ra libs <<< "$(pkg-config --libs "$1")"
    read -ra static_libs <<< "$(pkg-config --static --libs "$1")"
    static_libs=("${static_libs[@]/%-ltalus/-l:libtalus.a}")
    static_libs=("${static_libs[@]/%-ltalus_io/-l:libtalus_io.a}")
    local cc=(gcc -std=c17 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" "$here/$2")
    "${cc[@]}" -o "$work/$1_shared" "${libs[@]}" -lm -Wl,-rpath,"$lib"
    "${cc[@]}" -o "$work/$1_static" "${static_libs[@]}"
    programs+=("$1_shared" "$1_static")
}
for package in "${packages[@]}"; do
    compile "$package" "consumer${package#talus}.c"
    programs+=("cmake/consumer${package#talus}_shared" "cmake/consumer${package#talus}_static")
done

# The CMake package, C++17, shared and static.
cmake -S "$here" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}" \
    > "$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"
cmake --build "$work/cmake" > "$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"

cd "$work"
for program in "${programs[@]}"; do
    [ "$("$work/$program")" = "$version" ] || fail "$program does not run"
    linked=$(ldd "$work/$program" | grep -c libtalus || true)
    case $program in
    *io_shared) [ "$linked" -eq 2 ] || fail "$program does not use libtalus_io.so and libtalus.so" ;;
    *shared) [ "$linked" -eq 1 ] || fail "$program does not use libtalus.so" ;;
    *static) [ "$linked" -eq 0 ] || fail "$program uses libtalus.so" ;;
    esac
done

# Each header stands on its own, in both languages.
for header in "$prefix"/include/talus/*.h; do
    gcc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c "$header"
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c++ "$header"
done

# The shared libraries export what the headers declare and nothing else, but for what the core exports
# for talus_io alone.
declared() # headers
{
    cat "$@" | tr '\n' ' ' | grep -o 'TL_API [^;(]*(' | grep -o 'tl_[a-z0-9_]*(' | tr -d '(' | sort
}
exported() # library
{
    nm -D --defined-only "$1" | awk '{print $3}' | sort
}
public=("$prefix"/include/talus/*.h)
for package in "${packages[@]}"; do
    if [ "$package" = talus ]; then
        declared "${public[@]/%*\/io.h/\/dev\/null}" "$source"/src/base/*.h \
            "$source"/src/scene/start.h > declared.txt
    else
        declared "$prefix/include/talus/io.h" > declared.txt
    fi
    [ -s declared.txt ] || fail "no declaration found in the headers of $package"
    exported "$lib/lib$package.so" > exported.txt
    diff declared.txt exported.txt || fail "declared (<) and exported (>) symbols of $package differ"
    soname=$(objdump -p "$lib/lib$package.so" | awk '$1 == "SONAME" {print $2}')
    [ "$soname" = "lib$package.so.$abi" ] || fail "the SONAME is $soname"
    [ -f "$lib/$soname" ] || fail "$soname is not installed"
    [ -f "$lib/lib$package.so.$version" ] || fail "lib$package.so.$version is not installed"
done

# The command, its manual page, its completion; talus-bench beside it, where it was built.
if [ -f "$lib/libtalus_io.a" ]; then
    [ "$("$prefix/bin/talus" --version)" = "talus $version" ] || fail "the installed command does not run"
    [ -f "$prefix/share/man/man1/talus.1" ] || fail "the manual page is not installed"
    bash -c "source '$prefix/share/bash-completion/completions/talus' && complete -p talus" > complete.log ||
        fail "the completion is not installed: $(cat complete.log)"
    rpath=$(objdump -p "$prefix/bin/talus" | awk '$1 ~ /R.*PATH/ {print $2}')
    [[ $rpath == "\$ORIGIN/"* ]] || fail "talus looks for the plugin in '$rpath'"
    if [ -f "$build/talus-bench" ]; then
        "$prefix/bin/talus" bench --list > bench.log || fail "talus bench does not run: $(cat bench.log)"
        cmp bench.log <("$build/talus-bench" --list) || fail "talus bench is not talus-bench"
    fi
elif [ -e "$prefix/include/talus/io.h" ]; then
    fail "talus/io.h is installed without its library"
fi

# Without the development files of HDF5 everything works but linking the static talus_io.
if [ ${#packages[@]} -eq 2 ]; then
    mkdir only
    cp "$lib/pkgconfig/"*.pc only
    PKG_CONFIG_LIBDIR=$PWD/only PKG_CONFIG_PATH='' pkg-config --cflags --libs talus_io > only.log 2>&1 ||
        fail "pkg-config: $(cat only.log)"
    PKG_CONFIG_LIBDIR=$PWD/only PKG_CONFIG_PATH='' cmake -S "$here" -B only/cmake -G Ninja \
        -DCMAKE_PREFIX_PATH="$prefix" > only.log 2>&1 || fail "$(cat only.log)"
    cmake --build only/cmake --target consumer_io_shared consumer_static > only.log 2>&1 || fail "$(cat only.log)"
fi
