#!/bin/bash
# The command line itself: help of everything, the version, what is said of wrong options and commands,
# and the exit codes of wrong usage. Nothing is simulated.
#
#   test_usage.sh BUILD SOURCE
set -euo pipefail
talus=$1/talus
version=$(sed -n 's/^#define TL_VERSION_STRING "\(.*\)"/\1/p' "$2/include/talus/base.h")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "test_usage.sh: $*" >&2
    exit 1
}

refused() # expected exit code, exact message, arguments
{
    local code=0
    "$talus" "${@:3}" > out 2> err || code=$?
    [ $code -eq "$1" ] || fail "talus ${*:3}: exit code $code, not $1"
    [ "$(cat err)" = "talus: $2" ] || fail "talus ${*:3}: said: $(cat err)"
    [ ! -s out ] || fail "talus ${*:3}: wrote to standard output: $(cat out)"
}

[ "$("$talus" --version)" = "talus $version" ] || fail "another version: $("$talus" --version)"

# Help: for each command in three ways, on standard output, naming itself; and the list of all.
"$talus" help > all.help
cmp all.help <("$talus" --help) || fail "help and --help differ"
for command in run resume check info export decompose import query plot compare sweep view problem solve; do
    grep -q "^  $command " all.help || fail "talus help does not list $command"
    "$talus" help $command > $command.help 2> err
    head -n 1 $command.help | grep -q "^usage: talus $command" || fail "no help on $command"
    cmp $command.help <("$talus" $command --help) || fail "$command --help differs from help $command"
    cmp $command.help <("$talus" $command -h) || fail "$command -h differs from help $command"
    [ ! -s err ] || fail "help on $command wrote to standard error"
done

# Commands.
refused 2 "a command is missing; \`talus help\` lists them"
refused 2 "unknown command 'rnu'; did you mean 'run'?" rnu scene.json
refused 2 "unknown command 'exprot'; did you mean 'export'?" help exprot
refused 2 "unknown command 'simulate'; \`talus help\` lists them" simulate
refused 2 "unknown command ''; \`talus help\` lists them" ''

# Files.
refused 2 "run needs a SCENE: talus run SCENE" run
refused 2 "resume needs a RESULT: talus resume RESULT" resume --quiet
refused 2 "run takes one SCENE: 'b.json' is one too many" run a.json b.json
refused 2 "run: the name of the SCENE is empty" run ''
refused 2 "check takes one SCENE|MESH: '--set' is one too many" check -- a.json --set

# Options.
refused 2 "run: unknown option '--untill'; did you mean '--until'?" run a.json --untill=3
refused 2 "run: unknown option '--thread'; did you mean '--threads'?" run a.json --thread 2
refused 2 "run: unknown option '--frobnicate'; see talus run --help" run a.json --frobnicate
refused 2 "run: unknown option '-x'; see talus run --help" run a.json -x
refused 2 "check: unknown option '--until'; did you mean '--unit'?" check a.json --until 3
refused 2 "check: unknown option '--frames'; see talus check --help" check a.json --frames 3
refused 2 "--until needs a value: --until T" run a.json --until
refused 2 "--output needs a value: --output RESULT" run a.json -o --quiet
refused 2 "--output needs a name" run a.json --output=
refused 2 "--until: '-1' is not a number of 1e-12 or more" run a.json --until -1
refused 2 "--until: 'nan' is not a number of 1e-12 or more" run a.json --until nan
refused 2 "--until: 'inf' is not a number of 1e-12 or more" run a.json --until=inf
refused 2 "--until: '5s' is not a number of 1e-12 or more" resume a.h5 --until 5s
refused 2 "--threads: '1e9' is not a whole number from 0 to 1024" run a.json --threads 1e9
refused 2 "--threads: '1.5' is not a whole number from 0 to 1024" run a.json --threads 1.5
refused 2 "--threads: '' is not a whole number from 0 to 1024" run a.json --threads=
refused 2 "--iterations: '0' is not a whole number from 1 to 1e+06" run a.json --iterations 0
refused 2 "--rate: '-5' is not a number of 0 or more" run a.json --rate -5
refused 2 "--backend: 'gpu' is not one of auto|cpu|cuda" run a.json --backend gpu
refused 2 "--solver: 'cg' is not one of psor|jacobi|apgd|spg|interior" run a.json --solver cg
refused 2 "--precision: 'single' is not one of mixed|double" run a.json --precision single
refused 2 "--quiet takes no value" run a.json --quiet=yes
refused 2 "--until is given twice" run a.json --until 1 --until 2
refused 2 "--set: 'gravity' is not NAME=VALUE" run a.json --set gravity
refused 2 "--set: '=3' is not NAME=VALUE" check a.json --set =3
refused 2 "run: --no-record and --output contradict each other" run a.json --no-record -o a.h5
refused 2 "run: --no-record and --force contradict each other" run a.json --no-record --force

