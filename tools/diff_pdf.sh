#!/bin/sh
# diff_pdf.sh OLD NEW: the manual of NEW with what differs from that of OLD marked in place, as output/diff/NAME.pdf.
#
# OLD and NEW are parameter files, or REVISION:FILE.
set -u
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
. tools/environment.sh
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
old_source=$(operand "$1")
new_source=$(operand "$2")
old=$(stem "$old_source")
new=$(stem "$new_source")
[ "$old" = "$new" ] && name=$new || name=$old-to-$new
pdf=output/diff/$name.pdf

echo "Building $pdf from $1 and $2"
# Reads both, so that the faults of both are told, and the names that can't be those of an output.
generate diff "$old_source" "$new_source" >/dev/null || exit
generate "$old_source" --output "$stage/old" >/dev/null || exit
generate "$new_source" --output "$stage/new" >/dev/null || exit
.venv/bin/python -m manual.marked "$old_source" "$new_source" "$stage" || exit
typeset "$stage/new" "diff-$name" "$pdf"
mv "$stage/new/solution_manual.log" ".build/diff-$name.log"
writable output/diff || exit 1
mv "$stage/new/solution_manual.pdf" "$pdf"
echo "$pdf is built"
