#!/bin/bash
# The manual page: renders, has no mistakes that groff and mandoc can see, and names every command and
# option that help lists, and every exit code of the guide.
#
#   test_manual.sh BUILD SOURCE
set -euo pipefail
talus=$1/talus
page=$2/docs/talus.1
guide=$2/docs/command.md

fail()
{
    echo "test_manual.sh: $*" >&2
    exit 1
}

for program in groff mandoc; do
    if ! command -v $program > /dev/null; then
        echo "skipped: $program is not there"
        exit 77
    fi
done
warnings=$(groff -mdoc -ww -Tutf8 -z "$page" 2>&1)
[ -z "$warnings" ] || fail "groff: $warnings"
warnings=$(mandoc -T lint -W warning "$page" 2>&1) || fail "mandoc: $warnings"
# As plain text, without overstriking and colours.
text=$(groff -mdoc -Tascii -P -c "$page" | sed 's/.\x08//g')
for command in run resume check info export decompose import query plot compare sweep view render problem solve; do
    grep -q "talus $command" <<< "$text" || fail "the page does not name $command"
    for option in $("$talus" $command --help | grep -oE -- '--[a-z-]+' | sort -u); do
        grep -q -e "$option" <<< "$text" || fail "the page does not name $option of $command"
    done
done
for code in 0 1 2 3 4 5 129 130 143; do
    grep -qE "^ +$code  " <<< "$text" || fail "the page does not explain exit code $code"
    grep -qE "^\| ([0-9]+, )*${code}[ ,]" "$guide" || fail "docs/command.md does not explain exit code $code"
done