refused 2 "sweep needs a SCENE: talus sweep SCENE" sweep
refused 2 "sweep needs -o FOLDER" sweep a.json --vary a=1
refused 2 "--jobs: '0' is not a whole number from 1 to 1024" sweep a.json -j 0
refused 2 "run: unknown option '--jobs'; here it is '--threads N'" run a.json --jobs 2

# Meshes.
refused 2 "decompose needs a MESH: talus decompose MESH" decompose
refused 2 "--unit: 'miles' is not one of m|cm|mm|um|in|ft" decompose a.stl --unit miles
refused 2 "--tolerance: '0' is not a number of 1e-12 or more" decompose a.stl --tolerance 0
refused 2 "--spheres: '0' is not a whole number from 1 to 1e+06" decompose a.stl --spheres 0
refused 2 "decompose: unknown option '--units'; here it is '--unit UNIT'" decompose a.stl --units mm
refused 2 "check: --unit, --scale, --merge and --density are for meshes; a.json is none" check a.json --unit mm
refused 2 "check: --set is for scenes; a.stl is a mesh" check a.stl --set step=1

# Scenes in lines, and results side by side.
refused 2 "import needs a FILE: talus import FILE" import
refused 2 "import: 'a.json' does not end in .txt, as scenes in lines do" import a.json
refused 2 "compare needs a RESULT: talus compare RESULT" compare
refused 2 "compare needs two RESULTs: talus compare A.h5 B.h5" compare a.h5

# Exports that cannot be meant.
refused 2 "export needs -o FILE" export a.h5
refused 2 "export: 'a.txt' ends neither in .csv nor in .pvd (VTK for ParaView); --format says what to write" \
    export a.h5 -o a.txt
refused 2 "export: --to 1 is before --from 2" export a.h5 -o a.csv --from 2 --to 1
refused 2 "--every: '0' is not a whole number of 1 or more" export a.h5 -o a.csv --every 0
refused 2 "--format: 'vtu' is not one of csv|vtk|steps|contacts|monitors|joints" export a.h5 -o a.csv --format vtu
echo > a.csv
refused 2 "export: -o names the result itself" export a.csv -o ./a.csv

# Standard output that cannot be written.
code=0
"$talus" info > /dev/full 2> err || code=$?
[ $code -eq 4 ] || fail "info > /dev/full: exit code $code"
grep -q '^talus: cannot write to standard output: No space left on device$' err || fail "info > /dev/full: $(cat err)"

# `talus bench` is talus-bench, which lies beside the command; where it is not built, it says so.
cp "$talus" .
refused=0
./talus bench --list > out 2> err || refused=$?
[ $refused -eq 1 ] || fail "bench without talus-bench: exit code $refused"
grep -q "^talus: cannot run .*/talus-bench: No such file or directory; " err || fail "bench without talus-bench: $(cat err)"
# shellcheck disable=SC2016  # for the script to expand
printf '#!/bin/sh\necho "$0 $*"\nexit 7\n' > talus-bench
chmod +x talus-bench
code=0
./talus bench pile --bodies 10 > out || code=$?
[ $code -eq 7 ] || fail "bench: exit code $code, not talus-bench's"
[ "$(cat out)" = "$PWD/talus-bench pile --bodies 10" ] || fail "bench: ran $(cat out)"
./talus bench --help > out || true
[ "$(cat out)" = "$PWD/talus-bench --help" ] || fail "bench --help: ran $(cat out)"
./talus help bench > out || true
[ "$(cat out)" = "$PWD/talus-bench --help" ] || fail "help bench: ran $(cat out)"
