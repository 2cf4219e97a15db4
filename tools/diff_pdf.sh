#!/bin/sh
# diff_pdf.sh OLD NEW: the manual of NEW with what differs from that of OLD marked in place, as output/diff/NAME.pdf.
#
# OLD and NEW are parameter files, or REVISION:FILE.
set -u
cd "$(dirname "$0")/.." || exit 1
for side in OLD NEW; do
    [ "$side" = OLD ] && source=$1 || source=$2
    [ -n "$source" ] && continue
    echo "$side: expected the name of a parameter file, got an empty one" >&2
    exit 2
done
. tools/typeset.sh

stem() {
    base=${1##*[:/]}
    echo "${base%.toml}"
}
old=$(stem "$1")
new=$(stem "$2")
[ "$old" = "$new" ] && name=$new || name=$old-to-$new
pdf=output/diff/$name.pdf

echo "Building $pdf from $1 and $2"
# Reads both, so that the faults of both are told.
.venv/bin/python generate.py diff "$1" "$2" >/dev/null || exit
.venv/bin/python generate.py "$1" --output "$stage/old" >/dev/null || exit
.venv/bin/python generate.py "$2" --output "$stage/new" >/dev/null || exit
.venv/bin/python -m manual.marked "$1" "$2" "$stage" || exit
typeset "$stage/new" "diff-$name" "$pdf"
mv "$stage/new/solution_manual.log" ".build/diff-$name.log"
mkdir -p output/diff || exit
mv "$stage/new/solution_manual.pdf" "$pdf"
echo "$pdf is built"
