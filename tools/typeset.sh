# Sourced after environment.sh: a private folder, $stage, and how the generator and TeX run in it.
#
# Builds at the same time do not meet, and a failed one changes nothing outside. The bytes depend on the sources and the
# parameters only: clock, time zone, locale and folder are kept out.

# What builds leave that were killed: a folder that is called after a process which is no more.
for left in .build/stage.*; do
    owner=${left#.build/stage.}
    [ ! -d "$left" ] || kill -0 "${owner%%.*}" 2>/dev/null || rm -rf "$left"
done
writable .build || exit 1
stage=$(mktemp -d ".build/stage.$$.XXXXXX") || exit 1
trap 'rm -rf "$stage"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

export SOURCE_DATE_EPOCH=1767225600 FORCE_SOURCE_DATE=1 TZ=UTC
# C.UTF-8 is not known everywhere.
if [ "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" = UTF-8 ]; then
    export LC_ALL=C.UTF-8
else
    export LC_ALL=C
fi
# TeX may read and write in its own folder only, and breaks no line of its log.
export openin_any=p openout_any=p max_print_line=1000 error_line=254 half_error_line=238
umask 022

# generate ARGUMENT...: generate.py, whose temporary files go with $stage.
generate() {
    mkdir -p "$stage/tmp" && TMPDIR=$PWD/$stage/tmp .venv/bin/python generate.py "$@"
}

# A name that begins with - is no option.
operand() {
    case $1 in
    -*) echo "./$1" ;;
    *) echo "$1" ;;
    esac
}

# typeset FOLDER NAME PDF: solution_manual.tex of a folder below $stage to a PDF beside it; where TeX fails, the folder
# is kept as .build/failed-NAME, and its first error told.
typeset() {
    (cd "$1" && tex latexmk -norc -pdf -no-shell-escape -interaction=nonstopmode -halt-on-error -file-line-error \
        solution_manual.tex) >"$stage/latexmk.log" 2>&1 </dev/null && return
    # On a full disk the log ends anywhere, and a copy of it would fill it more.
    writable "$1" || exit 1
    failed=.build/failed-$2
    rm -rf "$failed"
    mv "$stage/latexmk.log" "$1/latexmk.log"
    mv "$1" "$failed"
    # Next time, look again whether TeX is all there.
    rm -f .build/tex.stamp
    log=$failed/solution_manual.log
    [ -f "$log" ] || log=$failed/latexmk.log
    {
        echo "TeX could not build $3. Its first error:"
        # From the first line like "./file.tex:12: message", or else the end of the log.
        awk '/^[^ ]+:[0-9]+: / { found = 1 } /^Here is how much/ { exit } found && shown++ < 8' "$log" | grep . ||
            tail -n 8 "$log" | grep . || echo "(TeX wrote no log: is $(command -v latexmk) whole?)"
        echo "The whole log is $log"
    } >&2
    exit 1
}
