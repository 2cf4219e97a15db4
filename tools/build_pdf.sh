#!/bin/sh
# build_pdf.sh PARAMETERS PDF: generate, typeset and publish one manual.
set -u
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
. tools/environment.sh
. tools/typeset.sh

parameters=$(operand "$1")
pdf=$2
output=${pdf%/*}
name=${output##*/}

echo "Building $pdf from $parameters"
generate "$parameters" --output "$stage/copy" >/dev/null || exit
typeset "$stage/copy" "$name" "$pdf"
mv "$stage/copy/solution_manual.log" ".build/$name.log"

writable "${output%/*}" || exit 1
.venv/bin/python -m manual.publish "$stage/copy" "$output"
