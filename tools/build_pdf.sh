#!/bin/sh
# build_pdf.sh PARAMETERS PDF: generate, typeset and publish one manual.
#
# All of it happens in a private folder: builds at the same time do not meet, and a failed one changes nothing that is
# in the PDF's folder. The bytes depend on the sources and the parameters only: clock, time zone, locale and the user's
# own latexmk settings are kept out.
set -u
cd "$(dirname "$0")/.." || exit 1

parameters=$1
pdf=$2
output=${pdf%/*}
name=${output##*/}

mkdir -p .build
# What killed builds have left.
find .build -maxdepth 1 -name 'stage.*' -mtime +0 -exec rm -rf {} +
stage=$(mktemp -d .build/stage.XXXXXX) || exit 1
trap 'rm -rf "$stage"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

touch "$stage/begun"
export SOURCE_DATE_EPOCH=1767225600 FORCE_SOURCE_DATE=1 TZ=UTC
# C.UTF-8 is not known everywhere.
if [ "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" = UTF-8 ]; then
    export LC_ALL=C.UTF-8
else
    export LC_ALL=C
fi

echo "Building $pdf from $parameters"
.venv/bin/python generate.py "$parameters" --output "$stage" >/dev/null || exit

# TeX may read and write here only, and breaks no line of its log.
export openin_any=p openout_any=p max_print_line=1000 error_line=254 half_error_line=238
if ! (cd "$stage" && latexmk -norc -pdf -no-shell-escape -interaction=nonstopmode -halt-on-error -file-line-error \
    solution_manual.tex) >"$stage/latexmk.log" 2>&1 </dev/null; then
    failed=.build/failed-$name
    rm -rf "$failed"
    mv "$stage" "$failed"
    # Next time, look again whether TeX is all there.
    rm -f .build/tex.stamp
    log=$failed/solution_manual.log
    [ -f "$log" ] || log=$failed/latexmk.log
    {
        echo "TeX could not build $pdf. Its first error:"
        # From the first line like "./file.tex:12: message", or else the end of the log.
        awk '/^[^ ]+:[0-9]+: / { found = 1 } /^Here is how much/ { exit } found && shown++ < 8' "$log" | grep . ||
            tail -n 8 "$log"
        echo "The whole log is $log"
    } >&2
    exit 1
fi
mv "$stage/solution_manual.log" ".build/$name.log"

# The PDF is as old as the reading of its sources: one that was edited during the build is newer.
touch -r "$stage/begun" "$stage/solution_manual.pdf"
mkdir -p "${output%/*}" || exit
.venv/bin/python -m manual.publish "$stage" "$output"
