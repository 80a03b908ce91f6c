#!/bin/bash
# Runs the example programs as a user would: results, files, exit codes, messages about wrong options.
#
#   programs.sh BUILD SOURCE
set -euo pipefail
first=$1/examples/first
pile=$1/examples/pile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "programs.sh: $*" >&2
    exit 1
}

"$first" > first.out
[ "$(wc -l < first.out)" -eq 10 ] || fail "first printed $(cat first.out)"
grep -q '^t = 1.0 s  height = 0.1000 m  contacts = 1 ' first.out || fail "the ball is not at rest: $(cat first.out)"

# The same bits with one thread and with two; a row for each sphere.
for threads in 1 2; do
    "$pile" --bodies 500 --seconds 0.25 --threads $threads --output $threads.csv > $threads.out
    grep -q '^Certificate, after 0.25 s (50 steps)$' $threads.out || fail "no certificate: $(cat $threads.out)"
    grep -q '^  bodies  *500$' $threads.out || fail "wrong number of bodies: $(cat $threads.out)"
    [ "$(wc -l < $threads.csv)" -eq 501 ] || fail "the CSV file has not 501 lines"
    [ "$(head -n 1 $threads.csv)" = id,x,y,z,radius ] || fail "the CSV file has another header"
    awk -F, 'NR > 1 && (NF != 5 || $4 < 0 || $4 > 100 || $5 != 0.1) { exit 1 }' $threads.csv ||
        fail "the CSV file has a strange row"
done
hash=$(grep '^  hash' 1.out)
[ "$hash" = "$(grep '^  hash' 2.out)" ] || fail "the hashes differ"
cmp 1.csv 2.csv || fail "the positions differ"

refused() # expected exit code, pattern of the message, arguments
{
    local code=0
    "$pile" "${@:3}" > refused.out 2> refused.err || code=$?
    [ $code -eq "$1" ] || fail "pile ${*:3}: exit code $code, not $1"
    grep -q -e "$2" refused.err || fail "pile ${*:3}: said $(cat refused.err)"
}

refused 2 "--bodies: '0' is not a whole number from 1 to 100000000" --bodies 0
refused 2 "--bodies: '1.5' is not" --bodies 1.5
refused 2 "--bodies: '12x' is not" --bodies 12x
refused 2 "--bodies: '' is not" --bodies ''
refused 2 "--seconds: '-1' is not a number from 0.001 to 3600" --seconds -1
refused 2 "--seconds: 'nan' is not" --seconds nan
refused 2 "--threads: '1e9' is not a whole number from 0 to 1024" --threads 1e9
refused 2 "--threads needs a value" --threads
refused 2 "unknown option '--body'" --body 1
refused 1 "cannot write '/nowhere/x.csv'" --output /nowhere/x.csv
refused 1 "cannot write '/dev/full'" --bodies 10 --seconds 0.01 --output /dev/full
"$pile" --help > help.out
grep -q '^usage: pile' help.out || fail "no help"
