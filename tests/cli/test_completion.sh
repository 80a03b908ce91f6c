#!/bin/bash
# The completion for bash, in a simulated command line: commands, options (just those that --help
# lists), words of options, files by kind.
#
#   test_completion.sh BUILD SOURCE
set -euo pipefail
export PATH=$1:$PATH
# shellcheck disable=SC1091  # it is checked by itself
source "$2/tools/completion/talus.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir folder
touch pile.json silo.json pile.h5 old.h5 table.csv notes.txt pin.stl "two words.json" heap.hdf5

fail()
{
    echo "test_completion.sh: $*" >&2
    exit 1
}

complete -p talus | grep -q -- '-F _talus talus' || fail "nothing is registered for talus"

completed() # the words typed, the last of them unfinished: what they can become, a line each
{
    COMP_WORDS=(talus "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _talus
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | sort
}

expect() # expected lines, words
{
    local found
    found=$(completed "${@:2}")
    [ "$found" = "$1" ] || fail "talus ${*:2}: completes to: $found; not to: $1"
}

lines()
{
    printf '%s\n' "$@" | sort
}

expect "$(lines run resume render)" r
expect "$(lines run resume check info export decompose import query plot compare sweep view render problem solve bench help --help --version)" ""
expect "$(lines run resume render)" help r
expect "$(lines pile.json silo.json "two words.json" notes.txt folder/)" run ""
expect "$(lines pile.h5 old.h5 folder/)" resume ""
expect "$(lines pile.json pin.stl)" check pi
expect "$(lines pin.stl)" decompose pi
expect "$(lines pile.json)" decompose pin.stl -o pi
expect "$(lines notes.txt)" import n
expect "$(lines pile.json)" import notes.txt -o pi
expect "$(lines pile.h5)" compare old.h5 pi
expect "$(lines penalty peg)" run pile.json --stepper pe
expect "$(lines m mm)" decompose pin.stl --unit m
expect "$(lines pile.json pile.h5)" info pi
expect "$(lines pile.h5)" export pi
expect "$(lines pile.json pile.h5)" view pi
expect "$(lines pile.json)" sweep pi
expect "$(lines folder/)" sweep pile.json -o ""
expect "" sweep pile.json --vary ""
expect "$(lines pile.h5)" render pi
expect "$(lines moon)" render pile.h5 --template m
expect "$(lines pile.json)" render pile.h5 --look pi
expect "$(lines table.csv folder/)" export pile.h5 -o ""
expect "$(lines pile.h5)" run pile.json -o pi
expect "$(lines cpu cuda)" run pile.json --backend c
expect "$(lines cpu cuda)" run pile.json --backend = c
expect "$(lines auto cpu cuda)" run pile.json --backend =
expect "$(lines psor)" run pile.json --solver p
expect "$(lines pile.json pile.h5)" problem pi
expect "$(lines global)" problem pile.json --form g
expect "$(lines heap.hdf5)" solve he
expect "$(lines heap.hdf5)" problem pile.json -o h
expect "$(lines cone coulomb)" solve heap.hdf5 --law co
expect "$(lines mixed double)" run pile.json --precision ""
expect "$(lines steps)" export pile.h5 --format s
expect "" run pile.json --until ""

# Every option that help lists, and no other.
for command in run resume check info export decompose import query plot compare sweep view render problem solve; do
    listed=$(talus $command --help | sed -n 's/^  \(-.*\)/\1/p' | grep -oE -- '(^|[ ,])--?[a-z-]+' | tr -d ' ,' | sort -u)
    offered=$(completed $command -)
    [ "$listed" = "$offered" ] || fail "$command: help lists ${listed//$'\n'/ }, completion offers ${offered//$'\n'/ }"
done
# Every command that help lists.
listed=$(talus help | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort)
offered=$(completed "" | grep -v '^-')
[ "$listed" = "$offered" ] || fail "help lists ${listed//$'\n'/ }, completion offers ${offered//$'\n'/ }"
