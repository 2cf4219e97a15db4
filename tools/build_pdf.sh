#!/bin/sh
# build_pdf.sh PARAMETERS PDF: generate, typeset and publish one manual.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/typeset.sh

case $1 in
-*) parameters=./$1 ;; # no option
*) parameters=$1 ;;
esac
pdf=$2
output=${pdf%/*}
name=${output##*/}

touch "$stage/begun"
echo "Building $pdf from $parameters"
.venv/bin/python generate.py "$parameters" --output "$stage/copy" >/dev/null || exit
typeset "$stage/copy" "$name" "$pdf"
mv "$stage/copy/solution_manual.log" ".build/$name.log"

# The PDF is as old as the reading of its sources: one that was edited during the build is newer.
touch -r "$stage/begun" "$stage/copy/solution_manual.pdf"
mkdir -p "${output%/*}" || exit
.venv/bin/python -m manual.publish "$stage/copy" "$output" || exit
# A parameter file that was written to meanwhile may be as it was again, and not what was read: look anew next time.
if [ -n "$(find "$parameters" parameters -newer "$stage/begun" -name '*.toml')" ]; then
    rm -f ".build/$name.inputs"
fi
