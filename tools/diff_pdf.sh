#!/bin/sh
# diff_pdf.sh OLD NEW: the manual of NEW with what differs from that of OLD marked in place, as output/diff/NAME.pdf.
#
# OLD and NEW are parameter files, or REVISION:FILE.
set -u
cd "$(dirname "$0")/.." || exit 1
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
.venv/bin/python generate.py "$1" --output "$stage/old" >/dev/null || exit
.venv/bin/python generate.py "$2" --output "$stage/new" >/dev/null || exit

# A formula is replaced whole: a fraction with marks inside its numerator is hard to read and often not even TeX.
if ! latexdiff --encoding=utf8 --math-markup=whole --graphics-markup=none --append-textcmd=question \
    "$stage/old/solution_manual.tex" "$stage/new/solution_manual.tex" >"$stage/marked.tex" 2>"$stage/latexdiff.log"; then
    cat "$stage/latexdiff.log" >&2
    exit 1
fi
awk '{ print } /^\\begin\{document\}/ {
    print "\\begin{center}\\small What the new parameters take away is \\DIFdel{marked like this} (a formula red), what they bring \\DIFadd{like this} (a formula blue). The figures are the new ones.\\end{center}"
}' "$stage/marked.tex" >"$stage/new/solution_manual.tex"
typeset "$stage/new" "diff-$name" "$pdf"
mv "$stage/new/solution_manual.log" ".build/diff-$name.log"
mkdir -p output/diff || exit
mv "$stage/new/solution_manual.pdf" "$pdf"
echo "$pdf is built"
