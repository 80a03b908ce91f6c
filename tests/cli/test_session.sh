#!/bin/bash
# The first session of docs/command.md, as it stands there: its scene, its commands, and what its three
# mistakes are told as.
#
#   test_session.sh BUILD SOURCE
set -euo pipefail
export PATH=$1:$PATH
guide=$2/docs/command.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "test_session.sh: $*" >&2
    exit 1
}

block() # language: the first block of it in the guide
{
    awk -v open="\`\`\`$1" '$0 == open { on = 1; next } on && /^```/ { exit } on' "$guide"
}

block json > first.json
block sh > commands
grep -q '^talus run first.json ' commands || fail "the guide has other commands: $(cat commands)"
bash -e commands > out 2> err || fail "$(cat out err)"
grep -q '^finished: t = 1 s, 200 steps in ' err || fail "the run: $(cat err)"
for file in first.h5 first.h5.checkpoint first.csv first.pvd; do
    [ -s $file ] || fail "$file is not there"
done
# The ball lies on the ground at the end.
tail -n 1 first.csv | awk -F, '{ if ($4 != "ball" || $7 < 0.099 || $7 > 0.101) exit 1 }' ||
    fail "the last line of first.csv is $(tail -n 1 first.csv)"

cp first.json good.json
{
    sed 's/"radius": 0.1/"raduis": 0.1/' good.json > first.json
    talus check first.json 2>&1 || true
    sed 's/"duration": 1,/"duration": 1/' good.json > first.json
    talus check first.json 2>&1 || true
    sed 's/"plane"/"plain"/' good.json > first.json
    talus check first.json 2>&1 || true
} > mistakes
diff <(block text) mistakes || fail "the guide (<) shows other messages than the command (>) prints"
