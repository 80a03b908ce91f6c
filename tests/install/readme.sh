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

for document in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
    links=$(grep -o '](\([^)]*\))' "$document" | sed 's/^](//; s/)$//; s/#.*//' || true)
    for link in $links; do
        case $link in
        http*) ;;
        *) [ -e "$(dirname "$document")/$link" ] || fail "$document links to $link, which does not exist" ;;
        esac
    done
done
