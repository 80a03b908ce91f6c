#!/bin/bash
# The README must not lie: its first program is examples/first.c, what it says that prints is what it
# prints, and the files that the documents link to exist.
#
#   readme.sh BUILD SOURCE
set -euo pipefail
cd "$2"

fail()
{
    echo "readme.sh: $*" >&2
    exit 1
}

block() # language: the first block of it in the README
{
    awk -v open="\`\`\`$1" '$0 == open { on = 1; next } on && /^```/ { exit } on' README.md
}

diff <(block c) examples/first.c || fail "the first program of README.md (<) is not examples/first.c (>)"
diff <(block text) <("$1/examples/first") || fail "README.md (<) shows another output than first (>) prints"

# The first scene: it is checked and runs as the README says, and the mistake it shows is told as it says.
if [ -x "$1/talus" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    block json > "$work/drop.json"
    (
        cd "$work"
        "$1/talus" check drop.json
        "$1/talus" run drop.json --backend cpu --until 0.2 --quiet
        "$1/talus" run drop.json --backend cpu --until 0.2 --quiet --set radius=0.08 --set gravity=[0,0,-1.6] -o moon.h5
        "$1/talus" resume drop.h5 --until 0.3 --quiet
        "$1/talus" export drop.h5 -o drop.pvd
        sed -i 's/"radius": "=/"raduis": "=/' drop.json
    ) > "$work/log" 2>&1 || fail "the first scene of README.md: $(cat "$work/log")"
    said=$(cd "$work" && "$1/talus" check drop.json 2>&1) && fail "a misspelt key was not refused"
    grep -qF "$said" README.md || fail "README.md does not show: $said"
fi

# What it asks CMake for is this version: before 1.0 another minor version is another library.
version=$(sed -n 's/^#define TL_VERSION_STRING "\(.*\)"/\1/p' include/talus/base.h)
case $version in
0.*) wanted=${version%.*} ;;
*) wanted=${version%%.*} ;;
esac
[ -n "$version" ] || fail "base.h has no version"
grep -qxF "find_package(talus $wanted REQUIRED)" README.md ||
    fail "README.md asks CMake for another version than $wanted"

# Its table of speed is the run that bench/results/ shows.
tools/speed-table --check || fail "README.md shows another run than bench/results/; tools/speed-table makes the table"

for document in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md examples/*.md; do
    links=$(grep -o '](\([^)]*\))' "$document" | sed 's/^](//; s/)$//; s/#.*//' || true)
    for link in $links; do
        case $link in
        http*) ;;
        *) [ -e "$(dirname "$document")/$link" ] || fail "$document links to $link, which does not exist" ;;
        esac
    done
done
