#!/bin/bash
# Checks tools/deps in a world of fake commands: which packages it finds missing, how it installs them
# as root, through sudo and not at all, and that it asks and changes nothing when nothing is missing.
#
#   deps.sh BUILD SOURCE
set -euo pipefail
deps=$2/tools/deps
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=$work/bin
log=$work/log

fail()
{
    echo "deps.sh: $*" >&2
    exit 1
}

fake() # name, script
{
    printf '#!/bin/sh\n%s\n' "$2" > "$bin/$1"
    chmod +x "$bin/$1"
}

# A machine on which everything is installed, and nobody is root.
fresh()
{
    rm -rf "$bin"
    mkdir "$bin"
    : > "$log"
    local tool
    for tool in sh env; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    for tool in gcc g++ cmake ninja clang clang-format clang-tidy doxygen pkg-config npm xvfb-run xauth pvpython mandoc ffmpeg liggghts yade blender povray tachyon; do
        fake $tool ''
    done
    fake dpkg-query 'printf installed'
    fake apt-get "echo \"\$DEBIAN_FRONTEND apt-get \$*\" >> $log"
    fake id 'echo 1000'
}

# Runs tools/deps there and compares exit code, output and what was run with apt-get.
expect() # name, exit code, output pattern (a shell pattern), log, arguments
{
    local code=0 output
    output=$(PATH=$bin sh "$deps" "${@:5}" 2>&1) || code=$?
    [ $code -eq "$2" ] || fail "$1: exit code $code, not $2: $output"
    # shellcheck disable=SC2053  # a pattern, on purpose
    [[ $output == $3 ]] || fail "$1: printed: $output"
    [ "$(cat "$log")" = "$4" ] || fail "$1: ran: $(cat "$log")"
}

installed_line()
{
    echo "noninteractive apt-get update -qq"
    echo "noninteractive apt-get install -y --no-install-recommends $1 -qq"
}

for target in build bench test test-long docs format lint; do
    fresh
    expect "all there, $target" 0 "" "" $target
done

fresh
rm "$bin/ninja"
fake dpkg-query 'exit 1'
fake id 'echo 0'
missing="libc6-dev ninja-build libjansson-dev libhdf5-dev libassimp-dev libembree-dev libpng-dev libwebsockets-dev"
expect "root" 0 "Installing: $missing" "$(installed_line "$missing")" build

fresh
rm "$bin/cmake"
expect "dry run" 0 "Would install: cmake" "" --dry-run build
expect "no root" 1 "Missing: cmake. *
    apt-get update && apt-get install -y --no-install-recommends cmake" "" build
fake sudo 'exit 1'
expect "sudo wants a password" 1 "Missing: cmake. *" "" build
fake sudo "[ \"\$1\" = -n ] || exit 1; shift; [ \"\$1\" = true ] || \"\$@\""
expect "sudo" 0 "Installing: cmake" "$(installed_line cmake)" build

fresh
# shellcheck disable=SC2016  # for the fake to expand
fake dpkg-query '[ "$4" != libcmocka-dev ] || { printf config-files; exit 0; }; printf installed'
expect "removed, not purged" 0 "Would install: libcmocka-dev" "" --dry-run test

# Every command that a test needs is one that is asked for: packages that only recommend each other are
# not enough (paraview without pvpython, xvfb-run without xauth).
for program in xvfb-run:xvfb xauth:xauth mandoc:mandoc pvpython:python3-paraview; do
    for target in test test-long; do
        fresh
        rm "$bin/${program%:*}"
        expect "no ${program%:*}" 0 "Would install: ${program#*:}" "" --dry-run $target
    done
done

fresh
rm "$bin/cmake"
fake id 'echo 0'
# shellcheck disable=SC2016
fake apt-get '[ "$1" = update ] || exit 100'
expect "apt-get fails" 100 "Installing: cmake" "" build

fresh
rm "$bin/apt-get" "$bin/dpkg-query" "$bin/gcc"
expect "not Debian" 1 "Missing: gcc (names of Debian packages). *" "" build

fresh
expect "no target" 2 "usage: *" ""
expect "unknown target" 2 "usage: *" "" everything
