#!/bin/bash
# Every example: talus check finds nothing wrong, the schema accepts it, and it runs for a short while without losing
# bodies. Called with the build folder and the source folder.
set -euo pipefail
talus=$1/talus
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "test_examples.sh: $*" >&2
    exit 1
}

field() # key, of a JSON object on standard input that has a line per key
{
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p"
}

# A sanitizer makes a step ten times as slow, and sees as much in a few, of few grains; what check says is the same.
watched=false
! grep -q '^TALUS_SANITIZE:STRING=.' "$1/CMakeCache.txt" || watched=true
examples=("$source"/examples/*.json)
[ ${#examples[@]} -ge 15 ] || fail "only ${#examples[@]} examples in $source/examples"
for scene in "${examples[@]}"; do
    name=$(basename "$scene" .json)
    more=() # a scene that starts from a result takes it from here; those it comes from are run before it
    ! grep -q '"result": "track-tension.h5"' "$scene" ||
        more=(--set "start[0].result=$work/track-tension.h5" --set "start[1].result=$work/track-tension.h5")
    until=0.005
    ! grep -q '"step": 0.01,' "$scene" || until=0.01 # a step
    if ! $watched; then
        "$talus" check "$scene" "${more[@]}" --json > check.json 2> check.err || fail "$name: check says $(cat check.err)"
        [ ! -s check.err ] || fail "$name: check warns: $(cat check.err)"
        [ "$(field overlapping_pairs < check.json)" = 0 ] || fail "$name: bodies overlap at the start: $(cat check.json)"
        grep -q '"title": "[A-Z]' check.json || fail "$name has no title"
        until=0.1
        [ "$(field dynamic < check.json)" -lt 3000 ] || until=0.05
    fi
    [ "$name" != anchor-mesh ] || more+=(--set pieces=8) # check has seen it cut into all of them
    ! $watched || ! grep -q '"bodies": [0-9]' "$scene" || more+=(--set bodies=300)
    "$talus" run "$scene" "${more[@]}" --quiet --json --threads 1 --backend cpu --until $until > run.json || fail "$name does not run"
    [ "$(field status < run.json)" = finished ] || fail "$name: $(cat run.json)"
    [ -s "$name.h5" ] || fail "$name left no result"
    overlap=$(field max_overlap < run.json)
    awk -v x="$overlap" 'BEGIN { exit !(x != "" && x < 0.1) }' || fail "$name: bodies overlap by $overlap of the radius"
    removed=$(field removed < run.json)
    [ "$removed" = 0 ] || fail "$name: $removed bodies are gone after $until s; its vessel leaks"
done

# The one in lines: the JSON that import makes of it runs to the same bits.
"$talus" check "$source/examples/springs.txt" --json > check.json 2> check.err || fail "springs.txt: check says $(cat check.err)"
[ ! -s check.err ] || fail "springs.txt: check warns: $(cat check.err)"
[ "$(field overlapping_pairs < check.json)" = 0 ] || fail "springs.txt: bodies overlap at the start"
"$talus" import "$source/examples/springs.txt" --quiet
for scene in "$source/examples/springs.txt" springs.json; do
    "$talus" run "$scene" --json --backend cpu --until 0.5 --no-record > run.json 2> run.err || fail "$scene does not run"
    ! grep -q warning run.err || fail "$scene warns of what nobody chose: $(cat run.err)"
    [ "$(field status < run.json)" = finished ] || fail "$scene: $(cat run.json)"
    field hash < run.json >> springs.hashes
done
[ "$(sort -u springs.hashes | wc -l)" = 1 ] || fail "springs.txt and its JSON differ: $(cat springs.hashes)"

if $watched; then
    exit 0
fi

# Every scene with the parameter "bodies" can be made small and large by it.
for name in silo tank shaker mixer drum pile ellipsoids meshground chute; do
    for bodies in 600 5000; do
        "$talus" check "$source/examples/$name.json" --set bodies=$bodies --json > check.json || fail "$name with $bodies"
        case $name in
            tank) wanted=0 ;; # they are poured
            shaker) wanted=$((bodies + 1)) ;; # the ball
            *) wanted=$bodies ;;
        esac
        [ "$(field dynamic < check.json)" = $wanted ] || fail "$name with bodies=$bodies: $(cat check.json)"
    done
done

"$talus" check "$source/examples/rubble.json" --set stones=10000 --json > check.json || fail "rubble with 10000"
[ "$(field dynamic < check.json)" = 10000 ] || fail "rubble with stones=10000: $(cat check.json)"

python=/usr/bin/python3
if $python -c 'import jsonschema' 2> /dev/null; then
    $python - "$source/docs/scene.schema.json" "${examples[@]}" << 'END' || fail "the schema refuses an example"
import json
import sys
import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    validator = jsonschema.Draft202012Validator(json.load(file))
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        for error in validator.iter_errors(json.load(file)):
            sys.exit(f"{path}: {error.json_path}: {error.message}")
END
fi
