#!/bin/sh
# record_inputs.sh PARAMETERS INPUTS: the sums of all that a manual is made from, in a file that is written only when
# one of them changes. So make does not depend on the times of files, and a file that is gone or new counts too.
set -u
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
. tools/environment.sh

parameters=$1
inputs=$2
writable .build || exit 1

# Other names are no sources: an editor's lock, a copy that a synced folder has made, what the system keeps for itself.
sources=
for file in generate.py pyproject.toml requirements.txt derivations/*.py execution/*.py figures/*.py manual/*.py \
    templates/*.tex tools/*.sh parameters/*.toml; do
    case ${file##*/} in
    *[!a-z0-9_.]* | .*) ;;
    *) [ ! -f "$file" ] || sources="$sources $file" ;;
    esac
done

# The parameter file through standard input, so that no name is taken for an option; what is no file the generator
# reports.
if {
    echo "$parameters" && { [ ! -f "$parameters" ] || cksum <"$parameters"; } && cksum $sources
} >"$inputs.$$"; then
    if cmp -s "$inputs.$$" "$inputs"; then
        rm "$inputs.$$"
    else
        mv -f "$inputs.$$" "$inputs"
    fi
else
    rm -f "$inputs.$$"
    echo "What $parameters is built from could not be read: the reason is above." >&2
    exit 1
fi
